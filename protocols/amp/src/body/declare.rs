//! `CAP_DECLARE`.

use crate::cbor::{Map, Value};
use crate::descriptor::Descriptor;
use crate::reader::{BodyError, Reader};

/// The body of a `CAP_DECLARE` (section 6.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapDeclare {
    /// The descriptors; at least one. Two may have the same precedence (decision 18).
    pub capabilities: Vec<Descriptor>,
    /// The cursor of the next page; absent on the last one (decision 11).
    pub cursor: Option<String>,
}

impl CapDeclare {
    /// Reads a body, and checks the consistency rules of each descriptor.
    ///
    /// # Errors
    ///
    /// All violations; of more than 100, the first 100.
    pub fn read(body: &Value) -> Result<Self, Vec<BodyError>> {
        Reader::read(body, |reader, body| {
            let map = reader.map(body)?;
            let capabilities =
                reader.required(map, "capabilities", |reader, value| reader.non_empty(value, Descriptor::read_in));
            let cursor = reader.optional(map, "cursor", Reader::string);
            Some(Self { capabilities: capabilities?, cursor })
        })
    }

    /// The CBOR map.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("capabilities", self.capabilities.iter().map(Descriptor::to_value).collect::<Vec<_>>());
        if let Some(cursor) = &self.cursor {
            map.insert("cursor", cursor.as_str());
        }
        map.into()
    }
}
