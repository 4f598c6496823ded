//! Objects, written property by property.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// An object that is being written.
///
/// ```
/// use capgen::wire::Fields;
/// let mut text = Vec::new();
/// let mut json = serde_json::Serializer::new(&mut text);
/// let mut fields = Fields::new(&mut json)?;
/// fields.required("a", &1)?;
/// fields.optional("b", &None::<bool>)?;
/// fields.end()?;
/// assert_eq!(text, br#"{"a":1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Fields<S: Serializer>(S::SerializeMap);

impl<S: Serializer> Fields<S> {
    /// An object without properties.
    ///
    /// # Errors
    ///
    /// The serializer's, as for every function here.
    pub fn new(serializer: S) -> Result<Self, S::Error> {
        serializer.serialize_map(None).map(Self)
    }

    /// Writes a property.
    ///
    /// # Errors
    ///
    /// The serializer's.
    pub fn required<T: Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), S::Error> {
        self.0.serialize_entry(name, value)
    }

    /// Writes a property where there is one.
    ///
    /// # Errors
    ///
    /// The serializer's.
    pub fn optional<T: Serialize>(&mut self, name: &'static str, value: &Option<T>) -> Result<(), S::Error> {
        value.as_ref().map_or(Ok(()), |value| self.0.serialize_entry(name, value))
    }

    /// Writes the properties that are not declared. One that has a declared name is left out: the field speaks for it.
    ///
    /// # Errors
    ///
    /// The serializer's.
    pub fn rest<T: Serialize>(&mut self, rest: &BTreeMap<String, T>, declared: &[&str]) -> Result<(), S::Error> {
        let undeclared = |(name, _): &(&String, &T)| !declared.contains(&name.as_str());
        rest.iter().filter(undeclared).try_for_each(|(name, value)| self.0.serialize_entry(name, value))
    }

    /// Ends the object.
    ///
    /// # Errors
    ///
    /// The serializer's.
    pub fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}
