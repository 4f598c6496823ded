//! The checks of the envelope.

use capgen_payload::Payload as _;
use serde_json::Value;
use time::{Date, Month, Time};

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
    let mut paths = Vec::new();
    if let Some(validator) = EventRequest::validator()
        && !validator.is_valid(event.value())
    {
        paths.extend(validator.validate(event.value()).into_iter().map(|violation| violation.path));
    }
    if event.id().is_some_and(|id| id.is_derived() != (event.agent() == Some(kernel))) {
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

/// Whether the digits of `YYYY-MM-DDThh:mm:ss.mmmZ` are a valid date and time. The schema has checked the rest of the form.
fn is_time(text: &str) -> bool {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u8>().ok();
    let date = || {
        let year = text.get(0..4)?.parse().ok()?;
        Date::from_calendar_date(year, Month::try_from(number(5, 7)?).ok()?, number(8, 10)?).ok()?;
        Time::from_hms(number(11, 13)?, number(14, 16)?, number(17, 19)?).ok()
    };
    date().is_some()
}

/// Whether the event has the major version of the payloads' schemas, which is 1.
pub(super) fn has_known_version(event: &Event) -> bool {
    let version = event.member("event_version").and_then(|version| semver::Version::parse(version).ok());
    version.is_some_and(|version| version.major == 1)
}

/// The string at a member of the payload.
pub(super) fn text<'e>(payload: &'e Value, name: &str) -> Option<&'e str> {
    payload.get(name)?.as_str()
}
