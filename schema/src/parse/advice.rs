//! Help texts: for each common mistake, the keyword or value to write instead.

use super::{MAX_SCHEMA_DEPTH, keyword, value};
use crate::format::pattern::replacement;
use crate::{Format, Json, Object, Problem, Type, codes};

pub(super) const TUPLE: &str =
    "write one schema for all items; if positions have different schemas, write an object with a property per position";

/// Longer names get no suggestion. The edit distance takes quadratic time, and no keyword is this long.
const MAX_NAME: usize = 32;
/// At most this many definitions are compared for a suggestion, which bounds the time for hostile schemas.
const MAX_CANDIDATES: usize = 256;

/// The finding for keyword `name` of the schema object `siblings`.
pub(crate) fn unknown_keyword(siblings: &Object, name: &str, at: String) -> Problem {
    let (message, label) = match name {
        "nullable" => (format!("`{name}` is not part of the schema subset"), "not enforced by JSON Schema draft-07"),
        _ => (format!("`{}` is not part of the schema subset", cut(name)), "not enforced"),
    };
    // A keyword of another draft or of OpenAPI has a known replacement. Any other keyword is likely a typo.
    let problem = Problem::new(codes::UNKNOWN_KEYWORD, at, message).at_key().label(label);
    if let Some(help) = keyword_help(siblings, name) {
        return problem.help(help);
    }
    match near(name, keyword::all()) {
        // No edit: a similar name is a guess, and the schema may have that keyword already.
        Some(near) => problem.help(did_you_mean(near)),
        None if name.starts_with("x-") => problem.help("remove it, or write it in `$comment`"),
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
            "write `oneOf` with one branch per case, each with a `const` for the property that selects the case"
        }
        "patternProperties" | "propertyNames" => {
            "list each property in `properties`; for a map, give `additionalProperties` the schema of its values"
        }
        "unevaluatedProperties" => "write `additionalProperties` next to the `properties` that it closes",
        "multipleOf" | "divisibleBy" => {
            "for integers write `\"type\": \"integer\"`; for money use integers of the smallest unit"
        }
        "contains" | "minContains" | "maxContains" => "move the required item to a property of its own",
        "minProperties" | "maxProperties" => {
            "list the properties in `required`, or use an array with `minItems` and `maxItems`"
        }
        "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" => "move the schema to `definitions`",
        "$dynamicRef" | "$recursiveRef" => "write `\"$ref\": \"#/definitions/<name>\"`",
        "id" => "`id` is from draft-04; write `$id` at the root, or remove it",
        "$vocabulary" => "remove it",
        "example" => "write `examples` with an array",
        "deprecated" | "readOnly" | "writeOnly" | "contentMediaType" | "contentEncoding" | "contentSchema"
        | "externalDocs" | "xml" => "remove it, or write it in `description`",
        "discriminator" => "give each branch of `oneOf` a required property with a `const`",
        "extends" => "write `allOf`",
        "disallow" => "write `\"not\": {\"type\": ...}`",
        "optional" => "remove the property from `required`",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Help for OpenAPI's `nullable`. `enum` needs `null` as well, because `type` does not widen it.
fn nullable(siblings: &Object) -> String {
    if siblings.get("nullable") == Some(&Json::Bool(false)) {
        return "remove it".to_owned();
    }
    // `type` has not been checked here, so it may be any array; more names than types exist are not worth reading.
    let names: Vec<&str> = match siblings.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().take(Type::ALL.len()).filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let and_enum = if siblings.get("enum").is_some() { ", and add `null` to `enum`" } else { "" };
    if names.contains(&"null") {
        return format!("remove it: `type` already contains \"null\"{and_enum}");
    }
    if names.is_empty() || names.iter().any(|name| Type::from_name(name).is_none()) {
        return "write `\"anyOf\": [{...}, {\"type\": \"null\"}]`".to_owned();
    }
    let quoted: Vec<String> = names.iter().chain(&["null"]).map(|name| format!("\"{name}\"")).collect();
    format!("write `type: [{}]`{and_enum}", quoted.join(", "))
}

/// Help for a keyword whose value has the wrong type, if the mistake is a common one.
pub(super) fn wrong_type(keyword: &str, found: &Json) -> Option<String> {
    let text = match (keyword, found) {
        ("exclusiveMinimum", Json::Bool(true)) => {
            "a boolean is draft-04 syntax; write the bound itself here, and remove `minimum`"
        }
        ("exclusiveMaximum", Json::Bool(true)) => {
            "a boolean is draft-04 syntax; write the bound itself here, and remove `maximum`"
        }
        ("exclusiveMinimum" | "exclusiveMaximum", Json::Bool(false)) => "a boolean is draft-04 syntax; remove it",
        ("required", Json::Bool(_)) => "list the property in the `required` array of the object that contains it",
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

/// Help for an unknown type. The names are those of other schema languages and of programming languages.
pub(super) fn unknown_type(name: &str) -> Advice {
    let known = match name {
        "int" | "long" | "bigint" | "int32" | "int64" => Type::Integer,
        "float" | "double" | "decimal" => Type::Number,
        "bool" => Type::Boolean,
        "str" | "text" | "date" | "file" => Type::String,
        "list" | "tuple" | "set" => Type::Array,
        "dict" | "map" | "record" | "struct" => Type::Object,
        "nil" | "none" | "None" | "undefined" => Type::Null,
        "any" => return Advice::new("remove `type`"),
        _ => {
            let all = Type::ALL.map(Type::name);
            return near(name, all).map_or_else(|| Advice::new(format!("write one of {}", list(all))), Advice::near);
        }
    };
    Advice::write(known.name())
}

/// Help for a format that is not in the subset.
pub(crate) fn unknown_format(name: &str) -> Advice {
    let names = Format::ALL.map(Format::name);
    if let Some(pattern) = replacement(name) {
        let pattern = Json::String(pattern.to_owned()).canonical();
        return Advice::new(format!("remove it, or write `pattern: {pattern}` instead"));
    }
    match name {
        "url" => Advice::write("uri"),
        "datetime" | "timestamp" => Advice::write("date-time"),
        "guid" => Advice::write("uuid"),
        "int32" | "int64" | "uint32" | "uint64" | "float" | "double" => {
            Advice::new("remove it, and limit the value with `minimum` and `maximum`")
        }
        _ => near(name, names).map_or_else(
            || Advice::new(format!("remove it or write a `pattern`; the supported formats are {}", list(names))),
            Advice::near,
        ),
    }
}

/// How to fix a wrong name.
pub(crate) struct Advice {
    pub(crate) help: String,
    /// The name to write instead, if it is certain and not only similar.
    pub(crate) instead: Option<&'static str>,
}

impl Advice {
    fn new(help: impl Into<String>) -> Self {
        Self { help: help.into(), instead: None }
    }

    fn write(name: &'static str) -> Self {
        Self { help: format!("write `{name}`"), instead: Some(name) }
    }

    fn near(name: &'static str) -> Self {
        Self::new(did_you_mean(name))
    }
}

/// A `$ref` to another document, or to a location outside of the root's `definitions`.
pub(crate) fn not_local(target: &str, at: String) -> Problem {
    let message = format!("`$ref` must point into `definitions`, not to {}", value::quote(target));
    Problem::new(codes::REF_NOT_LOCAL, at, message).label("not a definition of this schema").help(reference(target))
}

fn reference(target: &str) -> &'static str {
    if target.starts_with("#/$defs/") {
        return "rename `$defs` to `definitions`, and refer to `#/definitions/<name>`";
    }
    match target {
        "#" => "move the root to `definitions`, and refer to it from the root and from here",
        _ if target.starts_with('#') => {
            "move the referenced schema to the root's `definitions`, and refer to `#/definitions/<name>`"
        }
        _ => "copy the referenced schema into `definitions`, and refer to `#/definitions/<name>`",
    }
}

/// A `$ref` to a definition that does not exist.
pub(crate) fn unresolved<'n>(definitions: impl Iterator<Item = &'n str>, name: &str, at: String) -> Problem {
    let message = format!("unknown definition {}", value::quote(name));
    let mut problem = Problem::new(codes::REF_UNRESOLVED, at, message).label("not found in `definitions`");
    let candidates = definitions.take(MAX_CANDIDATES).filter(|name| name.len() <= MAX_NAME);
    problem.help = near(name, candidates).map(did_you_mean);
    problem
}

pub(crate) fn ref_sibling(name: &str, at: String) -> Problem {
    let message = format!("`{name}` next to `$ref` is ignored by draft-07");
    let help = format!("write `\"allOf\": [{{\"$ref\": ...}}, {{\"{name}\": ...}}]`");
    Problem::new(codes::REF_SIBLING, at, message).at_key().label("never enforced").help(help)
}

pub(crate) fn schema_too_deep(at: String) -> Problem {
    let message = format!("subschemas are nested more than {MAX_SCHEMA_DEPTH} levels deep");
    let help = "move the inner part to `definitions` and refer to it with `$ref`";
    Problem::new(codes::SCHEMA_TOO_DEEP, at, message).label("too deep").help(help)
}

/// The candidate that `name` was probably meant to be.
fn near<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > MAX_NAME { None } else { capgen_diagnostic::nearest(name, candidates) }
}

/// The declared property that `name` was probably meant to be.
pub(crate) fn near_property<'n>(name: &str, declared: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    near(name, declared.take(MAX_CANDIDATES).filter(|name| name.len() <= MAX_NAME))
}

/// The declared property from which `name` differs only by a typo.
pub(crate) fn mistyped_property<'n>(name: &str, declared: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut declared = declared.take(MAX_CANDIDATES).filter(|name| name.len() <= MAX_NAME);
    if name.len() > MAX_NAME { None } else { declared.find(|other| capgen_diagnostic::is_typo(name, other)) }
}

pub(crate) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

fn list<const N: usize>(names: [&str; N]) -> String {
    names.map(|name| format!("`{name}`")).join(", ")
}

/// `name` as a message quotes it: names of usual length verbatim, longer ones truncated.
pub(crate) fn cut(name: &str) -> String {
    if name.len() <= MAX_NAME { name.to_owned() } else { value::quote(name) }
}
