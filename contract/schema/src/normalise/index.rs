//! Members of objects, found in constant time.

use std::collections::HashMap;

use crate::{Json, pointer};

/// An index of each object on the path of some pointer, by the object's address. Looking up each reference in a large
/// `definitions` by a linear search would take quadratic time.
#[derive(Default)]
pub(super) struct Index<'a>(HashMap<usize, HashMap<&'a str, &'a Json>>);

/// The identity of a value of the input.
pub(super) fn address(json: &Json) -> usize {
    std::ptr::from_ref(json).addr()
}

impl<'a> Index<'a> {
    /// The member or element of a value.
    pub(super) fn step(&mut self, json: &'a Json, token: &str) -> Option<&'a Json> {
        match json {
            Json::Array(items) => items.get(token.parse::<usize>().ok()?),
            Json::Object(object) => {
                let members = || object.iter().map(|(name, value)| (name.as_str(), value)).collect();
                self.0.entry(address(json)).or_insert_with(members).get(token).copied()
            }
            _ => None,
        }
    }

    /// The value at a pointer.
    pub(super) fn get(&mut self, json: &'a Json, at: &str) -> Option<&'a Json> {
        pointer::tokens(at).try_fold(json, |json, token| self.step(json, &token))
    }
}
