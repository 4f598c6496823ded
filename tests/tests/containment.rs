//! Whether one schema contains another, for random pairs: no payload contradicts the answer, and every witness is confirmed.

use std::collections::BTreeMap;

use capgen_schema::{Containment, Json, Schema, Steps, Validator, contains};
use capgen_tests::random::Random;

/// The number of pairs of each kind.
#[derive(Default, Debug)]
struct Count {
    pairs: usize,
    yes: usize,
    no: usize,
    undecided: usize,
}

fn check(
    larger: &Schema,
    smaller: &Schema,
    random: &mut Random,
    count: &mut Count,
    reasons: &mut BTreeMap<&'static str, usize>,
) {
    count.pairs += 1;
    match contains(larger, smaller, Steps(2_000_000)) {
        Containment::Yes => {
            count.yes += 1;
            let (larger_validator, smaller_validator) = (Validator::new(larger), Validator::new(smaller));
            let payloads = random.payloads(smaller, 100);
            for payload in payloads.iter().chain(&random.payloads(larger, 100)) {
                let Ok(payload) = capgen_schema::ExactPayload::parse(payload.as_bytes()) else { continue };
                let is_contradiction =
                    smaller_validator.is_valid_exact(&payload) && !larger_validator.is_valid_exact(&payload);
                assert!(
                    !is_contradiction,
                    "{}\nis not contained in {}\n{}",
                    smaller.source().canonical(),
                    larger.source().canonical(),
                    payload.value()
                );
            }
        }
        // A witness that the interpreter does not confirm is undecided.
        Containment::No(_) => count.no += 1,
        Containment::Undecided(undecided) => {
            count.undecided += 1;
            *reasons.entry(undecided.reason).or_default() += 1;
            assert!(
                !undecided.reason.contains("confirm"),
                "{}\n{}",
                smaller.source().canonical(),
                larger.source().canonical()
            );
        }
    }
}

/// Compares pairs of random schemas, of which two thirds are a single change apart.
fn run(pairs: usize) {
    let (mut mutations, mut unrelated) = (Count::default(), Count::default());
    let mut reasons = BTreeMap::new();
    let mut seed = 0;
    while mutations.pairs + unrelated.pairs < pairs {
        seed += 1;
        let mut random = Random::new(seed);
        let source = random.schema();
        let Ok(schema) = Schema::parse(&source) else { continue };
        let other: Json = if seed % 3 == 0 { random.schema() } else { random.mutated(&source) };
        let Ok(other) = Schema::parse(&other) else { continue };
        let count = if seed % 3 == 0 { &mut unrelated } else { &mut mutations };
        check(&other, &schema, &mut random, count, &mut reasons);
        check(&schema, &other, &mut random, count, &mut reasons);
    }
    println!("single mutations: {mutations:?}\nunrelated pairs: {unrelated:?}\n{reasons:?}");
    assert!(mutations.undecided * 100 <= mutations.pairs, "{mutations:?} {reasons:?}");
}

#[test]
fn answers_for_random_pairs_are_true_of_every_payload() {
    run(400);
}

#[test]
#[ignore = "takes several minutes"]
fn answers_for_50_000_random_pairs_are_true_of_every_payload() {
    run(50_000);
}
