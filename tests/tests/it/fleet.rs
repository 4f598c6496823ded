//! The contracts of the example fleet have no findings and use the whole subset.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use capgen_diagnostic::render;
use capgen_manifest::{Fleet, Manifest, Side, load_peer, read_source};
use capgen_schema::{Format, Json, Schema, Type};

/// The keywords of the subset.
const KEYWORDS: [&str; 44] = [
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    // `dependencies` is another spelling.
    "dependentRequired",
    "items",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "$ref",
    "format",
    "x-format",
    "deprecated",
    "readOnly",
    "writeOnly",
    "title",
    "description",
    "default",
    "examples",
    "definitions",
    "$schema",
    "$id",
    "$comment",
    // Boolean schemas.
    "true",
    "false",
    // `type` with an array.
    "type[]",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/fleet")
}

fn manifests() -> Vec<Manifest> {
    let fleet = Fleet::open(&root()).unwrap_or_else(|found| panic!("{}", render::human(&found, false)));
    let peers = fleet.peers().unwrap_or_else(|found| panic!("{}", render::human(&found, false)));
    let load = |(id, path): &(_, PathBuf)| {
        let source = read_source(path, &path.display().to_string())?;
        load_peer(&source, id)
    };
    peers
        .iter()
        .map(|peer| {
            let loaded = load(peer).unwrap_or_else(|found| panic!("{}", render::human(&found, false)));
            assert!(loaded.warnings.is_empty(), "{}", render::human(&loaded.warnings, false));
            loaded.manifest
        })
        .collect()
}

fn schemas(manifests: &[Manifest]) -> impl Iterator<Item = &Schema> {
    manifests.iter().flat_map(|m| &m.capabilities).flat_map(|c| Side::ALL.map(|side| c.schema(side))).flatten()
}

#[test]
fn every_agent_loads_without_errors_and_warnings() {
    assert!(manifests().len() >= 4);
}

#[test]
fn the_manifests_use_every_keyword_of_the_subset() {
    let manifests = manifests();
    let mut used = BTreeSet::new();
    for schema in schemas(&manifests) {
        for (_, node) in schema.nodes() {
            match schema.source().pointer(&node.pointer).unwrap() {
                Json::Bool(verdict) => drop(used.insert(verdict.to_string())),
                Json::Object(members) => {
                    used.extend(members.iter().map(|(name, _)| name.clone()));
                    used.extend(members.get("type").and_then(Json::as_array).map(|_| "type[]".to_owned()));
                }
                _ => unreachable!("a schema is an object or a boolean"),
            }
        }
    }
    let all = KEYWORDS.map(str::to_owned).into_iter().collect();
    assert_eq!(used.symmetric_difference(&all).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_manifests_use_every_type_and_format() {
    let manifests = manifests();
    let mut used = BTreeSet::new();
    for schema in schemas(&manifests) {
        for (_, node) in schema.nodes() {
            let source = schema.source().pointer(&node.pointer).unwrap();
            let types = source.get("type").into_iter();
            let types = types.flat_map(|t| t.as_array().map_or_else(|| vec![t], |names| names.iter().collect()));
            used.extend(types.chain(source.get("format")).filter_map(Json::as_str).map(str::to_owned));
        }
    }
    let all = Type::ALL.map(Type::name).into_iter().chain(Format::ALL.map(Format::name)).map(str::to_owned).collect();
    assert_eq!(used.symmetric_difference(&all).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn one_agent_is_loose_on_either_and_on_both_sides() {
    let manifests = manifests();
    let sides = |c: &capgen_manifest::Capability| Side::ALL.map(|side| c.schema(side).is_some());
    let found: BTreeSet<_> = manifests.iter().flat_map(|m| &m.capabilities).map(sides).collect();
    assert_eq!(found.len(), 4, "{found:?}");
}
