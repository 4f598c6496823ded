//! `fleet.yaml`.

use capgen_schema::Json;

use super::mapping;
use super::node::{Node, object, texts};
use crate::keys::{AGENT, FLEET};

pub(super) fn document() -> Node {
    // The strict mode of validators needs the names of required properties in `properties`.
    let has = |name: &'static str| {
        Node::new().set("properties", object([(name, Json::Bool(true))])).set("required", texts([name]))
    };
    let without = Node::new().set("not", has("generate").into());
    mapping(&FLEET).set("if", without.into()).set("then", has("agents").into())
}

pub(super) fn agent() -> Json {
    mapping(&AGENT).text("description", "An agent of the fleet.").into()
}
