//! A JSON value that keeps the source order of members and the exact value of numbers.

use crate::{Number, Type};

/// A JSON value ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) in source order.
///
/// Unlike with `serde_json::Value`, no cargo feature of another crate changes the order of members or the precision of
/// numbers. Equality is that of JSON Schema: numbers are compared by mathematical value, the order of members does not
/// matter, and `1` does not equal `true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Object),
}

/// The members of an object in source order; names are unique.
#[derive(Clone, Debug, Default)]
pub struct Object(Vec<(String, Json)>);

impl Json {
    /// The member `name`, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.get(name)
    }

    /// The value at a JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)).
    pub fn pointer(&self, pointer: &str) -> Option<&Json> {
        crate::pointer::tokens(pointer).try_fold(self, |value, token| match value {
            Json::Object(object) => object.get(&token),
            Json::Array(items) => items.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The value at a JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)), to be changed.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Json> {
        crate::pointer::tokens(pointer).try_fold(self, |value, token| match value {
            Json::Object(object) => object.get_mut(&token),
            Json::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&Object> {
        if let Json::Object(object) = self { Some(object) } else { None }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<&Number> {
        if let Json::Number(number) = self { Some(number) } else { None }
    }

    /// The value's type in JSON Schema. A number without a fractional part is an integer.
    pub fn type_of(&self) -> Type {
        match self {
            Json::Null => Type::Null,
            Json::Bool(_) => Type::Boolean,
            Json::Number(number) if number.is_integer() => Type::Integer,
            Json::Number(_) => Type::Number,
            Json::String(_) => Type::String,
            Json::Array(_) => Type::Array,
            Json::Object(_) => Type::Object,
        }
    }
}

impl Object {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of the member `name`. Takes time linear in the number of members.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// The value of the member `name`, to be changed. Takes time linear in the number of members.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        self.0.iter_mut().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// Sets the member `name`: at its place if there is one, otherwise at the end. `None` removes it. Takes time linear
    /// in the number of members.
    pub fn set(&mut self, name: &str, value: Option<Json>) {
        match (self.get_mut(name), value) {
            (Some(place), Some(value)) => *place = value,
            (None, Some(value)) => self.push(name.to_owned(), value),
            (_, None) => self.0.retain(|(n, _)| n != name),
        }
    }

    /// Adds a member at the end. The caller ensures that the name is new; this is not checked.
    pub fn push(&mut self, name: String, value: Json) {
        self.0.push((name, value));
    }

    /// The members in source order.
    pub fn iter(&self) -> std::slice::Iter<'_, (String, Json)> {
        self.0.iter()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether two members have the same name.
    pub(crate) fn has_duplicates(&self) -> bool {
        // Canonical text has its names in order, and then one pass without allocation is enough.
        let is_ascending = self.0.iter().is_sorted_by(|a, b| a.0 < b.0);
        !is_ascending && self.sorted().windows(2).any(|pair| matches!(pair, [a, b] if a.0 == b.0))
    }

    fn sorted(&self) -> Vec<&(String, Json)> {
        let mut members: Vec<_> = self.0.iter().collect();
        members.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        members
    }
}

impl Eq for Object {}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.sorted() == other.sorted()
    }
}

impl FromIterator<(String, Json)> for Object {
    /// The caller ensures that names are unique; this is not checked.
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a (String, Json);
    type IntoIter = std::slice::Iter<'a, (String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
