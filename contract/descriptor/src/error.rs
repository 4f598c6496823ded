//! The errors that a capability declares, as constants and with owned strings.

use std::hash::{Hash, Hasher};

use crate::owned::ToOwnedValue as _;
use crate::schema_text::{are_same, compact};

/// An error that a capability declares, as a constant of a program. The set of errors is open: a provider may fail with
/// other codes.
///
/// ```
/// # use capgen_descriptor as capgen;
/// use capgen::{Descriptor, ErrorDescriptor};
/// const ERRORS: &[ErrorDescriptor] = &[ErrorDescriptor::new("NO_SEATS").with_status(409), ErrorDescriptor::new("PAST")];
/// const BOOK: Descriptor = Descriptor::new("trips", "book", "6f1d").with_errors(ERRORS);
/// assert_eq!(BOOK.error("NO_SEATS").and_then(|error| error.status), Some(409));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ErrorDescriptor {
    /// The code, unique within the capability.
    pub code: &'static str,
    /// Human-readable text.
    pub description: Option<&'static str>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The status over HTTP, from 400 to 599.
    pub status: Option<u16>,
    /// The schema of the details as JSON without annotations; `None` if the error has no details. Comparing ignores the
    /// layout.
    pub details_schema: Option<&'static str>,
}

impl ErrorDescriptor {
    /// An error with a code and nothing else.
    #[must_use]
    pub const fn new(code: &'static str) -> Self {
        Self { code, description: None, retryable: false, status: None, details_schema: None }
    }

    /// The error with a description.
    #[must_use]
    pub const fn with_description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The error, with whether the same request may succeed later.
    #[must_use]
    pub const fn with_retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// The error with a status over HTTP, from 400 to 599.
    #[must_use]
    pub const fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The error with a schema of its details.
    #[must_use]
    pub const fn with_details_schema(mut self, details_schema: &'static str) -> Self {
        self.details_schema = Some(details_schema);
        self
    }
}

impl PartialEq for ErrorDescriptor {
    fn eq(&self, other: &Self) -> bool {
        let plain = |error: &Self| (error.code, error.description, error.retryable, error.status);
        plain(self) == plain(other) && are_same(self.details_schema, other.details_schema)
    }
}

impl Eq for ErrorDescriptor {}

impl Hash for ErrorDescriptor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal errors may have schemas with different layouts.
        (self.code, self.description, self.retryable, self.status).hash(state);
    }
}

/// An [`ErrorDescriptor`] with owned strings.
///
/// With the feature `serde`, it is a map with the keys of `capabilities.yaml`, of which absent values are left out and
/// unknown ones ignored. The schema is a string that contains JSON.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub struct OwnedErrorDescriptor {
    /// The code, unique within the capability.
    pub code: String,
    /// Human-readable text. It comes from the author of the contract: treat it as untrusted.
    pub description: Option<String>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The status over HTTP, from 400 to 599.
    pub status: Option<u16>,
    /// The schema of the details as canonical JSON without annotations; `None` if the error has no details.
    pub details_schema: Option<String>,
}

impl OwnedErrorDescriptor {
    /// An error with a code and nothing else.
    #[must_use]
    pub fn new(code: impl Into<String>) -> Self {
        Self { code: code.into(), ..Self::default() }
    }
}

impl From<&ErrorDescriptor> for OwnedErrorDescriptor {
    fn from(error: &ErrorDescriptor) -> Self {
        Self {
            code: error.code.to_owned(),
            description: error.description.to_owned_value(),
            retryable: error.retryable,
            status: error.status,
            details_schema: error.details_schema.map(compact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_a_schema_does_not_matter() {
        const ONE: ErrorDescriptor = ErrorDescriptor::new("A").with_details_schema("{\"type\": \"null\"}");
        const OTHER: ErrorDescriptor = ErrorDescriptor::new("A").with_details_schema("{\n  \"type\":\"null\"\n}");
        assert_eq!(ONE, OTHER);
        assert_ne!(ONE, OTHER.with_retryable(true));
        assert_eq!(OwnedErrorDescriptor::from(&ONE), OwnedErrorDescriptor::from(&OTHER));
    }
}
