//! Names of definitions, where Rust has several types of one name.
//!
//! schemars numbers them in the order in which it meets them (`Item`, `Item2`), so that moving a field would rename types, and
//! `Item2` may as well be a type of that name. Here such types are told apart by what they are.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use capgen_schema::{Hash, Json, Object};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

const PREFIX: &str = "#/definitions/";

/// Hexadecimal digits behind the name of a type that is not the only one of its name.
const DIGITS: usize = 6;

/// Makes a schema whose definitions have names that depend on no order.
pub(super) fn settled(generate: &dyn Fn(&[String]) -> Json) -> Json {
    let schema = generate(&[]);
    let names: Vec<String> = definitions(&schema).map(|(name, _)| name.clone()).collect();
    let all: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    if !names.iter().any(|name| base(name, &all).is_some()) {
        return schema;
    }
    // With every name taken, each type gets a number behind its own name.
    let numbered = generate(&names);
    let numbers = definitions(&numbered).filter(|(name, _)| !all.contains(name.as_str()));
    let bases: BTreeMap<String, String> =
        numbers.filter_map(|(name, _)| Some((name.clone(), base(name, &all)?.to_owned()))).collect();
    // A name that a `$ref` has to escape stays as schemars has it.
    if !refers_to(&numbered, &bases) {
        return schema;
    }
    rename(&numbered, &distinct(&numbered, &bases))
}

/// Whether every reference is to one of these definitions, as its name is written.
fn refers_to(schema: &Json, names: &BTreeMap<String, String>) -> bool {
    match schema {
        Json::Array(items) => items.iter().all(|item| refers_to(item, names)),
        Json::Object(members) => members.iter().all(|(key, value)| match value {
            Json::String(text) if key == "$ref" => {
                text.strip_prefix(PREFIX).is_none_or(|name| names.contains_key(name))
            }
            value => refers_to(value, names),
        }),
        _ => true,
    }
}

fn definitions(schema: &Json) -> impl Iterator<Item = &(String, Json)> {
    schema.get("definitions").and_then(Json::as_object).into_iter().flatten()
}

/// The name of `all` that `name` is with a number behind it: the longest.
fn base<'a>(name: &'a str, all: &BTreeSet<&str>) -> Option<&'a str> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (1..=digits).find_map(|count| {
        let (base, number) = name.split_at_checked(name.len() - count)?;
        (all.contains(base) && !number.starts_with('0') && number != "1").then_some(base)
    })
}

/// For each numbered name the one that it gets: that of the type, with a part of the hash of what it says where others have it too.
fn distinct(schema: &Json, bases: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut taken = BTreeSet::new();
    let mut renamed = BTreeMap::new();
    for (name, definition) in definitions(schema) {
        let Some(base) = bases.get(name) else { continue };
        let is_alone = bases.values().filter(|other| *other == base).count() == 1;
        let mut to = base.clone();
        if !is_alone {
            let hash = Hash::of(asserting(&rename(definition, bases)).canonical()).to_string();
            to = format!("{base}_{}", hash.get(..DIGITS).unwrap_or(&hash));
        }
        // What says the same may have either name.
        while !taken.insert(to.clone()) {
            to.push('_');
        }
        renamed.insert(name.clone(), to);
    }
    renamed
}

/// Without what documentation says, which may change without the type.
fn asserting(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(asserting).collect()),
        Json::Object(members) => {
            let said = members.iter().filter(|(name, value)| !(name == "description" && value.as_str().is_some()));
            Json::Object(said.map(|(name, value)| (name.clone(), asserting(value))).collect())
        }
        scalar => scalar.clone(),
    }
}

/// The schema with other names for its definitions. One without a new name is dropped: it only took the name.
fn rename(schema: &Json, names: &BTreeMap<String, String>) -> Json {
    match schema {
        Json::Array(items) => Json::Array(items.iter().map(|item| rename(item, names)).collect()),
        Json::Object(members) => Json::Object(members.iter().map(|member| renamed_member(member, names)).collect()),
        scalar => scalar.clone(),
    }
}

fn renamed_member((key, value): &(String, Json), names: &BTreeMap<String, String>) -> (String, Json) {
    let value = match (key.as_str(), value) {
        ("$ref", Json::String(reference)) => {
            let name = reference.strip_prefix(PREFIX).and_then(|name| names.get(name));
            Json::String(name.map_or_else(|| reference.clone(), |name| format!("{PREFIX}{name}")))
        }
        ("definitions", Json::Object(definitions)) => {
            let kept =
                definitions.iter().filter_map(|(name, value)| Some((names.get(name)?.clone(), rename(value, names))));
            Json::Object(kept.collect::<Object>())
        }
        (_, value) => rename(value, names),
    };
    (key.clone(), value)
}

thread_local! {
    /// The name that [`Taken`] has.
    static TAKEN: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A type that takes a name.
struct Taken;

impl JsonSchema for Taken {
    fn schema_name() -> Cow<'static, str> {
        TAKEN.with_borrow(|name| name.clone().into())
    }

    fn schema_id() -> Cow<'static, str> {
        TAKEN.with_borrow(|name| format!("{}::Taken<{name}>", module_path!()).into())
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

/// Makes types of these names get others.
pub(super) fn take(generator: &mut SchemaGenerator, names: &[String]) {
    for name in names {
        TAKEN.set(name.clone());
        generator.subschema_for::<Taken>();
    }
}
