//! The error of a Rust type without a schema in the subset.

use std::fmt;

/// A part of a Rust type that has no schema in the subset.
///
/// [`Display`](fmt::Display) writes the path, a colon and the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsupportedSchema {
    /// The path of the part, such as `ReviewPr.extra.0`: the name of a type, then fields and variants by the names that
    /// serde writes. `[]` is an item of a list or a value of a map.
    pub path: String,
    /// The problem, and what to write instead.
    pub message: String,
}

impl fmt::Display for UnsupportedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}
