//! The checks of the envelope.

use capgen_payload::Payload as _;
use serde_json::Value;
use time::{Date, Month, Time};

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
    if event.member("timestamp").is_some_and(|timestamp| !is_time(timestamp)) {
        paths.push("/timestamp".to_owned());
    }
    paths
}

/// Whether the digits of `YYYY-MM-DDThh:mm:ss.mmmZ` are a valid date and time. The schema checks the rest of the form.
fn is_time(text: &str) -> bool {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u8>().ok();
    let date = || {
        let year = text.get(0..4)?.parse().ok()?;
        Date::from_calendar_date(year, Month::try_from(number(5, 7)?).ok()?, number(8, 10)?).ok()?;
        Time::from_hms(number(11, 13)?, number(14, 16)?, number(17, 19)?).ok()
    };
    date().is_some()
}

/// Whether a text is a valid timestamp, in its whole form.
pub(super) fn is_timestamp(text: &str) -> bool {
    let is_form = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        19 => byte == b'.',
        23 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 24 && text.bytes().enumerate().all(is_form) && is_time(text)
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
