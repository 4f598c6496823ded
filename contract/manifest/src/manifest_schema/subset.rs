//! The subset of JSON Schema for the schemas of capabilities.

use capgen_schema::{Format, Json, KeywordRole, KeywordValue, SCHEMA_KEYWORDS, SchemaKeyword, Type};

use super::node::{Node, object, texts};
use super::value::one_of;

/// Schemas below the root of a schema.
const BELOW: &str = "subschema";
/// The value of `propertyNames`.
const NAMES: &str = "propertyNames";

/// The definitions of the subset. The root of a schema is `schema`.
pub(super) fn definitions() -> [(&'static str, Json); 3] {
    let below = with_keywords(|keyword| keyword.role != KeywordRole::Root, keyword);
    // The root has the same keywords and some more.
    let root = with_keywords(
        |_| true,
        |keyword| match keyword.role {
            KeywordRole::Root => self::keyword(keyword),
            _ => Node::reference(&format!("{BELOW}/properties/{}", keyword.name)),
        },
    );
    let is_about_names =
        |keyword: &SchemaKeyword| matches!(keyword.role, KeywordRole::NameAssertion | KeywordRole::Text);
    let names = with_keywords(is_about_names, |keyword| match keyword.value {
        KeywordValue::Types => types_with_string().text("description", keyword.about),
        _ => self::keyword(keyword),
    });
    [("schema", or_boolean(root)), (BELOW, or_boolean(below)), (NAMES, Node::of("object").with_all(names).into())]
}

/// The keywords that are allowed, and no others.
fn with_keywords(is_allowed: impl Fn(&SchemaKeyword) -> bool, schema: impl Fn(&SchemaKeyword) -> Node) -> Node {
    let allowed = SCHEMA_KEYWORDS.iter().filter(|keyword| is_allowed(keyword));
    let properties = object(allowed.map(|keyword| (keyword.name, schema(keyword).into())));
    Node::new().set("properties", properties).set("additionalProperties", Json::Bool(false))
}

/// A schema is an object with keywords or a boolean. Next to `$ref`, it has no assertions. `if` and one of `then` and
/// `else` need each other.
fn or_boolean(keywords: Node) -> Json {
    let is_assertion =
        |keyword: &SchemaKeyword| matches!(keyword.role, KeywordRole::Assertion | KeywordRole::NameAssertion);
    let beside = SCHEMA_KEYWORDS.iter().filter(|keyword| !is_assertion(keyword)).map(|keyword| keyword.name);
    let beside = Node::new().set("propertyNames", Node::new().set("enum", texts(beside)).into());
    let dependencies = SCHEMA_KEYWORDS.iter().filter(|keyword| keyword.role == KeywordRole::Reference);
    let dependencies: Vec<_> = dependencies.map(|keyword| keyword.name).collect();
    let beside = Json::from(beside);
    Node::new()
        .set("type", texts(["object", "boolean"]))
        .with_all(keywords)
        .set("dependencies", object(dependencies.into_iter().map(|name| (name, beside.clone())).chain(conditions())))
        .into()
}

/// What `if`, `then` and `else` need next to them.
fn conditions() -> [(&'static str, Json); 3] {
    let needs = |name: &'static str| {
        // The strict mode of validators needs the names of required properties in `properties`.
        let declared = object([(name, Json::Bool(true))]);
        Json::from(Node::new().set("properties", declared).set("required", texts([name])))
    };
    let either = Node::new().set("anyOf", Json::Array(vec![needs("then"), needs("else")]));
    [("if", either.into()), ("then", texts(["if"])), ("else", texts(["if"]))]
}

fn keyword(keyword: &SchemaKeyword) -> Node {
    values(keyword.value).text("description", keyword.about)
}

fn values(value: KeywordValue) -> Node {
    let below = || Json::from(Node::reference(BELOW));
    match value {
        KeywordValue::Values => Node::of("array"),
        // Not `format: regex`: validators check it without the `u` flag.
        KeywordValue::Text | KeywordValue::Pattern => Node::of("string"),
        KeywordValue::Matching(pattern, rule) => Node::containing(pattern, rule),
        KeywordValue::Format => one_of(Format::ALL.map(Format::name)),
        KeywordValue::Types => Node::new().set("anyOf", Json::Array(vec![a_type(), types().into()])),
        KeywordValue::Number => Node::of("number"),
        KeywordValue::Divisor => Node::of("number").number("exclusiveMinimum", 0),
        KeywordValue::Length => Node::of("integer").number("minimum", 0),
        KeywordValue::Flag => Node::of("boolean"),
        KeywordValue::Names => names(),
        KeywordValue::NameLists => Node::of("object").set("additionalProperties", names().into()),
        KeywordValue::Schema => Node::reference(BELOW),
        KeywordValue::Items => {
            let list = Node::of("array").set("items", below()).number("minItems", 1);
            Node::new().set("anyOf", Json::Array(vec![below(), list.into()]))
        }
        KeywordValue::Branches => Node::of("array").set("items", below()).number("minItems", 1),
        KeywordValue::Members => Node::of("object").set("additionalProperties", below()),
        KeywordValue::NameAssertions => Node::reference(NAMES),
        // `Any`. Values that are added later need a row here to be checked.
        _ => Node::new(),
    }
}

/// A list of distinct names.
fn names() -> Node {
    Node::of("array").set("items", Node::of("string").into()).set("uniqueItems", Json::Bool(true))
}

/// The name of a type.
fn a_type() -> Json {
    one_of(Type::ALL.map(Type::name)).into()
}

/// A list of types.
fn types() -> Node {
    Node::of("array").set("items", a_type()).number("minItems", 1).set("uniqueItems", Json::Bool(true))
}

/// The same with `string`, the type of the names of properties.
fn types_with_string() -> Node {
    let string = || Json::from(Node::new().text("const", Type::String.name()));
    Node::new().set("anyOf", Json::Array(vec![string(), types().set("contains", string()).into()]))
}
