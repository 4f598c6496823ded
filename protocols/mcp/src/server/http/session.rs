//! The names of sessions. Nothing is kept for a session: its name only connects a cancel with the call that it is for,
//! because clients count their requests from the same number. So a session needs no end, every process behind an
//! address serves it, and clients without one are served too.

use hyper::HeaderMap;
use hyper::header::HeaderValue;
use uuid::Uuid;

use super::{Refusal, check};
use crate::http_names::SESSION;
use crate::revision::Revision;

/// The longest name of a session, in bytes. Those of this server have 32.
const MAX_NAME: usize = 128;

/// A name that no one can guess, and so no other client can use for cancels.
pub(super) fn new() -> Option<HeaderValue> {
    HeaderValue::try_from(Uuid::new_v4().simple().to_string()).ok()
}

/// The session of a message; `None` if it has none, as with the revision 2026-07-28, where the end of the connection
/// is the cancel.
pub(super) fn of(headers: &HeaderMap, revision: Revision) -> Result<Option<String>, Refusal> {
    if revision.is_stateless() {
        return Ok(None);
    }
    let name = check::single(headers, SESSION)?;
    Ok(name.filter(|name| (1..=MAX_NAME).contains(&name.len())).map(str::to_owned))
}
