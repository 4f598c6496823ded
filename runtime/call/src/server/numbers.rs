//! Headers of requests that are numbers, and the number of headers.

use std::ops::RangeInclusive;

use super::respond::Answer;
use crate::envelope::{Envelope, header};
use crate::outcome::code;

/// The intervals of heartbeats that a caller may ask for, in ms. Shorter ones would cost more than they are worth.
const HEARTBEATS: RangeInclusive<u64> = 250..=30_000;
/// The numbers of attempts after the first one, which has no number.
const ATTEMPTS: RangeInclusive<u64> = 2..=u32::MAX as u64;

/// The headers that a request may have, apart from the descriptor of its contract, and the bytes of their names and
/// values. Requests need about ten; each further one costs time in every check, memory while the request runs, and room
/// in logs.
const MAX_HEADERS: (usize, usize) = (64, 16 * 1024);

/// Checks that the headers are within their limits.
pub(super) fn check_headers(request: &Envelope) -> Result<(), Answer> {
    let ((count, size), (max_count, max_size)) = (request.size_of_headers(), MAX_HEADERS);
    let message = if count > max_count {
        format!("the request has {count} headers; the limit is {max_count}")
    } else if size > max_size {
        format!("the headers of the request have {size} bytes; the limit is {max_size}")
    } else {
        return Ok(());
    };
    Err(Answer::error(code::INVALID_ENVELOPE, message))
}

/// The number in a header, in decimal without a sign and leading zeros. An error if it is another text, or outside of a
/// range.
pub(super) fn number(request: &Envelope, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, Answer> {
    let Some(text) = request.header(name) else { return Ok(None) };
    let number = decimal(text).filter(|number| range.contains(number));
    number.map(Some).ok_or_else(|| {
        let (least, most) = range.into_inner();
        let message = format!("the header `{name}` is invalid: it is not a number from {least} to {most}");
        Answer::error(code::INVALID_ENVELOPE, message)
    })
}

/// A number in decimal. It is read in one pass, because every request has one; `parse` also accepts a sign.
fn decimal(text: &str) -> Option<u64> {
    if text.is_empty() || text.starts_with('0') {
        return None;
    }
    text.bytes().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// The interval in ms at which the caller wants to know that its request waits or runs.
pub(super) fn heartbeat(request: &Envelope) -> Result<Option<u64>, Answer> {
    number(request, header::HEARTBEAT, HEARTBEATS)
}

/// Checks the headers about attempts.
pub(super) fn check_attempt(request: &Envelope) -> Result<(), Answer> {
    heartbeat(request)?;
    number(request, header::ATTEMPT, ATTEMPTS).map(drop)
}
