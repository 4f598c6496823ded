//! The schemas of the values of keys.

use capgen_descriptor::name::{
    ERROR_CODE_PATTERN, ERROR_CODE_RULE, ID_RULE, NAME_PATTERN, NAME_RULE, RESERVED_ERROR_CODES,
};
use capgen_descriptor::{
    Assume, CapabilityKey, Determinism, SideEffects, Skew, VERSION_PATTERN, ValueType, VersionRange,
};
use capgen_schema::{Json, Number};

use super::node::{Node, texts};
use super::{http, mapping, options};
use crate::keys::{ACCEPTED, CALLS, ERROR, FLEET_KEY, GENERATE, GRANT, Key, OUTPUT, OUTPUT_IMPORT, Value};
use crate::{AgentId, Contact, DeclaredError, HttpsUrl};

/// Relative paths: those that start with neither a slash nor a drive.
const RELATIVE: &str = r"^([^/\\A-Za-z]|[A-Za-z]([^:]|$))";

/// The schema of the values of a key, with its description.
pub(super) fn of(key: &Key) -> Node {
    schema(key.value).text("description", key.about)
}

fn schema(value: Value) -> Node {
    match value {
        Value::FormatVersion => Node::new().set("const", one()).set("default", one()),
        Value::AgentUri => agent_uri(),
        Value::AgentId => agent_id(),
        Value::Path => Node::containing(RELATIVE, "write a relative path, such as `agents/reviewer`"),
        Value::CapabilityName => Node::matching(NAME_PATTERN, NAME_RULE),
        Value::Text => Node::of("string"),
        Value::FilledText => filled(),
        Value::Contact => Node::containing(Contact::PATTERN, &format!("write {}", Contact::RULE)),
        Value::HttpsUrl => Node::containing(HttpsUrl::PATTERN, &format!("write {}", HttpsUrl::RULE)),
        Value::FilledTexts => list(filled()).number("minItems", 1),
        Value::Flag => Node::of("boolean"),
        Value::Mapping => Node::of("object"),
        Value::Any => Node::new(),
        Value::Schema => Node::reference("schema"),
        Value::Transports => list(Node::reference("transport")).number("minItems", 1),
        Value::Capabilities => list(Node::reference("capability")).number("minItems", 1),
        Value::Agents => list(Node::reference("agent")),
        Value::Options => options(&GENERATE),
        Value::Outputs => list(options(&OUTPUT)).number("minItems", 1),
        Value::Peers => one_or(one_of(["all"]), list(agent_id()).number("minItems", 1)),
        Value::Paths => list(schema(Value::Path)).number("minItems", 1),
        Value::McpSources => list(one_or(schema(Value::Path), mapping(&OUTPUT_IMPORT))).number("minItems", 1),
        Value::AnnotatedFormats => one_or(one_of(["all"]), schema(Value::FilledTexts)),
        Value::History => one_or(one_of(["git"]), schema(Value::Paths)),
        Value::Calls => mapping(&CALLS),
        Value::FleetKeys => list(mapping(&FLEET_KEY)),
        Value::Grants => Node::of("object").set("additionalProperties", mapping(&GRANT).into()),
        Value::PublicKey => Node::containing(
            "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$",
            "write the 32 bytes of the public key in base64url without padding: 43 characters",
        ),
        Value::Time => Node::containing(
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt].+)?$",
            "write a day such as `2027-01-31`, or a time such as `2027-01-31T12:00:00Z`",
        ),
        Value::Words => list(filled()),
        Value::Skew => one_of(Skew::ALL.map(Skew::name)).text("default", Skew::default().name()),
        Value::Errors => list(mapping(&ERROR)).number("minItems", 1),
        Value::ErrorCode => Node::matching(ERROR_CODE_PATTERN, ERROR_CODE_RULE).set("not", reserved_code().into()),
        Value::ErrorStatus => Node::of("integer")
            .number("minimum", u64::from(DeclaredError::MIN_STATUS))
            .number("maximum", u64::from(DeclaredError::MAX_STATUS)),
        Value::AcceptedWarnings => list(mapping(&ACCEPTED)),
        Value::WarningCode => Node::containing("^W[0-9]{4}$", "write the code of a warning, such as `W0103`"),
        Value::CapabilityLabel => filled(),
        Value::Pointer => Node::containing(
            "^(/([^~]|~[01])*)?$",
            "write a JSON Pointer, such as `/inputSchema/properties/a`: `~` is written as `~0`",
        ),
        Value::Http(shape) => http::of(*shape),
        Value::Assume => one_of(Assume::ALL.map(Assume::name)).text("default", Assume::default().name()),
    }
}

/// The schema of the values of an optional key of a capability, with its description.
pub(super) fn of_capability(key: &CapabilityKey) -> Node {
    let node = match key.value_type {
        ValueType::Id => Node::matching(&format!("{NAME_PATTERN}(\\.{NAME_PATTERN})+"), ID_RULE),
        ValueType::NonEmptyText => filled(),
        ValueType::Version => Node::matching(VERSION_PATTERN, "write three numbers, such as `\"1.2.0\"`"),
        ValueType::VersionRanges => list(Node::matching(
            &VersionRange::pattern(),
            "write a version such as `\"1.2.0\"`, or a range such as `\">=1.2.0 <2.0.0\"`",
        )),
        ValueType::Words => list(filled()),
        ValueType::Milliseconds => {
            Node::of("integer").number("minimum", 1).set("maximum", Json::Number(Number::from(u64::MAX)))
        }
        ValueType::Flag => Node::of("boolean"),
        ValueType::SideEffects => one_of(SideEffects::ALL.map(SideEffects::name)),
        ValueType::Determinism => one_of(Determinism::ALL.map(Determinism::name)),
        ValueType::Skew => one_of(Skew::ALL.map(Skew::name)),
        // `Text`. A type that is added later needs a row here to be more than any string.
        _ => Node::of("string"),
    };
    let node = node.text("description", key.about());
    // The example is in Rust syntax, which differs from JSON in the separators of digits.
    let example =
        if key.value_type == ValueType::Milliseconds { key.example.replace('_', "") } else { key.example.into() };
    match example.parse() {
        Ok(example) => node.set("examples", Json::Array(vec![example])),
        Err(_) => node,
    }
}

fn agent_id() -> Node {
    Node::matching(AgentId::PATTERN, AgentId::RULE)
}

fn agent_uri() -> Node {
    let rule = format!("write `{}<id>`: {}", AgentId::SCHEME, AgentId::RULE);
    Node::matching(&format!("{}{}", AgentId::SCHEME, AgentId::PATTERN), &rule)
}

/// The codes of the protocols, which no capability declares.
fn reserved_code() -> Node {
    Node::new().text("pattern", &format!("^({})", RESERVED_ERROR_CODES.join("|")))
}

/// A string of one schema, or another value of the other. Editors report the errors of a union badly, so the type
/// selects.
fn one_or(string: Node, other: Node) -> Node {
    Node::new().set("if", Node::of("string").into()).set("then", string.into()).set("else", other.into())
}

fn one() -> Json {
    Json::Number(Number::from(1_u64))
}

pub(super) fn filled() -> Node {
    Node::of("string").number("minLength", 1)
}

pub(super) fn list(items: Node) -> Node {
    Node::of("array").set("items", items.into())
}

pub(super) fn one_of<'n>(names: impl IntoIterator<Item = &'n str>) -> Node {
    Node::of("string").set("enum", texts(names))
}
