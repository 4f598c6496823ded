//! Help texts: for each common mistake, the keyword or value to write instead.

use capgen_diagnostic::{Applicability, similar};

use super::fixes::{self, Instead};
use super::{MAX_SCHEMA_DEPTH, table, value};
use crate::format::pattern::equivalent;
use crate::{Format, Json, Object, Problem, Type, codes};

/// Longer names get no suggestion. The edit distance takes quadratic time, and no keyword is this long.
const MAX_NAME: usize = 32;
/// At most this many definitions are compared for a suggestion, which bounds the time for hostile schemas.
const MAX_CANDIDATES: usize = 256;

/// The finding for keyword `name` with `value` in the schema object `siblings`.
pub(crate) fn unknown_keyword(siblings: &Object, name: &str, value: &Json, at: String) -> Problem {
    let (message, label) = match name {
        "nullable" => (format!("`{name}` is not part of the schema subset"), "not enforced by JSON Schema draft-07"),
        _ => (format!("`{}` is not part of the schema subset", cut(name)), "not enforced"),
    };
    // A keyword of another draft or of OpenAPI has a known replacement. Any other keyword is likely a typo.
    let problem = Problem::new(codes::UNKNOWN_KEYWORD, at, message).at_key().label(label);
    let problem = fixes::of_keyword(problem, siblings, name, value);
    if let Some(help) = keyword_help(siblings, name) {
        return problem.help(help);
    }
    match near(name, table::keywords()) {
        Some(near) => problem.help(did_you_mean(near)),
        None if name.starts_with("x-") => problem.help("remove it, or write it in `$comment`"),
        None if is_like_schema(value) => problem.help("if it is the name of a property, write it in `properties`"),
        None => problem,
    }
}

/// Assertions of other dialects: of draft-03, of OpenAPI 3.0, and references that depend on the path to them. All other
/// names that are not keywords are annotations, which a validator ignores.
const OTHER_ASSERTIONS: [&str; 7] =
    ["$dynamicRef", "$recursiveAnchor", "$recursiveRef", "disallow", "divisibleBy", "extends", "nullable"];

/// Whether a name that is not a keyword was probably meant as one: it differs from a keyword only by a typo, or is an
/// assertion of another dialect. Names that are only similar, such as `tsType`, are those of other
/// vocabularies. Takes time linear in the number of keywords.
pub(crate) fn is_probable_mistake(name: &str) -> bool {
    let is_typo = |keyword| name.len() <= MAX_NAME && capgen_diagnostic::is_typo(name, keyword);
    OTHER_ASSERTIONS.contains(&name) || table::keywords().any(is_typo)
}

/// Whether a value is a schema, or a text that is probably meant as one, such as the name of a type.
fn is_like_schema(value: &Json) -> bool {
    value.as_object().is_some() || value.as_str().is_some_and(|text| type_advice(text).is_some())
}

pub(super) fn keyword_help(siblings: &Object, name: &str) -> Option<String> {
    let text = match name {
        "nullable" => return Some(nullable(siblings)),
        "min" | "minimal" | "least" => {
            return Some(sized(siblings, ["minimum", "minLength", "minItems", "minProperties"]));
        }
        "max" | "maximal" | "most" => {
            return Some(sized(siblings, ["maximum", "maxLength", "maxItems", "maxProperties"]));
        }
        "length" | "len" | "size" | "count" => return Some(length(siblings)),
        "gte" | "ge" => "write `minimum`",
        "lte" | "le" => "write `maximum`",
        "gt" => "write `exclusiveMinimum`",
        "lt" => "write `exclusiveMaximum`",
        "regex" | "regexp" | "match" | "matches" => "write `pattern`",
        "values" | "options" | "choices" | "allowed" => "write `enum`",
        "fields" | "attributes" | "props" | "members" | "keys" => "write `properties`",
        "element" | "elements" | "of" => "write `items`",
        "desc" | "doc" | "docs" | "summary" | "help" => "write `description`",
        "comment" => "write `$comment`",
        "unique" => "write `uniqueItems`",
        "mandatory" => "list the property in the `required` array of the object that contains it",
        "strict" | "closed" | "sealed" => "write `additionalProperties: false`",
        "$defs" => "write `definitions`, and refer to `#/definitions/<name>`",
        "prefixItems" => "write the list of schemas in `items`, and the schema of further items in `additionalItems`",
        "unevaluatedItems" => "write `items` for all items, or a list in `items` with `additionalItems`",
        "dependentSchemas" => "write `if` with `{\"required\": [...]}` and the name, and the schema in `then`",
        "unevaluatedProperties" => "write `additionalProperties` next to the `properties` that it closes",
        "divisibleBy" => "write `multipleOf`",
        "minContains" | "maxContains" => "`contains` requires one item; move other required items to properties",
        "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" => "move the schema to `definitions`",
        "$dynamicRef" | "$recursiveRef" => "write `\"$ref\": \"#/definitions/<name>\"`",
        "id" => "`id` is from draft-04; write `$id` at the root, or remove it",
        "$vocabulary" => "remove it",
        "example" => "write `examples` with an array",
        "contentMediaType" | "contentEncoding" | "contentSchema" | "externalDocs" | "xml" => {
            "remove it, or write it in `description`"
        }
        "discriminator" => "give each branch of `oneOf` a required property with a `const`",
        "extends" => "write `allOf`",
        "disallow" => "write `\"not\": {\"type\": ...}`",
        "optional" => "remove the property from `required`",
        _ => return None,
    };
    Some(text.to_owned())
}

/// The keyword for a bound, given those for numbers, strings, arrays and objects.
fn sized(siblings: &Object, [number, string, array, object]: [&str; 4]) -> String {
    match siblings.get("type").and_then(Json::as_str).and_then(type_advice) {
        Some(Type::String) => format!("write `{string}`"),
        Some(Type::Array) => format!("write `{array}`"),
        Some(Type::Object) => format!("write `{object}`"),
        Some(Type::Integer | Type::Number) => format!("write `{number}`"),
        _ => format!("write `{number}` for numbers, `{string}` for strings, or `{array}` for arrays"),
    }
}

fn length(siblings: &Object) -> String {
    let text = match siblings.get("type").and_then(Json::as_str).and_then(type_advice) {
        Some(Type::Array) => "write `minItems` and `maxItems`",
        Some(Type::Object) => "write `minProperties` and `maxProperties`",
        Some(Type::String) => "write `minLength` and `maxLength`",
        _ => "write `minLength` and `maxLength` for strings, or `minItems` and `maxItems` for arrays",
    };
    text.to_owned()
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
        ("dependentRequired" | "dependencies", Json::Array(_)) => {
            "write an object: the name of a property, and the names that it requires"
        }
        ("dependentRequired" | "dependencies", Json::String(_)) => "write an array, even for one name",
        ("required", Json::Bool(_)) => "list the property in the `required` array of the object that contains it",
        ("required", Json::String(_)) => "write an array, even for one name",
        ("required", Json::Object(_)) => "write an array of the names of the required properties",
        ("enum", Json::String(_) | Json::Number(_) | Json::Bool(_)) => {
            "write an array, even for one value: `enum: [...]`"
        }
        ("enum", Json::Object(_)) => "write an array of the values, without names: `enum: [...]`",
        ("examples", Json::Null) => "remove it, or write an array of examples",
        ("examples", _) => "write an array, even for one example: `examples: [...]`",
        ("oneOf" | "anyOf" | "allOf", Json::Object(_)) => {
            return Some(format!("write an array of schemas: `{keyword}: [{{...}}, {{...}}]`"));
        }
        ("definitions" | "patternProperties" | "properties", Json::Array(_)) => {
            return Some(format!("write the schemas by name, without a list: `{keyword}: {{ <name>: {{...}} }}`"));
        }
        (
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength"
            | "minItems" | "maxItems" | "minProperties" | "maxProperties",
            Json::String(text),
        ) => match text.parse::<crate::Number>() {
            Ok(_) => "write it without quotes",
            Err(_) => "write a number; without a limit, remove it",
        },
        ("uniqueItems" | "deprecated" | "readOnly" | "writeOnly", Json::String(text)) => match boolean(text) {
            Some(true) => "write `true`, without quotes",
            _ => "write `true`, or remove it",
        },
        ("type", Json::Null) => "write the type null in quotes: `type: \"null\"`",
        ("type", Json::Object(_)) => "write the name of a type here, and other keywords next to `type`",
        ("format", Json::Array(_)) => "write one format; for alternatives, write `anyOf` with a schema for each",
        ("title" | "description" | "$comment" | "pattern" | "x-format", Json::Number(_) | Json::Bool(_)) => {
            "put it in quotes"
        }
        ("title" | "description" | "$comment", Json::Array(_)) => "write one string",
        (_, Json::Null) => "a key without a value is null: add a value, or remove the key",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Help for a length or a number of items that is negative or has a fraction.
pub(super) fn length_limit(keyword: &str, is_negative: bool) -> &'static str {
    match (is_negative, keyword.starts_with("min")) {
        (true, true) => "the smallest limit is 0, which is the same as no limit: remove it",
        (true, false) => "without a limit, remove it; to allow only empty values, write 0",
        (false, _) => "write a whole number",
    }
}

/// Help for a value that is not a schema.
pub(super) fn not_a_schema(found: &Json) -> Option<String> {
    match found {
        Json::Null => Some("write `{}` for a schema that accepts every value".to_owned()),
        Json::String(text) => Some(match (type_advice(text), boolean(text)) {
            (Some(known), _) => format!("write `{{ type: {} }}`", yaml_name(known)),
            (None, Some(verdict)) => format!("write `{verdict}`, without quotes"),
            (None, None) => match shorthand(text) {
                Some(help) => format!("write keywords in braces: {help}"),
                None => "write keywords in braces, such as `{ type: string }`".to_owned(),
            },
        }),
        Json::Number(_) => Some("for one valid value, write it as `const` in braces: `{ const: ... }`".to_owned()),
        _ => None,
    }
}

/// The boolean that YAML 1.1 or a human reader would see in a string.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// The type with a name from JSON Schema, another schema language or a programming language.
pub(super) fn type_advice(name: &str) -> Option<Type> {
    if name.len() > MAX_NAME {
        return None;
    }
    Some(match name.to_ascii_lowercase().as_str() {
        "int" | "long" | "short" | "bigint" | "int32" | "int64" | "uint" | "u32" | "u64" | "i32" | "i64" => {
            Type::Integer
        }
        "float" | "double" | "decimal" | "f32" | "f64" => Type::Number,
        "bool" => Type::Boolean,
        "str" | "text" | "char" | "varchar" | "file" => Type::String,
        "list" | "tuple" | "set" | "vec" => Type::Array,
        "dict" | "map" | "hash" | "record" | "struct" => Type::Object,
        "nil" | "none" | "undefined" => Type::Null,
        known => return Type::from_name(known),
    })
}

/// The name of a type in YAML, where `null` needs quotes.
fn yaml_name(known: Type) -> &'static str {
    if known == Type::Null { "\"null\"" } else { known.name() }
}

/// Help for an unknown type. The names are those of other schema languages and of programming languages.
pub(super) fn unknown_type(name: &str) -> Advice {
    match type_advice(name) {
        Some(Type::Null) => {
            let instead = Some((Type::Null.name(), Applicability::Certain));
            return Advice { help: "write `\"null\"`, in quotes".to_owned(), instead };
        }
        Some(known) => return Advice::write(known.name()),
        None => {}
    }
    if let Some(help) = shorthand(name) {
        return Advice::new(help);
    }
    match name.to_ascii_lowercase().as_str() {
        "any" | "unknown" | "mixed" | "json" | "value" => return Advice::new("remove `type`"),
        "enum" => return Advice::new("remove `type`, and list the values: `enum: [...]`"),
        "const" | "literal" => return Advice::new("remove `type`, and write the value: `const: ...`"),
        _ => {}
    }
    let all = Type::ALL.map(Type::name);
    near(name, all).map_or_else(|| Advice::new(format!("write one of {}", list(all))), |_| Advice::near(name, all))
}

/// Help for a type that another language writes in one text: a nullable type, an array, alternatives, or a format.
fn shorthand(text: &str) -> Option<String> {
    if text.len() > MAX_NAME {
        return None;
    }
    let text = text.trim();
    if let Some(known) = text.strip_suffix('?').and_then(type_advice) {
        return Some(format!("write `type: [{}, \"null\"]`", known.name()));
    }
    let lower = text.to_ascii_lowercase();
    let generic =
        ["array<", "list<", "vec<", "set<", "list[", "array["].iter().find_map(|start| lower.strip_prefix(start));
    let item = generic.and_then(|rest| rest.strip_suffix(['>', ']'])).or_else(|| lower.strip_suffix("[]"));
    if let Some(known) = item.and_then(type_advice) {
        return Some(format!("write `type: array` and `items: {{ type: {} }}`", yaml_name(known)));
    }
    if text.contains('|') {
        let known: Option<Vec<Type>> = text.split('|').map(|name| type_advice(name.trim())).collect();
        let names: Vec<&str> = known?.into_iter().map(yaml_name).collect();
        return Some(format!("write `type: [{}]`", names.join(", ")));
    }
    if let Some(pattern) = equivalent(&lower) {
        return Some(format!("write `type: string` and `pattern: {}`", quoted_pattern(pattern)));
    }
    let format = Format::from_name(&lower).or_else(|| known_format(&lower))?;
    Some(format!("write `type: string` and `format: {}`", format.name()))
}

/// The format of the subset for a name from another language.
fn known_format(name: &str) -> Option<Format> {
    Format::from_name(match name {
        "url" => "uri",
        "datetime" | "timestamp" => "date-time",
        "guid" => "uuid",
        "ip-address" | "ipaddress" => "ipv4",
        "host" | "host-name" => "hostname",
        "regexp" => "regex",
        _ => return None,
    })
}

fn quoted_pattern(pattern: &str) -> String {
    Json::String(pattern.to_owned()).canonical()
}

/// Help for a format that is not in the subset.
pub(crate) fn unknown_format(name: &str) -> Advice {
    let names = Format::ALL.map(Format::name);
    // No format of the subset has upper-case letters.
    let lower = if name.len() <= MAX_NAME { name.to_ascii_lowercase() } else { String::new() };
    let unchecked = unchecked(name);
    if let Some(pattern) = equivalent(&lower) {
        return Advice::new(format!("write `pattern: {}`, or {unchecked}", quoted_pattern(pattern)));
    }
    if let Some(known) = Format::from_name(&lower).or_else(|| known_format(&lower)) {
        let help = format!("write `{}`, or {unchecked}", known.name());
        return Advice { help, instead: Some((known.name(), Applicability::Certain)) };
    }
    if matches!(lower.as_str(), "int32" | "int64" | "uint32" | "uint64" | "float" | "double") {
        return Advice::new(format!("limit the value with `minimum` and `maximum`, or write {unchecked}"));
    }
    match near(name, names) {
        Some(near) => {
            let help = format!("{} Otherwise write {unchecked}", did_you_mean(near));
            Advice { help, ..Advice::near(name, names) }
        }
        None => {
            Advice::new(format!("write a `pattern`, or {unchecked}; the formats that are checked are {}", list(names)))
        }
    }
}

/// How to keep the name of a format without a check.
fn unchecked(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    match name.len() <= MAX_NAME && name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_plain) {
        true => format!("`x-format: {name}` if nothing is to be checked"),
        false => "`x-format` with this name if nothing is to be checked".to_owned(),
    }
}

/// How to fix a wrong name.
pub(crate) struct Advice {
    pub(crate) help: String,
    /// The name to write instead.
    pub(crate) instead: Option<Instead>,
}

impl Advice {
    fn new(help: impl Into<String>) -> Self {
        Self { help: help.into(), instead: None }
    }

    fn write(name: &'static str) -> Self {
        Self { help: format!("write `{name}`"), instead: Some((name, Applicability::Certain)) }
    }

    /// The similar one of some names.
    fn near<const N: usize>(name: &str, names: [&'static str; N]) -> Self {
        let instead = similar(name, names);
        Self { help: instead.map(|(near, _)| did_you_mean(near)).unwrap_or_default(), instead }
    }
}

/// A `$ref` to another document, or to a location outside of the root's `definitions`.
pub(crate) fn not_local(target: &str, at: String) -> Problem {
    let shown = capgen_diagnostic::public_url(target);
    let message = format!("`$ref` must point into `definitions`, not to {}", value::quote(&shown));
    let problem = Problem::new(codes::REF_NOT_LOCAL, at, message).label("not a definition of this schema");
    fixes::of_reference(problem.help(reference(target)), target)
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
    let problem = Problem::new(codes::REF_UNRESOLVED, at, message).label("not found in `definitions`");
    let candidates = definitions.take(MAX_CANDIDATES).filter(|name| name.len() <= MAX_NAME);
    let near = near(name, candidates);
    let help = near.map_or_else(
        || {
            "add it to `definitions` at the root of this schema; other schemas of the file have their own `definitions`"
                .to_owned()
        },
        did_you_mean,
    );
    fixes::of_definition(problem, name, near).help(help)
}

/// A `$ref` of another dialect whose target does not exist. `name` is the part of the reference that is not found.
pub(crate) fn no_target<'n>(
    definitions: impl Iterator<Item = &'n str>,
    target: &str,
    name: &str,
    at: String,
) -> Problem {
    let container = ["#/definitions/", "#/$defs/", "#/components/schemas/"]
        .into_iter()
        .find(|container| target.strip_prefix(container).is_some_and(|rest| !rest.contains('/')));
    if container == Some("#/definitions/") {
        return unresolved(definitions, name, at);
    }
    let message = format!("`$ref` refers to {}, which does not exist", value::quote(target));
    let problem =
        Problem::new(codes::REF_UNRESOLVED, at, message).label(format!("{} is not found", value::quote(name)));
    let candidates = definitions.take(MAX_CANDIDATES).filter(|name| name.len() <= MAX_NAME);
    let help = match (container, near(name, candidates)) {
        (Some(_), Some(near)) => did_you_mean(near),
        (Some("#/$defs/"), None) => "add it to `$defs` at the root of this schema, or correct the reference".to_owned(),
        (Some(_), None) => "add it to `components/schemas`, or correct the reference".to_owned(),
        (None, _) if target.starts_with("#/") => {
            "refer to a schema of the same document, such as `#/$defs/<name>`; the pointer starts at the root of this schema".to_owned()
        }
        (None, _) => "add a schema with this anchor, or refer to a schema by its pointer, such as `#/$defs/<name>`".to_owned(),
    };
    problem.help(help)
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
