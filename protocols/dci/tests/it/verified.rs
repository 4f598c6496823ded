//! Runs that accept only providers whose manifests name the capabilities that match.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{Case, Names, candidate};
use capgen_dci::{Mode, Skill};
use serde_json::{Value, json};

/// The manifests: that of `honest` names its capability, and those of the others do not.
#[expect(clippy::unnecessary_wraps, reason = "a skill may have no manifest")]
fn manifest(skill: &Skill) -> Option<Names> {
    let name = if skill.name == "honest" { "Web-Search" } else { "other" };
    Some(Arc::new(BTreeSet::from([name.to_owned()])))
}

fn report(mode: Mode) -> Value {
    let skills = [
        ("claims", "Web search on the web.", "DCI/1 P(web-search)"),
        ("honest", "Finds pages: web search.", "DCI/1 P(web-search,pages) R(http-fetch)"),
        ("fetcher", "Fetch over HTTP.", "DCI/1 P(http-fetch)"),
        ("described", "A web search.", ""),
    ];
    let case = Case::new(mode, &skills).requiring(&["web-search"]).with("min-total-score", "0");
    let case = Case { manifest: Some(manifest), ..case.with("on-missing-required", "auto-emulate") };
    case.report()
}

#[test]
fn the_rule_applies_to_requirements_of_providers_too() {
    let report = report(Mode::BestEffort);
    assert_eq!(report["selected_candidates"], json!(["honest::skills/honest"]));
    assert_eq!(candidate(&report, "claims")["rejection_reasons"], json!(["not-verified"]));
    assert_eq!(
        candidate(&report, "described")["rejection_reasons"],
        json!(["min-contract-score", "min-required-coverage", "not-verified"])
    );
    assert_eq!(report["unresolved_required_capabilities"], json!(["http-fetch"]));
}

#[test]
fn names_are_compared_as_the_mode_compares_them() {
    assert_eq!(report(Mode::Strict)["selected_candidates"], json!([]));
}

#[test]
fn the_report_is_valid() {
    let schema = include_str!("../../schemas/report.v1.schema.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    assert!(schema.is_valid(&report(Mode::BestEffort)));
}
