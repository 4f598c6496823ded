//! Runs over small sets of skills: scores, gates, ranks, dependencies and conflicts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use crate::common::{Case, candidate};
use capgen_dci::{Decision, Exceeded, Mode, Outcome, Probe, ProbeRunner, ResolveError, Skill};
use serde_json::{Value, json};

#[test]
fn an_exact_provider_is_selected() {
    let case = Case::new(
        Mode::BestEffort,
        &[
            ("web-search", "Searches the web for pages.", "DCI/1 P(web-search)"),
            ("reader", "Reads web pages aloud.", "DCI/1 P(read-aloud)"),
        ],
    );
    let report = case.requiring(&["web-search"]).report();
    assert_eq!(report["selected_candidates"], json!(["web-search::skills/web-search"]));
    let best = candidate(&report, "web-search");
    assert_eq!(best["scores"]["s_contract"], 1);
    assert_eq!(best["scores"]["s_desc"], 1);
    // `web`, `search` of `web`, `search`, `skill`.
    assert_eq!(best["scores"]["s_namepath"], 0.666_667);
    assert_eq!(best["scores"]["s_total_final"], 0.966_667);
    assert_eq!(best["tie_break"], json!({"applied": false}));
    assert_eq!(
        candidate(&report, "reader")["rejection_reasons"],
        json!(["min-total-score", "min-contract-score", "min-required-coverage"])
    );
    assert_eq!(
        report["on_missing_required_action"],
        json!({"policy": "offer-emulation", "outcome": "not-needed", "user_decision": "abort"})
    );
}

#[test]
fn a_similar_name_covers_nothing_in_strict() {
    let skills = [("writer", "Allows write access.", "DCI/1 P(allow-write)")];
    let best_effort = Case::new(Mode::BestEffort, &skills).requiring(&["allow-writes"]).report();
    assert_eq!(candidate(&best_effort, "writer")["scores"]["s_contract"], 0.33);
    assert_eq!(candidate(&best_effort, "writer")["coverage"]["required_resolved"], 1);
    let strict = Case::new(Mode::Strict, &skills).requiring(&["allow-writes"]).report();
    assert_eq!(candidate(&strict, "writer")["scores"]["s_contract"], 0.33);
    assert_eq!(candidate(&strict, "writer")["coverage"]["required_resolved"], 0);
    assert_eq!(strict["on_missing_required_action"], json!({"policy": "hard-fail", "outcome": "failed"}));
}

#[test]
fn a_conflict_is_found_below_the_selected_providers() {
    let skills = [
        ("p1", "tool y", "DCI/1 P(tool-y) R(tool-z)"),
        ("p2", "tool z", "DCI/1 P(tool-z) D(tool-x)"),
        ("p3", "tool x", "DCI/1 P(tool-x)"),
    ];
    let mut case = Case::new(Mode::BestEffort, &skills).with("selection-mode", "cover").with("min-total-score", "0");
    case.consumer = Some("DCI/1 R(tool-x,tool-y)");
    let report = case.report();
    assert_eq!(report["unresolved_require_deny_conflicts"], json!(["tool-x"]));
    assert_eq!(report["unresolved_required_capabilities"], json!(["tool-x"]));
    let p1 = candidate(&report, "p1");
    assert_eq!(p1["penalties"]["require_deny_penalty"], 0.05);
    let expected = json!([{
        "capability": "tool-x",
        "required_by_candidate_id": "consumer-skill::skills/consumer-skill",
        "denied_by_candidate_id": "p2::skills/p2",
        "required_depth": 0,
        "denied_depth": 2,
    }]);
    assert_eq!(p1["require_deny_conflicts"], expected);
    assert_eq!(candidate(&report, "p3")["require_deny_conflicts"], Value::Null);

    case.mode = Mode::Strict;
    case.policy.push(("on-missing-required", "auto-emulate"));
    let report = case.report();
    assert_eq!(report["on_missing_required_action"], json!({"policy": "hard-fail", "outcome": "failed"}));
    assert_eq!(candidate(&report, "p1")["penalties"]["require_deny_penalty"], 0);
}

#[test]
fn cycles_of_requirements_end() {
    let skills = [("a", "one", "DCI/1 P(x) R(y)"), ("b", "two", "DCI/1 P(y) R(x)")];
    let case = Case::new(Mode::BestEffort, &skills).requiring(&["x"]).with("max-dependency-depth", "32");
    let (resolution, _) = case.run(None).unwrap();
    // a, b, a with other sets of requirements, and so on, until a context repeats.
    assert_eq!(resolution.outcome(Decision::Abort), Outcome::NotNeeded);
    assert!(resolution.graph.nodes.iter().any(|node| node.is_repeated));
    assert!(resolution.graph.nodes.len() < 6);
}

struct Answers(Vec<bool>, Vec<String>);

impl ProbeRunner for Answers {
    fn passes(&mut self, _: &Probe, skill: &Skill) -> bool {
        self.1.push(skill.name.clone());
        self.0.remove(0)
    }
}

#[test]
fn a_probe_is_run_in_strict_until_one_passes() {
    let skills = [
        ("search-one", "Search one thing on the web.", "DCI/1 P(search)"),
        ("search-two", "Search two things.", "DCI/1 P(search)"),
    ];
    let mut case = Case::new(Mode::Strict, &skills).requiring(&["search"]).with("min-total-score", "0");
    let probe = Probe { command: vec!["true".to_owned()], timeout_ms: 1000 };
    case.probes.by_capability.insert("search".to_owned(), probe);
    assert_eq!(case.run(None).unwrap_err(), ResolveError::ProbeNotAllowed("search".to_owned()));
    let mut answers = Answers(vec![false, true], vec![]);
    let (_, report) = case.run(Some(&mut answers)).unwrap();
    assert_eq!(answers.1.len(), 2);
    let [failed, passed] = [&answers.1[0], &answers.1[1]];
    assert_eq!(report["selected_candidates"], json!([format!("{passed}::skills/{passed}")]));
    let reasons = &candidate(&report, failed)["rejection_reasons"];
    assert_eq!(reasons.as_array().unwrap().last().unwrap(), "probe-failed");
}

#[test]
fn conflicts_that_repeat_along_many_paths_end_the_run() {
    let tokens: Vec<String> =
        (0..5_000_u32).map(|number| format!("{:08x}", number.wrapping_mul(2_654_435_761))).collect();
    let all = tokens.join(",");
    let skills: Vec<(String, String)> = (0..40)
        .map(|number| (format!("s{number}"), format!("DCI/1 P({}) R({all}) D({all})", tokens[number * 100])))
        .collect();
    let skills: Vec<_> = skills.iter().map(|(name, contract)| (name.as_str(), "x", contract.as_str())).collect();
    let mut case = Case::new(Mode::Strict, &skills).with("selection-mode", "cover").with("max-providers", "9");
    for key in ["min-total-score", "min-contract-score", "min-required-coverage"] {
        case = case.with(key, "0");
    }
    case = case.with("max-candidates", "99").with("max-dependency-depth", "4");
    case.required = (0..9).map(|number| &*tokens[number * 100].clone().leak()).collect();
    let error = case.run(None).unwrap_err();
    assert!(matches!(error, ResolveError::Exceeded(Exceeded::Elements, Some(_))), "{error:?}");
}
