//! The schemas of the corpora, each with single mutations of itself.

use std::path::{Path, PathBuf};

use capgen_schema::{Json, Schema, normalise};
use capgen_tests::random::Random;

use crate::engines::Question;

/// The mutations of each schema.
const MUTATIONS: u64 = 20;

pub fn folder() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    std::env::var_os("CAPGEN_CORPUS").map_or_else(default, PathBuf::from)
}

pub fn read(path: &Path) -> Json {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error:?}", path.display()))
}

/// Both directions of every pair of `schema-pairs.json` that is in the subset.
pub fn pairs() -> Vec<Question> {
    let pairs = read(&folder().join("schema-pairs.json"));
    let member = |pair: &Json, name| pair.get(name).cloned().expect("a member");
    let pairs = pairs.as_array().expect("an array").iter().map(|pair| (member(pair, "old"), member(pair, "new")));
    let in_subset = |schema: &Json| Schema::parse(schema).is_ok();
    let pairs: Vec<_> = pairs.filter(|(old, new)| in_subset(old) && in_subset(new)).collect();
    let both = |(old, new): &(Json, Json)| [Question::new("", old, new), Question::new("", new, old)];
    pairs.iter().flat_map(both).collect()
}

/// The schemas of all corpora, in the subset, each with its name.
fn schemas() -> Vec<(String, Json)> {
    let mut found = Vec::new();
    for case in read(&folder().join("capability-schemas.json")).as_array().expect("an array") {
        let id = case.get("id").and_then(Json::as_str).unwrap_or_default();
        found.extend(case.get("schema").map(|schema| (id.to_owned(), schema.clone())));
    }
    for part in ["mcp-tools", "tricky-schemas"] {
        let entries = std::fs::read_dir(folder().join(part)).expect("a folder");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        for path in paths {
            let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let document = read(&path);
            found.extend(document.get("schema").map(|schema| (file.clone(), schema.clone())));
            for tool in document.get("tools").and_then(Json::as_array).unwrap_or_default() {
                let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
                for side in ["inputSchema", "outputSchema"] {
                    found.extend(tool.get(side).map(|schema| (format!("{file} {name} {side}"), schema.clone())));
                }
            }
        }
    }
    let in_subset = |(name, schema): (String, Json)| {
        let schema = if Schema::parse(&schema).is_ok() { schema } else { normalise(&schema).ok()? };
        Schema::parse(&schema).is_ok().then_some((name, schema))
    };
    found.into_iter().filter_map(in_subset).collect()
}

/// The number of schemas, and both directions of each schema and each of its mutations.
pub fn mutations() -> (usize, Vec<Question>) {
    let schemas = schemas();
    let mut questions = Vec::new();
    for (index, (name, schema)) in schemas.iter().enumerate() {
        for mutation in 0..MUTATIONS {
            let other = Random::new(index as u64 * MUTATIONS + mutation).mutated(schema);
            if other != *schema && Schema::parse(&other).is_ok() {
                questions.push(Question::new(&format!("{name}, mutation {mutation}, old in new"), schema, &other));
                questions.push(Question::new(&format!("{name}, mutation {mutation}, new in old"), &other, schema));
            }
        }
    }
    (schemas.len(), questions)
}
