//! Unions whose branches exclude each other at a look.

use capgen_schema::analysis::branches;
use capgen_schema::{NodeId, Schema};

/// What every object inherits: a property of that name is looked up with care.
const INHERITED: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

pub(super) fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name)
}

/// A property that has another constant in each branch, and whose lookup needs no care.
pub(super) fn tag<'s>(schema: &'s Schema, nodes: &[NodeId]) -> Option<&'s str> {
    branches::tags(schema, nodes).find(|name| !is_inherited(name))
}
