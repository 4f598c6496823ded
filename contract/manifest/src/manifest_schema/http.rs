//! The values below `http`.

use capgen_schema::Json;

use super::node::{Node, object, texts};
use super::{mapping, value};
use crate::http::keys::{METHODS, OPERATION, SCHEME, Shape};

/// The schema of a value.
pub(super) fn of(shape: Shape) -> Node {
    match shape {
        Shape::Text => Node::of("string"),
        Shape::Name | Shape::Url => value::filled(),
        Shape::Flag => Node::of("boolean"),
        Shape::OneOf(names) => value::one_of(names.iter().copied()),
        Shape::Method => method(),
        Shape::Path => Node::containing("^/", "write a path that starts with `/`"),
        Shape::Keys(keys) if shape == OPERATION => mapping(keys).set("anyOf", targets()),
        Shape::Keys(keys) => mapping(keys),
        Shape::List(element) => value::list(of(*element)),
        Shape::FilledList(element) => value::list(of(*element)).number("minItems", 1),
        Shape::Named(member) => Node::of("object").set("additionalProperties", of(*member).into()),
        Shape::Statuses(member) => {
            let members = object([("^([1-5]([0-9]{2}|XX)|default)$", of(*member).into())]);
            Node::of("object").set("patternProperties", members).set("additionalProperties", Json::Bool(false))
        }
        Shape::Scheme => mapping(&SCHEME),
    }
}

/// A usual method, which editors suggest, or another token of HTTP.
fn method() -> Node {
    let other = Node::containing(
        "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        "write a method of HTTP, such as `GET`: letters, digits and a few signs, without spaces",
    );
    Node::new().set("anyOf", Json::Array(vec![value::one_of(METHODS).into(), other.into()]))
}

/// A capability has a method and a path, or is a webhook.
fn targets() -> Json {
    // Strict validators want each required property to be declared beside it.
    let required = |names: &[&'static str]| {
        let properties = object(names.iter().map(|name| (*name, Json::Bool(true))));
        Json::from(Node::new().set("properties", properties).set("required", texts(names.iter().copied())))
    };
    Json::Array(vec![required(&["method", "path"]), required(&["webhook"])])
}
