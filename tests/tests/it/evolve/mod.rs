//! Findings about two versions of a contract, for random and for hostile pairs of schemas.

mod example;
mod fingerprints;
mod hostile;
mod random;

use capgen_evolve::{Assume, Comparison, Finding, Settings, compare};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::{Json, Schema, Steps};
use capgen_tests::random::{Random, without_names_and_counts};

/// A contract whose one capability has the same schema on both sides.
fn contract(schema: &Schema) -> Manifest {
    let side = || Some(schema.clone());
    manifest(vec![Capability { input: side(), output: side(), ..Capability::new("call") }])
}

fn manifest(capabilities: Vec<Capability>) -> Manifest {
    Manifest::new(AgentId::new("agent").unwrap(), vec![TransportSettings::memory("calls")], capabilities)
}

/// Compares two schemas with a smaller budget than usual.
fn compared(old: &Schema, new: &Schema, assume: Assume) -> Comparison {
    compare(&contract(old), &contract(new), Settings { assume, steps: Steps(1_000_000), ..Settings::default() })
}

/// Two versions of a schema: the second has a change of the first, or is unrelated to it.
fn pair(seed: u64) -> Option<(Schema, Schema)> {
    let mut random = Random::new(seed);
    let old = random.schema();
    let new = match seed % 4 {
        0 => random.schema(),
        1 => {
            let once = random.mutated(&old);
            random.mutated(&once)
        }
        _ => random.mutated(&old),
    };
    // Where such keywords leave a comparison undecided, a finding of another rule has no witness.
    let [old, new] = [old, new].map(|schema| without_names_and_counts(&schema));
    Some((Schema::parse(&old).ok()?, Schema::parse(&new).ok()?))
}

/// The findings about a side, without the rule that reports schemas that accept nothing.
fn about(comparison: &Comparison, side: Side) -> Vec<&Finding> {
    comparison.findings.iter().filter(|f| f.side == Some(side) && f.code.as_str() != "E0727").collect()
}

/// A schema that is written on one line, for messages.
fn shown(old: &Schema, new: &Schema) -> String {
    format!("old: {}\nnew: {}", old.source().canonical(), new.source().canonical())
}

fn parse(text: &str) -> Schema {
    Schema::parse_text(text).unwrap()
}

fn json(value: &serde_json::Value) -> Json {
    Json::try_from(value).unwrap()
}
