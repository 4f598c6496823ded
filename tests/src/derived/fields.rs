//! Struct fields with serde's attributes.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Case, case};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Rename {
    #[serde(rename = "prUrl")]
    pr_url: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    r#match: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Camel {
    first_name: String,
    postal_code2: Option<u32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
struct Screaming {
    first_name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Optional {
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
    #[serde(default)]
    nested: Option<Box<Camel>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Defaults {
    #[serde(default)]
    count: u32,
    #[serde(default = "ten")]
    limit: u8,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

fn ten() -> u8 {
    10
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct DefaultContainer {
    host: String,
    port: u16,
}

impl Default for DefaultContainer {
    fn default() -> Self {
        Self { host: "localhost".to_owned(), port: 80 }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Skip {
    kept: u8,
    #[serde(skip)]
    #[expect(dead_code, reason = "serde does without it")]
    cache: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct SkipSerializing {
    name: String,
    #[serde(skip_serializing, default)]
    #[expect(dead_code, reason = "serde does not write it")]
    password: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct SkipDeserializing {
    name: String,
    #[serde(skip_deserializing)]
    revision: u64,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone)]
struct Paging {
    offset: u32,
    limit: Option<u32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flatten {
    query: String,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenOption {
    query: String,
    #[serde(flatten)]
    paging: Option<Paging>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenMap {
    id: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Target {
    User { id: u32 },
    Group { name: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlattenEnum {
    note: Option<String>,
    #[serde(flatten)]
    target: Target,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DenyUnknown {
    a: u8,
    b: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Alias {
    #[serde(alias = "colour")]
    color: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Transparent {
    inner: Vec<Paging>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Newtype(Paging);

mod hex {
    use super::*;

    pub(super) fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{value:08x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() != 8 || text.starts_with('+') {
            return Err(serde::de::Error::custom("not eight hexadecimal digits"));
        }
        u32::from_str_radix(&text, 16).map_err(serde::de::Error::custom)
    }

    pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9a-fA-F]{8}$"})
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct With {
    #[serde(with = "hex")]
    #[schemars(schema_with = "hex::schema")]
    color: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct WithType {
    #[serde(serialize_with = "hex::serialize", deserialize_with = "hex::deserialize")]
    #[schemars(with = "String", regex(pattern = "^[0-9a-fA-F]{8}$"))]
    color: u32,
}

#[derive(Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
struct Even(String);

impl TryFrom<String> for Even {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.chars().count() == 2 { Ok(Self(text)) } else { Err("not two letters") }
    }
}

impl From<Even> for String {
    fn from(even: Even) -> Self {
        even.0
    }
}

impl JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "minLength": 2, "maxLength": 2})
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Converted {
    even: Even,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
struct Tagged {
    id: u8,
}

/// Its purpose.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(title = "A title", extend("x-internal" = true))]
struct Documented {
    /// With *markup*, `code` and */ an end.
    ///
    /// And a second paragraph.
    #[schemars(example = &"one")]
    text: String,
    #[deprecated]
    old: Option<u8>,
    /// A documented field whose type has its own documentation.
    paging: Paging,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Split {
    #[serde(rename(serialize = "out", deserialize = "in"))]
    value: Option<u8>,
}

/// A type that distinguishes absent, `null` and a value.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Patch {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    name: Option<Option<String>>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

pub(super) fn cases() -> Vec<Case> {
    let text = |text: &str| text.to_owned();
    let camel = |code| Camel { first_name: text("Ada"), postal_code2: code };
    let paging = |limit| Paging { offset: 1, limit };
    #[expect(deprecated, reason = "a deprecated field is still written")]
    let documented = Documented { text: text("a"), old: Some(1), paging: paging(None) };
    vec![
        case("renamed fields", vec![Rename { pr_url: text("u"), kind: None, r#match: true }]),
        case("fields in camel case", vec![camel(None), camel(Some(8001))]),
        case("fields in screaming kebab case", vec![Screaming { first_name: text("Ada") }]),
        case(
            "optional fields",
            vec![
                Optional { text: None, left_out: None, nested: None },
                Optional { text: Some(text("a")), left_out: Some(text("b")), nested: Some(Box::new(camel(Some(1)))) },
            ],
        ),
        case(
            "fields with defaults",
            vec![
                Defaults { count: 0, limit: 10, tags: vec![] },
                Defaults { count: 1, limit: 2, tags: vec![text("a")] },
            ],
        ),
        case("a default for all fields", vec![DefaultContainer::default()]),
        case("a field that serde skips", vec![Skip { kept: 1, cache: 9 }]),
        case("a field that is only read", vec![SkipSerializing { name: text("a"), password: Some(text("b")) }]),
        case("a field that is only written", vec![SkipDeserializing { name: text("a"), revision: 7 }]),
        case(
            "a flattened struct",
            vec![
                Flatten { query: text("q"), paging: paging(Some(2)) },
                Flatten { query: text("q"), paging: paging(None) },
            ],
        ),
        case(
            "an optional flattened struct",
            vec![
                FlattenOption { query: text("q"), paging: Some(paging(Some(2))) },
                FlattenOption { query: text("q"), paging: None },
            ],
        ),
        case("a flattened map", vec![FlattenMap { id: 1, rest: BTreeMap::from([(text("any"), Value::Null)]) }]),
        case(
            "a flattened enum",
            vec![
                FlattenEnum { note: None, target: Target::User { id: 1 } },
                FlattenEnum { note: Some(text("n")), target: Target::Group { name: text("g") } },
            ],
        ),
        case("no other fields", vec![DenyUnknown { a: 1, b: None }, DenyUnknown { a: 1, b: Some(2) }]),
        case("an alias", vec![Alias { color: text("red") }]),
        case("a transparent struct", vec![Transparent { inner: vec![paging(None)] }]),
        case("a newtype", vec![Newtype(paging(Some(1)))]),
        case("a field with its own reader, writer and schema", vec![With { color: 0xff }, With { color: u32::MAX }]),
        case("a field with the schema of another type", vec![WithType { color: 1 }]),
        case("a type that is converted", vec![Converted { even: Even(text("ab")) }]),
        case("a struct with a tag", vec![Tagged { id: 1 }]),
        case("documentation", vec![documented]),
        case("a name for each direction", vec![Split { value: None }]),
        case(
            "absent, null and a value",
            vec![Patch { name: None }, Patch { name: Some(None) }, Patch { name: Some(Some(text("a"))) }],
        ),
    ]
}
