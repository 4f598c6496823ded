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
    Manifest {
        agent: AgentId::new("agent").unwrap(),
        transports: vec![TransportSettings::memory("calls")],
        capabilities: vec![capability],
    }
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
