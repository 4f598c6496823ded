//! What to write instead.

use super::{MAX_SCHEMA_DEPTH, keyword, value};
use crate::{Format, Json, Object, Problem, Type, codes};

pub(super) const TUPLE: &str =
    "write one schema for all items; where positions differ, write an object with a property per position";

/// Names that are longer are not compared: no typo of ours is that long, and comparing takes quadratic time.
const MAX_NAME: usize = 32;
/// With more definitions than that, no name is suggested, for the same reason.
const MAX_CANDIDATES: usize = 256;

pub(crate) fn unknown_keyword(siblings: &Object, name: &str, at: String) -> Problem {
    let (message, label) = match name {
        "nullable" => (format!("`{name}` is not part of the schema subset"), "not enforced by JSON Schema draft-07"),
        _ => (format!("`{}` is not part of the schema subset", cut(name)), "not enforced"),
    };
    let problem = Problem::new(codes::UNKNOWN_KEYWORD, at, message).at_key().label(label);
    match keyword_help(siblings, name).or_else(|| did_you_mean(name, keyword::all())) {
        Some(help) => problem.help(help),
        None if name.starts_with("x-") => problem.help("remove it, or say it in `$comment`"),
        None => problem,
    }
}

fn keyword_help(siblings: &Object, name: &str) -> Option<String> {
    let text = match name {
        "nullable" => return Some(nullable(siblings)),
        "$defs" => "write `definitions`, and refer to `#/definitions/<name>`",
        "additionalItems" | "prefixItems" | "unevaluatedItems" => TUPLE,
        "dependencies" | "dependentRequired" | "dependentSchemas" => {
            "write `anyOf` with two branches: one that requires both properties, one with `\"not\": {\"required\": [...]}`"
        }
        "if" | "then" | "else" => {
            "write `oneOf` with one branch per case, each with a `const` on the property that decides"
        }
        "patternProperties" | "propertyNames" => {
            "name each property in `properties`; for a map, give `additionalProperties` the schema of its values"
        }
        "unevaluatedProperties" => "write `additionalProperties` beside the `properties` that it closes",
        "multipleOf" | "divisibleBy" => {
            "for whole numbers write `\"type\": \"integer\"`; for money use integers of the smallest unit"
        }
        "contains" | "minContains" | "maxContains" => "give the item that must be there a property of its own",
        "minProperties" | "maxProperties" => {
            "name the properties in `required`, or count the items of an array instead"
        }
        "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" => "name the schema in `definitions`",
        "$dynamicRef" | "$recursiveRef" => "write `\"$ref\": \"#/definitions/<name>\"`",
        "id" => "`id` is draft-04's; write `$id` at the root, or leave it out",
        "$vocabulary" => "remove it",
        "example" => "write `examples` with an array",
        "deprecated" | "readOnly" | "writeOnly" | "contentMediaType" | "contentEncoding" | "contentSchema"
        | "externalDocs" | "xml" => "remove it, or say it in `description`",
        "discriminator" => "give each branch of `oneOf` a required property with a `const`",
        "extends" => "write `allOf`",
        "disallow" => "write `\"not\": {\"type\": ...}`",
        "optional" => "leave the property out of `required`",
        _ => return None,
    };
    Some(text.to_owned())
}

fn nullable(siblings: &Object) -> String {
    if siblings.get("nullable") == Some(&Json::Bool(false)) {
        return "remove it".to_owned();
    }
    let names: Vec<&str> = match siblings.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().take(Type::ALL.len()).filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let and_enum = if siblings.get("enum").is_some() { ", and add `null` to `enum`" } else { "" };
    if names.contains(&"null") {
        return format!("remove it: `type` has \"null\"{and_enum}");
    }
    if names.is_empty() || names.iter().any(|name| Type::from_name(name).is_none()) {
        return "write `\"anyOf\": [{...}, {\"type\": \"null\"}]`".to_owned();
    }
    let quoted: Vec<String> = names.iter().chain(&["null"]).map(|name| format!("\"{name}\"")).collect();
    format!("write `type: [{}]`{and_enum}", quoted.join(", "))
}

pub(super) fn wrong_type(keyword: &str, found: &Json) -> Option<String> {
    let text = match (keyword, found) {
        ("exclusiveMinimum", Json::Bool(true)) => {
            "a boolean is draft-04's; write the bound itself here, and remove `minimum`"
        }
        ("exclusiveMaximum", Json::Bool(true)) => {
            "a boolean is draft-04's; write the bound itself here, and remove `maximum`"
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Json::Bool(false)) => "a boolean is draft-04's; remove it",
        ("required", Json::Bool(_)) => "name the property in the `required` array of the object that holds it",
        ("required", Json::String(_)) => "write an array, even for one name",
        ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Json::String(text))
            if text.parse::<crate::Number>().is_ok() =>
        {
            "write it without quotes"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

pub(super) fn unknown_type(name: &str) -> String {
    let text = match name {
        "int" | "long" | "bigint" | "int32" | "int64" => "write `integer`",
        "float" | "double" | "decimal" => "write `number`",
        "bool" => "write `boolean`",
        "str" | "text" | "date" | "file" => "write `string`",
        "list" | "tuple" | "set" => "write `array`",
        "dict" | "map" | "record" | "struct" => "write `object`",
        "nil" | "none" | "None" | "undefined" => "write `null`",
        "any" => "leave `type` out",
        _ => "",
    };
    if !text.is_empty() {
        return text.to_owned();
    }
    did_you_mean(name, Type::ALL.map(Type::name))
        .unwrap_or_else(|| format!("write one of {}", list(Type::ALL.map(Type::name))))
}

pub(crate) fn unknown_format(name: &str) -> String {
    let names = Format::ALL.map(Format::name);
    match name {
        "url" => "write `uri`".to_owned(),
        "datetime" | "timestamp" => "write `date-time`".to_owned(),
        "guid" => "write `uuid`".to_owned(),
        "int32" | "int64" | "uint32" | "uint64" | "float" | "double" => {
            "remove it, and bound the value with `minimum` and `maximum`".to_owned()
        }
        _ => did_you_mean(name, names)
            .unwrap_or_else(|| format!("remove it or write a `pattern`; the formats are {}", list(names))),
    }
}

/// Of a `$ref` that leads out of the schema, or to where no definition can stand.
pub(crate) fn not_local(target: &str, at: String) -> Problem {
    let message = format!("`$ref` {} is not of the form `#/definitions/<name>`", value::quote(target));
    Problem::new(codes::REF_NOT_LOCAL, at, message).label("not a definition of this schema").help(reference(target))
}

fn reference(target: &str) -> &'static str {
    if target.starts_with("#/$defs/") {
        return "rename `$defs` to `definitions`, and refer to `#/definitions/<name>`";
    }
    match target {
        "#" => "move the root to `definitions`, and refer to it from the root and from here",
        _ if target.starts_with('#') => "move what it refers to to the root's `definitions`",
        _ => "copy what it refers to into `definitions`",
    }
}

/// Of a `$ref` to a definition that is not there.
pub(crate) fn unresolved<'n>(definitions: impl Iterator<Item = &'n str>, name: &str, at: String) -> Problem {
    let message = format!("there is no definition {}", value::quote(name));
    let mut problem = Problem::new(codes::REF_UNRESOLVED, at, message).label("not found in `definitions`");
    problem.help = did_you_mean(name, definitions.take(MAX_CANDIDATES).filter(|name| name.len() <= MAX_NAME));
    problem
}

pub(crate) fn ref_sibling(name: &str, at: String) -> Problem {
    let message = format!("`{name}` stands beside `$ref`, where draft-07 ignores it");
    let help = format!("write `\"allOf\": [{{\"$ref\": ...}}, {{\"{name}\": ...}}]`");
    Problem::new(codes::REF_SIBLING, at, message).at_key().label("never enforced").help(help)
}

pub(crate) fn schema_too_deep(at: String) -> Problem {
    let message = format!("subschemas nest deeper than {MAX_SCHEMA_DEPTH} levels");
    let help = "move the inner part to `definitions` and refer to it with `$ref`";
    Problem::new(codes::SCHEMA_TOO_DEEP, at, message).label("too deep").help(help)
}

fn did_you_mean<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<String> {
    if name.len() > MAX_NAME {
        return None;
    }
    let lower = name.to_lowercase();
    let distance = |candidate: &str| strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
    let nearest = candidates.into_iter().map(|c| (distance(c), c)).min_by_key(|(distance, _)| *distance);
    nearest
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().min(name.len()) / 5)
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

fn list<const N: usize>(names: [&str; N]) -> String {
    names.map(|name| format!("`{name}`")).join(", ")
}

fn cut(name: &str) -> String {
    if name.len() <= MAX_NAME { name.to_owned() } else { value::quote(name) }
}
