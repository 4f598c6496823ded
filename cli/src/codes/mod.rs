//! The stable codes of findings about the values that the command line names. A code never changes its meaning.
//!
//! `<CODE>.md` next to this file explains each one.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    pub(crate) EXPLANATIONS;

    /// A payload that is not JSON.
    pub(crate) NOT_JSON = "E0501";
    /// A capability that the contract does not have.
    pub(crate) UNKNOWN_CAPABILITY = "E0502";
    /// A payload that cannot be read.
    pub(crate) PAYLOAD_IO = "E0503";
    /// A payload beyond the limit.
    pub(crate) PAYLOAD_TOO_LARGE = "E0504";
    /// A code that does not exist.
    pub(crate) UNKNOWN_CODE = "E0505";
    /// A schema that no JSON value conforms to.
    pub(crate) ACCEPTS_NOTHING = "E0506";
    /// A schema for which no payload was found within the limits.
    pub(crate) NO_EXAMPLE = "E0507";
}
