//! The keys of `#[capability(...)]`: the one list of them.

/// A key, with what its value has to be.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) rule: Rule,
    /// What to write, in messages.
    pub(crate) example: &'static str,
}

impl Key {
    /// The key in `capabilities.yaml`: in camel case.
    pub(crate) fn in_manifest(&self) -> String {
        let mut words = self.name.split('_');
        let mut name = words.next().unwrap_or_default().to_owned();
        for word in words {
            name.extend(word.chars().take(1).flat_map(char::to_uppercase));
            name.extend(word.chars().skip(1));
        }
        name
    }
}

/// What a value has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A name of a capability.
    Name,
    /// A reverse-domain name.
    Id,
    /// A semantic version.
    Version,
    /// Any string.
    Text,
    /// A string that is not empty.
    Filled,
    /// One of some strings.
    Choice(&'static [&'static str]),
    /// A whole number of milliseconds, at least 1.
    Milliseconds,
    /// `true`, `false`, or no value for `true`.
    Flag,
    /// A list of strings that are not empty.
    Words,
    /// A list of versions and ranges of versions.
    Ranges,
    /// A type.
    Response,
    /// A path.
    Crate,
}

macro_rules! keys {
    ($($name:literal, $rule:expr, $example:literal;)*) => {
        /// Every key, in the order in which a descriptor is made.
        pub(crate) const KEYS: &[Key] = &[$(Key { name: $name, rule: $rule, example: concat!($name, " = ", $example) }),*];
    };
}

keys! {
    "name", Rule::Name, r#""review-pr""#;
    "id", Rule::Id, r#""org.example.review-pr""#;
    "version", Rule::Version, r#""1.2.0""#;
    "description", Rule::Text, r#""Review a pull request.""#;
    "timeout_ms", Rule::Milliseconds, "60_000";
    "idempotent", Rule::Flag, "true";
    "since", Rule::Text, r#""1.1.0""#;
    "skill", Rule::Filled, r#""code-review""#;
    "supported_versions", Rule::Ranges, r#"[">=1.0.0 <2.0.0"]"#;
    "deprecated_versions", Rule::Ranges, r#"["1.0.0"]"#;
    "min_schema_version", Rule::Version, r#""1.0.0""#;
    "tags", Rule::Words, r#"["code", "review"]"#;
    "side_effects", Rule::Choice(&["pure", "idempotent", "external"]), r#""pure""#;
    "determinism", Rule::Choice(&["deterministic", "nondeterministic"]), r#""deterministic""#;
    "latency", Rule::Filled, r#""interactive""#;
    "required_roles", Rule::Words, r#"["reviewer"]"#;
    "required_scopes", Rule::Words, r#"["repo:read"]"#;
    "response", Rule::Response, "Review";
    "crate", Rule::Crate, "path::to::capgen";
}
