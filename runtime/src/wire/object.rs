//! Objects, read property by property.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::reader::Reader;
use super::stack::with_room;
use super::value::are_unique;
use super::{Codec, Constraint};

/// What becomes of the properties that are not declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// There must be none.
    Closed,
    /// They may be there, and are not kept.
    Ignored,
    /// They are kept.
    Kept,
}

/// An object that is being read.
#[derive(Debug)]
pub struct ObjectReader<'a> {
    names: &'static [&'static str],
    rest: Rest,
    /// Where the next property is expected among the names.
    next: usize,
    /// The first 64 declared properties that have been there.
    seen: u64,
    /// The others, 64 a word.
    seen_later: Vec<u64>,
    is_first: bool,
    undeclared: Vec<Cow<'a, str>>,
}

impl<'a> Reader<'a> {
    /// Starts to read an object with these declared properties.
    pub fn object(&mut self, names: &'static [&'static str], rest: Rest) -> Option<ObjectReader<'a>> {
        self.open(b'{')?;
        Some(ObjectReader {
            names,
            rest,
            next: 0,
            seen: 0,
            seen_later: Vec::new(),
            is_first: true,
            undeclared: Vec::new(),
        })
    }

    /// The index of the next property among the names, that of no name where it is undeclared and to be kept; inside,
    /// `None` at the end of the object. The value has to be read next.
    pub fn property(&mut self, object: &mut ObjectReader<'a>) -> Option<Option<usize>> {
        loop {
            if !self.another(b'}', object.is_first)? {
                return are_unique(&object.undeclared).then_some(None);
            }
            object.is_first = false;
            let name = self.name()?;
            if let Some(index) = object.index(&name) {
                object.first_time(index)?;
                object.next = index + 1;
                return Some(Some(index));
            }
            match object.rest {
                Rest::Closed => return None,
                Rest::Ignored => {
                    object.undeclared.push(name);
                    self.skip()?;
                }
                Rest::Kept => {
                    object.undeclared.push(name);
                    return Some(Some(object.names.len()));
                }
            }
        }
    }

    /// Reads an undeclared property into `rest`.
    pub fn keep<T, C: Constraint<T>>(
        &mut self,
        object: &ObjectReader<'_>,
        rest: &mut BTreeMap<String, T>,
        constraint: &C,
    ) -> Option<()> {
        let name = object.undeclared.last()?.clone().into_owned();
        let value = constraint.read(self)?;
        rest.insert(name, value).is_none().then_some(())
    }

    /// The name of a property, and the colon behind it.
    #[inline]
    pub(super) fn name(&mut self) -> Option<Cow<'a, str>> {
        let name = self.string()?;
        self.take(b':')?;
        Some(name)
    }

    /// The string at a property of the object that comes next, without going on.
    pub fn tag(&mut self, name: &str) -> Option<Cow<'a, str>> {
        self.ahead(|reader| {
            reader.find(|found| (found == name).then_some(()))?;
            reader.string()
        })
    }

    /// The canonical text of the value at a property of the object that comes next, without going on.
    pub fn tag_json(&mut self, name: &str) -> Option<String> {
        self.ahead(|reader| {
            reader.find(|found| (found == name).then_some(()))?;
            super::member::canonical(&reader.value()?)
        })
    }

    /// The index of the one of these names that the object which comes next has first, without going on.
    pub fn which(&mut self, names: &[&str]) -> Option<usize> {
        self.ahead(|reader| reader.find(|name| names.iter().position(|key| *key == name)))
    }

    /// Goes to the value of a wanted property. What is before it is only looked over: it is read later.
    fn find<T>(&mut self, wanted: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.open(b'{')?;
        let mut is_first = true;
        while self.another(b'}', is_first)? {
            if let Some(found) = wanted(&self.name()?) {
                return Some(found);
            }
            self.hop()?;
            is_first = false;
        }
        None
    }
}

impl ObjectReader<'_> {
    #[inline]
    fn index(&self, name: &str) -> Option<usize> {
        if self.names.get(self.next).is_some_and(|expected| *expected == name) {
            return Some(self.next);
        }
        self.names.iter().position(|declared| *declared == name)
    }

    #[inline]
    fn first_time(&mut self, index: usize) -> Option<()> {
        let bit = 1 << (index % 64);
        let word = match (index / 64).checked_sub(1) {
            None => &mut self.seen,
            Some(word) => {
                if self.seen_later.is_empty() {
                    self.seen_later.resize(self.names.len() / 64, 0);
                }
                self.seen_later.get_mut(word)?
            }
        };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new.then_some(())
    }
}

/// Reads a map: an object without declared properties.
pub(super) fn read_map<T, C: Constraint<T>>(reader: &mut Reader<'_>, constraint: &C) -> Option<BTreeMap<String, T>> {
    let mut map = BTreeMap::new();
    reader.open(b'{')?;
    with_room(|| {
        while reader.another(b'}', map.is_empty())? {
            let name = reader.name()?.into_owned();
            if map.insert(name, constraint.read(reader)?).is_some() {
                return None;
            }
        }
        Some(map)
    })
}

impl<T: Codec> Codec for BTreeMap<String, T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        read_map(reader, &super::Any)
    }

    fn write(&self, writer: &mut super::Writer) -> Option<()> {
        super::writer::write_map(writer, self, &super::Any)
    }
}
