//! Objects, taken apart by name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Error, Read};

/// An object that is being read: each property is taken out by its name.
///
/// ```
/// use capgen::wire::Object;
/// let mut object = Object::new(serde_json::json!({"a": 1, "b": null}))?;
/// assert_eq!(object.required::<i64>("a")?, 1);
/// assert_eq!(object.optional::<Option<bool>>("b")?, Some(None));
/// assert_eq!(object.optional::<Option<bool>>("c")?, None);
/// object.close()?;
/// # Ok::<(), capgen::wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Object(Map<String, Value>);

impl Object {
    /// The object in `value`.
    ///
    /// # Errors
    ///
    /// Where it is none.
    pub fn new(value: Value) -> Result<Self, Error> {
        match value {
            Value::Object(members) => Ok(Self(members)),
            other => Err(Error::expected("an object", &other)),
        }
    }

    /// Takes a property that must be there.
    ///
    /// # Errors
    ///
    /// Where it is missing, or not of the type.
    pub fn required<T: Read>(&mut self, name: &str) -> Result<T, Error> {
        let value = self.0.remove(name).ok_or_else(|| missing(name))?;
        T::read(value).map_err(|error| error.under(name))
    }

    /// Takes a property that may be absent. `null` is a value like any other.
    ///
    /// # Errors
    ///
    /// Where it is not of the type.
    pub fn optional<T: Read>(&mut self, name: &str) -> Result<Option<T>, Error> {
        self.0.remove(name).map(|value| T::read(value).map_err(|error| error.under(name))).transpose()
    }

    /// Makes sure that a property is absent.
    ///
    /// # Errors
    ///
    /// Where it is there.
    pub fn absent(&self, name: &str) -> Result<(), Error> {
        if self.0.contains_key(name) { Err(unexpected(name)) } else { Ok(()) }
    }

    /// Takes what is left.
    ///
    /// # Errors
    ///
    /// Where a value is not of the type.
    pub fn rest<T: Read>(self) -> Result<BTreeMap<String, T>, Error> {
        let member = |(name, value): (String, Value)| match T::read(value) {
            Ok(value) => Ok((name, value)),
            Err(error) => Err(error.under(&name)),
        };
        self.0.into_iter().map(member).collect()
    }

    /// Makes sure that nothing is left.
    ///
    /// # Errors
    ///
    /// Where something is.
    pub fn close(self) -> Result<(), Error> {
        self.0.keys().next().map_or(Ok(()), |name| Err(unexpected(name)))
    }
}

#[cold]
fn missing(name: &str) -> Error {
    Error::new("missing required property").under(name)
}

#[cold]
fn unexpected(name: &str) -> Error {
    Error::new("unexpected property").under(name)
}
