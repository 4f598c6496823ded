//! The budget of a comparison: a change that could not be decided is never regarded as compatible.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_evolve::{Level, Settings, compare};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::{Containment, Schema, Steps};

fn manifest(side: Side, schema: &str) -> Manifest {
    let schema = Some(Schema::parse_text(schema).unwrap());
    let mut capability = Capability::new("call");
    match side {
        Side::Request => capability.input = schema,
        Side::Response => capability.output = schema,
    }
    Manifest::new(AgentId::new("agent").unwrap(), vec![TransportSettings::memory("calls")], vec![capability])
}

#[test]
fn a_comparison_whose_budget_ends_is_a_breaking_finding_of_its_own() {
    let old = r#"{"type": "string", "pattern": "^(a|b)*a(a|b){3}$"}"#;
    let new = r#"{"type": "string", "pattern": "^(a|b)*b(a|b){3}$|a"}"#;
    for side in Side::ALL {
        let (old, new) = match side {
            Side::Request => (manifest(side, old), manifest(side, new)),
            Side::Response => (manifest(side, new), manifest(side, old)),
        };
        let decided = compare(&old, &new, Settings::default());
        assert!(decided.findings.iter().all(|finding| finding.level < Level::Breaking), "{decided:#?}");
        let undecided = compare(&old, &new, Settings { steps: Steps(1), ..Settings::default() });
        let finding = undecided.findings.iter().find(|finding| finding.code.as_str() == "E0726").unwrap();
        assert_eq!((finding.level, finding.side, &finding.witness), (Level::Breaking, Some(side), &None));
        let relation = undecided.capabilities[0].side(side).unwrap();
        assert!(matches!(relation.is_accepted(side, Settings::default().assume), Containment::Undecided(_)));
    }
}

#[test]
fn changes_beyond_the_budget_of_decisions_are_not_called_safe() {
    let object = |t: &str| {
        let property = |index: usize| format!(r#""p{index}": {{"type": "{t}"}}"#);
        let properties = (0..120).map(property).collect::<Vec<_>>().join(",");
        manifest(Side::Request, &format!(r#"{{"type": "object", "properties": {{{properties}}}}}"#))
    };
    let comparison = compare(&object("string"), &object("integer"), Settings::default());
    assert_eq!(comparison.findings.len(), 120);
    assert!(comparison.findings.iter().all(|finding| finding.level == Level::Breaking), "{:#?}", comparison.findings);
    assert_eq!(comparison.findings.iter().filter(|finding| finding.witness.is_some()).count(), 100);
}

/// The time is not asserted; if it were quadratic, this test would take minutes.
#[test]
fn long_lists_of_values_and_properties_are_compared() {
    let values = |first: usize| {
        let values = (first..first + 20_000).map(|value| value.to_string()).collect::<Vec<_>>().join(",");
        manifest(Side::Request, &format!(r#"{{"enum": [{values}]}}"#))
    };
    let object = |required: &str| {
        let properties = (0..4_000).map(|index| format!(r#""p{index}": {{"type": "string"}}"#)).collect::<Vec<_>>();
        let properties = properties.join(",");
        manifest(
            Side::Request,
            &format!(r#"{{"type": "object", "properties": {{{properties}}}, "required": [{required}]}}"#),
        )
    };
    for (old, new, witness) in [(values(0), values(1), "0"), (object(""), object(r#""p0""#), "{}")] {
        let findings = compare(&old, &new, Settings::default()).findings;
        let finding = findings.iter().find(|finding| finding.level == Level::Breaking).unwrap();
        assert_eq!(finding.witness.as_ref().unwrap().payload.canonical(), witness);
    }
}

#[test]
fn a_schema_that_accepts_nothing_is_reported_even_if_the_old_one_accepted_nothing() {
    let impossible = r#"{"type": "string", "minLength": 3, "maxLength": 2}"#;
    for side in Side::ALL {
        for (old, new, expected) in [
            (r#"{"type": "string"}"#, impossible, Some(Level::Breaking)),
            (r#"{"not": {}}"#, impossible, Some(Level::Risky)),
            (impossible, r#"{"type": "string"}"#, None),
        ] {
            let findings = compare(&manifest(side, old), &manifest(side, new), Settings::default()).findings;
            let found = findings.iter().find(|finding| finding.code.as_str() == "E0727").map(|finding| finding.level);
            assert_eq!(found, expected, "{side:?}, {old} to {new}: {findings:#?}");
        }
    }
}

#[test]
fn the_budget_of_the_whole_comparison_bounds_all_capabilities_together() {
    // Which of many branches a value may have: the decision takes all steps that it may take.
    let hard = |seed: usize| {
        let clause = |index: usize| {
            let [a, b, c] = [seed + index, seed + 7 * index + 3, seed + 13 * index + 5].map(|place| place % 40);
            format!(
                r#"{{"anyOf": [{{"required": ["p{a}"]}}, {{"required": ["p{b}"]}}, {{"not": {{"required": ["p{c}"]}}}}]}}"#
            )
        };
        let clauses: Vec<String> = (0..120).map(clause).collect();
        Schema::parse_text(&format!(r#"{{"type": "object", "allOf": [{}]}}"#, clauses.join(","))).unwrap()
    };
    let contract = |seed: usize| {
        let capability = |index: usize| {
            let mut capability = Capability::new(format!("c{index:03}"));
            capability.input = Some(hard(seed + index));
            capability
        };
        Manifest { capabilities: (0..40).map(capability).collect(), ..manifest(Side::Request, "{}") }
    };
    let (old, new) = (contract(0), contract(1));
    let settings = Settings { steps: Steps(20_000), budget: Steps(100_000), ..Settings::default() };
    let comparison = compare(&old, &new, settings);
    let spent = "it could not be decided whether the change is compatible: the budget of the whole comparison";
    let undecided = |text: &str| comparison.findings.iter().filter(|finding| finding.message.contains(text)).count();
    // After the first few, nothing is decided, and everything counts as breaking.
    assert!(undecided(spent) > 30, "{}", undecided(spent));
    assert!(comparison.capabilities.iter().skip(10).all(|capability| capability.bump == capgen_evolve::Bump::Major));
    assert_eq!(compare(&old, &new, settings), comparison, "the same on every machine");
    // Contracts without such schemas need a small part of it.
    let simple = |max: u32| {
        let mut contract = manifest(Side::Request, &format!(r#"{{"type": "string", "maxLength": {max}}}"#));
        let capability = contract.capabilities.remove(0);
        let of = |index: usize| Capability { name: format!("c{index}"), ..capability.clone() };
        Manifest { capabilities: (0..500).map(of).collect(), ..contract }
    };
    let settings = Settings { budget: Steps::of_seconds(1), ..Settings::default() };
    let findings = compare(&simple(9), &simple(5), settings).findings;
    assert!(findings.len() == 500 && findings.iter().all(|finding| finding.witness.is_some()));
}
