//! The pairs of schemas of the corpus: each breaking change has a finding with a confirmed witness.

use std::path::Path;

use capgen_evolve::{Level, Settings, compare};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::{Containment, Json, Schema};

fn manifest(side: Side, schema: &Json) -> Option<Manifest> {
    let schema = Some(Schema::parse(schema).ok()?);
    let mut capability = Capability::new("call");
    match side {
        Side::Request => capability.input = schema,
        Side::Response => capability.output = schema,
    }
    Some(Manifest::new(AgentId::new("agent")?, vec![TransportSettings::memory("calls")], vec![capability]))
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn pairs_of_the_corpora_have_breaking_findings_if_and_only_if_they_break() {
    let corpora = std::env::var_os("CAPGEN_CORPUS").unwrap();
    let text = std::fs::read_to_string(Path::new(&corpora).join("schema-pairs.json")).unwrap();
    let pairs: serde_json::Value = serde_json::from_str(&text).unwrap();
    for pair in pairs.as_array().unwrap() {
        let id = pair["id"].as_str().unwrap();
        for side in Side::ALL {
            let of = |key: &str| manifest(side, &Json::try_from(&pair[key]).unwrap());
            let (old, new) = (of("old").unwrap(), of("new").unwrap());
            let comparison = compare(&old, &new, Settings::default());
            let relation = comparison.capabilities[0].side(side).unwrap();
            let accepted = if side == Side::Request { &relation.old_in_new } else { &relation.new_in_old };
            let breaking: Vec<_> =
                comparison.findings.iter().filter(|finding| finding.level == Level::Breaking).collect();
            println!("{id} {} {:?}", side.name(), truth(relation));
            for finding in &comparison.findings {
                let witness = finding.witness.as_ref().map(|w| w.payload.canonical());
                println!("    {} {:?} {} {witness:?}", finding.code.as_str(), finding.level, finding.message);
            }
            assert_eq!(breaking.is_empty(), *accepted == Containment::Yes, "{id} {}", side.name());
            assert!(
                breaking.iter().all(|finding| finding.witness.is_some() || finding.message.starts_with("no ")),
                "{id}"
            );
            assert_eq!(truth(relation), pair["truth"].as_str().unwrap(), "{id}");
        }
    }
}

fn truth(relation: &capgen_evolve::SideComparison) -> &'static str {
    match (&relation.old_in_new, &relation.new_in_old) {
        (Containment::Yes, Containment::Yes) => "eq",
        (Containment::Yes, _) => "sup",
        (_, Containment::Yes) => "sub",
        _ => "inc",
    }
}
