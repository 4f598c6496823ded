//! Regression cases: one JSON file each, in `tests/fixtures/agreement`.
//!
//! ```json
//! {"why": "...", "schema": {...}, "payloads": [{"payload": 1, "valid": false, "violations": [["", "type"]]}]}
//! ```
//!
//! A payload that is not valid JSON, such as one with duplicate keys, is given as `text` and has no list of violations.

use std::path::PathBuf;

use capgen_manifest::{Data, Node};

use super::compare::Disagreement;
use super::tree::Tree;
use super::{Answer, Pair, Place};
use crate::Failure;
use crate::corpus::{self, Document, elements, member, string};

/// A schema, and the expected answer for each payload.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The schema and the payloads; the label is the name of the file.
    pub pair: Pair,
    /// The expected answer for each payload.
    pub expected: Vec<Answer>,
}

/// The folder of the fixtures.
pub fn folder() -> PathBuf {
    crate::folder().join("fixtures/agreement")
}

/// Every fixture, by name.
///
/// # Errors
///
/// If one cannot be read or is incomplete.
pub fn fixtures() -> Result<Vec<Fixture>, Failure> {
    let documents = corpus::documents(&folder())?;
    documents.into_iter().map(|(name, document)| read(&name, &document).ok_or_else(|| name.into())).collect()
}

fn read(name: &str, document: &Document) -> Option<Fixture> {
    let root = document.root();
    string(root, "why")?;
    let one_line = |node: &Node| Some(Tree::parse(document.text(node)).ok()?.to_string());
    let mut pair = Pair { label: name.to_owned(), schema: one_line(member(root, "schema")?)?, payloads: Vec::new() };
    let mut expected = Vec::new();
    for case in elements(member(root, "payloads")) {
        let text = string(case, "text").map(str::to_owned);
        pair.payloads.push(text.or_else(|| one_line(member(case, "payload")?))?);
        let Data::Bool(valid) = member(case, "valid")?.data else { return None };
        let places = match member(case, "violations") {
            Some(list) => Some(elements(Some(list)).iter().map(place).collect::<Option<Vec<Place>>>()?),
            None if valid => Some(Vec::new()),
            None => None,
        };
        expected.push(Answer { valid, places, ..Answer::default() });
    }
    Some(Fixture { pair, expected })
}

fn place(node: &Node) -> Option<Place> {
    match elements(Some(node)) {
        [path, keyword] => match (&path.data, &keyword.data) {
            (Data::String(path), Data::String(keyword)) => Some((path.clone(), keyword.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// The text of a fixture for a disagreement, with the interpreter's answer. A person must decide whether that is
/// correct.
pub fn draft(found: &Disagreement) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let places: Vec<String> = (found.expected.places.iter().flatten())
        .map(|(path, keyword)| format!("[{}, {}]", quoted(path), quoted(keyword)))
        .collect();
    format!(
        "{{\n  \"why\": {},\n  \"schema\": {},\n  \"payloads\": [\n    {{\"payload\": {}, \"valid\": {}, \"violations\": [{}]}}\n  ]\n}}\n",
        quoted(&format!("{} disagreed", found.name)),
        found.schema,
        found.payload,
        found.expected.valid,
        places.join(", ")
    )
}
