//! A contract as files of JSON Schema.

use std::collections::{BTreeMap, HashSet};

use capgen_manifest::{Manifest, Side};
use capgen_schema::{Json, Object};

use super::extra::{extra, push_about};
use crate::carried::{of_draft_07, with_formats};
use crate::{CONTRACT_FILE, CONTRACT_FORMAT};

/// The URI of the dialect of the schemas.
const DIALECT: &str = "http://json-schema.org/draft-07/schema#";

/// One file for each schema of a contract, such as `review-pr.request.schema.json`, and `contract.json` with the other
/// keys of the capabilities. The transports are not included.
///
/// A schema file has the schema of the contract, with `format` in place of `x-format`. If it has no `$schema`, the file
/// gets that of draft-07, so that every validator reads it alike; `contract.json` lists these files, so that an import
/// gives a contract with the same hash.
///
/// ```
/// use capgen_manifest::{Source, load};
/// let text = "\
/// version: 1
/// agent: agent://shop
/// transports: [{ kind: memory, topics: { requests: shop } }]
/// capabilities: [{ name: find, inputSchema: { type: string } }]
/// ";
/// let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
/// let files = capgen_interop::json_schema(&contract.manifest);
/// assert!(files.keys().eq(["contract.json", "find.request.schema.json"]));
/// ```
pub fn json_schema(manifest: &Manifest) -> BTreeMap<String, Json> {
    let mut files = BTreeMap::new();
    let mut stems = HashSet::new();
    let mut capabilities = Vec::new();
    for (capability, label) in manifest.capabilities.iter().zip(manifest.labels()) {
        let stem = unique(&label, &mut stems);
        let mut entry = Object::new();
        entry.push("name".to_owned(), Json::from(capability.name.as_str()));
        extra(capability, &[]).iter().for_each(|(key, value)| entry.push(key.clone(), value.clone()));
        for side in Side::ALL {
            let Some(schema) = capability.schema(side) else { continue };
            let file = format!("{stem}.{}.schema.json", side.name());
            let (schema, is_added) = with_dialect(&of_draft_07(&with_formats(schema.source())));
            let reference =
                [("file".to_owned(), Json::from(file.as_str())), ("addedDialect".to_owned(), Json::Bool(is_added))];
            entry.push(side.schema_key().to_owned(), Json::Object(reference.into_iter().collect()));
            files.insert(file, schema);
        }
        capabilities.push(Json::Object(entry));
    }
    let mut contract = Object::new();
    contract.push(CONTRACT_FORMAT.to_owned(), Json::Number(1_u64.into()));
    contract.push("agent".to_owned(), Json::from(manifest.agent.as_str()));
    push_about(&mut contract, manifest);
    contract.push("capabilities".to_owned(), Json::Array(capabilities));
    files.insert(CONTRACT_FILE.to_owned(), Json::Object(contract));
    files
}

/// The schema with `$schema`, and whether it was added.
fn with_dialect(schema: &Json) -> (Json, bool) {
    match schema {
        Json::Object(members) if members.get("$schema").is_none() => {
            let dialect = [("$schema".to_owned(), Json::from(DIALECT))];
            (Json::Object(dialect.into_iter().chain(members.iter().cloned()).collect()), true)
        }
        other => (other.clone(), false),
    }
}

/// A name that differs from the others in more than case: some file systems do not distinguish that.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let mut stem = name.to_owned();
    let mut number = 1;
    while !taken.insert(stem.to_ascii_lowercase()) {
        number += 1;
        stem = format!("{name}.{number}");
    }
    stem
}
