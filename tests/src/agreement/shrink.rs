//! Reduces a disagreement to a small one.

use super::compare::{Disagreement, compare};
use super::tree::Tree;
use super::{Engine, Pair, loads, parse};
use crate::Failure;

/// How many smaller pairs are tried at once. Each attempt compiles generated Rust, so few large attempts are faster.
const AT_ONCE: usize = 120;

/// The smallest disagreement of the same engine that repeated one-step reductions find.
///
/// # Errors
///
/// If the engine cannot be run.
pub fn shrink(found: &Disagreement, engine: &(dyn Engine + Sync)) -> Result<Disagreement, Failure> {
    let mut smallest = found.clone();
    loop {
        let mut candidates = candidates(&smallest);
        candidates.sort_by_key(|pair| pair.schema.len() + pair.payloads.iter().map(String::len).sum::<usize>());
        let mut smaller = None;
        for pairs in candidates.chunks(AT_ONCE) {
            let disagreements = compare(pairs, &[engine])?.disagreements.into_iter();
            smaller = disagreements.filter(|d| d.name == found.name).min_by_key(size);
            if smaller.is_some() {
                break;
            }
        }
        match smaller {
            Some(smaller) if size(&smaller) < size(&smallest) => smallest = smaller,
            _ => return Ok(smallest),
        }
    }
}

fn size(disagreement: &Disagreement) -> usize {
    disagreement.schema.len() + disagreement.payload.len()
}

/// Pairs that are one step smaller, in schema or in payload.
fn candidates(from: &Disagreement) -> Vec<Pair> {
    let pair = |schema: String, payload: String| Pair { label: from.label.clone(), schema, payloads: vec![payload] };
    let schemas = Tree::parse(&from.schema).map(|tree| reductions(&tree)).unwrap_or_default();
    let payloads = Tree::parse(&from.payload).map(|tree| reductions(&tree)).unwrap_or_default();
    let smaller = |tree: &Tree, text: &str| tree.to_string().len() < text.len();
    let schemas = schemas.into_iter().filter(|schema| smaller(schema, &from.schema)).map(|schema| schema.to_string());
    let schemas = schemas.filter(|schema| parse(schema).is_some() && loads(schema));
    let by_schema = schemas.map(|schema| pair(schema, from.payload.clone()));
    let payloads = payloads.into_iter().filter(|payload| smaller(payload, &from.payload));
    let by_payload = payloads.map(|payload| pair(from.schema.clone(), payload.to_string()));
    by_schema.chain(by_payload).collect()
}

/// Trees with one part removed, moved to the place of its parent, or simplified.
fn reductions(tree: &Tree) -> Vec<Tree> {
    let mut found = Vec::new();
    match tree {
        Tree::Leaf(text) => found.extend(simpler(text).into_iter().map(Tree::Leaf)),
        Tree::Array(items) => {
            found.extend(items.iter().cloned());
            for (at, item) in items.iter().enumerate() {
                let mut rest = items.clone();
                rest.remove(at);
                found.push(Tree::Array(rest));
                for item in reductions(item) {
                    let mut rest = items.clone();
                    rest[at] = item;
                    found.push(Tree::Array(rest));
                }
            }
        }
        Tree::Object(members) => {
            // A member of a member, too: `properties` and `definitions` contain schemas by name.
            for (_, value) in members {
                found.push(value.clone());
                match value {
                    Tree::Object(inner) => found.extend(inner.iter().map(|(_, value)| value.clone())),
                    Tree::Array(inner) => found.extend(inner.iter().cloned()),
                    Tree::Leaf(_) => {}
                }
            }
            for (at, (name, value)) in members.iter().enumerate() {
                let mut rest = members.clone();
                rest.remove(at);
                found.push(Tree::Object(rest));
                for value in reductions(value) {
                    let mut rest = members.clone();
                    rest[at] = (name.clone(), value);
                    found.push(Tree::Object(rest));
                }
            }
        }
    }
    if tree.size() > 3 {
        found.extend(
            ["true", "{}", "0", "\"\""]
                .map(|text| Tree::Leaf(text.to_owned()))
                .map(|leaf| if leaf == Tree::Leaf("{}".to_owned()) { Tree::Object(Vec::new()) } else { leaf }),
        );
    }
    found
}

/// Simpler scalars.
fn simpler(text: &str) -> Vec<String> {
    if text.starts_with('"') {
        let Ok(serde_json::Value::String(text)) = serde_json::from_str(text) else { return Vec::new() };
        let chars: Vec<char> = text.chars().collect();
        let without = |at: usize| {
            let rest: String = chars.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| c).collect();
            serde_json::Value::from(rest).to_string()
        };
        return (0..chars.len().min(40)).map(without).collect();
    }
    if text.len() < 3 { Vec::new() } else { vec!["0".to_owned(), "1".to_owned(), "-1".to_owned(), "0.5".to_owned()] }
}
