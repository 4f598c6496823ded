//! The model of `capabilities.yaml`, also called the contract. Its values are checked.

use capgen_descriptor::{Determinism, SideEffects, Skew, VersionRange, capability_keys, name};
use capgen_schema::message_text::{MAX_QUOTED, quote};
use capgen_schema::{Json, Schema};
use semver::Version;

use crate::{About, DeclaredError, Http};

/// The contract of one agent: a checked `capabilities.yaml`.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The agent that offers the capabilities.
    pub agent: AgentId,
    /// The texts about the agent.
    pub about: About,
    /// The ways to reach the agent; at least one.
    pub transports: Vec<TransportSettings>,
    /// The capabilities, in source order; at least one. Several with one name are versions of one capability: each has
    /// another version, by precedence.
    pub capabilities: Vec<Capability>,
}

/// The id of an agent: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most 128 bytes, so it is safe as part of a file name. As a URI,
/// it is `agent://<id>`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentId(pub(crate) String);

/// The Rust type of a value of a row of [`capability_keys!`](capgen_descriptor::capability_keys).
macro_rules! value_type {
    (Version) => { Option<Version> };
    (VersionRanges) => { Vec<VersionRange> };
    (Words) => { Vec<String> };
    (Milliseconds) => { Option<u64> };
    (Flag) => { Option<bool> };
    (SideEffects) => { Option<SideEffects> };
    (Determinism) => { Option<Determinism> };
    (Skew) => { Option<Skew> };
    ($text:ident) => { Option<String> };
}

macro_rules! capability {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// Something that can be called on an agent.
        #[derive(Clone, Debug)]
        pub struct Capability {
            /// See [`Capability::is_name`].
            pub name: String,
            $($(#[$doc])* pub $field: value_type!($type),)*
            /// The schema of a request; without one, any JSON value is a request.
            pub input: Option<Schema>,
            /// The schema of a response; without one, any JSON value is a response.
            pub output: Option<Schema>,
            /// The errors that a call may fail with, in source order. A provider may fail with others too.
            pub errors: Vec<DeclaredError>,
            /// The operation of HTTP, or the webhook, that the capability describes.
            pub http: Option<Http>,
        }

        impl Capability {
            /// A capability with a name and nothing else. The caller checks the name with [`is_name`](Self::is_name).
            ///
            /// ```
            /// use capgen_manifest::Capability;
            /// let review = Capability { timeout_ms: Some(60_000), ..Capability::new("review-pr") };
            /// assert!(review.input.is_none() && review.tags.is_empty());
            /// ```
            pub fn new(name: impl Into<String>) -> Self {
                Self {
                    name: name.into(),
                    $($field: Default::default(),)*
                    input: None,
                    output: None,
                    errors: Vec::new(),
                    http: None,
                }
            }
        }
    };
}

capability_keys!(capability);

/// The settings of one way to reach an agent: the kind of the transport, its addresses and its channels.
#[derive(Clone)]
pub struct TransportSettings {
    /// `memory`, `mqtt`, `kafka`, `nats`, `sqs`, `amqp` or `mcp`.
    pub kind: String,
    /// The settings as written, including `kind` and credentials: never print them. Settings that a program makes may
    /// leave out `kind`.
    pub settings: Json,
}

/// A side of a call: the request or the response.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The payload that the caller sends; its schema is `inputSchema`.
    Request,
    /// The payload that the provider answers with; its schema is `outputSchema`.
    Response,
}

/// A part of a capability that may have a schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a new part of a contract concerns everyone who reads schemas")]
pub enum ContractPart {
    /// The request.
    Request,
    /// The response.
    Response,
    /// The details of a declared error, by its index in [`Capability::errors`].
    Details(usize),
}

impl Manifest {
    /// The contract of an agent without texts about it.
    ///
    /// ```
    /// use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
    /// let agent = AgentId::new("reviewer").ok_or("an invalid id")?;
    /// let manifest = Manifest::new(agent, vec![TransportSettings::memory("reviews")], vec![Capability::new("review")]);
    /// assert!(manifest.about.is_empty());
    /// # Ok::<(), &str>(())
    /// ```
    pub fn new(agent: AgentId, transports: Vec<TransportSettings>, capabilities: Vec<Capability>) -> Self {
        Self { agent, about: About::default(), transports, capabilities }
    }
}

impl AgentId {
    /// The maximum length of an id, in bytes. With a file extension, it still fits into a file name on every file
    /// system.
    pub const MAX_LEN: usize = 128;

    /// The regular expression of an id, without anchors.
    pub(crate) const PATTERN: &str = "[A-Za-z0-9][A-Za-z0-9._-]{0,127}";

    /// The prefix of an id in its form as a URI.
    pub(crate) const SCHEME: &str = "agent://";

    /// The rule that [`new`](Self::new) checks, for messages.
    pub const RULE: &str = "an id consists of letters, digits, `.`, `_` and `-`, starts with a letter or a digit, and is at most 128 bytes long";

    /// Checks an id; `None` if `text` is not a valid one.
    ///
    /// ```
    /// use capgen_manifest::AgentId;
    /// assert!(AgentId::new("pr-reviewer").is_some());
    /// assert!(AgentId::new("../pr-reviewer").is_none());
    /// ```
    pub fn new(text: &str) -> Option<Self> {
        let head = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        let tail = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
        (head && tail && text.len() <= Self::MAX_LEN).then(|| Self(text.to_owned()))
    }

    /// The id in a URI `agent://<id>`; `None` if `text` is not a valid one.
    ///
    /// ```
    /// use capgen_manifest::AgentId;
    /// assert_eq!(AgentId::from_uri("agent://reviewer"), AgentId::new("reviewer"));
    /// ```
    pub fn from_uri(text: &str) -> Option<Self> {
        Self::new(text.strip_prefix(Self::SCHEME)?)
    }

    /// The id without `agent://`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for TransportSettings {
    /// Leaves out the settings, which may contain credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransportSettings").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl std::str::FromStr for AgentId {
    type Err = InvalidAgentId;

    /// Reads an id, with or without `agent://`.
    ///
    /// ```
    /// use capgen_manifest::AgentId;
    /// let reviewer: AgentId = "pr-reviewer".parse()?;
    /// assert_eq!(reviewer, "agent://pr-reviewer".parse()?);
    /// assert!("pr reviewer".parse::<AgentId>().is_err());
    /// # Ok::<(), capgen_manifest::InvalidAgentId>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, InvalidAgentId> {
        let id = text.strip_prefix(Self::SCHEME).unwrap_or(text);
        Self::new(id).ok_or_else(|| InvalidAgentId(quote(text, MAX_QUOTED)))
    }
}

/// A text that is not an [`AgentId`]. Its message has the start of the text, and the rule of ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidAgentId(String);

impl std::fmt::Display for InvalidAgentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "invalid agent {}: {}; write an id such as `pr-reviewer`", self.0, AgentId::RULE)
    }
}

impl std::error::Error for InvalidAgentId {}

impl std::fmt::Display for AgentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Capability {
    /// The rule that [`is_name`](Self::is_name) checks, for messages.
    pub const NAME_RULE: &str = name::NAME_RULE;

    /// What to write as an id, for messages.
    pub const ID_RULE: &str = name::ID_RULE;

    /// Whether a text is a valid capability name: `[A-Za-z0-9][A-Za-z0-9_-]*`, at most 128 bytes.
    pub fn is_name(text: &str) -> bool {
        name::is_name(text)
    }

    /// Whether a text is a valid capability id: two or more labels separated by dots, each of which is a valid
    /// [name](Self::is_name).
    pub fn is_id(text: &str) -> bool {
        name::is_id(text)
    }

    /// The declared error with a code.
    pub fn error(&self, code: &str) -> Option<&DeclaredError> {
        self.errors.iter().find(|error| error.code == code)
    }

    /// Whether it is a webhook, which the agent does not offer: those do that subscribe to it.
    pub fn is_webhook(&self) -> bool {
        self.http.as_ref().is_some_and(|http| http.webhook().is_some())
    }

    /// The schema of a part; `None` if it has no schema. Then any JSON value is a valid request or response, and an
    /// error has no details.
    pub fn schema(&self, part: impl Into<ContractPart>) -> Option<&Schema> {
        match part.into() {
            ContractPart::Request => self.input.as_ref(),
            ContractPart::Response => self.output.as_ref(),
            ContractPart::Details(index) => self.errors.get(index)?.details.as_ref(),
        }
    }

    /// The parts that may have a schema: the request, the response, and the details of each declared error.
    pub fn parts(&self) -> impl Iterator<Item = ContractPart> + use<> {
        let details = (0..self.errors.len()).map(ContractPart::Details);
        Side::ALL.into_iter().map(ContractPart::from).chain(details)
    }
}

impl From<Side> for ContractPart {
    fn from(side: Side) -> Self {
        match side {
            Side::Request => Self::Request,
            Side::Response => Self::Response,
        }
    }
}

impl ContractPart {
    /// The JSON Pointer of the part's schema, from the capability in `capabilities.yaml`.
    ///
    /// ```
    /// use capgen_manifest::{ContractPart, Side};
    /// assert_eq!(ContractPart::from(Side::Request).pointer(), "/inputSchema");
    /// assert_eq!(ContractPart::Details(2).pointer(), "/errors/2/detailsSchema");
    /// ```
    pub fn pointer(self) -> String {
        match self {
            Self::Request => format!("/{}", Side::Request.schema_key()),
            Self::Response => format!("/{}", Side::Response.schema_key()),
            Self::Details(index) => format!("/errors/{index}/{}", DeclaredError::SCHEMA_KEY),
        }
    }
}

impl Side {
    /// Both sides, the request first.
    pub const ALL: [Side; 2] = [Side::Request, Side::Response];

    /// `request` or `response`.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Request => "request",
            Side::Response => "response",
        }
    }

    /// The key of the side's schema in `capabilities.yaml`.
    pub const fn schema_key(self) -> &'static str {
        match self {
            Side::Request => "inputSchema",
            Side::Response => "outputSchema",
        }
    }
}
