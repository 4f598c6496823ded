//! Stable names of definitions, if several Rust types have the same name.
//!
//! schemars numbers such types in the order in which it finds them (`Item`, `Item2`). So moving a field would rename
//! types, and `Item2` may also be the real name of a type. Here, such types get a hash of their schema as a suffix.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use capgen_schema::{Hash, Json, Object, Subschemas, definition_name};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

const PREFIX: &str = "#/definitions/";

/// The number of hexadecimal digits in a suffix. A suffix only distinguishes types with the same name, of which there
/// are few; equal ones get a `_` in addition, so names stay readable.
const DIGITS: usize = 6;

/// How many references are followed to find a difference between two types. Types that differ usually do so within a
/// few references, and each step takes time for all definitions.
const REACH: usize = 64;

/// Generates a schema whose definitions have names that do not depend on the order of fields.
pub(super) fn stable(generate: &dyn Fn(&[String]) -> Json) -> Json {
    let schema = generate(&[]);
    let names: BTreeSet<String> = definitions(&schema).map(|(name, _)| name.clone()).collect();
    let numbered = |name: &String| Some((name.clone(), numbered(name, &names, generate)?));
    let bases: BTreeMap<String, String> = names.iter().filter_map(numbered).collect();
    if bases.is_empty() {
        return schema;
    }
    rename(&schema, &distinct(&schema, &bases), true)
}

fn definitions(schema: &Json) -> impl Iterator<Item = &(String, Json)> {
    schema.get("definitions").and_then(Json::as_object).into_iter().flatten()
}

/// The name of the type without its number, if schemars added one.
fn numbered(name: &str, names: &BTreeSet<String>, generate: &dyn Fn(&[String]) -> Json) -> Option<String> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (base, _) = (1..=digits).find_map(|count| {
        let (base, number) = name.split_at_checked(name.len() - count)?;
        (names.contains(base) && !number.starts_with('0') && number != "1").then_some((base, number))
    })?;
    // Generate again with the name reserved. A type that really has this name now gets a number, and one that schemars
    // numbered gets the next number.
    let others = generate(&[name.to_owned()]);
    let next = (2..).map(|number| format!("{base}{number}")).find(|next| !names.contains(next))?;
    definitions(&others).any(|(other, _)| *other == next).then(|| base.to_owned())
}

/// The new names of types that share a name: the name, and a part of the hash of the schema.
fn distinct(schema: &Json, bases: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let families: BTreeSet<&String> = bases.values().collect();
    let hashes = hashes(schema, bases);
    let mut taken = BTreeSet::new();
    let mut renamed = BTreeMap::new();
    for (name, _) in definitions(schema) {
        let base = bases.get(name).unwrap_or(name);
        if !families.contains(base) {
            continue;
        }
        let hash = hashes.get(name).map(String::as_str).unwrap_or_default();
        let plain: String = base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut to = format!("{plain}_{}", hash.get(..DIGITS).unwrap_or(hash));
        // Types with equal schemas are interchangeable, so the order of their names does not matter.
        while !taken.insert(to.clone()) {
            to.push('_');
        }
        renamed.insert(name.clone(), to);
    }
    renamed
}

/// The hash of each definition, including the definitions that it refers to.
///
/// Each round replaces the names in references by hashes of the round before, so that a difference spreads by one
/// reference. That also works for recursive types.
fn hashes(schema: &Json, bases: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut hashes: BTreeMap<String, String> =
        definitions(schema).map(|(name, _)| (name.clone(), bases.get(name).unwrap_or(name).clone())).collect();
    for _ in 0..hashes.len().min(REACH) {
        let hash = |definition| Hash::of(asserting(&rename(definition, &hashes, false)).canonical()).to_string();
        hashes = definitions(schema).map(|(name, definition)| (name.clone(), hash(definition))).collect();
    }
    hashes
}

/// The schema without annotations, which may change although the type stays the same.
fn asserting(schema: &Json) -> Json {
    const ANNOTATIONS: [&str; 4] = ["title", "description", "default", "examples"];
    let Json::Object(members) = below(schema, &asserting) else { return schema.clone() };
    Json::Object(members.iter().filter(|(key, _)| !ANNOTATIONS.contains(&key.as_str())).cloned().collect())
}

/// The schema with its definitions renamed: in references and, at the root, in `definitions`.
fn rename(schema: &Json, names: &BTreeMap<String, String>, is_root: bool) -> Json {
    let Json::Object(members) = below(schema, &|schema| rename(schema, names, false)) else { return schema.clone() };
    let named = |name: &String| names.get(name).unwrap_or(name).clone();
    let member = |(key, value): &(String, Json)| match (key.as_str(), value) {
        ("$ref", Json::String(reference)) => {
            let to = definition_name(reference).and_then(|name| names.get(&name));
            (key.clone(), Json::String(to.map_or_else(|| reference.clone(), |to| format!("{PREFIX}{to}"))))
        }
        ("definitions", Json::Object(definitions)) if is_root => {
            let definitions = definitions.iter().map(|(name, schema)| (named(name), schema.clone()));
            (key.clone(), Json::Object(definitions.collect::<Object>()))
        }
        (_, value) => (key.clone(), value.clone()),
    };
    Json::Object(members.iter().map(member).collect())
}

/// Applies `change` to the direct subschemas, and not to values such as `default`, which may look like schemas.
fn below(schema: &Json, change: &dyn Fn(&Json) -> Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let member = |(key, value): &(String, Json)| (key.clone(), Subschemas::map(key, value, |_, schema| change(schema)));
    Json::Object(members.iter().map(member).collect())
}

thread_local! {
    /// The current name of [`Reserved`].
    static RESERVED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A type with any name. Adding it to a generator reserves the name.
struct Reserved;

impl JsonSchema for Reserved {
    fn schema_name() -> Cow<'static, str> {
        RESERVED.with_borrow(|name| name.clone().into())
    }

    fn schema_id() -> Cow<'static, str> {
        RESERVED.with_borrow(|name| format!("{}::Reserved<{name}>", module_path!()).into())
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

/// Reserves names, so that other types of these names get a number.
pub(super) fn reserve(generator: &mut SchemaGenerator, names: &[String]) {
    for name in names {
        RESERVED.set(name.clone());
        generator.subschema_for::<Reserved>();
    }
}
