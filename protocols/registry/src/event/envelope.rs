//! The checks of the envelope.

use capgen_payload::Payload as _;
use capgen_time::Timestamp;
use serde_json::Value;

use super::contract::reported;
use super::{Event, EventType, MAX_EVENT, MAX_REGISTRATION, MAX_REQUEST, generated::EventRequest};

/// The JSON Pointers of the errors of the envelope; none if it is valid.
pub(super) fn errors(event: &Event, kernel: &str) -> Vec<String> {
    let limit = match event.event_type() {
        Some(EventType::Registered) => MAX_REGISTRATION,
        Some(EventType::Requested) => MAX_REQUEST,
        _ => MAX_EVENT,
    };
    if event.text().len() > limit {
        return vec![String::new()];
    }
    if event.usual().is_some() {
        return if has_right_id(event, kernel) { Vec::new() } else { vec!["/event_id".to_owned()] };
    }
    let mut paths = Vec::new();
    if let Some(validator) = EventRequest::validator()
        && !validator.is_valid(event.value())
    {
        paths.extend(reported(validator, event.value()));
    }
    if !has_right_id(event, kernel) {
        paths.push("/event_id".to_owned());
    }
    if event.member("event_version").is_some_and(|version| semver::Version::parse(version).is_err()) {
        paths.push("/event_version".to_owned());
    }
    if event.member("timestamp").is_some_and(|timestamp| has_form(timestamp) && !is_timestamp(timestamp)) {
        paths.push("/timestamp".to_owned());
    }
    paths
}

/// Whether a text is a valid timestamp: in its form, with a day of the calendar and a time of the day. Timestamps have
/// no leap seconds.
pub(super) fn is_timestamp(text: &str) -> bool {
    has_form(text) && text.get(17..19) != Some("60") && text.parse::<Timestamp>().is_ok()
}

/// Whether a text has the form `YYYY-MM-DDThh:mm:ss.mmmZ`, which the schema of the envelope requires, too.
fn has_form(text: &str) -> bool {
    let is_form = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        19 => byte == b'.',
        23 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 24 && text.bytes().enumerate().all(is_form)
}

/// Whether the id is one of the kernel if the producer is, and only then. An invalid id is reported elsewhere.
fn has_right_id(event: &Event, kernel: &str) -> bool {
    event.id().is_none_or(|id| id.is_derived() == (event.agent() == Some(kernel)))
}

/// Whether the event has the major version of the payloads' schemas, which is 1.
pub(super) fn has_known_version(event: &Event) -> bool {
    if let Some(usual) = event.usual() {
        return usual.has_known_version;
    }
    let version = event.member("event_version").and_then(|version| semver::Version::parse(version).ok());
    version.is_some_and(|version| version.major == 1)
}

/// The string at a member of a value.
pub(crate) fn text<'e>(payload: &'e Value, name: &str) -> Option<&'e str> {
    payload.get(name)?.as_str()
}
