//! Whether one schema contains another, for random pairs: no payload contradicts the answer, and every witness is
//! confirmed.

use std::collections::BTreeMap;

use capgen_tests::containment::{Count, Kind, random_pair};
use capgen_tests::random::Random;

/// The payloads for each `yes`.
const SAMPLES: usize = 200;

/// Compares random pairs in both directions.
fn run(pairs: usize) {
    let mut counts: BTreeMap<Kind, Count> = BTreeMap::new();
    let (mut seed, mut done) = (0, 0);
    let mut wrong = Vec::new();
    while done < pairs {
        seed += 1;
        let Some(pair) = random_pair(seed) else { continue };
        done += 1;
        let count = counts.entry(pair.kind).or_default();
        count.pairs += 1;
        let mut random = Random::new(seed);
        let [one, other] = &pair.schemas;
        for (larger, smaller) in [(one, other), (other, one)] {
            if let Err(contradiction) = count.ask(larger, smaller, SAMPLES, &mut random) {
                wrong.push(format!("seed {seed}: {contradiction}"));
            }
        }
    }
    for (kind, count) in &counts {
        println!("{kind:?}: {:.4} % undecided, {count:#?}", count.undecided_share() * 100.0);
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    let mutations = counts.get(&Kind::Mutation).unwrap();
    assert!(mutations.undecided_share() <= 0.01, "{mutations:?}");
    let unconfirmed =
        counts.values().flat_map(|count| count.undecided.keys()).find(|reason| reason.contains("confirm"));
    assert_eq!(unconfirmed, None);
}

#[test]
fn answers_for_random_pairs_are_true_of_every_payload() {
    run(40);
}

#[test]
#[ignore = "takes a minute"]
fn complete_answers_for_random_pairs_are_true_of_every_payload() {
    run(250);
}

#[test]
#[ignore = "takes several minutes"]
fn answers_for_50_000_random_pairs_are_true_of_every_payload() {
    run(50_000);
}
