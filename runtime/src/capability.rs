//! What a capability is to a program.

use crate::Payload;

/// Something that can be called on an agent, as a type.
///
/// Generated code implements it for a unit struct per capability. A side without a schema is a [`serde_json::Value`].
///
/// ```
/// use capgen::{Capability, InvalidPayload, Payload};
///
/// fn call<C: Capability>(
///     request: &C::Request,
///     send: impl FnOnce(&str, Vec<u8>) -> Vec<u8>,
/// ) -> Result<C::Response, InvalidPayload> {
///     C::Response::from_json(&send(C::NAME, request.to_json()?))
/// }
/// ```
pub trait Capability {
    /// What the caller sends.
    type Request: Payload;
    /// What the provider answers.
    type Response: Payload;
    /// What the contract says about the capability.
    const DESCRIPTOR: Descriptor;
    /// The name in the contract.
    const NAME: &'static str = Self::DESCRIPTOR.name;
}

/// What a contract says about a capability, for code that learns at run time what it calls.
///
/// ```
/// use capgen::Descriptor;
/// const ECHO: Descriptor = Descriptor::new("echo", "say", "6f1d").with_idempotent(true);
/// assert_eq!((ECHO.agent, ECHO.name, ECHO.idempotent), ("echo", "say", Some(true)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Descriptor {
    /// The id of the agent that offers it, without `agent://`.
    pub agent: &'static str,
    /// The name, unique for the agent.
    pub name: &'static str,
    /// The capability's own version ([semver](https://semver.org)).
    pub version: Option<&'static str>,
    /// For people. Whoever wrote the contract wrote this: treat it as untrusted text.
    pub description: Option<&'static str>,
    /// How long a caller waits, in ms; at least 1.
    pub timeout_ms: Option<u64>,
    /// Whether calling twice has the effect of calling once.
    pub idempotent: Option<bool>,
    /// The release of the agent that first had it.
    pub since: Option<&'static str>,
    /// SHA-256 of what callers rely on, in hexadecimal: two programs with the same hash mean the same capability.
    pub hash: &'static str,
    /// The request's schema as canonical JSON without annotations; `None` where any JSON value is a request.
    pub input_schema: Option<&'static str>,
    /// The response's schema as canonical JSON without annotations; `None` where any JSON value is a response.
    pub output_schema: Option<&'static str>,
}

impl Descriptor {
    /// A descriptor that says nothing more.
    ///
    /// ```
    /// let echo = capgen::Descriptor::new("echo", "say", "6f1d");
    /// assert_eq!((echo.hash, echo.timeout_ms), ("6f1d", None));
    /// ```
    #[must_use]
    pub const fn new(agent: &'static str, name: &'static str, hash: &'static str) -> Self {
        Self {
            agent,
            name,
            version: None,
            description: None,
            timeout_ms: None,
            idempotent: None,
            since: None,
            hash,
            input_schema: None,
            output_schema: None,
        }
    }
}

macro_rules! with {
    ($($name:ident, $field:ident: $ty:ty, $example:literal;)*) => {
        impl Descriptor {
            $(
                #[doc = concat!("With `", stringify!($field), "`.\n\n```\nlet echo = capgen::Descriptor::new(\"echo\", \"say\", \"6f1d\").",
                    stringify!($name), "(", $example, ");\nassert_eq!(echo.", stringify!($field), ", Some(", $example, "));\n```")]
                #[must_use]
                pub const fn $name(mut self, $field: $ty) -> Self {
                    self.$field = Some($field);
                    self
                }
            )*
        }
    };
}

with! {
    with_version, version: &'static str, r#""1.2.0""#;
    with_description, description: &'static str, r#""Says it again.""#;
    with_timeout_ms, timeout_ms: u64, "500";
    with_idempotent, idempotent: bool, "true";
    with_since, since: &'static str, r#""1.1.0""#;
    with_input_schema, input_schema: &'static str, "\"true\"";
    with_output_schema, output_schema: &'static str, "\"true\"";
}
