//! The parts of a value that `http` has a key for.

use capgen_schema::{Json, Object};

use super::check::keys_of_scheme;
use super::keys::Shape;
use crate::keys::{Key, Value};

/// The value without the keys that its shape does not have, such as extensions. The tables bound the recursion.
pub(super) fn prune(value: &Json, shape: Shape) -> Json {
    match (value, shape) {
        (Json::Object(members), Shape::Keys(keys)) => with_keys(members, keys),
        (Json::Object(members), Shape::Scheme) => with_keys(members, &keys_of_scheme(members)),
        (Json::Object(members), Shape::Named(member) | Shape::Statuses(member)) => {
            let pruned = members.iter().map(|(name, value)| (name.clone(), prune(value, *member)));
            Json::Object(pruned.collect())
        }
        (Json::Array(items), Shape::List(element) | Shape::FilledList(element)) => {
            Json::Array(items.iter().map(|item| prune(item, *element)).collect())
        }
        (other, _) => other.clone(),
    }
}

fn with_keys(members: &Object, keys: &[Key]) -> Json {
    let known = |(name, value): &(String, Json)| match keys.iter().find(|key| key.name == name)?.value {
        Value::Http(shape) => Some((name.clone(), prune(value, *shape))),
        _ => None,
    };
    Json::Object(members.iter().filter_map(known).collect())
}
