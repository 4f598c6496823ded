//! `fleet.yaml`.

use capgen_schema::Json;

use super::mapping;
use super::node::Node;
use crate::keys::{AGENT, FLEET};

pub(super) fn document() -> Node {
    mapping(&FLEET)
}

pub(super) fn agent() -> Json {
    mapping(&AGENT).text("description", "An agent of the fleet.").into()
}
