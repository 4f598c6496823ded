//! The type of a place that no value can fill.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::wire::{Error, Read};

/// No value: what the schema `false` allows. An array of it is empty.
///
/// ```
/// let none: Vec<capgen::Never> = serde_json::from_str("[]")?;
/// assert!(none.is_empty());
/// assert!(serde_json::from_str::<capgen::Never>("null").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Never {}

impl Read for Never {
    fn read(_: Value) -> Result<Self, Error> {
        Err(Error::new("no value is allowed here"))
    }
}

impl Serialize for Never {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        match *self {}
    }
}

impl<'de> Deserialize<'de> for Never {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
