//! Serde's traits for types with a JSON form, so that other serde types can contain them.

use std::cell::RefCell;

use capgen_schema::{ExactPayload, MAX_PAYLOAD_DEPTH, ReportBudget, Violation};
use serde::de::Error as _;
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Deserializer, Serialize, Serializer};

use super::reader::ValueKind;
use super::stack::{with_room, with_room_to_validate};
use super::{Codec, PayloadSchema, Reader, Writer, locate};
use crate::Options;

/// Reads a value through serde, and checks its schema.
///
/// Costs more than [`Payload::from_json`](crate::Payload::from_json), because the value first becomes a tree and then a
/// text. Reports only the first violation.
///
/// # Errors
///
/// An error of the deserializer, a duplicate name in an object, a value nested deeper than 128 levels, or a value that
/// the type or its schema does not allow.
///
/// ```
/// let mut json = serde_json::Deserializer::from_str("[1e3]");
/// let numbers: Vec<u64> = capgen::wire::deserialize(&mut json)?;
/// assert_eq!(numbers, [1000]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn deserialize<'de, T: Codec, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    with_room_to_validate(|| {
        let text = capgen_schema::deserialize_payload(deserializer)?.to_string();
        read(&text).map_err(D::Error::custom)
    })
}

/// Reads a payload through serde, as [`deserialize`] does.
///
/// # Errors
///
/// Those of [`deserialize`], with the violations. Values of the payload are not quoted: code that logs an error of
/// serde may not know that it contains a payload.
pub fn deserialize_payload<'de, T: Codec, D: Deserializer<'de>>(
    deserializer: D,
    schema: &PayloadSchema,
) -> Result<T, D::Error> {
    with_room_to_validate(|| {
        let value = ExactPayload::from(capgen_schema::deserialize_payload(deserializer)?);
        read(&value.value().to_string()).map_err(|reason| {
            let violations = schema.violations(&value, Options::new().redact(true));
            let more = violations.is_truncated().then(|| "and more".to_owned());
            let shown = violations.iter().map(|v| format!("{}: {}", locate::shown(&v.path), v.message));
            let shown: Vec<String> = shown.chain(more).collect();
            D::Error::custom(if shown.is_empty() { reason } else { shown.join("; ") })
        })
    })
}

fn read<T: Codec>(text: &str) -> Result<T, String> {
    let mut reader = Reader::new(text);
    if let Some(read) = with_room(|| reader.whole()) {
        return Ok(read);
    }
    let stop = reader.stop("does not match the type or its schema");
    Err(format!("{}: {}", locate::shown(&locate::pointer(text, stop.offset, ReportBudget::DEFAULT)), stop.message))
}

/// Writes a value through serde. The schema is not checked; a number that is not finite is `null`, as in `serde_json`.
///
/// # Errors
///
/// The serializer's; a value nested deeper than 128 levels.
///
/// ```
/// let mut text = Vec::new();
/// capgen::wire::serialize(&vec![1_i64, 2], &mut serde_json::Serializer::new(&mut text))?;
/// assert_eq!(text, b"[1,2]");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn serialize<T: Codec, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut writer = Writer::unchecked();
    with_room(|| value.write(&mut writer))
        .ok_or_else(|| S::Error::custom(Violation::too_deep(MAX_PAYLOAD_DEPTH).message))?;
    let text = String::from_utf8(writer.into_text()).map_err(S::Error::custom)?;
    with_room_to_validate(|| transcode(&mut Reader::unchecked(&text), serializer))
}

/// The next value of a reader.
struct Next<'r, 'a>(RefCell<&'r mut Reader<'a>>);

impl Serialize for Next<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        transcode(&mut self.0.borrow_mut(), serializer)
    }
}

fn transcode<S: Serializer>(reader: &mut Reader<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let some = |read: Option<()>| read.ok_or_else(|| S::Error::custom("not valid JSON"));
    match reader.kind() {
        Some(ValueKind::Null) => {
            some(reader.null())?;
            serializer.serialize_unit()
        }
        Some(ValueKind::Boolean) => serializer.serialize_bool(reader.boolean().unwrap_or_default()),
        Some(ValueKind::Number) => match reader.numeral() {
            Some(numeral) => numeral.serialize(serializer),
            None => Err(S::Error::custom("not a valid number")),
        },
        Some(ValueKind::String) => serializer.serialize_str(&reader.string().unwrap_or_default()),
        Some(ValueKind::Array) => {
            let mut seq = serializer.serialize_seq(None)?;
            some(reader.open(b'['))?;
            let mut is_first = true;
            while reader.another(b']', is_first) == Some(true) {
                seq.serialize_element(&Next(RefCell::new(reader)))?;
                is_first = false;
            }
            seq.end()
        }
        Some(ValueKind::Object) => {
            let mut map = serializer.serialize_map(None)?;
            some(reader.open(b'{'))?;
            let mut is_first = true;
            while reader.another(b'}', is_first) == Some(true) {
                let name = reader.name().unwrap_or_default();
                map.serialize_entry(name.as_ref(), &Next(RefCell::new(reader)))?;
                is_first = false;
            }
            map.end()
        }
        None => Err(S::Error::custom("not valid JSON")),
    }
}
