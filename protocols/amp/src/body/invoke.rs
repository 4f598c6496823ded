//! `CAP_INVOKE`.

use semver::Version;

use crate::alias::Aliases;
use crate::cbor::{Map, Value};
use crate::name::CapabilityName;
use crate::reader::{BodyError, Reader};
use crate::version::{CapabilityId, Range, parse_version};

/// The body of a `CAP_INVOKE` (section 7.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapInvoke {
    /// The capability, and its version or the hints from which one is chosen.
    pub target: Target,
    /// The request: any value. It is validated as JSON later (decision 14).
    pub params: Value,
    /// The time that the invocation may take, in ms; at least 1.
    pub timeout_ms: Option<u64>,
}

/// The ways to identify the capability of an invocation (section 7.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// `id`: one published version, by its bytes.
    Id(CapabilityId),
    /// A name or a type with `version`: a published version, by precedence (decision 7).
    Version {
        /// The capability.
        capability: NameOrType,
        /// Its version.
        version: Version,
    },
    /// A name or a type with `negotiate`.
    Negotiate {
        /// The capability.
        capability: NameOrType,
        /// The versions that the requester can use.
        hints: Hints,
    },
}

/// `capability`, or the legacy `type`. If a body has `capability`, its `type` is not examined (decisions 5 and 21).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NameOrType {
    /// `capability`.
    Name(CapabilityName),
    /// `type`, which the provider resolves (decision 6). Any text.
    Type(String),
}

/// `negotiate`: the versions that a requester can use (section 6.3).
///
/// A body may have no hints at all. Negotiation then fails with 4003 (decision 9).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Hints {
    /// The best version.
    pub preferred: Option<Version>,
    /// Other versions, the best one first.
    pub acceptable: Vec<Version>,
    /// The range of all other versions.
    pub range: Option<Range>,
}

impl Target {
    /// The name, unless only the `type` is known.
    #[must_use]
    pub const fn name(&self) -> Option<&CapabilityName> {
        match self {
            Self::Id(id) => Some(&id.name),
            Self::Version { capability: NameOrType::Name(name), .. }
            | Self::Negotiate { capability: NameOrType::Name(name), .. } => Some(name),
            _ => None,
        }
    }

    /// The `type`, if there is no name.
    #[must_use]
    pub fn type_alias(&self) -> Option<&str> {
        match self {
            Self::Version { capability: NameOrType::Type(text), .. }
            | Self::Negotiate { capability: NameOrType::Type(text), .. } => Some(text),
            _ => None,
        }
    }

    /// The requested version; `None` if it is negotiated.
    #[must_use]
    pub const fn version(&self) -> Option<&Version> {
        match self {
            Self::Id(id) => Some(&id.version),
            Self::Version { version, .. } => Some(version),
            Self::Negotiate { .. } => None,
        }
    }
}

impl NameOrType {
    /// The map with `capability` or `type`.
    pub(super) fn to_map(&self) -> Map {
        let (key, text) = match self {
            Self::Name(name) => ("capability", name.as_str()),
            Self::Type(text) => ("type", text.as_str()),
        };
        [(key, text)].into_iter().collect()
    }

    /// Reads both keys; at least one must be present.
    pub(super) fn read<'v>(reader: &mut Reader<'v>, map: &'v Map) -> Option<Self> {
        // `type` is not examined beside `capability`, whatever it is (decision 21).
        if map.get("capability").is_some() {
            reader.optional(map, "capability", Reader::parsed).map(Self::Name)
        } else if map.get("type").is_some() {
            reader.optional(map, "type", Reader::string).map(Self::Type)
        } else {
            reader.expected("`capability` or `type`")
        }
    }
}

impl Hints {
    /// The CBOR map.
    #[must_use]
    pub fn to_map(&self) -> Map {
        let Self { preferred, acceptable, range } = self;
        let mut map = Map::new();
        if let Some(preferred) = preferred {
            map.insert("preferred", preferred.to_string());
        }
        if !acceptable.is_empty() {
            map.insert(
                "acceptable",
                acceptable.iter().map(|version| version.to_string().into()).collect::<Vec<Value>>(),
            );
        }
        if let Some(range) = range {
            map.insert("range", range.as_str());
        }
        map
    }

    fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let preferred = reader.optional(map, "preferred", read_version);
        let acceptable = reader.optional(map, "acceptable", |reader, value| reader.elements(value, read_version));
        let range = reader.optional(map, "range", Reader::parsed);
        Some(Self { preferred, acceptable: acceptable.unwrap_or_default(), range })
    }
}

fn read_version<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Version> {
    reader.parsed_by(value, parse_version)
}

impl CapInvoke {
    /// Reads a body. `aliases` decide whether a `type` agrees with an `id` (decision 5).
    ///
    /// # Errors
    ///
    /// All violations of the CDDL, every disagreement of `id` with another key, and a `timeout_ms` of 0 (decision 12);
    /// of more than 100, the first 100.
    pub fn read(body: &Value, aliases: &Aliases) -> Result<Self, Vec<BodyError>> {
        Reader::read(body, |reader, body| {
            let map = reader.map(body)?;
            let target =
                if map.get("id").is_some() { read_by_id(reader, map, aliases) } else { read_by_name(reader, map) };
            let params = reader.required(map, "params", |_, value| Some(value.clone()));
            let timeout_ms = reader.optional(map, "timeout_ms", Reader::positive);
            Some(Self { target: target?, params: params?, timeout_ms })
        })
    }

    /// The CBOR map.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let Self { target, params, timeout_ms } = self;
        let mut map = match target {
            Target::Id(id) => [("id", id.to_string())].into_iter().collect(),
            Target::Version { capability, .. } | Target::Negotiate { capability, .. } => capability.to_map(),
        };
        match target {
            Target::Id(_) => None,
            Target::Version { version, .. } => map.insert("version", version.to_string()),
            Target::Negotiate { hints, .. } => map.insert("negotiate", hints.to_map()),
        };
        map.insert("params", params.clone());
        if let Some(timeout_ms) = timeout_ms {
            map.insert("timeout_ms", *timeout_ms);
        }
        map.into()
    }
}

/// The form with `id`. The other keys may be present too, and must then agree (decision 5).
fn read_by_id<'v>(reader: &mut Reader<'v>, map: &'v Map, aliases: &Aliases) -> Option<Target> {
    let id: Option<CapabilityId> = reader.required(map, "id", Reader::parsed);
    let name: Option<CapabilityName> = reader.optional(map, "capability", Reader::parsed);
    // `type` is not examined beside `capability`, whatever it is (decision 21).
    let is_named = map.get("capability").is_some();
    let text = if is_named { None } else { reader.optional(map, "type", Reader::text) };
    let version = reader.optional(map, "version", read_version);
    if let Some(id) = &id {
        if name.is_some_and(|name| name != id.name) {
            reader.report_at("capability", "expected the name in `id`");
        }
        if text.is_some_and(|text| !aliases.agrees(text, &id.name)) {
            reader.report_at("type", "expected the name in `id`, its alias, or its last segment");
        }
        if version.is_some_and(|version| version != id.version) {
            reader.report_at("version", "expected the version in `id`");
        }
    }
    if map.get("negotiate").is_some() {
        reader.report_at("negotiate", "not allowed with `id`");
    }
    id.map(Target::Id)
}

/// The form with a name or a type, and either a version or hints.
fn read_by_name<'v>(reader: &mut Reader<'v>, map: &'v Map) -> Option<Target> {
    let has_name = ["capability", "type"].iter().any(|key| map.get(key).is_some());
    let capability =
        if has_name { NameOrType::read(reader, map) } else { reader.expected("`id`, `capability` or `type`") };
    let version = reader.optional(map, "version", read_version);
    let hints = reader.optional(map, "negotiate", Hints::read);
    match (map.get("version"), map.get("negotiate")) {
        (Some(_), Some(_)) => {
            reader.report_at("negotiate", "not allowed with `version`");
            None
        }
        (Some(_), None) => Some(Target::Version { capability: capability?, version: version? }),
        (None, Some(_)) => Some(Target::Negotiate { capability: capability?, hints: hints? }),
        (None, None) if has_name => reader.expected("`version` or `negotiate`"),
        (None, None) => None,
    }
}
