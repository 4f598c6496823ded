//! The interpreter and generated code have the same verdicts and violations.

use capgen_tests::agreement::compare::Outcome;
use capgen_tests::agreement::fixture::{self, Fixture};
use capgen_tests::agreement::labelled::{self, Labelled};
use capgen_tests::agreement::{Answer, Pair, interpreter, pairs};

/// The fixed first seed of the sample.
const SEED: u64 = 1;

fn agree(name: &str, pairs: &[Pair]) -> Outcome {
    capgen_tests::agreement::agree(env!("CARGO_TARGET_TMPDIR"), name, pairs)
}

/// Checks that the interpreter's verdicts equal the labels, and that the other engines agree with the interpreter.
fn agree_with_labels(name: &str, labelled: Vec<Labelled>) {
    for (pair, labels) in &labelled {
        for ((payload, valid), answer) in pair.payloads.iter().zip(labels).zip(interpreter(pair)) {
            assert_eq!(answer.valid, *valid, "{}: {payload}", pair.label);
        }
    }
    agree(name, &labelled.into_iter().map(|(pair, _)| pair).collect::<Vec<_>>());
}

#[test]
fn regression_cases_have_their_expected_results() {
    let fixtures = fixture::fixtures().unwrap();
    assert!(fixtures.len() >= 20);
    let mut wrong = Vec::new();
    for Fixture { pair, expected } in &fixtures {
        for ((payload, expected), answer) in pair.payloads.iter().zip(expected).zip(interpreter(pair)) {
            // The files list places, not messages.
            let answer = Answer { messages: None, truncated: None, ..answer };
            if answer != *expected {
                wrong.push(format!("{}: {payload}: {answer:?} instead of {expected:?}", pair.label));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    agree("fixtures", &fixtures.into_iter().map(|fixture| fixture.pair).collect::<Vec<_>>());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn payloads_of_the_corpora_have_the_verdicts_of_their_labels() {
    agree_with_labels("capabilities", labelled::capability_schemas().unwrap());
}

#[test]
fn payloads_of_the_json_schema_test_suite_have_the_verdicts_of_their_labels() {
    agree_with_labels("suite", labelled::test_suite().unwrap());
}

#[test]
fn all_engines_agree_on_random_schemas_and_payloads() {
    agree_on_random("chance", 30);
}

#[test]
#[ignore = "takes a minute"]
fn complete_random_schemas_have_the_same_verdicts_in_all_engines() {
    agree_on_random("complete-chance", 80);
}

fn agree_on_random(name: &str, schemas: usize) {
    let outcome = agree(name, &pairs(SEED, schemas, 20).0);
    assert!(4 * outcome.valid.min(outcome.invalid) > 25 * schemas, "the payloads are near the edge of validity");
}
