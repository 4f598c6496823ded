//! The error codes of AMP RFC 001 that capabilities use.

use std::fmt;

/// A code of an `ERROR` message, with its name, its category, and whether the same request may succeed later.
///
/// Source: AMP RFC 001 section 15, AMP RFC 004 section 9.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Code {
    /// 1001: the bytes are not deterministic CBOR, or the envelope has an invalid or missing field.
    InvalidMessage,
    /// 1002: the signature is invalid, or the key of the sender is unknown.
    InvalidSignature,
    /// 1003: the message has expired, is from the future, or its `id` does not match `ts`.
    InvalidTimestamp,
    /// 1004: `v` is not 1.
    UnsupportedVersion,
    /// 1005: `typ` is not a type of AMP RFC 001.
    UnknownType,
    /// 3001: the policy of the provider denies the request, whether or not the capability exists.
    Unauthorized,
    /// 4001: the body violates its CDDL, or an answer does not match its request.
    BadRequest,
    /// 4002: there is no capability with this name that the caller may use.
    CapabilityNotFound,
    /// 4003: no version fits the request.
    VersionMismatch,
    /// 4004: `params` violates the input schema.
    SchemaViolation,
    /// 5001: the handler failed, or its result violates the output schema.
    InternalError,
    /// 5002: a schema is missing or altered, or the provider is shutting down.
    Unavailable,
    /// 5003: the handler did not finish in time.
    Timeout,
    /// 5004: the provider has reached a limit.
    Overloaded,
}

/// The range of a [`Code`], as `category` of an `ERROR` body. Source: `specs/amp-envelope.md`, ERROR body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Category {
    /// 1xxx.
    Protocol,
    /// 2xxx.
    Routing,
    /// 3xxx.
    Security,
    /// 4xxx.
    Client,
    /// 5xxx.
    Server,
}

impl Code {
    /// Every code, in ascending order.
    pub const ALL: [Self; 14] = [
        Self::InvalidMessage,
        Self::InvalidSignature,
        Self::InvalidTimestamp,
        Self::UnsupportedVersion,
        Self::UnknownType,
        Self::Unauthorized,
        Self::BadRequest,
        Self::CapabilityNotFound,
        Self::VersionMismatch,
        Self::SchemaViolation,
        Self::InternalError,
        Self::Unavailable,
        Self::Timeout,
        Self::Overloaded,
    ];

    /// The number, such as 4003.
    ///
    /// ```
    /// assert_eq!(capgen_amp::Code::VersionMismatch.number(), 4003);
    /// ```
    #[must_use]
    pub const fn number(self) -> u16 {
        self.row().0
    }

    /// The name, such as `VERSION_MISMATCH`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().1
    }

    /// The code with this number; `None` if it is not one of these.
    #[must_use]
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|code| u64::from(code.number()) == number)
    }

    /// The category, which follows from the number.
    #[must_use]
    pub const fn category(self) -> Category {
        match self.number() / 1000 {
            1 => Category::Protocol,
            2 => Category::Routing,
            3 => Category::Security,
            4 => Category::Client,
            _ => Category::Server,
        }
    }

    /// Whether the same request may succeed later: true for the codes of [`Category::Server`] alone.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self.category(), Category::Server)
    }

    const fn row(self) -> (u16, &'static str) {
        match self {
            Self::InvalidMessage => (1001, "INVALID_MESSAGE"),
            Self::InvalidSignature => (1002, "INVALID_SIGNATURE"),
            Self::InvalidTimestamp => (1003, "INVALID_TIMESTAMP"),
            Self::UnsupportedVersion => (1004, "UNSUPPORTED_VERSION"),
            Self::UnknownType => (1005, "UNKNOWN_TYPE"),
            Self::Unauthorized => (3001, "UNAUTHORIZED"),
            Self::BadRequest => (4001, "BAD_REQUEST"),
            Self::CapabilityNotFound => (4002, "CAPABILITY_NOT_FOUND"),
            Self::VersionMismatch => (4003, "VERSION_MISMATCH"),
            Self::SchemaViolation => (4004, "SCHEMA_VIOLATION"),
            Self::InternalError => (5001, "INTERNAL_ERROR"),
            Self::Unavailable => (5002, "UNAVAILABLE"),
            Self::Timeout => (5003, "TIMEOUT"),
            Self::Overloaded => (5004, "OVERLOADED"),
        }
    }
}

impl Category {
    /// The text in an `ERROR` body.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Routing => "routing",
            Self::Security => "security",
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

impl fmt::Display for Code {
    /// The number and the name: `4003 VERSION_MISMATCH`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number(), self.name())
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
