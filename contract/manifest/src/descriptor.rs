//! Checked capabilities from descriptors, which are unchecked texts, and back.

use std::fmt;

use capgen_descriptor::name::{ERROR_CODE_RULE, ERROR_STATUSES, is_error_code};
use capgen_descriptor::{
    Determinism, OwnedDescriptor, OwnedErrorDescriptor, SideEffects, Skew, VersionRange, capability_keys,
};
use capgen_schema::Schema;
use semver::Version;

use crate::{AgentId, Capability, DeclaredError, Side};

/// A property of a descriptor that is invalid in a manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InvalidProperty {
    /// The key in `capabilities.yaml`.
    pub key: &'static str,
    /// The reason, without a full stop.
    pub message: String,
}

impl fmt::Display for InvalidProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.key, self.message)
    }
}

impl std::error::Error for InvalidProperty {}

/// Checks the text of a row by its type.
macro_rules! checked {
    (Id, $text:expr) => {
        text($text, Capability::is_id, Capability::ID_RULE)
    };
    (Text, $text:expr) => {
        Ok($text.clone())
    };
    (NonEmptyText, $text:expr) => {
        text($text, |text| !text.is_empty(), "the text is empty")
    };
    (Version, $text:expr) => {
        version($text)
    };
    (VersionRanges, $texts:expr) => {
        ranges($texts)
    };
    (Words, $texts:expr) => {
        words($texts)
    };
    (Milliseconds, $number:expr) => {
        milliseconds(*$number)
    };
    (Flag, $flag:expr) => {
        Ok::<_, String>(*$flag)
    };
    (SideEffects, $text:expr) => {
        class($text, SideEffects::from_name, &SideEffects::ALL.map(SideEffects::name))
    };
    (Determinism, $text:expr) => {
        class($text, Determinism::from_name, &Determinism::ALL.map(Determinism::name))
    };
    (Skew, $text:expr) => {
        class($text, Skew::from_name, &Skew::ALL.map(Skew::name))
    };
}

macro_rules! conversions {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        impl Capability {
            /// The properties as texts, with the hash of the capability. The schemas are canonical and without
            /// annotations.
            ///
            /// ```
            /// use capgen_manifest::{AgentId, Capability};
            /// let review = Capability { timeout_ms: Some(500), ..Capability::new("review") };
            /// let descriptor = review.to_descriptor(AgentId::new("reviewer").as_ref());
            /// assert_eq!((descriptor.agent.as_deref(), descriptor.timeout_ms), (Some("reviewer"), Some(500)));
            /// assert_eq!(descriptor.hash, review.hash().to_string());
            /// ```
            pub fn to_descriptor(&self, agent: Option<&AgentId>) -> OwnedDescriptor {
                let mut descriptor = self.to_properties();
                descriptor.agent = agent.map(ToString::to_string);
                descriptor.hash = self.hash().to_string();
                descriptor.input_schema = self.input.as_ref().map(Schema::canonical);
                descriptor.output_schema = self.output.as_ref().map(Schema::canonical);
                descriptor.errors = self.errors.iter().map(DeclaredError::to_descriptor).collect();
                descriptor
            }

            /// The properties as texts, without the agent, the hash, the errors and the schemas, which take long to
            /// write.
            pub fn to_properties(&self) -> OwnedDescriptor {
                let mut descriptor = OwnedDescriptor::new(self.name.as_str());
                $(descriptor.$field = self.$field.to_text();)*
                descriptor
            }

            /// Checks the properties of a descriptor by the rules of `capabilities.yaml`. The agent and the hash are
            /// not used.
            ///
            /// # Errors
            ///
            /// Every invalid property.
            ///
            /// ```
            /// use capgen_manifest::{Capability, OwnedDescriptor};
            /// let mut descriptor = OwnedDescriptor::new("review");
            /// descriptor.supported_versions = vec![">=1.0.0 <2.0.0".to_owned()];
            /// let review = Capability::from_descriptor(&descriptor).map_err(|problems| format!("{problems:?}"))?;
            /// assert!(review.supported_versions[0].matches(&"1.5.0".parse()?));
            ///
            /// descriptor.version = Some("1.0".to_owned());
            /// assert_eq!(Capability::from_descriptor(&descriptor).unwrap_err()[0].key, "version");
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn from_descriptor(descriptor: &OwnedDescriptor) -> Result<Self, Vec<InvalidProperty>> {
                let mut problems = Problems(Vec::new());
                let name = problems.take("name", name(&descriptor.name));
                let capability = Capability {
                    name: name.unwrap_or_default(),
                    $($field: problems.take($name, checked!($type, &descriptor.$field)).unwrap_or_default(),)*
                    input: problems.take(Side::Request.schema_key(), schema(&descriptor.input_schema)).flatten(),
                    output: problems.take(Side::Response.schema_key(), schema(&descriptor.output_schema)).flatten(),
                    errors: problems.take("errors", errors(&descriptor.errors)).unwrap_or_default(),
                    http: None,
                };
                if problems.0.is_empty() { Ok(capability) } else { Err(problems.0) }
            }
        }
    };
}

capability_keys!(conversions);

struct Problems(Vec<InvalidProperty>);

impl Problems {
    fn take<T>(&mut self, key: &'static str, checked: Result<T, String>) -> Option<T> {
        checked.map_err(|message| self.0.push(InvalidProperty { key, message })).ok()
    }
}

fn name(text: &str) -> Result<String, String> {
    if Capability::is_name(text) { Ok(text.to_owned()) } else { Err(Capability::NAME_RULE.to_owned()) }
}

fn text(text: &Option<String>, is_valid: fn(&str) -> bool, rule: &str) -> Result<Option<String>, String> {
    if text.as_deref().is_none_or(is_valid) { Ok(text.clone()) } else { Err(rule.to_owned()) }
}

fn version(text: &Option<String>) -> Result<Option<Version>, String> {
    let version = text.as_deref().map(str::parse).transpose();
    version.map_err(|error: semver::Error| format!("not a semantic version: {error}"))
}

fn ranges(texts: &[String]) -> Result<Vec<VersionRange>, String> {
    texts.iter().map(|text| text.parse().map_err(|error| format!("{text:?}: {error}"))).collect()
}

fn words(texts: &[String]) -> Result<Vec<String>, String> {
    if texts.iter().any(String::is_empty) { Err("an element is empty".to_owned()) } else { Ok(texts.to_vec()) }
}

fn milliseconds(number: Option<u64>) -> Result<Option<u64>, String> {
    if number == Some(0) { Err("must be at least 1".to_owned()) } else { Ok(number) }
}

fn class<T>(text: &Option<String>, from_name: fn(&str) -> Option<T>, names: &[&str]) -> Result<Option<T>, String> {
    let Some(text) = text else { return Ok(None) };
    from_name(text).map(Some).ok_or_else(|| format!("must be one of {}", names.join(", ")))
}

fn schema(text: &Option<String>) -> Result<Option<Schema>, String> {
    text.as_deref().map(Schema::parse_text).transpose().map_err(|error| error.to_string())
}

impl DeclaredError {
    /// The error as texts. The schema is canonical and without annotations.
    ///
    /// ```
    /// let error = capgen_manifest::DeclaredError::new("NO_SEATS");
    /// assert_eq!(error.to_descriptor().code, "NO_SEATS");
    /// ```
    pub fn to_descriptor(&self) -> OwnedErrorDescriptor {
        let mut descriptor = OwnedErrorDescriptor::new(self.code.as_str());
        descriptor.description.clone_from(&self.description);
        (descriptor.retryable, descriptor.status) = (self.retryable, self.status);
        descriptor.details_schema = self.details.as_ref().map(Schema::canonical);
        descriptor
    }
}

fn declared_error(descriptor: &OwnedErrorDescriptor) -> Result<DeclaredError, String> {
    let OwnedErrorDescriptor { code, description, retryable, status, details_schema, .. } = descriptor;
    if !is_error_code(code) {
        return Err(format!("{code:?}: {ERROR_CODE_RULE}"));
    }
    if status.is_some_and(|status| !ERROR_STATUSES.contains(&status)) {
        let (least, most) = (DeclaredError::MIN_STATUS, DeclaredError::MAX_STATUS);
        return Err(format!("`{code}`: the status must be from {least} to {most}"));
    }
    let details = schema(details_schema).map_err(|message| format!("`{code}`: {message}"))?;
    Ok(DeclaredError {
        code: code.clone(),
        description: description.clone(),
        retryable: *retryable,
        status: *status,
        details,
    })
}

fn errors(descriptors: &[OwnedErrorDescriptor]) -> Result<Vec<DeclaredError>, String> {
    let mut errors: Vec<DeclaredError> = Vec::with_capacity(descriptors.len());
    for descriptor in descriptors {
        let error = declared_error(descriptor)?;
        if errors.iter().any(|other| other.code == error.code) {
            return Err(format!("`{}` is declared twice", error.code));
        }
        errors.push(error);
    }
    Ok(errors)
}

/// A checked value as one of an [`OwnedDescriptor`].
trait ToText {
    type Text;
    fn to_text(&self) -> Self::Text;
}

/// Values that are the same in both.
macro_rules! unchanged {
    ($($type:ty),*) => {
        $(impl ToText for $type {
            type Text = Self;

            fn to_text(&self) -> Self {
                self.clone()
            }
        })*
    };
}

unchanged!(Option<String>, Option<u64>, Option<bool>, Vec<String>);

impl ToText for Option<Version> {
    type Text = Option<String>;

    fn to_text(&self) -> Option<String> {
        self.as_ref().map(ToString::to_string)
    }
}

impl ToText for Vec<VersionRange> {
    type Text = Vec<String>;

    fn to_text(&self) -> Vec<String> {
        self.iter().map(ToString::to_string).collect()
    }
}

impl ToText for Option<SideEffects> {
    type Text = Option<String>;

    fn to_text(&self) -> Option<String> {
        self.map(|effects| effects.name().to_owned())
    }
}

impl ToText for Option<Skew> {
    type Text = Option<String>;

    fn to_text(&self) -> Option<String> {
        self.map(|policy| policy.name().to_owned())
    }
}

impl ToText for Option<Determinism> {
    type Text = Option<String>;

    fn to_text(&self) -> Option<String> {
        self.map(|class| class.name().to_owned())
    }
}
