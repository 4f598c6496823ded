//! The schema of a tool's arguments, which the protocol passes as an object.
//!
//! The protocol requires `type: object` at the root of an `inputSchema`. A server that leaves it out means the same,
//! because its clients can pass nothing else. Without this, a contract would allow requests that no call can carry.

use capgen_schema::{Anchor, Json, Object, Schema, Type};

use crate::codes;
use crate::import::ImportFinding;
use crate::root::types;

/// The keyword that the protocol requires at the root.
const TYPE: &str = "type";

/// The schema with `type: object` at the root, if the root allows objects among other values; `None` if it need not
/// change.
pub(super) fn of_object(schema: &Json) -> Option<Json> {
    let members = match schema {
        Json::Bool(true) => Object::new(),
        Json::Object(members) if allows_more_than_objects(members) => members.clone(),
        _ => return None,
    };
    let mut members = members;
    members.set(TYPE, Some(Json::from("object")));
    Some(Json::Object(members))
}

/// Whether the root has no `type`, or a list of types with that of objects. A root that is only a reference has the
/// type of its target.
fn allows_more_than_objects(members: &Object) -> bool {
    match members.get(TYPE) {
        None => members.get("$ref").is_none(),
        Some(Json::Array(types)) => types.len() > 1 && types.iter().any(|name| name.as_str() == Some("object")),
        Some(_) => false,
    }
}

/// Whether no object conforms to a schema, so that no call of the tool is possible.
pub(super) fn rejects_objects(schema: &Schema) -> bool {
    types(schema).iter().all(|kind| kind != Type::Object)
}

/// The warning about a root that is read as one of objects.
pub(super) fn finding(pointer: String) -> ImportFinding {
    ImportFinding {
        code: codes::LOSS,
        entry: String::new(),
        concerns_document: false,
        place: String::new(),
        pointer,
        anchor: Anchor::Value,
        keyword: TYPE.to_owned(),
        message: "the arguments of a tool are always an object, so the schema is read with `type: object`".to_owned(),
        label: "read as an object".to_owned(),
        first: None,
        help: Some("add `\"type\": \"object\"` to the root".to_owned()),
    }
}
