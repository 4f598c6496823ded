//! The rulings after a trial with published skills (decisions 20 and 39 to 45), each as a test.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use crate::common::{Case, candidate, skill};
use capgen_dci::{
    Aliases, Change, Corpus, Decision, Host, Inputs, Match, Mode, Outcome, Overrides, Probe, ProbeRunner, Probes,
    Profile, Record, Reliability, Report, Resolution, Score, Skill, Suggestion, resolve, suggest,
};
use serde_json::{Value, json};

const BOTH: [Mode; 2] = [Mode::BestEffort, Mode::Strict];

fn selected(report: &Value) -> Vec<&str> {
    report["selected_candidates"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}

fn reasons<'r>(report: &'r Value, name: &str) -> Vec<&'r str> {
    let reasons = candidate(report, name)["rejection_reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason.as_str().unwrap()).collect()
}

/// The codes and subjects of the warnings about near names.
fn near_warnings(resolution: &Resolution) -> Vec<(&str, &str)> {
    let near = resolution.warnings.iter().filter(|warning| warning.code.as_str() == "W0865");
    near.map(|warning| (warning.subject.as_str(), warning.message.as_str())).collect()
}

// 20 and 40: near names.

#[test]
fn ruling_40_a_name_with_another_word_does_not_cover() {
    // Jaro-Winkler of the whole names is at least 0.90; `read` and `write` have nothing in common.
    for mode in BOTH {
        for selection in ["single", "cover"] {
            let case = Case::new(mode, &[("reader", "Allows read access.", "DCI/1 P(allow-read)")])
                .requiring(&["allow-write"])
                .with("selection-mode", selection)
                .with("min-total-score", "0")
                .with("min-contract-score", "0");
            let report = case.report();
            assert_eq!(selected(&report), [""; 0], "{mode:?} {selection}");
            assert_eq!(report["unresolved_required_capabilities"], json!(["allow-write"]));
        }
    }
}

#[test]
fn ruling_40_scores_of_names_that_do_not_cover_stay_as_specified() {
    let skills = [("one", "One.", "DCI/1 P(code-review-go)"), ("two", "Two.", "DCI/1 P(code-reviews)")];
    let report = Case::new(Mode::BestEffort, &skills).requiring(&["code-review"]).report();
    for name in ["one", "two"] {
        assert_eq!(candidate(&report, name)["scores"]["s_contract"], 0.33, "{name}");
    }
    // Three words do not correspond to two.
    assert_eq!(candidate(&report, "one")["coverage"]["required_resolved"], 0);
    assert_eq!(candidate(&report, "two")["coverage"]["required_resolved"], 1);
}

#[test]
fn ruling_20_a_near_name_covers_in_best_effort_only() {
    let skills = [("search", "Search the web.", "DCI/1 P(web-searches)")];
    for (mode, covered) in [(Mode::BestEffort, 1), (Mode::Strict, 0)] {
        let report = Case::new(mode, &skills).requiring(&["web-search"]).report();
        assert_eq!(candidate(&report, "search")["coverage"]["required_resolved"], covered);
    }
}

#[test]
fn ruling_40_a_near_name_does_not_cover_beside_the_capability_itself() {
    let skills = [
        ("exact", "Something else.", "DCI/1 P(web-search,one,two,three,four)"),
        ("web-search", "Web search.", "DCI/1 P(web-searches)"),
        ("prose", "Web search.", ""),
    ];
    let case = |more: &'static str| {
        let required = ["web-search", "other-thing"];
        Case::new(Mode::BestEffort, &skills).requiring(&required).with("min-total-score", more)
    };
    let relaxed = |case: Case| case.with("min-contract-score", "0").with("min-required-coverage", "0");
    let report = relaxed(case("0")).report();
    assert_eq!(candidate(&report, "exact")["coverage"]["required_resolved"], 1);
    for name in ["web-search", "prose"] {
        assert_eq!(candidate(&report, name)["coverage"]["required_resolved"], 0, "{name}");
    }
    // The exact provider fails a gate of scores, so that the near names count again.
    let report = relaxed(case("0.9")).report();
    for name in ["web-search", "prose"] {
        assert_eq!(candidate(&report, name)["coverage"]["required_resolved"], 1, "{name}");
    }
}

#[test]
fn ruling_40_an_exact_provider_that_fails_another_gate_still_keeps_near_names_away() {
    // The provider of the capability covers one of two, which is below `min-required-coverage`.
    let skills = [("exact", "One.", "DCI/1 P(web-search)"), ("near", "Two.", "DCI/1 P(web-searches,other)")];
    let required = ["web-search", "other"];
    let case = Case::new(Mode::BestEffort, &skills).requiring(&required).with("min-total-score", "0");
    let report = case.with("min-required-coverage", "1").report();
    assert_eq!(reasons(&report, "exact"), ["min-required-coverage"]);
    assert_eq!(reasons(&report, "near"), ["min-required-coverage"]);
    assert_eq!(selected(&report), [""; 0]);
}

#[test]
fn ruling_40_every_provider_that_was_selected_by_a_near_name_is_named() {
    let skills = [
        ("search", "Web search.", "DCI/1 P(web-searches) R(http-fetch,summarize-text)"),
        ("fetch", "HTTP fetch.", "DCI/1 P(http-fetches)"),
        ("summary", "Summarize text.", ""),
    ];
    let case = Case::new(Mode::BestEffort, &skills)
        .requiring(&["web-search"])
        .with("selection-mode", "cover")
        .with("min-contract-score", "0")
        .with("min-total-score", "0");
    let (resolution, _) = case.run(None).unwrap();
    let found = near_warnings(&resolution);
    let expected = [
        ("search::skills/search", "`web-search` is covered only by the similar name `web-searches`"),
        (
            "fetch::skills/fetch",
            "`http-fetch` is covered only by the similar name `http-fetches`, which `search::skills/search` requires",
        ),
        (
            "summary::skills/summary",
            "`summarize-text` is covered only by words of the name and description, which `search::skills/search` requires",
        ),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(expected.iter().all(|one| found.contains(one)), "{found:?}");
    assert_eq!(resolution.near_names[0].kind, Match::Near);
    // An exact provider has no warning.
    let case = Case::new(Mode::BestEffort, &[("a", "Web search.", "DCI/1 P(web-search)")]).requiring(&["web-search"]);
    assert_eq!(near_warnings(&case.run(None).unwrap().0), []);
}

// 39: places.

/// Six skills: one that claims what its description does not support, and an honest one.
fn honest_and_inflated() -> Case {
    let skills = [
        ("claims", "Unrelated text.", "DCI/1 P(web-search)"),
        ("web-search", "Web search.", "DCI/1 P(web-search,other,more,and-so-on)"),
    ];
    Case::new(Mode::Strict, &skills).requiring(&["web-search"]).with("min-total-score", "0").with("max-candidates", "1")
}

/// Answers of probes by the names of skills.
struct Passing(Vec<&'static str>, Vec<String>);

impl ProbeRunner for Passing {
    fn passes(&mut self, _: &Probe, skill: &Skill) -> bool {
        self.1.push(skill.name.clone());
        self.0.contains(&skill.name.as_str())
    }
}

fn probed(case: &mut Case) {
    let probe = Probe { command: vec!["probe".to_owned()], timeout_ms: 1 };
    case.probes.by_capability.insert("web-search".to_owned(), probe);
}

#[test]
fn ruling_39_an_inflated_candidate_holds_no_place() {
    // Its history makes the honest one the second.
    let skills = [
        ("aaa", "Search.", "DCI/1 P(search)"),
        ("claims", "Search. Unrelated text with many more words than others.", "DCI/1 P(search)"),
    ];
    let case = Case::new(Mode::Strict, &skills).requiring(&["search"]).with("max-candidates", "1");
    let report = case.with("min-total-score", "0").report();
    assert_eq!(selected(&report), ["aaa::skills/aaa"]);
    let report = honest_and_inflated().report();
    assert_eq!(reasons(&report, "claims"), ["contract-inflated"]);
    assert_eq!(selected(&report), ["web-search::skills/web-search"]);
}

#[test]
fn ruling_39_an_inflated_candidate_before_an_honest_one_leaves_it_the_only_place() {
    // Penalties for unknown clauses are not possible in strict; a penalty for too many capabilities puts the honest one
    // second.
    let many: String = (0..60).map(|n| format!(",c{n}")).collect();
    let contract = format!("DCI/1 P(search{many})");
    let skills =
        [("claims", "Unrelated text.", "DCI/1 P(search)"), ("search", "Search.", contract.as_str()), ("c", "c", "")];
    let case = Case::new(Mode::Strict, &skills).requiring(&["search"]).with("min-total-score", "0");
    let report = case.with("max-candidates", "1").report();
    let order: Vec<&str> =
        report["candidates"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(order[..2], ["claims::skills/claims", "search::skills/search"]);
    assert_eq!(reasons(&report, "claims"), ["contract-inflated"]);
    assert_eq!(selected(&report), ["search::skills/search"]);
}

#[test]
fn ruling_39_a_candidate_whose_probe_failed_holds_no_place() {
    let mut case = honest_and_inflated();
    probed(&mut case);
    // The better candidate is probed first and fails; the other one gets its place, inflated as it is.
    let mut answers = Passing(vec!["claims"], vec![]);
    let (_, report) = case.run(Some(&mut answers)).unwrap();
    assert_eq!(answers.1, ["web-search", "claims"]);
    assert_eq!(reasons(&report, "web-search"), ["probe-failed"]);
    assert_eq!(selected(&report), ["claims::skills/claims"]);
    // If it fails, too, both reasons are listed.
    let (_, report) = case.run(Some(&mut Passing(vec![], vec![]))).unwrap();
    assert_eq!(reasons(&report, "claims"), ["contract-inflated", "probe-failed"]);
    // Beyond the place of one that passed, no probe runs.
    let mut answers = Passing(vec!["web-search", "claims"], vec![]);
    let (_, report) = case.run(Some(&mut answers)).unwrap();
    assert_eq!((answers.1.len(), reasons(&report, "claims")), (1, vec!["contract-inflated"]));
}

#[test]
fn ruling_39_an_excluded_candidate_takes_no_part_in_ties() {
    let skills = [("x", "Search.", "DCI/1 P(search)"), ("y", "Search.", "DCI/1 P(search)")];
    let mut case = Case::new(Mode::Strict, &skills).requiring(&["search"]).with("min-total-score", "0");
    let tie = |report: &Value, name: &str| candidate(report, name)["tie_break"]["applied"].clone();
    let report = case.report();
    assert_eq!((tie(&report, "x"), tie(&report, "y")), (json!(true), json!(true)));
    let probe = Probe { command: vec!["probe".to_owned()], timeout_ms: 1 };
    case.probes.by_capability.insert("search".to_owned(), probe);
    let first = selected(&report)[0].split("::").next().unwrap().to_owned();
    let other = if first == "x" { "y" } else { "x" };
    let (_, report) = case.run(Some(&mut Passing(vec![other], vec![]))).unwrap();
    assert_eq!(reasons(&report, &first), ["probe-failed"]);
    assert_eq!((tie(&report, "x"), tie(&report, "y")), (json!(false), json!(false)));
}

// 41: the practical profile.

/// A workspace of six skills with one honest provider.
fn six(mode: Mode) -> Case {
    let skills = [
        ("search", "Search the web for pages.", "DCI/1 P(web-search)"),
        ("a", "Reads text aloud.", "DCI/1 P(read-aloud)"),
        ("b", "Draws charts.", "DCI/1 P(charts)"),
        ("c", "Translates text.", "DCI/1 P(translate)"),
        ("d", "Writes tests.", "DCI/1 P(tests)"),
        ("e", "Formats code.", "DCI/1 P(format)"),
    ];
    Case::new(mode, &skills).requiring(&["web-search"])
}

#[test]
fn ruling_41_practical_selects_a_skill_without_a_contract() {
    for (profile, expected) in [(Profile::Rfc, vec![]), (Profile::Practical, vec!["summary::skills/summary"])] {
        let mut case = Case::new(
            Mode::BestEffort,
            &[("summary", "Summarize text.", ""), ("other", "Draws charts.", ""), ("more", "Reads aloud.", "")],
        )
        .requiring(&["summarize-text"]);
        case.profile = profile;
        assert_eq!(selected(&case.report()), expected);
    }
}

#[test]
fn ruling_41_practical_does_not_exclude_a_sole_honest_provider_in_strict() {
    let mut case = six(Mode::Strict);
    assert_eq!(reasons(&case.report(), "search"), ["contract-inflated"]);
    case.profile = Profile::Practical;
    let report = case.report();
    assert_eq!(selected(&report), ["search::skills/search"]);
    // The specified rule still applies besides.
    case.skills[0] = skill("claims", "Unrelated.", "DCI/1 P(web-search)");
    assert_eq!(reasons(&case.report(), "claims"), ["contract-inflated"]);
}

#[test]
fn ruling_41_the_values_are_runtime_overrides_that_the_caller_replaces() {
    let mut case = six(Mode::BestEffort);
    case.profile = Profile::Practical;
    let report = case.report();
    let effective = &report["policy"]["effective"];
    assert_eq!((&effective["min-contract-score"], &effective["min-total-score"]), (&json!(0.25), &json!(0.4)));
    assert_eq!(report["policy"]["override_source"], "runtime");
    let case = case.with("min-total-score", "0.45").with("min-contract-score", "0.3");
    let report = case.report();
    assert_eq!(report["policy"]["effective"], report["policy"]["defaults"]);
    assert_eq!(report["policy"]["override_source"], "defaults");
}

#[test]
fn ruling_41_a_value_is_overridden_only_by_a_different_one() {
    let source = |consumer: &'static str, profile: Profile, value: Option<&'static str>| {
        let mut case = six(Mode::BestEffort);
        case.required.clear();
        case.consumer = Some(consumer);
        case.profile = profile;
        if let Some(value) = value {
            case = case.with("min-contract-score", value);
        }
        case.report()["policy"]["override_source"].clone()
    };
    let contract = "DCI/1 R(web-search) Pol(min-contract-score=0.25)";
    assert_eq!(source(contract, Profile::Rfc, None), "consumer");
    assert_eq!(source(contract, Profile::Rfc, Some("0.25")), "consumer");
    assert_eq!(source(contract, Profile::Rfc, Some("0.2")), "runtime");
    // The profile sets the same value, and another one to a different value.
    assert_eq!(source(contract, Profile::Practical, None), "runtime+consumer");
}

#[test]
fn ruling_41_the_profile_is_an_input_of_the_run() {
    let mut case = six(Mode::BestEffort).with("min-total-score", "0.4").with("min-contract-score", "0.25");
    let rfc = case.report();
    assert_eq!(rfc["run_id"], case.report()["run_id"]);
    case.profile = Profile::Practical;
    let practical = case.report();
    assert_eq!(rfc["policy"]["effective"], practical["policy"]["effective"]);
    assert_ne!(rfc["run_id"], practical["run_id"]);
}

// 42: suggestions.

/// The suggestions for a run, each of which is tried again.
fn suggestions(case: &Case, decision: Decision) -> Vec<Suggestion> {
    let corpus = Corpus::new(case.skills.clone(), case.mode);
    let (aliases, reliability) = (Aliases::default(), Reliability::default());
    let mut overrides = Overrides::default();
    case.policy.iter().for_each(|(key, value)| overrides.set(key, value).unwrap());
    let consumer = case.consumer.map(|text| capgen_dci::Consumer {
        id: "c::c".to_owned(),
        contract: capgen_dci::contract::read(text, case.mode).contract,
    });
    let inputs = Inputs {
        required: case.required.iter().map(ToString::to_string).collect(),
        query: None,
        consumer,
        host: Host::default(),
        overrides,
        profile: case.profile,
        aliases: &aliases,
        reliability: &reliability,
        probes: &case.probes,
    };
    let resolution = resolve(&corpus, &inputs, None).unwrap();
    let found = suggest(&corpus, &inputs, &resolution, decision, None);
    assert!(found.len() <= 3, "{found:?}");
    for suggestion in &found {
        let mut inputs = inputs.clone();
        let probe = Probe { command: vec![], timeout_ms: 1 };
        let probes = Probes { by_capability: [("web-search".to_owned(), probe)].into() };
        match &suggestion.change {
            Change::Profile(profile) => inputs.profile = *profile,
            Change::Policy(values) => {
                values.iter().for_each(|(key, value)| inputs.overrides.set(key, value).unwrap());
            }
            Change::Probe(_) => inputs.probes = &probes,
        }
        let is_probe = matches!(suggestion.change, Change::Probe(_));
        let mut passing = Passing(vec!["claims", "search"], vec![]);
        let runner: Option<&mut dyn ProbeRunner> = if is_probe { Some(&mut passing) } else { None };
        let again = resolve(&corpus, &inputs, runner).unwrap();
        assert_eq!(again.outcome(decision), suggestion.outcome, "{suggestion:?}");
        assert_eq!(again.unresolved, suggestion.missing, "{suggestion:?}");
        assert_eq!(again.selection.providers().count(), suggestion.selected.len(), "{suggestion:?}");
    }
    found
}

fn policy(suggestion: &Suggestion) -> String {
    let Change::Policy(values) = &suggestion.change else { return format!("{:?}", suggestion.change) };
    values.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn ruling_42_the_profile_is_suggested_first_then_policies() {
    let case = Case::new(Mode::BestEffort, &[("summary", "Summarize text.", "")]).requiring(&["summarize-text"]);
    let found = suggestions(&case, Decision::Abort);
    assert_eq!(found[0].change, Change::Profile(Profile::Practical));
    assert_eq!(found[0].selected, ["summary::skills/summary"]);
    assert_eq!(policy(&found[1]), "min-contract-score=0.25");
    assert_eq!(found.len(), 2);
}

#[test]
fn ruling_42_a_set_is_suggested_if_one_skill_is_not_enough() {
    let skills = [("a", "One.", "DCI/1 P(one)"), ("b", "Two.", "DCI/1 P(two)")];
    let found = suggestions(&Case::new(Mode::BestEffort, &skills).requiring(&["one", "two"]), Decision::Abort);
    assert_eq!(policy(&found[0]), "selection-mode=cover");
    assert_eq!(found[0].outcome, Outcome::NotNeeded);
}

#[test]
fn ruling_42_several_keys_are_combined_if_one_is_not_enough() {
    let skills = [
        ("a", "x", "DCI/1 P(one) Pol(min-total-score=1)"),
        ("b", "y", "DCI/1 P(two) Pol(min-contract-score=1)"),
        ("c", "One three.", ""),
    ];
    let mut case = Case::new(Mode::Strict, &skills).requiring(&["one", "two"]).with("min-total-score", "0.99");
    case = case.with("max-providers", "1");
    let found = suggestions(&case, Decision::Abort);
    assert!(found.iter().any(|one| one.outcome.is_success()), "{found:?}");
}

#[test]
fn ruling_42_a_probe_is_suggested_for_a_provider_that_is_inflated() {
    let skills =
        [("claims", "Nothing in common.", "DCI/1 P(web-search)"), ("other", "Reads aloud.", "DCI/1 P(read-aloud)")];
    let found = suggestions(&Case::new(Mode::Strict, &skills).requiring(&["web-search"]), Decision::Abort);
    assert_eq!(found[0].change, Change::Probe("web-search".to_owned()), "{found:?}");
    assert_eq!(found[0].selected, ["claims::skills/claims"]);
}

#[test]
fn ruling_42_a_requirement_of_a_provider_that_nothing_meets_is_not_followed_with_a_lower_depth() {
    let skills = [("search", "Web search.", "DCI/1 P(web-search) R(nothing-has-it)")];
    let found = suggestions(&Case::new(Mode::Strict, &skills).requiring(&["web-search"]), Decision::Abort);
    assert_eq!(found.iter().map(policy).collect::<Vec<_>>(), ["max-dependency-depth=1"]);
}

#[test]
fn ruling_42_emulation_is_the_last_resort_of_a_failed_run() {
    let case =
        Case::new(Mode::BestEffort, &[("other", "Reads aloud.", "DCI/1 P(read-aloud)")]).requiring(&["translate"]);
    let found = suggestions(&case, Decision::Abort);
    assert_eq!(found.iter().map(policy).collect::<Vec<_>>(), ["on-missing-required=auto-emulate"]);
    assert_eq!(found[0].outcome, Outcome::Emulated);
    // If the run does not fail, nothing would select something.
    assert_eq!(suggestions(&case, Decision::ContinueWithPartial), []);
}

#[test]
fn ruling_42_a_run_with_a_result_has_no_suggestion() {
    assert_eq!(suggestions(&six(Mode::BestEffort), Decision::Abort), []);
    let nothing = Case::new(Mode::BestEffort, &[("a", "A.", "")]);
    assert_eq!(suggestions(&nothing, Decision::Abort), []);
}

// 43: the snapshot of the history.

#[test]
fn ruling_43_the_last_use_is_the_stored_one_wherever_a_record_exists() {
    let corpus = Corpus::new(vec![skill("a", "A.", "DCI/1 P(a)"), skill("b", "B.", "DCI/1 P(a)")], Mode::BestEffort);
    let aliases = Aliases::default();
    let mut reliability = Reliability::default();
    let last_used_at = "2026-01-02T03:04:05Z".to_owned();
    let record = Record { outcomes: vec![], success_rate: Score::ZERO, last_used_at, sample_size: 0 };
    reliability.candidates.insert("a::skills/a".to_owned(), record);
    let probes = Probes::default();
    let inputs = Inputs {
        required: vec!["a".to_owned()],
        query: None,
        consumer: None,
        host: Host::default(),
        overrides: Overrides::default(),
        profile: Profile::default(),
        aliases: &aliases,
        reliability: &reliability,
        probes: &probes,
    };
    let resolution = resolve(&corpus, &inputs, None).unwrap();
    let circumstances = capgen_dci::Circumstances {
        sources: vec![capgen_dci::Source::WorkspaceLocal],
        rejections: &[],
        decision: Decision::Abort,
        generated_at: "2026-01-02T03:04:05Z",
    };
    let report = serde_json::to_value(Report::new(&corpus, &inputs, &resolution, &circumstances)).unwrap();
    let history = &candidate(&report, "a")["reliability"];
    assert_eq!(history["last_used_at"], "2026-01-02T03:04:05Z");
    assert_eq!((&history["success_rate_last_20"], &history["sample_size"]), (&json!(1), &json!(0)));
    assert_eq!(candidate(&report, "b")["reliability"]["last_used_at"], Value::Null);
}

#[test]
fn unknown_runtimes_of_many_skills_give_one_warning() {
    let mut case = six(Mode::BestEffort);
    for one in &mut case.skills {
        one.compatibility = capgen_dci::Declared::Text(format!("Needs git and docker ({})", one.name));
    }
    let warnings = case.run(None).unwrap().0.warnings;
    let unknown: Vec<_> = warnings.iter().filter(|warning| warning.code.as_str() == "W0861").collect();
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    assert!(unknown[0].message.contains("of 6 skills"), "{unknown:?}");
    assert_eq!(unknown[0].subject, "search::skills/search");
}
