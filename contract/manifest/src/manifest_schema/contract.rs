//! `capabilities.yaml`: the document, transports and capabilities.

use capgen_descriptor::CAPABILITY_KEYS;
use capgen_schema::Json;

use super::node::{Node, object, texts};
use super::{closed, mapping, value};
use crate::keys::{CAPABILITY_NAME, CHANNELS, ERRORS, HTTP, MANIFEST, SIDES};
use crate::transport::{SHAPES, Shape};

pub(super) fn document() -> Node {
    mapping(&MANIFEST)
}

/// A transport: its kind, and with `if` the keys of each kind.
pub(super) fn transport() -> Json {
    let about = SHAPES.map(|shape| format!("`{}`: {}", shape.kind, shape.about)).join("; ");
    let kind =
        value::one_of(SHAPES.map(|shape| shape.kind)).text("description", &format!("The kind of transport. {about}."));
    Node::of("object")
        .text("description", "A way to reach the agent. Its settings may be credentials.")
        .set("properties", object([("kind", kind.into())]))
        .set("required", texts(["kind"]))
        .set("allOf", Json::Array(SHAPES.iter().map(of_kind).collect()))
        .into()
}

fn of_kind(shape: &Shape) -> Json {
    let is_kind = Node::new()
        .set("properties", object([("kind", Node::new().text("const", shape.kind).into())]))
        .set("required", texts(["kind"]));
    let channels = mapping(&CHANNELS).text("description", shape.channels.about);
    let settings = shape.settings.iter().map(|key| (key.name, value::of(key).into()));
    let properties = [("kind", Json::Bool(true)), (shape.channels.name, channels.into())].into_iter().chain(settings);
    let keys: Vec<_> = [shape.channels].into_iter().chain(shape.settings.iter().copied()).collect();
    Node::new().set("if", is_kind.into()).set("then", closed(properties, &keys).into()).into()
}

pub(super) fn capability() -> Json {
    let row = |key: &'static capgen_descriptor::CapabilityKey| (key.name, value::of_capability(key).into());
    let side = |key: &crate::keys::Key| (key.name, value::of(key).into());
    let properties = [(CAPABILITY_NAME.name, value::of(&CAPABILITY_NAME).into())];
    let last = [ERRORS, HTTP].iter().chain(&SIDES).map(side);
    let properties = properties.into_iter().chain(CAPABILITY_KEYS.iter().map(row)).chain(last);
    closed(properties, &[CAPABILITY_NAME]).text("description", "Something that can be called on the agent.").into()
}
