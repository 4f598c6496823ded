//! Random pairs: findings agree with the decisions about the schemas, and every witness is confirmed.

use capgen_evolve::{Assume, Comparison, Level};
use capgen_manifest::Side;
use capgen_schema::{Containment, ExactPayload, Schema, Validator};

use super::{about, compared, pair, shown};

/// Checks the findings about a side against the decision about it, and each witness against both schemas.
fn check(comparison: &Comparison, side: Side, assume: Assume, old: &Schema, new: &Schema) {
    let context = || format!("{} {}\n{}\n{:#?}", side.name(), assume.name(), shown(old, new), comparison.findings);
    let answer = comparison.capabilities[0].side(side).unwrap().is_accepted(side, assume);
    let findings = about(comparison, side);
    let breaking: Vec<_> = findings.iter().filter(|finding| finding.level == Level::Breaking).collect();
    assert_eq!(breaking.is_empty(), *answer == Containment::Yes, "{answer:?}\n{}", context());
    let is_open = |code: &str| code == "E0726";
    let undecided = breaking.iter().any(|finding| is_open(finding.code.as_str()));
    assert_eq!(undecided, matches!(answer, Containment::Undecided(_)), "{answer:?}\n{}", context());
    let (sender, receiver) = if side == Side::Request { (old, new) } else { (new, old) };
    let (sender, receiver) = (Validator::new(sender), Validator::new(receiver));
    for finding in findings {
        let needs_witness = finding.level == Level::Breaking && !is_open(finding.code.as_str());
        assert_eq!(finding.witness.is_some(), needs_witness, "{finding:#?}\n{}", context());
        let Some(witness) = &finding.witness else { continue };
        let payload = ExactPayload::parse(witness.payload.canonical().as_bytes()).unwrap();
        assert!(sender.is_valid_exact(&payload), "not sent: {finding:#?}\n{}", context());
        assert!(!witness.violations.is_empty(), "{finding:#?}\n{}", context());
        assert_eq!(witness.violations, receiver.validate_exact(&payload), "{finding:#?}\n{}", context());
    }
}

/// Returns the number of pairs that have breaking findings.
fn run(pairs: usize, first: u64) -> usize {
    let (mut done, mut broken) = (0, 0);
    let mut seed = first;
    while done < pairs {
        seed += 1;
        let Some((old, new)) = pair(seed) else { continue };
        done += 1;
        let relation = |comparison: &Comparison, side| comparison.capabilities[0].side(side).unwrap().clone();
        for assume in Assume::ALL {
            let comparison = compared(&old, &new, assume);
            Side::ALL.iter().for_each(|side| check(&comparison, *side, assume, &old, &new));
            // The stricter assumption about senders can only remove findings.
            for relation in Side::ALL.map(|side| (side, relation(&comparison, side))) {
                let answer = |assume| *relation.1.is_accepted(relation.0, assume) == Containment::Yes;
                assert!(answer(Assume::CapgenPeer) || !answer(Assume::AnyPeer), "{}", shown(&old, &new));
            }
            broken += usize::from(comparison.level() == Some(Level::Breaking));
        }
    }
    broken
}

#[test]
fn breaking_findings_agree_with_the_decision_and_have_confirmed_witnesses() {
    let broken = run(80, 0);
    assert!(broken > 40, "{broken}");
}

#[test]
#[ignore = "takes several minutes"]
fn breaking_findings_of_5_000_pairs_agree_with_the_decision_and_have_confirmed_witnesses() {
    run(5_000, 10_000);
}

#[test]
fn a_contract_that_is_compared_with_itself_has_no_findings() {
    for (schema, _) in (0..100).filter_map(pair) {
        let comparison = compared(&schema, &schema, Assume::AnyPeer);
        assert_eq!(comparison.findings, vec![]);
        // Also if it was written again, so that it is not the same value in memory.
        let again = Schema::parse_text(&schema.source().canonical()).unwrap();
        let comparison = compared(&schema, &again, Assume::AnyPeer);
        assert_eq!(comparison.findings, vec![], "{}", schema.source().canonical());
    }
}
