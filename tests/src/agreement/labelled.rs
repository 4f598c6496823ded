//! Corpora whose payloads are labelled as valid or invalid.

use capgen_manifest::Data;

use super::tree::Tree;
use super::{Pair, domain, loads, parse};
use crate::Failure;
use crate::corpus::{self, Document, elements, member, string};

/// A pair, and for each payload whether its corpus labels it as valid.
pub type Labelled = (Pair, Vec<bool>);

/// The groups of a document whose schemas load, without payloads whose numbers are rounded by every engine. The
/// document has the format of the JSON Schema Test Suite: an array of objects with `schema` and `tests`.
pub fn groups(document: &Document, label: &str) -> Vec<Labelled> {
    elements(Some(document.root())).iter().filter_map(|group| of_group(document, group, label)).collect()
}

fn of_group(document: &Document, group: &capgen_manifest::Node, label: &str) -> Option<Labelled> {
    let schema = Tree::parse(document.text(member(group, "schema")?)).ok()?.to_string();
    if parse(&schema).is_none() || !loads(&schema) {
        return None;
    }
    let name = ["id", "description"].into_iter().find_map(|key| string(group, key)).unwrap_or_default();
    let mut payloads = Vec::new();
    let mut labels = Vec::new();
    for test in elements(member(group, "tests")) {
        let payload = Tree::parse(document.text(member(test, "data")?)).ok()?.to_string();
        if !domain::numbers(&payload).into_iter().all(domain::in_rust) {
            continue;
        }
        payloads.push(payload);
        labels.push(matches!(member(test, "valid")?.data, Data::Bool(true)));
    }
    Some((Pair { label: format!("{label} {name}"), schema, payloads }, labels))
}

/// The schemas of capabilities from the corpora.
///
/// # Errors
///
/// If the file cannot be read.
pub fn capability_schemas() -> Result<Vec<Labelled>, Failure> {
    Ok(groups(&Document::read(&corpus::path("capability-schemas.json"))?, "capability"))
}

/// The groups of the suite that are left out: they need the tables of IDNA, which the format `hostname` leaves out.
const NOT_RUN: [&str; 1] = ["draft7/optional/format/hostname validation of A-label (punycode) host names"];

/// The part of the JSON Schema Test Suite for draft-07 inside the subset, without the groups that need the tables of
/// IDNA.
///
/// # Errors
///
/// If a file cannot be read.
pub fn test_suite() -> Result<Vec<Labelled>, Failure> {
    let suite = crate::folder().join("fixtures/json-schema-test-suite");
    let mut found = Vec::new();
    for folder in ["draft7", "draft7/optional", "draft7/optional/format"] {
        for (name, document) in corpus::documents(&suite.join(folder))? {
            let groups = groups(&document, &format!("{folder}/{name}"));
            found.extend(groups.into_iter().filter(|(pair, _)| !NOT_RUN.contains(&pair.label.as_str())));
        }
    }
    Ok(found)
}
