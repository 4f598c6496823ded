//! The table of the optional keys of a capability.

/// Passes the table of a capability's optional keys to a macro: one row for each key.
///
/// A row has the documentation of the key, its name in Rust, the name of the method that sets it, its type (a variant
/// of [`ValueType`]), its name in `capabilities.yaml`, and an example of a value in Rust syntax. The order is that of
/// the keys in a written manifest.
///
/// To add a key, add a row. The reader, the writer, the model, the derive macro, [`Descriptor`](crate::Descriptor),
/// [`OwnedDescriptor`](crate::OwnedDescriptor) and generated code follow; only a new [`ValueType`] needs code in them.
///
/// ```
/// macro_rules! names {
///     ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
///         const NAMES: &[&str] = &[$($name),*];
///     };
/// }
/// capgen_descriptor::capability_keys!(names);
/// assert!(NAMES.contains(&"timeoutMs"));
/// ```
#[macro_export]
macro_rules! capability_keys {
    ($callback:ident) => {
        $callback! {
            /// Reverse-domain name, such as `org.example.code-review`.
            id (with_id): Id = "id", r#""org.example.review-pr""#;
            /// Human-readable text. It comes from the author of the contract: treat it as untrusted.
            description (with_description): Text = "description", r#""Review a pull request.""#;
            /// The version of the capability itself, as in Semantic Versioning.
            version (with_version): Version = "version", r#""1.2.0""#;
            /// How long a caller waits for the response, in ms; at least 1.
            timeout_ms (with_timeout_ms): Milliseconds = "timeoutMs", "60_000";
            /// Whether calling twice has the same effect as calling once.
            idempotent (with_idempotent): Flag = "idempotent", "true";
            /// The release of the agent that introduced the capability.
            since (with_since): Text = "since", r#""1.1.0""#;
            /// The name of the handler that answers the requests; if absent, the name of the capability.
            skill (with_skill): NonEmptyText = "skill", r#""code-review""#;
            /// The name in the protocol of the provider, if it differs from the name of the capability: a tool of an
            /// MCP server, or the method and path of an HTTP operation.
            wire_name (with_wire_name): NonEmptyText = "wireName", r#""review_pr.v2""#;
            /// Versions and ranges of versions that the provider still serves.
            supported_versions (with_supported_versions): VersionRanges = "supportedVersions", r#"[">=1.0.0 <2.0.0"]"#;
            /// Versions and ranges of versions that will be removed.
            deprecated_versions (with_deprecated_versions): VersionRanges = "deprecatedVersions", r#"["1.0.0"]"#;
            /// The oldest `version` of this capability whose schemas callers may still use.
            min_schema_version (with_min_schema_version): Version = "minSchemaVersion", r#""1.0.0""#;
            /// Whether callers with another contract are served: `serve`, `refuse` or `strict`.
            skew (with_skew): Skew = "skew", r#""refuse""#;
            /// Words to find the capability by.
            tags (with_tags): Words = "tags", r#"["code", "review"]"#;
            /// The effects of a call: `pure`, `idempotent` or `external`.
            side_effects (with_side_effects): SideEffects = "sideEffects", r#""pure""#;
            /// Whether equal requests get equal responses: `deterministic` or `nondeterministic`.
            determinism (with_determinism): Determinism = "determinism", r#""deterministic""#;
            /// How fast the provider promises to answer.
            latency (with_latency): NonEmptyText = "latency", r#""interactive""#;
            /// The roles that a caller needs.
            required_roles (with_required_roles): Words = "requiredRoles", r#"["reviewer"]"#;
            /// The scopes that a caller needs.
            required_scopes (with_required_scopes): Words = "requiredScopes", r#"["repo:read"]"#;
        }
    };
}

/// A row of the table of [`capability_keys!`](crate::capability_keys).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CapabilityKey {
    /// The name in Rust, as a field and in `#[capability(...)]`: `timeout_ms`.
    pub field: &'static str,
    /// The method of [`Descriptor`](crate::Descriptor) that sets it: `with_timeout_ms`.
    pub setter: &'static str,
    /// The name in `capabilities.yaml`: `timeoutMs`.
    pub name: &'static str,
    /// The type of the values.
    pub value_type: ValueType,
    /// A value in Rust syntax: `60_000`.
    pub example: &'static str,
    /// The lines of its documentation, each with a space before it.
    about: &'static str,
}

/// The type of the values of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ValueType {
    /// A reverse-domain name; see [`name::is_id`](crate::name::is_id).
    Id,
    /// Any string.
    Text,
    /// A string that is not empty.
    NonEmptyText,
    /// A semantic version.
    Version,
    /// A list whose elements are [`VersionRange`](crate::VersionRange)s.
    VersionRanges,
    /// A list of strings that are not empty.
    Words,
    /// An integer, in ms, from 1 to 2^64-1.
    Milliseconds,
    /// A boolean.
    Flag,
    /// The name of one of [`SideEffects`](crate::SideEffects).
    SideEffects,
    /// The name of one of [`Determinism`](crate::Determinism).
    Determinism,
    /// The name of one of [`Skew`](crate::Skew).
    Skew,
}

impl CapabilityKey {
    /// Its meaning, in one or two sentences.
    ///
    /// ```
    /// let tags = capgen_descriptor::CAPABILITY_KEYS.iter().find(|key| key.name == "tags");
    /// assert_eq!(tags.map(|key| key.about()), Some("Words to find the capability by."));
    /// ```
    pub fn about(&self) -> &'static str {
        self.about.trim_start()
    }
}

macro_rules! list {
    ($($(#[doc = $doc:literal])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// The optional keys of a capability, in the order in which a manifest is written.
        ///
        /// ```
        /// let version = capgen_descriptor::CAPABILITY_KEYS.iter().find(|key| key.name == "minSchemaVersion");
        /// assert_eq!(version.map(|key| key.field), Some("min_schema_version"));
        /// ```
        pub const CAPABILITY_KEYS: &[CapabilityKey] = &[$(CapabilityKey {
            field: stringify!($field),
            setter: stringify!($with),
            name: $name,
            value_type: ValueType::$type,
            example: $example,
            about: concat!($($doc),*),
        }),*];
    };
}

capability_keys!(list);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_key_differ_only_in_style() {
        for key in CAPABILITY_KEYS {
            let mut words = key.field.split('_');
            let mut expected = words.next().unwrap_or_default().to_owned();
            for word in words {
                let (first, rest) = word.split_at(1);
                expected.push_str(&first.to_uppercase());
                expected.push_str(rest);
            }
            assert_eq!(key.name, expected);
            assert_eq!(key.setter, format!("with_{}", key.field));
        }
    }
}
