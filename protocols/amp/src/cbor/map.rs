//! CBOR maps.

use std::cmp::Ordering;

use super::Value;

/// A CBOR map whose keys are unique and sorted by the bytes of their encoding ([RFC 8949, section
/// 4.2.1](https://www.rfc-editor.org/rfc/rfc8949#section-4.2.1)): of two text keys, the shorter one comes first.
///
/// ```
/// use capgen_amp::cbor::{Map, Value};
/// let map: Map = [("limit", Value::from(2)), ("order", Value::from("newest-first"))].into_iter().collect();
/// assert_eq!(map.get("limit"), Some(&Value::Unsigned(2)));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Map(Vec<(Value, Value)>);

impl Map {
    /// A map without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of a text key. It costs a binary search.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let index = self.0.binary_search_by(|(found, _)| found.cmp_with_text(key)).ok()?;
        self.0.get(index).map(|(_, value)| value)
    }

    /// Sets the value of a key, and returns the value that it had.
    pub fn insert(&mut self, key: impl Into<Value>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        match self.0.binary_search_by(|(found, _)| found.cmp_encoded(&key)) {
            Ok(index) => self.0.get_mut(index).map(|(_, old)| std::mem::replace(old, value)),
            Err(index) => {
                self.0.insert(index, (key, value));
                None
            }
        }
    }

    /// Removes a text key, and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let index = self.0.binary_search_by(|(found, _)| found.cmp_with_text(key)).ok()?;
        Some(self.0.remove(index).1)
    }

    /// The entries in the order of the encoding.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in the order of the encoding, as a slice.
    pub(super) const fn entries(&self) -> &[(Value, Value)] {
        self.0.as_slice()
    }

    /// A map of entries that are sorted and unique already, as those of a decoded map are.
    pub(super) const fn from_sorted(entries: Vec<(Value, Value)>) -> Self {
        Self(entries)
    }
}

/// Of equal keys, the last one wins.
impl<K: Into<Value>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut entries: Vec<(Value, Value)> =
            entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        // Stable, so that equal keys keep their order.
        entries.sort_by(|(a, _), (b, _)| a.cmp_encoded(b));
        let mut unique: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
        for entry in entries {
            match unique.last_mut() {
                Some(last) if last.0 == entry.0 => *last = entry,
                _ => unique.push(entry),
            }
        }
        Self(unique)
    }
}

impl Value {
    /// The order of the encodings.
    fn cmp_encoded(&self, other: &Self) -> Ordering {
        match (self, other) {
            (_, Self::Text(other)) => self.cmp_with_text(other),
            (Self::Text(text), _) => other.cmp_with_text(text).reverse(),
            _ => super::encode(self).cmp(&super::encode(other)),
        }
    }

    /// The order of the encodings of a value and of a text. The head of a text contains its length, so that shorter
    /// ones come first.
    fn cmp_with_text(&self, other: &str) -> Ordering {
        match self {
            Self::Text(text) => text.len().cmp(&other.len()).then_with(|| text.as_bytes().cmp(other.as_bytes())),
            // Major types below and above 3, that of text.
            Self::Unsigned(_) | Self::Negative(_) | Self::Bytes(_) => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}
