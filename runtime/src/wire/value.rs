//! Values of any type, and values that nobody asks for.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::reader::{Kind, Reader};

/// With as many names or fewer, every two are compared.
const FEW: usize = 8;

impl Reader<'_> {
    /// Reads any value. Refuses a name that an object has twice, as everything here does.
    pub fn value(&mut self) -> Option<Value> {
        Some(match self.kind()? {
            Kind::Null => {
                self.null()?;
                Value::Null
            }
            Kind::Boolean => Value::Bool(self.boolean()?),
            Kind::Number => self.numeral()?.to_value(),
            Kind::String => Value::String(self.string()?.into_owned()),
            Kind::Array => {
                let mut items = Vec::new();
                self.items(|reader| {
                    items.push(reader.value()?);
                    Some(())
                })?;
                Value::Array(items)
            }
            Kind::Object => {
                let mut members = Map::new();
                self.open(b'{')?;
                while self.another(b'}', members.is_empty())? {
                    let name = self.name()?;
                    let value = self.value()?;
                    if members.insert(name.into_owned(), value).is_some() {
                        return None;
                    }
                }
                Value::Object(members)
            }
        })
    }

    /// Reads past a value, of which only the syntax is checked.
    pub(super) fn skip(&mut self) -> Option<()> {
        match self.kind()? {
            Kind::Null => self.null(),
            Kind::Boolean => self.boolean().map(drop),
            Kind::Number => self.numeral().map(drop),
            Kind::String => self.string().map(drop),
            Kind::Array => self.items(Self::skip),
            Kind::Object => {
                let mut names = Vec::new();
                self.open(b'{')?;
                while self.another(b'}', names.is_empty())? {
                    names.push(self.name()?);
                    self.skip()?;
                }
                are_distinct(names).then_some(())
            }
        }
    }
}

/// Whether no name stands twice.
pub(super) fn are_distinct(mut names: Vec<Cow<'_, str>>) -> bool {
    if names.len() <= FEW {
        let mut rest = names.as_slice();
        while let Some((name, others)) = rest.split_first() {
            if others.contains(name) {
                return false;
            }
            rest = others;
        }
        return true;
    }
    names.sort_unstable();
    names.windows(2).all(|pair| pair.first() != pair.last())
}
