//! Names of definitions, where Rust has several types of one name.
//!
//! schemars numbers them in the order in which it meets them (`Item`, `Item2`), so that moving a field would rename types, and
//! `Item2` may as well be a type of that name. Here such types are told apart by what they are.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use capgen_schema::{Hash, Json, Object, definition_name};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

const PREFIX: &str = "#/definitions/";

/// Hexadecimal digits behind the name of a type that is not the only one of its name.
const DIGITS: usize = 6;

/// How many references away a difference between two types is looked for.
const REACH: usize = 64;

/// Makes a schema whose definitions have names that depend on no order.
pub(super) fn settled(generate: &dyn Fn(&[String]) -> Json) -> Json {
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

/// The name of the type, where schemars has put a number behind it.
fn numbered(name: &str, names: &BTreeSet<String>, generate: &dyn Fn(&[String]) -> Json) -> Option<String> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (base, _) = (1..=digits).find_map(|count| {
        let (base, number) = name.split_at_checked(name.len() - count)?;
        (names.contains(base) && !number.starts_with('0') && number != "1").then_some((base, number))
    })?;
    // With the name taken, a type of that name gets a number behind it, and a numbered one the next number.
    let others = generate(&[name.to_owned()]);
    let next = (2..).map(|number| format!("{base}{number}")).find(|next| !names.contains(next))?;
    definitions(&others).any(|(other, _)| *other == next).then(|| base.to_owned())
}

/// For each type that is not the only one of its name, the one that it gets: with a part of the hash of what it says.
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
        // What says the same, and refers to what says the same, may have either name.
        while !taken.insert(to.clone()) {
            to.push('_');
        }
        renamed.insert(name.clone(), to);
    }
    renamed
}

/// The hash of each definition, with all that it refers to.
fn hashes(schema: &Json, bases: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut hashes: BTreeMap<String, String> =
        definitions(schema).map(|(name, _)| (name.clone(), bases.get(name).unwrap_or(name).clone())).collect();
    for _ in 0..hashes.len().min(REACH) {
        let hash = |definition| Hash::of(asserting(&rename(definition, &hashes, false)).canonical()).to_string();
        hashes = definitions(schema).map(|(name, definition)| (name.clone(), hash(definition))).collect();
    }
    hashes
}

/// Without what documentation says, which may change without the type.
fn asserting(schema: &Json) -> Json {
    const SAYS_NOTHING: [&str; 4] = ["title", "description", "default", "examples"];
    let Json::Object(members) = below(schema, &asserting) else { return schema.clone() };
    Json::Object(members.iter().filter(|(key, _)| !SAYS_NOTHING.contains(&key.as_str())).cloned().collect())
}

/// The schema with other names for its definitions, in references and, at the root, where they stand.
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

/// The schema with `change` made to the schemas in it, and to nothing that is data.
fn below(schema: &Json, change: &dyn Fn(&Json) -> Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let member = |(key, value): &(String, Json)| {
        let value = match (key.as_str(), value) {
            ("properties" | "patternProperties" | "definitions", Json::Object(schemas)) => {
                Json::Object(schemas.iter().map(|(name, schema)| (name.clone(), change(schema))).collect())
            }
            ("oneOf" | "anyOf" | "allOf" | "items" | "prefixItems", Json::Array(schemas)) => {
                Json::Array(schemas.iter().map(change).collect())
            }
            ("const" | "enum" | "default" | "examples" | "required", value) => value.clone(),
            (_, schema @ Json::Object(_)) => change(schema),
            (_, value) => value.clone(),
        };
        (key.clone(), value)
    };
    Json::Object(members.iter().map(member).collect())
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
