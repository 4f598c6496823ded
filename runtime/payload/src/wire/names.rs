//! `propertyNames`: the names of the properties of a map.

use std::collections::BTreeMap;

use super::{Constraint, Length, Reader, Text, Writer};

/// Assertions about strings: [`Length`] or [`Text`].
pub trait Spelling {
    /// Whether a string conforms.
    fn accepts(&self, text: &str) -> bool;
}

impl Spelling for Length {
    fn accepts(&self, text: &str) -> bool {
        Length::accepts(self, text)
    }
}

impl Spelling for Text {
    fn accepts(&self, text: &str) -> bool {
        Text::accepts(self, text)
    }
}

/// `propertyNames` of a map, in addition to another constraint on the map.
///
/// ```
/// # use capgen::wire::{Any, Names, Text};
/// static LOCALES: Names<Text, Any> = Names::new(Text::pattern("^[a-z]{2}$"), Any);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Names<N, C> {
    name: N,
    other: C,
}

impl<N, C> Names<N, C> {
    /// The maps whose names all conform to `name`.
    pub const fn new(name: N, other: C) -> Self {
        Self { name, other }
    }
}

impl<T, N: Spelling, C: Constraint<BTreeMap<String, T>>> Constraint<BTreeMap<String, T>> for Names<N, C> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<BTreeMap<String, T>> {
        let map = self.other.read(reader)?;
        if reader.rejects(|| map.keys().all(|name| self.name.accepts(name))) { None } else { Some(map) }
    }

    fn write(&self, writer: &mut Writer, value: &BTreeMap<String, T>) -> Option<()> {
        if writer.rejects(|| value.keys().all(|name| self.name.accepts(name))) {
            return None;
        }
        self.other.write(writer, value)
    }
}
