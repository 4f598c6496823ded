//! What a contract says about a capability, as constants of a program.

/// What a contract says about a capability, for code that learns at run time what it calls.
///
/// ```
/// use capgen::Descriptor;
/// const ECHO: Descriptor = Descriptor::new("echo", "say", "6f1d").with_idempotent(true);
/// assert_eq!((ECHO.agent, ECHO.name, ECHO.idempotent), (Some("echo"), "say", Some(true)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Descriptor {
    /// The id of the agent that offers it, without `agent://`; `None` where a Rust type declares it.
    pub agent: Option<&'static str>,
    /// The name, unique for the agent.
    pub name: &'static str,
    /// Reverse-domain name, such as `org.example.code-review`.
    pub id: Option<&'static str>,
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
    /// The handler to dispatch to; the name where absent.
    pub skill: Option<&'static str>,
    /// Versions, and ranges of them, that the provider still serves.
    pub supported_versions: &'static [&'static str],
    /// Versions, and ranges of them, that will go away.
    pub deprecated_versions: &'static [&'static str],
    /// The oldest version of the schemas that a caller may have been built against.
    pub min_schema_version: Option<&'static str>,
    /// Free words to find it by.
    pub tags: &'static [&'static str],
    /// What a call changes: `pure`, `idempotent` or `external`.
    pub side_effects: Option<&'static str>,
    /// Whether equal requests get equal responses: `deterministic` or `nondeterministic`.
    pub determinism: Option<&'static str>,
    /// The class of latency that the provider claims.
    pub latency: Option<&'static str>,
    /// Roles that a caller needs.
    pub required_roles: &'static [&'static str],
    /// Scopes that a caller needs.
    pub required_scopes: &'static [&'static str],
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
        Self { agent: Some(agent), hash, ..Self::declared(name) }
    }

    /// What attributes say of a capability, before there is a hash: for `#[derive(Capability)]`.
    #[doc(hidden)]
    #[must_use]
    pub const fn declared(name: &'static str) -> Self {
        Self {
            agent: None,
            name,
            id: None,
            version: None,
            description: None,
            timeout_ms: None,
            idempotent: None,
            since: None,
            skill: None,
            supported_versions: &[],
            deprecated_versions: &[],
            min_schema_version: None,
            tags: &[],
            side_effects: None,
            determinism: None,
            latency: None,
            required_roles: &[],
            required_scopes: &[],
            hash: "",
            input_schema: None,
            output_schema: None,
        }
    }
}

macro_rules! with {
    ($kind:ident: $($name:ident, $field:ident: $ty:ty, $example:literal;)*) => {
        impl Descriptor {
            $(
                #[doc = concat!("With `", stringify!($field), "`.\n\n```\nlet echo = capgen::Descriptor::new(\"echo\", \"say\", \"6f1d\").",
                    stringify!($name), "(", $example, ");\nassert_eq!(echo.", stringify!($field), ", ",
                    with!(@$kind $example), ");\n```")]
                #[must_use]
                pub const fn $name(mut self, $field: $ty) -> Self {
                    self.$field = with!(@value $kind $field);
                    self
                }
            )*
        }
    };
    (@option $example:literal) => { concat!("Some(", $example, ")") };
    (@list $example:literal) => { $example };
    (@value option $field:ident) => { Some($field) };
    (@value list $field:ident) => { $field };
}

with! {
    option:
    with_id, id: &'static str, r#""org.example.echo""#;
    with_version, version: &'static str, r#""1.2.0""#;
    with_description, description: &'static str, r#""Says it again.""#;
    with_timeout_ms, timeout_ms: u64, "500";
    with_idempotent, idempotent: bool, "true";
    with_since, since: &'static str, r#""1.1.0""#;
    with_skill, skill: &'static str, r#""say_again""#;
    with_min_schema_version, min_schema_version: &'static str, r#""1.0.0""#;
    with_side_effects, side_effects: &'static str, r#""pure""#;
    with_determinism, determinism: &'static str, r#""deterministic""#;
    with_latency, latency: &'static str, r#""interactive""#;
    with_input_schema, input_schema: &'static str, "\"true\"";
    with_output_schema, output_schema: &'static str, "\"true\"";
}

with! {
    list:
    with_supported_versions, supported_versions: &'static [&'static str], r#"&[">=1.0.0 <2.0.0"]"#;
    with_deprecated_versions, deprecated_versions: &'static [&'static str], r#"&["1.0.0"]"#;
    with_tags, tags: &'static [&'static str], r#"&["echo", "demo"]"#;
    with_required_roles, required_roles: &'static [&'static str], r#"&["speaker"]"#;
    with_required_scopes, required_scopes: &'static [&'static str], r#"&["echo:say"]"#;
}
