//! Every way to judge a payload says the same: the interpreter, and what is generated.

use capgen_tests::agreement::compare::Outcome;
use capgen_tests::agreement::fixture::{self, Fixture};
use capgen_tests::agreement::labelled::{self, Labelled};
use capgen_tests::agreement::{Pair, interpreter, pairs};

/// Where the sample begins; the same every time.
const SEED: u64 = 1;

fn agree(name: &str, pairs: &[Pair]) -> Outcome {
    capgen_tests::agreement::agree(env!("CARGO_TARGET_TMPDIR"), name, pairs)
}

/// That the interpreter says what the labels say, and the others what the interpreter says.
fn agree_with_labels(name: &str, labelled: Vec<Labelled>) {
    for (pair, labels) in &labelled {
        for ((payload, valid), answer) in pair.payloads.iter().zip(labels).zip(interpreter(pair)) {
            assert_eq!(answer.valid, *valid, "{}: {payload}", pair.label);
        }
    }
    agree(name, &labelled.into_iter().map(|(pair, _)| pair).collect::<Vec<_>>());
}

#[test]
fn every_case_that_was_ever_found_is_judged_as_it_should_be() {
    let fixtures = fixture::fixtures().unwrap();
    assert!(fixtures.len() >= 20);
    for Fixture { pair, expected } in &fixtures {
        for ((payload, expected), answer) in pair.payloads.iter().zip(expected).zip(interpreter(pair)) {
            assert_eq!(answer, *expected, "{}: {payload}", pair.label);
        }
    }
    agree("fixtures", &fixtures.into_iter().map(|fixture| fixture.pair).collect::<Vec<_>>());
}

#[test]
fn payloads_of_capabilities_are_judged_as_their_labels_say() {
    agree_with_labels("capabilities", labelled::capability_schemas().unwrap());
}

#[test]
fn payloads_of_the_json_schema_test_suite_are_judged_as_their_labels_say() {
    agree_with_labels("suite", labelled::test_suite().unwrap());
}

#[test]
fn schemas_and_payloads_by_chance_are_judged_alike() {
    let outcome = agree("chance", &pairs(SEED, 80, 20).0);
    assert!(outcome.valid > 500 && outcome.invalid > 500, "the payloads are near the edge of validity");
}
