//! The time at which a request ends, on the clock of this process.
//!
//! A caller states the remaining time when it wrote the message, which means the same on every clock, and the deadline
//! by its own clock. The deadline decides for stored messages, which may be read much later, and for older callers,
//! which send nothing else. With keys, it also proves that a message is not an old one that is replayed.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::numbers::number;
use super::respond::Answer;
use crate::envelope::{Envelope, ErrorPayload, header};
use crate::outcome::{code, in_ms};
use crate::wait::MAX_TIMEOUT;

/// How much later a deadline may be, in ms, to allow for clocks that are not exact. Clocks that are synchronised differ
/// far less; a larger one would keep ids in memory for longer.
pub(super) const SLACK: u64 = 30_000;

/// How much later than the time in a request its caller may end the call, in ms. Both are in whole milliseconds; the
/// caller rounds down its clock, and the remaining time too. Without this tolerance, a provider would end some calls
/// before their timeout.
const ROUNDING: u64 = 2;

/// When and how a message arrived.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) at: Instant,
    /// The same as Unix time in ms.
    pub(super) unix: u64,
    /// Whether a broker had stored it.
    pub(super) is_stored: bool,
}

/// How much clocks may differ, in ms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    /// For deadlines of stored messages, and of signed ones.
    pub(super) difference: u64,
    /// For deadlines of callers that do not send the remaining time.
    pub(super) tolerance: u64,
}

/// The remaining time that a request states, in ms. An error if the header is invalid.
fn remaining(request: &Envelope) -> Result<Option<u64>, Answer> {
    number(request, header::TIMEOUT, 1..=MAX_TIMEOUT)
}

/// When a request ends.
#[derive(Clone, Copy)]
pub(super) struct Due {
    /// The end of the time that its caller stated, for its handler.
    pub(super) stated: Instant,
    /// When it is ended: somewhat later, because its caller may still wait.
    pub(super) end: Instant,
    /// The remaining time that the caller stated, in ms; `None` also if the header is invalid.
    timeout: Option<u64>,
}

impl Clocks {
    /// The time at which a request ends. One without a deadline ends after the longest timeout.
    pub(super) fn due(self, request: &Envelope, arrival: Arrival) -> Due {
        let timeout = remaining(request).ok().flatten();
        let (rest, tolerance) = match (timeout.filter(|_| !arrival.is_stored), request.deadline()) {
            (Some(timeout), _) => (i128::from(timeout), 0),
            (None, Some(deadline)) => {
                (i128::from(deadline) - i128::from(arrival.unix), self.deadline_tolerance(arrival))
            }
            (None, None) => (i128::from(MAX_TIMEOUT), 0),
        };
        // A deadline that is later is refused, so the limit is only that of a request that is not run.
        let after = |ms: i128| {
            let most = i128::from(MAX_TIMEOUT + SLACK) + i128::from(self.difference);
            arrival.at + Duration::from_millis(u64::try_from(ms.clamp(0, most)).unwrap_or(0))
        };
        Due { stated: after(rest), end: after(rest + i128::from(tolerance) + i128::from(ROUNDING)), timeout }
    }

    /// How much later than its deadline a request without the remaining time ends, in ms.
    fn deadline_tolerance(self, arrival: Arrival) -> u64 {
        if arrival.is_stored { self.difference } else { self.tolerance }
    }

    /// Checks the times in a request, given its end.
    pub(super) fn check(self, request: &Envelope, arrival: Arrival, due: Due, is_signed: bool) -> Result<(), Answer> {
        let timeout = match due.timeout {
            // Absent or invalid.
            None => remaining(request)?,
            known => known,
        };
        let Some(deadline) = request.deadline() else { return Ok(()) };
        let (now, difference) = (arrival.unix, self.difference);
        let tolerance = match timeout.filter(|_| !arrival.is_stored) {
            None => self.deadline_tolerance(arrival),
            // Without keys, anyone could write another deadline, so that it proves nothing.
            Some(_) if !is_signed => return Ok(()),
            Some(timeout) => {
                let ahead = deadline.saturating_sub(timeout).saturating_sub(now);
                if ahead > difference {
                    let message = format!(
                        "the clock of the caller is {ahead} ms ahead of the provider's, and may differ by at most {difference} ms"
                    );
                    return Err(Answer::error(code::INVALID_ENVELOPE, message));
                }
                difference
            }
        };
        if now > deadline.saturating_add(tolerance).saturating_add(ROUNDING) {
            let late = now.saturating_sub(deadline);
            let message = format!("the deadline passed {late} ms ago by the provider's clock; are the clocks equal?");
            return Err(too_late(message, late, timeout));
        }
        if deadline > now.saturating_add(MAX_TIMEOUT + SLACK).saturating_add(tolerance) {
            let message = "the deadline of the request is more than 600 s in the future by the provider's clock";
            return Err(Answer::error(code::INVALID_ENVELOPE, message));
        }
        Ok(())
    }

    /// The Unix time in ms after which a replay of a request is refused because of its deadline.
    pub(super) fn fresh_until(self, request: &Envelope, arrival: Arrival) -> u64 {
        // A request without a deadline can be replayed after the longest time.
        let deadline = request.deadline().unwrap_or(arrival.unix.saturating_add(MAX_TIMEOUT + SLACK));
        deadline.saturating_add(self.difference.max(self.tolerance)).saturating_add(ROUNDING)
    }
}

/// The answer to a request that ended before its handler started.
pub(super) fn too_late_to_start(due: Due) -> Answer {
    let late = in_ms(Instant::now().saturating_duration_since(due.stated));
    let message = format!("the deadline passed {late} ms ago, before the handler started");
    too_late(message, late, due.timeout)
}

/// The answer to a request whose deadline had passed when it arrived or before its handler started.
fn too_late(message: String, late: u64, timeout: Option<u64>) -> Answer {
    let mut details = json!({"lateMs": late});
    if let (Some(timeout), Some(members)) = (timeout, details.as_object_mut()) {
        members.insert("timeoutMs".to_owned(), timeout.into());
    }
    Answer::of(ErrorPayload::of(code::DEADLINE_EXCEEDED, message).with_details(details)).not_kept()
}
