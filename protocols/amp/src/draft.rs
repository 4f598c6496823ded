//! The early draft of RFC 004 (decision 17).
//!
//! It has versions of two numbers, and declarations without hashes. Its `NEGOTIATE` and `ACCEPT` have no type codes and
//! are not implemented; its compatibility matrix is the command `capgen matrix`.

use std::borrow::Cow;

use semver::Version;

use crate::cbor::{Map, Value};
use crate::reader::{BodyError, Reader};
use crate::version::{CapabilityId, InvalidId, InvalidRange, InvalidVersion, Range, parse_version};

/// A version of a capability as the early draft declares it (draft, section 6.4, `capability-decl`).
///
/// It has no integrity metadata. So it can be shown and compared, but it is not a
/// [`Descriptor`](crate::descriptor::Descriptor), and nothing can be invoked with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftDescriptor {
    /// The name and the version. Two numbers `x.y` are read as `x.y.0`.
    pub id: CapabilityId,
    /// The versions that will be removed.
    pub deprecated_versions: Vec<Version>,
    /// The address of the schema of `params`. The bytes there may change at any time.
    pub input_schema: Option<String>,
    /// The address of the schema of `result`. The bytes there may change at any time.
    pub output_schema: Option<String>,
}

impl DraftDescriptor {
    /// Reads the body of a `CAP_DECLARE` of the early draft. Unknown keys are ignored.
    ///
    /// # Errors
    ///
    /// All violations of the CDDL of the draft; of more than 100, the first 100.
    pub fn read_declare(body: &Value) -> Result<Vec<Self>, Vec<BodyError>> {
        Reader::read(body, |reader, body| {
            let map = reader.map(body)?;
            reader.required(map, "capabilities", |reader, value| reader.non_empty(value, Self::read))
        })
    }

    fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let id = reader.required(map, "id", |reader, value| reader.parsed_by(value, parse_draft_id));
        let deprecated_versions = reader.optional(map, "deprecated_versions", |reader, value| {
            reader.elements(value, |reader, value| reader.parsed_by(value, parse_draft_version))
        });
        let input_schema = reader.optional(map, "input_schema", Reader::string);
        let output_schema = reader.optional(map, "output_schema", Reader::string);
        Some(Self {
            id: id?,
            deprecated_versions: deprecated_versions.unwrap_or_default(),
            input_schema,
            output_schema,
        })
    }
}

/// Reads a version; two numbers `x.y` are read as `x.y.0`.
///
/// # Errors
///
/// Those of [`parse_version`].
///
/// ```
/// assert_eq!(capgen_amp::draft::parse_draft_version("2.0")?.to_string(), "2.0.0");
/// # Ok::<(), capgen_amp::InvalidVersion>(())
/// ```
pub fn parse_draft_version(text: &str) -> Result<Version, InvalidVersion> {
    parse_version(&complete(text))
}

/// Reads an id; two numbers `x.y` of its version are read as `x.y.0`.
///
/// # Errors
///
/// Those of [`CapabilityId`].
pub fn parse_draft_id(text: &str) -> Result<CapabilityId, InvalidId> {
    complete_id(text).parse()
}

/// Reads a range; two numbers `x.y` of its versions are read as `x.y.0`.
///
/// # Errors
///
/// Those of [`Range`].
///
/// ```
/// assert_eq!(capgen_amp::draft::parse_draft_range(">=2.0 <3.0")?.as_str(), ">=2.0.0 <3.0.0");
/// # Ok::<(), capgen_amp::InvalidRange>(())
/// ```
pub fn parse_draft_range(text: &str) -> Result<Range, InvalidRange> {
    complete_range(text).parse()
}

/// A `CAP_QUERY` or `CAP_INVOKE` of the early draft as a body of RFC 004: its versions of two numbers are completed.
/// Everything else, also invalid values, remains as it is for the readers of [`body`](crate::body).
///
/// ```
/// use capgen_amp::cbor::{Map, Value};
/// let version = |text: &str| Value::from([("version", text)].into_iter().collect::<Map>());
/// assert_eq!(capgen_amp::draft::complete_body(&version("2.0")), version("2.0.0"));
/// ```
#[must_use]
pub fn complete_body(body: &Value) -> Value {
    let Some(map) = body.as_map() else { return body.clone() };
    let mut map = map.clone();
    complete_at(&mut map, "id", complete_id);
    complete_at(&mut map, "version", |text| complete(text).into_owned());
    if let Some(filter) = map.get("filter").and_then(Value::as_map) {
        let mut filter = filter.clone();
        complete_at(&mut filter, "version", complete_range);
        map.insert("filter", filter);
    }
    map.into()
}

fn complete_at(map: &mut Map, key: &str, complete: impl Fn(&str) -> String) {
    if let Some(text) = map.get(key).and_then(Value::as_text).map(complete) {
        map.insert(key, text);
    }
}

fn complete_id(text: &str) -> String {
    match text.split_once(':') {
        Some((name, version)) => format!("{name}:{}", complete(version)),
        None => text.to_owned(),
    }
}

/// Each part may have an operator before its version.
fn complete_range(text: &str) -> String {
    let complete_part = |part: &str| {
        let version = part.trim_start_matches(['<', '>', '=']);
        let operator = part.strip_suffix(version).unwrap_or_default();
        format!("{operator}{}", complete(version))
    };
    text.split(' ').map(complete_part).collect::<Vec<_>>().join(" ")
}

/// `x.y.0` for `x.y`. Any other text remains as it is.
fn complete(text: &str) -> Cow<'_, str> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        Some((major, minor)) if is_number(major) && is_number(minor) => format!("{text}.0").into(),
        _ => text.into(),
    }
}
