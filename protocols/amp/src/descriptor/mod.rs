//! Descriptors of capabilities (section 4.2).

mod publication;
mod schema_ref;

pub(crate) use publication::LOOSE;
pub use publication::Publication;
pub(crate) use schema_ref::read_hash;
pub use schema_ref::{ArtifactRef, HashAlgorithm, SchemaRef};

use crate::cbor::{Map, Value};
use crate::name::CapabilityName;
use crate::reader::{BodyError, Reader};
use crate::version::{CapabilityId, Range, parse_version};

/// The metadata of one version of a capability (section 4.2).
///
/// `name` and `version` of the CDDL are those of `id`, with which they must agree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// The name and the version.
    pub id: CapabilityId,
    /// The schema of `params`.
    pub input_schema: SchemaRef,
    /// The schema of `result`.
    pub output_schema: SchemaRef,
    /// The versions whose requests this one serves. `None`: its own version alone.
    pub supported_ranges: Option<Vec<Range>>,
    /// The versions that will be removed.
    pub deprecated_ranges: Option<Vec<Range>>,
    /// A text for humans. It comes from the publisher: treat it as untrusted.
    pub notes: Option<String>,
    /// Unknown keys, such as `descriptor_sig`, which are passed on (decision 3).
    pub other: Map,
}

/// The keys of the CDDL; all others are unknown.
const KEYS: [&str; 8] =
    ["id", "name", "version", "input_schema", "output_schema", "supported_ranges", "deprecated_ranges", "notes"];

impl Descriptor {
    /// Reads a descriptor, and checks the CDDL and the consistency rules of section 4.2. The bytes of the schemas are
    /// checked where they are loaded, with [`SchemaRef::matches`].
    ///
    /// # Errors
    ///
    /// All violations; of more than 100, the first 100.
    pub fn read(value: &Value) -> Result<Self, Vec<BodyError>> {
        Reader::read(value, Self::read_in)
    }

    /// The CBOR map, with the unknown keys. A descriptor that was read gives the map from which it was read.
    #[must_use]
    pub fn to_map(&self) -> Map {
        let Self { id, input_schema, output_schema, supported_ranges, deprecated_ranges, notes, other } = self;
        let mut map = other.clone();
        map.insert("id", id.to_string());
        map.insert("name", id.name.as_str());
        map.insert("version", id.version.to_string());
        map.insert("input_schema", input_schema.to_map());
        map.insert("output_schema", output_schema.to_map());
        for (key, ranges) in [("supported_ranges", supported_ranges), ("deprecated_ranges", deprecated_ranges)] {
            if let Some(ranges) = ranges {
                map.insert(key, ranges.iter().map(|range| range.as_str().into()).collect::<Vec<Value>>());
            }
        }
        if let Some(notes) = notes {
            map.insert("notes", notes.as_str());
        }
        map
    }

    /// The same as [`to_map`](Self::to_map), as a value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.to_map().into()
    }

    pub(crate) fn read_in<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let id: Option<CapabilityId> = reader.required(map, "id", Reader::parsed);
        let name: Option<CapabilityName> = reader.required(map, "name", Reader::parsed);
        let version = reader.required(map, "version", |reader, value| reader.parsed_by(value, parse_version));
        if let Some(id) = &id {
            if name.is_some_and(|name| name != id.name) {
                reader.report_at("name", "expected the name in `id`");
            }
            if version.is_some_and(|version| version != id.version) {
                reader.report_at("version", "expected the version in `id`");
            }
        }
        let input_schema = reader.required(map, "input_schema", SchemaRef::read);
        let output_schema = reader.required(map, "output_schema", SchemaRef::read);
        let supported_ranges = reader.optional(map, "supported_ranges", read_ranges);
        let deprecated_ranges = reader.optional(map, "deprecated_ranges", read_ranges);
        let notes = reader.optional(map, "notes", Reader::string);
        Some(Self {
            id: id?,
            input_schema: input_schema?,
            output_schema: output_schema?,
            supported_ranges,
            deprecated_ranges,
            notes,
            other: without(map, &KEYS),
        })
    }
}

fn read_ranges<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Vec<Range>> {
    reader.elements(value, Reader::parsed)
}

/// The entries with other keys.
fn without(map: &Map, keys: &[&str]) -> Map {
    let is_other = |key: &Value| key.as_text().is_none_or(|key| !keys.contains(&key));
    map.iter().filter(|(key, _)| is_other(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}
