//! Random bodies of AMP messages: most are a few changes away from a valid one.

use capgen_amp::cbor::{Map, Value, encode};
use capgen_amp::descriptor::{ArtifactRef, HashAlgorithm, SchemaRef};

use super::Random;

/// Valid bodies of several types, and one of the early draft.
const BODIES: [&str; 9] = [
    r#"{"filter": {"capability": "a.b.c", "type": "c", "version": ">=1.0.0 <2.0.0"}, "limit": 2, "order": "newest-first"}"#,
    r#"{"filter": {"type": "c", "version": "1.0"}, "cursor": "x"}"#,
    r#"{"id": "a.b.c:1.0.0", "capability": "a.b.c", "type": "c", "version": "1.0.0", "params": {}, "timeout_ms": 1}"#,
    r#"{"type": "c", "version": "1.0.0", "params": null}"#,
    r#"{"type": "c", "negotiate": {"preferred": "1.0.0", "acceptable": ["2.0.0"], "range": "<3.0.0"}, "params": [1]}"#,
    r#"{"status": "success", "result": {"score": 1}}"#,
    r#"{"status": "error", "error": {"code": 5001, "name": "INTERNAL_ERROR", "message": "x", "details": []}}"#,
    r#"{"code": 4003, "category": "client", "message": "x", "details": null, "retry": false}"#,
    r#"{"capabilities": [{"id": "a.b.c:1.0", "deprecated_versions": ["1.0"], "input_schema": "https://example.com"}]}"#,
];

/// Texts that are valid in some places.
const TEXTS: [&str; 8] =
    ["2.0", "1.0.0+b", ">= 1.0.0", "a.b", "org.agentries.translate", "translate", "success", "error"];

impl Random {
    /// The encodings of bodies, the first of which are valid.
    pub fn bodies(&mut self, count: usize) -> Vec<Vec<u8>> {
        let seeds = valid_bodies();
        let mut pool: Vec<Value> = seeds.iter().flat_map(parts).chain(TEXTS.map(Value::from)).collect();
        pool.extend((0..20).map(|_| self.cbor(2)));
        let changed = (0..count).map(|_| {
            let seed = seeds[self.below(seeds.len())].clone();
            (0..1 + self.below(3)).fold(seed, |value, _| self.changed_cbor(&value, &pool))
        });
        let changed: Vec<Value> = changed.collect();
        seeds.iter().chain(&changed).map(encode).collect()
    }

    /// A value in which one part is replaced, removed or added.
    fn changed_cbor(&mut self, value: &Value, pool: &[Value]) -> Value {
        match value {
            Value::Map(map) if !map.is_empty() && !self.one_in(8) => {
                let mut entries: Vec<(Value, Value)> =
                    map.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                let index = self.below(entries.len());
                match self.below(6) {
                    0 => drop(entries.remove(index)),
                    1 => entries.push((self.pick_clone(pool), self.pick_clone(pool))),
                    _ => entries[index].1 = self.changed_cbor(&entries[index].1, pool),
                }
                Value::Map(entries.into_iter().collect())
            }
            Value::Array(elements) if !elements.is_empty() && !self.one_in(8) => {
                let mut elements = elements.clone();
                let index = self.below(elements.len());
                match self.below(6) {
                    0 => drop(elements.remove(index)),
                    1 => elements.push(self.pick_clone(pool)),
                    _ => elements[index] = self.changed_cbor(&elements[index], pool),
                }
                Value::Array(elements)
            }
            _ => self.pick_clone(pool),
        }
    }
}

fn valid_bodies() -> Vec<Value> {
    let json = BODIES.iter().map(|text| Value::from_json(&serde_json::from_str(text).expect("valid JSON")));
    let artifact = ArtifactRef { bundle_id: "b".to_owned(), artifact_key: "input.json".to_owned() };
    let schema = SchemaRef::to_artifact(artifact, HashAlgorithm::Sha256, b"true");
    let texts = [("id", "a.b.c:1.0.0"), ("name", "a.b.c"), ("version", "1.0.0"), ("notes", "x")];
    let mut descriptor: Map = texts.into_iter().collect();
    descriptor.insert("input_schema", schema.to_map());
    descriptor.insert("output_schema", schema.to_map());
    descriptor.insert("supported_ranges", vec![Value::from("1.0.0"), Value::from(">=1.0.0 <2.0.0")]);
    let descriptor = Value::from(descriptor);
    let declare: Map = [("capabilities", vec![descriptor.clone()])].into_iter().collect();
    json.chain([descriptor, declare.into()]).collect()
}

/// A value and all of its parts, with the keys of maps.
fn parts(value: &Value) -> Vec<Value> {
    let inner: Vec<Value> = match value {
        Value::Array(elements) => elements.iter().flat_map(parts).collect(),
        Value::Map(map) => map.iter().flat_map(|(key, value)| [parts(key), parts(value)].concat()).collect(),
        _ => Vec::new(),
    };
    [vec![value.clone()], inner].concat()
}
