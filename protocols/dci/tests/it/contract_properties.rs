//! Properties of the reader of contracts, for arbitrary texts.

use capgen_dci::Mode;
use capgen_dci::contract::{Reading, is_capability, is_model, read};
use capgen_diagnostic::Severity;
use proptest::prelude::*;

/// Texts that are mostly parts of contracts.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        8 => prop::sample::select(vec![
            "P(", "A(", "Rt(", "M(", "Pol(", "Provides(", "X(", "R(", ")", " ", ")\u{20}", ",", "=", "k=", "K=v", "\\", "\\ ", "\\(", "\\)", "\\,", "\\=",
            "\\\\", "\\x", "(", "\t", "\n", "a", "B", "web-search", "-", "*", "all", "max-candidates=2", "max-candidates=0", "selection-mode=cover",
            "é", "\u{212a}", "\0",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..40).prop_map(|parts| parts.concat())
}

/// The properties of every reading of a text.
fn check(text: &str, mode: Mode, reading: &Reading) {
    let spans = reading.problems.iter().map(|problem| &problem.span);
    for span in spans.chain(&reading.invalid_tokens).chain(&reading.unknown_clauses) {
        assert!(text.get(span.clone()).is_some(), "{span:?}");
    }
    let Some(contract) = &reading.contract else {
        assert!(!reading.problems.is_empty());
        assert!(reading.problems.iter().all(|problem| problem.severity == Severity::Error));
        return;
    };
    assert!(reading.problems.iter().all(|problem| problem.severity == Severity::Warning));
    assert_eq!(
        (contract.invalid_tokens, contract.unknown_clauses),
        (reading.invalid_tokens.len(), reading.unknown_clauses.len())
    );
    for list in [&contract.provides, &contract.expects, &contract.requires, &contract.optional, &contract.denies] {
        assert!(list.iter().all(|token| is_capability(token)));
    }
    assert!(contract.model.iter().all(|pattern| is_model(pattern)));
    let canonical = contract.canonical();
    let mut expected = contract.clone();
    (expected.invalid_tokens, expected.unknown_clauses) = (0, 0);
    let again = read(&canonical, mode);
    if mode == Mode::Strict || contract.accepts.is_empty() {
        assert_eq!(again.problems, [], "{canonical}");
    }
    assert_eq!(again.contract, Some(expected), "{canonical}");
}

proptest! {
    #[test]
    fn every_text_is_read_and_canonical_text_reads_back_equal(text in prop_oneof![any::<String>(), fragments()]) {
        for mode in [Mode::Strict, Mode::BestEffort] {
            for header in ["", "DCI/1 ", "DCI/1^strict ", "DCI/1^best-effort\t"] {
                let text = format!("{header}{text}");
                let reading = read(&text, mode);
                if mode == Mode::BestEffort && !header.is_empty() {
                    prop_assert!(reading.contract.is_some());
                }
                check(&text, mode, &reading);
            }
        }
    }

    #[test]
    fn a_contract_that_is_readable_in_strict_has_only_duplicate_keys_in_best_effort(text in fragments()) {
        let text = format!("DCI/1 {text}");
        if let Some(strict) = read(&text, Mode::Strict).contract {
            let contract = read(&text, Mode::BestEffort).contract.unwrap();
            prop_assert_eq!(contract.unknown_clauses, 0);
            // Keys that differ only in the case of letters are equal in best-effort.
            prop_assert_eq!(contract.invalid_tokens, strict.accepts.len() - contract.accepts.len());
            prop_assert_eq!(contract.policy, strict.policy);
        }
    }
}
