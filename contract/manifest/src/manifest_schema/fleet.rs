//! `fleet.yaml`.

use capgen_schema::Json;

use super::mapping;
use super::node::{Node, texts};
use crate::keys::{AGENT, FLEET};

pub(super) fn document() -> Node {
    let without = Node::new().set("required", texts(["generate"]));
    let agents = Node::new().set("required", texts(["agents"]));
    mapping(&FLEET).set("if", Node::new().set("not", without.into()).into()).set("then", agents.into())
}

pub(super) fn agent() -> Json {
    mapping(&AGENT).text("description", "An agent of the fleet.").into()
}
