//! What `capabilities.yaml` says, checked. Also called the contract.

use capgen_schema::{Json, Schema};
use semver::Version;

/// One agent's `capabilities.yaml`, checked.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The agent that offers the capabilities.
    pub agent: AgentId,
    /// How to reach it; at least one.
    pub transports: Vec<TransportSettings>,
    /// What can be called on it, in source order; at least one, and no two with the same name.
    pub capabilities: Vec<Capability>,
}

/// The id of an agent: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most 128 bytes, so it is safe as part of a file name. Written
/// `agent://<id>`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentId(pub(crate) String);

/// Something that can be called on an agent.
#[derive(Clone, Debug)]
pub struct Capability {
    /// See [`Capability::is_name`].
    pub name: String,
    /// Reverse-domain name, such as `org.example.code-review`; see [`Capability::is_id`].
    pub id: Option<String>,
    /// For people.
    pub description: Option<String>,
    /// The version of this capability ([semver](https://semver.org)).
    pub version: Option<Version>,
    /// The schema of a request; a capability without one is loose on that side.
    pub input: Option<Schema>,
    /// The schema of a response; a capability without one is loose on that side.
    pub output: Option<Schema>,
    /// How long a caller waits, in ms; at least 1.
    pub timeout_ms: Option<u64>,
    /// Whether calling twice has the effect of calling once.
    pub idempotent: Option<bool>,
    /// The release of the agent that first had it.
    pub since: Option<String>,
    /// The handler to dispatch to; the name where absent.
    pub skill: Option<String>,
    /// Versions that the provider still serves.
    pub supported_versions: Vec<String>,
    /// Versions that will go away.
    pub deprecated_versions: Vec<String>,
    /// The oldest version of the schemas that a caller may have been built against.
    pub min_schema_version: Option<Version>,
    /// Free words to find it by.
    pub tags: Vec<String>,
    /// What a call changes.
    pub side_effects: Option<SideEffects>,
    /// Whether equal requests get equal responses.
    pub determinism: Option<Determinism>,
    /// The class of latency that the provider claims.
    pub latency: Option<String>,
    /// Roles that a caller needs.
    pub required_roles: Vec<String>,
    /// Scopes that a caller needs.
    pub required_scopes: Vec<String>,
}

/// What a call changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SideEffects {
    /// Nothing.
    Pure,
    /// The same after one call as after many.
    Idempotent,
    /// The world outside.
    External,
}

/// Whether equal requests get equal responses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Determinism {
    /// They do.
    Deterministic,
    /// They may not.
    Nondeterministic,
}

/// How to reach an agent.
#[derive(Clone)]
pub struct TransportSettings {
    /// `memory`, `mqtt`, `kafka`, `nats`, `sqs` or `amqp`.
    pub kind: String,
    /// The settings as written, `kind` among them, credentials included: never print them. What a program makes may leave
    /// `kind` out.
    pub settings: Json,
}

/// The two payloads of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// What the caller sends; its schema is `inputSchema`.
    Request,
    /// What the provider answers; its schema is `outputSchema`.
    Response,
}

impl AgentId {
    /// The longest id, in bytes: with an ending it still fits into every file system's names.
    pub const MAX_LEN: usize = 128;

    /// What stands before an id where it is a URI.
    pub(crate) const SCHEME: &str = "agent://";

    /// What an id is, for a message.
    pub const RULE: &str =
        "an id has letters, digits, `.`, `_` and `-`, starts with a letter or a digit, and is at most 128 bytes long";

    /// An id, where `text` is one.
    pub fn new(text: &str) -> Option<Self> {
        let head = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        let tail = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
        (head && tail && text.len() <= Self::MAX_LEN).then(|| Self(text.to_owned()))
    }

    /// The id of an `agent://<id>`, where `text` is one.
    pub fn from_uri(text: &str) -> Option<Self> {
        Self::new(text.strip_prefix(Self::SCHEME)?)
    }

    /// The id without `agent://`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for TransportSettings {
    /// Without the settings, which may hold credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransportSettings").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl SideEffects {
    /// Every value, the mildest first.
    pub const ALL: [SideEffects; 3] = [SideEffects::Pure, SideEffects::Idempotent, SideEffects::External];

    /// The value in `capabilities.yaml`.
    pub const fn name(self) -> &'static str {
        match self {
            SideEffects::Pure => "pure",
            SideEffects::Idempotent => "idempotent",
            SideEffects::External => "external",
        }
    }
}

impl Determinism {
    /// Both values.
    pub const ALL: [Determinism; 2] = [Determinism::Deterministic, Determinism::Nondeterministic];

    /// The value in `capabilities.yaml`.
    pub const fn name(self) -> &'static str {
        match self {
            Determinism::Deterministic => "deterministic",
            Determinism::Nondeterministic => "nondeterministic",
        }
    }
}

impl std::fmt::Display for AgentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Capability {
    /// What a name is, for a message.
    pub const NAME_RULE: &str = "a name has letters, digits, `_` and `-`, and starts with a letter or a digit";

    /// What to write for an id, for a message.
    pub const ID_RULE: &str = "write at least two labels with dots between, such as `org.example.code-review`";

    /// A capability of which nothing is known but its name, which the caller makes sure [is one](Self::is_name).
    ///
    /// ```
    /// use capgen_manifest::Capability;
    /// let review = Capability { timeout_ms: Some(60_000), ..Capability::new("review-pr") };
    /// assert!(review.input.is_none() && review.tags.is_empty());
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            id: None,
            description: None,
            version: None,
            input: None,
            output: None,
            timeout_ms: None,
            idempotent: None,
            since: None,
            skill: None,
            supported_versions: Vec::new(),
            deprecated_versions: Vec::new(),
            min_schema_version: None,
            tags: Vec::new(),
            side_effects: None,
            determinism: None,
            latency: None,
            required_roles: Vec::new(),
            required_scopes: Vec::new(),
        }
    }

    /// Whether a text can be the name of a capability: `[A-Za-z0-9][A-Za-z0-9_-]*`.
    pub fn is_name(text: &str) -> bool {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    }

    /// Whether a text can be the id of a capability: two or more labels with dots between, each of which could be a
    /// [name](Self::is_name).
    pub fn is_id(text: &str) -> bool {
        text.contains('.') && text.split('.').all(Self::is_name)
    }

    /// The schema of a side; `None` where it is loose.
    pub fn schema(&self, side: Side) -> Option<&Schema> {
        match side {
            Side::Request => self.input.as_ref(),
            Side::Response => self.output.as_ref(),
        }
    }
}

impl Side {
    /// Both, the request first.
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
