//! Contracts, decision by decision.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_dci::contract::{Reading, Setting, read, stated_mode};
use capgen_dci::{Mode, OnMissingRequired, SkillContract};
use capgen_diagnostic::Severity;

fn best_effort(text: &str) -> SkillContract {
    read(text, Mode::BestEffort).contract.unwrap()
}

fn strict(text: &str) -> SkillContract {
    let reading = read(text, Mode::Strict);
    assert_eq!(reading.problems, []);
    reading.contract.unwrap()
}

/// The code of each problem, and the text at its place.
fn problems<'t>(text: &'t str, reading: &Reading) -> Vec<(&'static str, &'t str)> {
    reading.problems.iter().map(|problem| (problem.code.as_str(), text.get(problem.span.clone()).unwrap())).collect()
}

/// Checks the problems of a text, which is unreadable in strict, and the number of its invalid tokens and unknown
/// clauses in best-effort, where the problems are warnings.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)], invalid_tokens: usize, unknown_clauses: usize) -> SkillContract {
    let reading = read(text, Mode::Strict);
    assert_eq!(reading.contract, None);
    assert_eq!(problems(text, &reading), expected);
    assert!(reading.problems.iter().all(|problem| problem.severity == Severity::Error));
    let reading = read(text, Mode::BestEffort);
    assert!(reading.problems.iter().all(|problem| problem.severity == Severity::Warning));
    assert_eq!((reading.invalid_tokens.len(), reading.unknown_clauses.len()), (invalid_tokens, unknown_clauses));
    let contract = reading.contract.unwrap();
    assert_eq!((contract.invalid_tokens, contract.unknown_clauses), (invalid_tokens, unknown_clauses));
    contract
}

/// Checks the problem of a text that is unreadable in both modes.
#[track_caller]
fn check_unreadable(text: &str, code: &str, place: &str) {
    for mode in [Mode::Strict, Mode::BestEffort] {
        let reading = read(text, mode);
        assert_eq!(reading.contract, None);
        assert_eq!(problems(text, &reading), [(code, place)]);
        assert!(reading.problems.iter().all(|problem| problem.severity == Severity::Error));
    }
    assert_eq!(stated_mode(text), None);
}

#[test]
fn the_example_of_the_specification_is_its_own_canonical_text() {
    let text = "DCI/1^strict P(option-evaluation) E(evaluation-criteria) A(output-format=json,output-template=raw) R(web-search) \
                O(critical-thinking) Rt(copilot,cli) M(openai/gpt-5*) Pol(min-total-score=0.45,on-missing-required=offer-emulation)";
    let contract = strict(text);
    assert_eq!(contract.canonical(), text);
    assert_eq!(contract.mode, Some(Mode::Strict));
    assert_eq!(contract.provides, ["option-evaluation"]);
    assert_eq!(contract.expects, ["evaluation-criteria"]);
    assert_eq!(contract.requires, ["web-search"]);
    assert_eq!(contract.optional, ["critical-thinking"]);
    assert_eq!(contract.denies, [""; 0]);
    assert_eq!(contract.runtime, ["copilot", "cli"]);
    assert_eq!(contract.model, ["openai/gpt-5*"]);
    let setting = |key: &str, value: &str| Setting { key: key.to_owned(), value: value.to_owned() };
    assert_eq!(contract.accepts, [setting("output-format", "json"), setting("output-template", "raw")]);
    assert_eq!(contract.policy.len(), 2);
    assert_eq!(contract.overrides.on_missing_required, Some(OnMissingRequired::OfferEmulation));
}

#[test]
fn decision_1_white_space_separates_clauses_and_strict_allows_one_space() {
    assert_eq!(strict(" \t\r\n\x0cDCI/1 P(a) R(b)\n").canonical(), "DCI/1 P(a) R(b)");
    let contract =
        check("DCI/1\tP(a)  R(b)\r\n\x0cD(c)", &[("E0804", "\t"), ("E0804", "  "), ("E0804", "\r\n\x0c")], 0, 0);
    assert_eq!(contract.canonical(), "DCI/1 P(a) R(b) D(c)");
    assert_eq!(check("DCI/1", &[("E0805", "")], 0, 0), SkillContract::default());
    check("  DCI/1^strict \n", &[("E0805", "")], 0, 0);
    // Other characters are not white space.
    check("DCI/1 P(a)\u{b}R(b)", &[("E0804", "\u{b}R(b)")], 0, 1);
    check_unreadable("DCI/1\u{a0}P(a)", "E0801", "DCI/1\u{a0}P(a)");
}

#[test]
fn decision_2_the_header_is_the_version_1_with_an_optional_mode() {
    for (text, code, place) in [
        ("", "E0801", ""),
        ("P(a)", "E0801", "P(a)"),
        ("dci/1 P(a)", "E0801", "dci/1"),
        ("DCI/ P(a)", "E0801", "DCI/"),
        ("DCI/1P(a)", "E0801", "DCI/1P(a)"),
        ("DCI/1.0 P(a)", "E0801", "DCI/1.0"),
        ("DCI/-1 P(a)", "E0801", "DCI/-1"),
        ("DCI/01 P(a)", "E0802", "DCI/01"),
        (" DCI/2^other P(a)", "E0802", "DCI/2^other"),
        ("DCI/4294967297 P(a)", "E0802", "DCI/4294967297"),
        ("DCI/1^ P(a)", "E0803", "DCI/1^"),
        ("DCI/1^STRICT P(a)", "E0803", "DCI/1^STRICT"),
        ("DCI/1^strict^strict P(a)", "E0803", "DCI/1^strict^strict"),
        ("DCI/1^strictP(a)", "E0803", "DCI/1^strictP(a)"),
    ] {
        check_unreadable(text, code, place);
    }
    assert_eq!(stated_mode(" DCI/1^strict (((("), Some(Mode::Strict));
    assert_eq!(stated_mode("DCI/1^best-effort"), Some(Mode::BestEffort));
    assert_eq!(stated_mode("DCI/1 P(a)"), None);
}

#[test]
fn decision_3_names_are_case_sensitive() {
    let text = "DCI/1 Provides(a) Expects(b) Accepts(c=d) Requires(e) Optional(f) Denies(g) Runtime(h) Model(i) Policy(max-candidates=1)";
    assert_eq!(strict(text).canonical(), "DCI/1 P(a) E(b) A(c=d) R(e) O(f) D(g) Rt(h) M(i) Pol(max-candidates=1)");
    let found = [("E0810", "p"), ("E0810", "rt"), ("E0810", "provides"), ("E0810", "X-1_y")];
    check("DCI/1 p(a) rt(b) provides(c) X-1_y(d) O(e)", &found, 0, 4);
}

#[test]
fn decision_3_white_space_is_trimmed_unless_it_is_escaped() {
    assert_eq!(strict("DCI/1 P( a ,\tb\n) A( k\t= \n\\ v\\  , l = w )").canonical(), "DCI/1 P(a,b) A(k=\\ v\\ ,l=w)");
    assert_eq!(check("DCI/1 P(\\ a,b\\ ,c)", &[("E0813", "\\ a"), ("E0813", "b\\ ")], 2, 0).provides, ["c"]);
    // The backslash before the space is itself escaped.
    assert_eq!(strict("DCI/1 A(k=v\\\\ )").accepts[0].value, "v\\");
    assert_eq!(strict("DCI/1 A(k=\\ )").accepts[0].value, " ");
}

#[test]
fn decision_3_escapes_are_decoded_and_others_are_malformed() {
    let contract = strict("DCI/1 A(k=\\,\\(\\)\\=\\\\\\ x)");
    assert_eq!(contract.accepts[0].value, ",()=\\ x");
    assert_eq!(contract.canonical(), "DCI/1 A(k=\\,\\(\\)\\=\\\\\\ x)");
    assert_eq!(
        check("DCI/1 A(k=\\é) X(\\n) P(a)", &[("E0809", "\\é"), ("E0809", "\\n")], 0, 2).canonical(),
        "DCI/1 P(a)"
    );
    check("DCI/1 P(a) R(b\\", &[("E0809", "\\")], 0, 1);
    check("DCI/1 P(a\\,b,\\()", &[("E0813", "a\\,b"), ("E0813", "\\(")], 2, 0);
}

#[test]
fn decision_4_malformed_text_is_skipped_to_the_next_white_space_outside_parentheses() {
    let unknown = |text: &'static str| -> Vec<&'static str> {
        read(text, Mode::BestEffort).unknown_clauses.into_iter().map(|span| text.get(span).unwrap()).collect()
    };
    assert_eq!(unknown("DCI/1 P(a)R(b) D(c)"), ["R(b)"]);
    assert_eq!(unknown("DCI/1 P(a)) D(c)"), [")"]);
    assert_eq!(unknown("DCI/1 P (a) D(c)"), ["P", "(a)"]);
    assert_eq!(unknown("DCI/1 P(a (b c) d)e D(c)"), ["P(a (b c) d)e"]);
    assert_eq!(unknown("DCI/1 P(a R(b) D(c)"), ["P(a R(b) D(c)"]);
    assert_eq!(unknown("DCI/1 P(a\\x b)c D(c)"), ["P(a\\x b)c"]);
    assert_eq!(unknown("DCI/1 x\\ y\\( D(c)"), ["x\\ y\\("]);
    assert_eq!(unknown("DCI/1 1P(a b) ^strict D(c)"), ["1P(a b)", "^strict"]);
    assert_eq!(unknown("DCI/1 X(a)b D(c)"), ["X(a)", "b"]);
    assert_eq!(unknown("DCI/1 D(c) P(a\\)"), ["P(a\\)"]);
    let contract = check("DCI/1 P(a)R(b) D(c)", &[("E0804", "R(b)")], 0, 1);
    assert_eq!(contract.canonical(), "DCI/1 P(a) D(c)");
    check("DCI/1 P(a (b c) d)e", &[("E0808", "(")], 0, 1);
    check("DCI/1 P(a", &[("E0807", "(")], 0, 1);
    check("DCI/1 P (a)", &[("E0806", "P"), ("E0806", "(a)")], 0, 2);
}

#[test]
fn decision_4_empty_clauses_and_values() {
    assert_eq!(
        check("DCI/1 P() R( \t) X()", &[("E0811", "P()"), ("E0811", "R( \t)"), ("E0810", "X")], 0, 1),
        SkillContract { unknown_clauses: 1, ..SkillContract::default() }
    );
    assert_eq!(check("DCI/1 P(a,,b, )", &[("E0812", ""), ("E0812", "")], 2, 0).provides, ["a", "b"]);
    assert_eq!(check("DCI/1 P(,)", &[("E0812", ""), ("E0812", "")], 2, 0).canonical(), "DCI/1");
    // A clause without a valid value is absent.
    assert_eq!(check("DCI/1 Rt(-)", &[("E0814", "-")], 1, 0).runtime, [""; 0]);
}

#[test]
fn decision_4_keys_and_values() {
    let text = "DCI/1 A(k,l=,=m,=,n!=1,o=p=q r,s=100%)";
    let found = [
        ("E0816", "k"),
        ("E0816", "l="),
        ("E0817", ""),
        ("E0817", ""),
        ("E0817", "n!"),
        ("E0819", "p=q r"),
        ("E0819", "100%"),
    ];
    let contract = check(text, &found, 5, 0);
    assert_eq!(contract.canonical(), "DCI/1 A(o=p\\=q\\ r,s=100%)");
    let reading = read(text, Mode::BestEffort);
    let invalid: Vec<&str> = reading.invalid_tokens.iter().map(|span| text.get(span.clone()).unwrap()).collect();
    assert_eq!(invalid, ["k", "l=", "=m", "=", "n!=1"]);
}

#[test]
fn decision_6_duplicate_clauses_are_combined() {
    let contract = best_effort("DCI/1 R(x) P(b,a,B) Provides(c,A) A(k=1) A(l=2)");
    assert_eq!(contract.canonical(), "DCI/1 P(b,a,c) A(k=1,l=2) R(x)");
    assert_eq!(contract.invalid_tokens, 0);
    assert_eq!(strict("DCI/1 P(a,A,a) Provides(b,a)").provides, ["a", "A", "b"]);
}

#[test]
fn decisions_6_and_30_the_first_entry_with_a_key_applies() {
    let contract = check(
        "DCI/1 A(k=1,k=2) A(l=,l=3,m,m=4)",
        &[("E0818", "k"), ("E0816", "l="), ("E0818", "l"), ("E0816", "m")],
        4,
        0,
    );
    assert_eq!(contract.canonical(), "DCI/1 A(k=1,m=4)");
    let contract =
        check("DCI/1 Pol(max-candidates=0,max-candidates=1)", &[("E0821", "0"), ("E0818", "max-candidates")], 2, 0);
    assert_eq!(contract.overrides.max_candidates, None);
    // Keys are compared after normalisation.
    assert_eq!(best_effort("DCI/1 A(k=1,K=2)").invalid_tokens, 1);
    assert_eq!(strict("DCI/1 A(k=1,K=2)").accepts.len(), 2);
}

#[test]
fn decision_7_identifiers_are_lower_case_in_best_effort_and_values_are_kept() {
    let text = "DCI/1 P(Web-Search) A(Key=Value) Rt(CLI,*) M(OpenAI/GPT-5*) Pol(Selection-Mode=cover)";
    let contract = best_effort(text);
    assert_eq!(
        contract.canonical(),
        "DCI/1 P(web-search) A(key=Value) Rt(cli,*) M(openai/gpt-5*) Pol(selection-mode=cover)"
    );
    assert_eq!(problems(text, &read(text, Mode::Strict)), [("E0820", "Selection-Mode")]);
    assert_eq!(strict("DCI/1 P(Web-Search) Rt(CLI) M(X)").canonical(), "DCI/1 P(Web-Search) Rt(CLI) M(X)");
    // Lower case is ASCII-only, so that the Kelvin sign stays invalid.
    check("DCI/1 P(\u{212a})", &[("E0813", "\u{212a}")], 1, 0);
}

#[test]
fn decision_7_invalid_tokens_are_counted_each() {
    let found = [("E0813", "-a"), ("E0813", "-a"), ("E0814", "cli*"), ("E0815", "a*b")];
    let contract = check("DCI/1 P(-a,-a,a--b) Rt(cli*) M(a*b,all)", &found, 4, 0);
    assert_eq!(contract.canonical(), "DCI/1 P(a--b) M(all)");
}

#[test]
fn decision_8_values_of_the_policy_are_checked() {
    let text = "DCI/1 Pol(min-total-score=1.5,max-candidates=4294967296,selection-mode=both,depth=1,max-providers=\\ 1,max-dependency-depth=0)";
    let found = [("E0821", "1.5"), ("E0821", "4294967296"), ("E0821", "both"), ("E0820", "depth"), ("E0821", "\\ 1")];
    let contract = check(text, &found, 5, 0);
    assert_eq!(contract.canonical(), "DCI/1 Pol(max-dependency-depth=0)");
    assert_eq!(contract.overrides.max_dependency_depth, Some(0));
}

#[test]
fn decision_9_canonical_text_keeps_the_mode_and_the_order_of_values() {
    assert_eq!(best_effort("DCI/1^best-effort  D(z,y)\tP(c,b)").canonical(), "DCI/1^best-effort P(c,b) D(z,y)");
    assert_eq!(best_effort("DCI/1^strict nonsense").canonical(), "DCI/1^strict");
}

#[test]
fn problems_have_remedies() {
    let help = |text: &str| read(text, Mode::Strict).problems[0].help.clone();
    assert_eq!(help("DCI/1 Provide(a)"), "did you mean `Provides`?");
    assert_eq!(help("DCI/1 pol(a=b)"), "did you mean `Pol`?");
    assert_eq!(help("DCI/1^stirct P(a)"), "did you mean `strict`?");
    assert_eq!(help("DCI/1 Pol(max-candidate=1)"), "did you mean `max-candidates`?");
}

#[test]
fn a_long_contract_takes_little_time_and_has_few_problems() {
    let empty = format!("DCI/1 P({})", ",".repeat(3_000_000));
    let reading = read(&empty, Mode::BestEffort);
    assert_eq!((reading.problems.len(), reading.further_problems), (100, 2_999_901));
    assert_eq!(reading.contract.unwrap().invalid_tokens, 3_000_001);
    let long = 1_000_000;
    for text in ["(", ")", "\\", "P(", "P(a\\", "P(a)", "P(a) ", " ", "=", "A(k=", "\\ ", "P(a,a) ", "é"] {
        for before in ["", "P(", "A(k=", "P(a\\x"] {
            let text = format!("DCI/1 {before}{}", text.repeat(long / text.len()));
            for mode in [Mode::Strict, Mode::BestEffort] {
                let reading = read(&text, mode);
                assert!(reading.problems.len() <= 100 && reading.unknown_clauses.len() <= long);
            }
        }
    }
}
