//! Skills that try to be selected, or to keep others from being selected. `docs/dci-threats.md` lists these tests.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use crate::common::{Case, candidate, skill};
use capgen_dci::{Declared, Mode};
use serde_json::{Value, json};

fn score(report: &Value, name: &str, score: &str) -> f64 {
    candidate(report, name)["scores"][score].as_f64().unwrap()
}

/// A contract that claims these capabilities, and many others.
fn overclaim(capability: &str, others: usize) -> String {
    let others: String = (0..others).map(|n| format!(",claim-{n}")).collect();
    format!("DCI/1 P({capability}{others})")
}

#[test]
fn a_skill_that_claims_everything_loses_to_an_honest_one() {
    let contract = overclaim("translate", 500);
    let skills = [
        ("everything", "Translates everything, always, best.", contract.as_str()),
        ("translator", "Translates text.", "DCI/1 P(translate)"),
        // The limit depends on the median, so that most candidates must be honest.
        ("reader", "Reads aloud.", "DCI/1 P(read-aloud)"),
    ];
    for mode in [Mode::BestEffort, Mode::Strict] {
        let report = Case::new(mode, &skills).requiring(&["translate"]).report();
        assert_eq!(report["selected_candidates"], json!(["translator::skills/translator"]));
        assert_eq!(candidate(&report, "everything")["penalties"]["overclaim_penalty"], 0.25);
    }
}

#[test]
fn repeated_words_are_worth_a_fifth_of_the_score_at_most() {
    let flood = "translate ".repeat(5_000);
    let skills = [
        ("translate-translate", flood.as_str(), ""),
        ("honest", "Turns German text into French.", "DCI/1 P(translate)"),
        ("other", "Unrelated.", "DCI/1 P(other)"),
    ];
    let report = Case::new(Mode::BestEffort, &skills).requiring(&["translate"]).report();
    assert_eq!(report["selected_candidates"], json!(["honest::skills/honest"]));
    assert_eq!(score(&report, "translate-translate", "s_desc"), 1.0);
    // Words alone never reach the contract gate, and cover nothing beside the capability itself.
    let reasons = &candidate(&report, "translate-translate")["rejection_reasons"];
    assert_eq!(reasons, &json!(["min-contract-score", "min-required-coverage"]));
    assert!(score(&report, "translate-translate", "s_total") <= 0.55);
}

#[test]
fn a_contract_that_the_description_does_not_support_is_inflated() {
    let skills = [
        ("claims", "Unrelated text.", "DCI/1 P(translate)"),
        ("translator", "Translate text.", "DCI/1 P(translate)"),
        ("other", "Something else.", "DCI/1 P(other)"),
    ];
    let report = Case::new(Mode::BestEffort, &skills).requiring(&["translate"]).report();
    assert_eq!(candidate(&report, "claims")["penalties"]["inflation_penalty"], 0.15);
    assert_eq!(report["selected_candidates"], json!(["translator::skills/translator"]));
    let strict = Case::new(Mode::Strict, &skills).requiring(&["translate"]).report();
    assert_eq!(candidate(&strict, "claims")["rejection_reasons"], json!(["contract-inflated"]));
}

#[test]
fn a_similar_name_never_outranks_the_capability_itself() {
    let skills = [
        ("web-search", "web search web search", "DCI/1 P(web-searchh,web-searcc,web-sarch,web--search)"),
        ("finder", "Finds pages on the web.", "DCI/1 P(web-search)"),
    ];
    for mode in [Mode::BestEffort, Mode::Strict] {
        let case = Case::new(mode, &skills).requiring(&["web-search"]).with("min-total-score", "0");
        let report = case.with("min-contract-score", "0").report();
        assert_eq!(report["candidates"][0]["id"], "finder::skills/finder", "{mode:?}");
    }
}

#[test]
fn a_skill_that_is_not_selected_denies_nothing() {
    let skills = [
        ("translator", "Translate text.", "DCI/1 P(translate)"),
        (
            "hostile",
            "Denies all.",
            "DCI/1 P(other) D(translate) Pol(min-total-score=1,max-candidates=1,on-missing-required=hard-fail)",
        ),
    ];
    for mode in [Mode::BestEffort, Mode::Strict] {
        let report = Case::new(mode, &skills).requiring(&["translate"]).report();
        assert_eq!(report["selected_candidates"], json!(["translator::skills/translator"]));
        assert_eq!(report["unresolved_require_deny_conflicts"], json!([]));
        assert_eq!(report["policy"]["effective"]["min-total-score"], 0.45);
    }
}

#[test]
fn many_unknown_runtimes_give_one_warning() {
    let mut case = Case::new(Mode::BestEffort, &[]).requiring(&["a"]);
    let mut hostile = skill(&"n".repeat(30_000), "d", "DCI/1 P(b)");
    hostile.compatibility = Declared::Text("x,".repeat(15_000));
    case.skills.push(hostile);
    let warnings = case.run(None).unwrap().0.warnings;
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].message, "`compatibility` names 15000 unknown runtimes, such as `x`, which are ignored");
}

#[test]
fn a_long_chain_of_requirements_ends_at_the_bound() {
    let names: Vec<String> = (0..60).map(|n| format!("step{n:02}")).collect();
    let contracts: Vec<String> =
        (0..60).map(|n| format!("DCI/1 P(t{n:02}-{n:02}-tool) R(t{:02}-{:02}-tool)", n + 1, n + 1)).collect();
    let skills: Vec<(&str, &str, &str)> =
        names.iter().zip(&contracts).map(|(name, contract)| (name.as_str(), "tool", contract.as_str())).collect();
    let case = || Case::new(Mode::BestEffort, &skills).requiring(&["t00-00-tool"]).with("min-total-score", "0");
    let (resolution, _) = case().run(None).unwrap();
    assert_eq!(resolution.graph.nodes.iter().map(|node| node.depth).max(), Some(2));
    assert!(case().with("max-dependency-depth", "4294967295").run(None).is_err());
}
