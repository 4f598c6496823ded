//! The stable codes of this crate's findings. A code never changes its meaning and is never used for another one.
//!
//! `<CODE>.md` next to this file explains each one. The first letter is the usual level of a rule: `E` for breaking,
//! `W` for risky, `N` for safe and cosmetic changes.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    #[cfg(feature = "explain")]
    pub EXPLANATIONS;

    /// A lock with another format.
    pub LOCK_FORMAT = "E0620";
    /// The contract of a capability is not the one that is locked.
    pub LOCKED_CONTRACT_CHANGED = "E0621";
    /// The definition of a capability is not the one that is locked.
    pub LOCKED_DEFINITION_CHANGED = "E0622";
    /// A capability or an agent that the lock does not have.
    pub NOT_LOCKED = "E0623";
    /// A capability or an agent that only the lock has.
    pub LOCKED_REMOVED = "E0624";
    /// The transports of an agent are not the ones that are locked.
    pub LOCKED_TRANSPORTS_CHANGED = "E0627";

    /// A capability was removed or renamed.
    pub CAPABILITY_REMOVED = "E0701";
    /// The new schema rejects requests that the old one accepts.
    pub REQUEST_NARROWED = "E0702";
    /// The new schema accepts responses that the old one rejects.
    pub RESPONSE_WIDENED = "E0703";
    /// A property of a request is now required.
    pub REQUEST_PROPERTY_REQUIRED = "E0704";
    /// A property of a response is no longer required.
    pub RESPONSE_PROPERTY_OPTIONAL = "E0705";
    /// A property of a request was removed or renamed.
    pub REQUEST_PROPERTY_REMOVED = "E0706";
    /// A property was added to a closed object of a response.
    pub RESPONSE_PROPERTY_ADDED = "E0707";
    /// A value of an enum of a request was removed.
    pub REQUEST_VALUE_REMOVED = "E0708";
    /// A value of an enum of a response was added.
    pub RESPONSE_VALUE_ADDED = "E0709";
    /// A type of a request was removed.
    pub REQUEST_TYPE_NARROWED = "E0710";
    /// A type of a response was added, such as `number` instead of `integer`.
    pub RESPONSE_TYPE_WIDENED = "E0711";
    /// A bound of a request became stricter.
    pub REQUEST_BOUND_TIGHTENED = "E0712";
    /// A bound of a response became less strict.
    pub RESPONSE_BOUND_LOOSENED = "E0713";
    /// A format or a pattern of a request was added or changed.
    pub REQUEST_TEXT_CONSTRAINED = "E0714";
    /// A format or a pattern of a response was removed or changed.
    pub RESPONSE_TEXT_RELAXED = "E0715";
    /// A branch of a union of a request was removed.
    pub REQUEST_BRANCH_REMOVED = "E0716";
    /// A branch of a union of a response was added.
    pub RESPONSE_BRANCH_ADDED = "E0717";
    /// An object of a request no longer allows undeclared properties.
    pub REQUEST_OBJECT_CLOSED = "E0718";
    /// An object of a response now allows undeclared properties.
    pub RESPONSE_OBJECT_OPENED = "E0719";
    /// The request has a schema, and had none.
    pub REQUEST_TYPED = "E0720";
    /// The response has no schema, and had one.
    pub RESPONSE_UNTYPED = "E0721";
    /// `idempotent` was withdrawn.
    pub IDEMPOTENT_WITHDRAWN = "E0722";
    /// `sideEffects` were widened.
    pub SIDE_EFFECTS_WIDENED = "E0723";
    /// A role or a scope that callers need was added.
    pub AUTHORITY_ADDED = "E0724";
    /// The version was raised by less than the changes require.
    pub VERSION_NOT_RAISED = "E0725";
    /// The compatibility of a side could not be decided.
    pub UNDECIDED = "E0726";
    /// The new schema accepts nothing.
    pub ACCEPTS_NOTHING = "E0727";
    /// A property was declared in an open object of a request, whose senders may already send another value under that
    /// name.
    pub REQUEST_PROPERTY_DECLARED = "E0728";
    /// A property of an open object of a response is no longer declared, so that it may have any value.
    pub RESPONSE_PROPERTY_REMOVED = "E0729";
    /// The provider refuses callers with the old version of the capability.
    pub OLD_VERSION_REFUSED = "E0730";
    /// A version of a capability is no longer served, and no other one fits its callers.
    pub VERSION_WITHDRAWN = "E0731";

    /// The file of accepted findings is invalid.
    pub INVALID_ACCEPTED = "E0791";

    /// A declared property of an open object was removed or renamed.
    pub PROPERTY_REMOVED = "W0701";
    /// A request accepts `number` instead of `integer`.
    pub REQUEST_INTEGER_WIDENED = "W0702";
    /// A default changed.
    pub DEFAULT_CHANGED = "W0703";
    /// `timeoutMs` was lowered.
    pub TIMEOUT_LOWERED = "W0704";
    /// The request has no schema, and had one.
    pub REQUEST_UNTYPED = "W0705";
    /// Versions of callers that were served are no longer served; the old version of the capability is not one of them.
    pub VERSIONS_WITHDRAWN = "W0706";
    /// Equal requests may now get different responses.
    pub DETERMINISM_WITHDRAWN = "W0707";
    /// The generated Rust types changed so that the source of a caller or a provider may not compile.
    pub RUST_TYPES_CHANGED = "W0708";
    /// The generated TypeScript types changed so that the source of a caller or a provider may not compile.
    pub TYPESCRIPT_TYPES_CHANGED = "W0709";
    /// The provider may now refuse callers because they have another contract.
    pub SKEW_STRICTER = "W0710";
    /// An error was declared that callers may not know.
    pub ERROR_ADDED = "W0722";
    /// The details of an error may be invalid for callers.
    pub ERROR_DETAILS = "W0723";
    /// `retryable` of an error changed.
    pub ERROR_RETRYABLE = "W0724";
    /// The major version was raised although every request of the old version stays valid.
    pub OLD_MAJOR_SERVED = "W0725";
    /// The operation of HTTP that a capability describes changed.
    pub HTTP_CHANGED = "W0726";

    /// An accepted finding that does not occur.
    pub ACCEPTED_UNUSED = "W0791";
    /// An accepted finding whose fingerprint has the old form, which did not cover what changed.
    pub OLD_FINGERPRINT = "W0792";

    /// A capability was added.
    pub CAPABILITY_ADDED = "N0701";
    /// A change of a request that rejects no request that was valid.
    pub REQUEST_COMPATIBLE = "N0702";
    /// A change of a response that allows no response that was invalid.
    pub RESPONSE_COMPATIBLE = "N0703";
    /// A text for readers changed: `title`, `description` or `examples`.
    pub TEXT_CHANGED = "N0704";
    /// Another property of the capability changed, or changed in the safe direction.
    pub PROPERTY_CHANGED = "N0705";
    /// A schema is written differently, but accepts the same payloads.
    pub SCHEMA_REWRITTEN = "N0706";
    /// A declared error was removed.
    pub ERROR_REMOVED = "N0708";
}
