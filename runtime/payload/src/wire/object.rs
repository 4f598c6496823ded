//! Reading objects property by property.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::reader::Reader;
use super::stack::with_room;
use super::value::are_unique;
use super::{Codec, Constraint};

/// The treatment of properties that are not declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// They are rejected.
    Closed,
    /// They are accepted, and their values are dropped.
    Ignored,
    /// They are accepted and kept.
    Kept,
}

/// The state of reading an object.
#[derive(Debug)]
pub struct ObjectReader<'a> {
    names: &'static [&'static str],
    rest: Rest,
    /// The index of the name that is expected next: objects are usually written in the declared order.
    next: usize,
    /// A bit for each of the first 64 declared properties that have been read.
    seen: u64,
    /// The bits of the other declared properties, 64 in each word.
    seen_later: Vec<u64>,
    is_first: bool,
    undeclared: Vec<Cow<'a, str>>,
}

impl<'a> Reader<'a> {
    /// Starts to read an object with the declared properties `names`.
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

    /// The index of the next property among the names. For an undeclared property that is kept, it is the number of
    /// names. The inner `None` means the end of the object. Unless at the end, the caller must read the value next.
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

    /// Reads the name of a property and the colon after it.
    #[inline]
    pub(super) fn name(&mut self) -> Option<Cow<'a, str>> {
        let name = self.string()?;
        self.take(b':')?;
        Some(name)
    }

    /// Looks ahead for the string value of a property of the next object, without consuming anything.
    pub fn tag(&mut self, name: &str) -> Option<Cow<'a, str>> {
        self.ahead(|reader| {
            reader.find(|found| (found == name).then_some(()))?;
            reader.string()
        })
    }

    /// Looks ahead for the value of a property of the next object, as canonical text, without consuming anything.
    pub fn tag_json(&mut self, name: &str) -> Option<String> {
        self.ahead(|reader| {
            reader.find(|found| (found == name).then_some(()))?;
            Some(reader.exact_value()?.0.canonical())
        })
    }

    /// Looks ahead for the first property of the next object that has one of the names, and returns the index of that
    /// name.
    pub fn which(&mut self, names: &[&str]) -> Option<usize> {
        self.ahead(|reader| reader.find(|name| names.iter().position(|key| *key == name)))
    }

    /// Moves to the value of a wanted property. The properties before it are skipped with little checking: they are
    /// read later.
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
