//! Independent oracles have the same verdicts as capgen, except for their known defects.

use std::sync::OnceLock;

use capgen_agreement::defects::DEFECTS;
use capgen_agreement::{Boon, JsonSchema, NodeOracles};
use capgen_tests::agreement::compare::{Outcome, compare};
use capgen_tests::agreement::{Engine, Pair, fixture, labelled, pairs};

fn agree(pairs: &[Pair]) -> Outcome {
    static NODE: OnceLock<NodeOracles> = OnceLock::new();
    let node = NODE.get_or_init(|| NodeOracles::install().unwrap());
    let engines: [&(dyn Engine + Sync); 3] = [&Boon, &JsonSchema, node];
    let outcome = compare(pairs, &engines).unwrap();
    println!("{} schemas: {}", pairs.len(), outcome.summary());
    let shown: Vec<String> = outcome.disagreements.iter().take(8).map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{} disagreements\n{}", outcome.disagreements.len(), shown.join("\n\n"));
    outcome
}

#[test]
fn regression_cases_have_the_verdicts_of_the_oracles() {
    let fixtures = fixture::fixtures().unwrap();
    agree(&fixtures.into_iter().map(|fixture| fixture.pair).collect::<Vec<_>>());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn payloads_of_the_corpora_have_the_verdicts_of_the_oracles() {
    let labelled = labelled::capability_schemas().unwrap();
    agree(&labelled.into_iter().map(|(pair, _)| pair).collect::<Vec<_>>());
}

#[test]
fn random_schemas_and_payloads_have_the_verdicts_of_the_oracles() {
    let outcome = agree(&pairs(1, 80, 20).0);
    for (name, (agreed, _)) in &outcome.answers {
        assert!(*agreed > 1_200, "{name} has no verdict on too many payloads: {agreed}");
    }
}

#[test]
fn the_documentation_lists_every_defect_with_its_sentence() {
    let page = include_str!("../../../../docs/agreement.md");
    for defect in DEFECTS {
        let row =
            format!("| `{}` | {} | {} | {} |", defect.id, defect.oracles.join(", "), defect.does, defect.sentence);
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn every_defect_has_a_case() {
    let fixtures = fixture::fixtures().unwrap();
    let pairs: Vec<Pair> = fixtures.into_iter().map(|fixture| fixture.pair).collect();
    let seen = agree(&pairs).excuses;
    for defect in DEFECTS {
        for oracle in defect.oracles {
            assert!(seen.contains_key(&(*oracle, defect.id)), "{oracle} no longer has {}", defect.id);
        }
    }
}
