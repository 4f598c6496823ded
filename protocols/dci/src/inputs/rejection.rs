//! Skills that are not candidates.

use serde::Serialize;

/// A skill that discovery excluded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rejection {
    /// Its id, or its path if no name was read.
    pub id: String,
    /// The path of its folder relative to its root. It is not part of reports.
    #[serde(skip)]
    pub path: String,
    /// Why: `unreadable`, `unparseable`, `disabled`, `duplicate`, `consumer` or `link-outside-root`.
    pub reason: String,
}
