//! The properties of a capability with owned strings.

use crate::schema_text::compact;
use crate::{Descriptor, OwnedErrorDescriptor, capability_keys};

/// The Rust type of a value of a row, if it is read at run time.
macro_rules! owned_type {
    (VersionRanges) => { Vec<String> };
    (Words) => { Vec<String> };
    (Milliseconds) => { Option<u64> };
    (Flag) => { Option<bool> };
    ($text:ident) => { Option<String> };
}

/// A value of a [`Descriptor`] as one of an [`OwnedDescriptor`].
pub(crate) trait ToOwnedValue {
    type Owned;
    fn to_owned_value(&self) -> Self::Owned;
}

impl ToOwnedValue for &[&str] {
    type Owned = Vec<String>;

    fn to_owned_value(&self) -> Vec<String> {
        self.iter().map(|text| (*text).to_owned()).collect()
    }
}

impl ToOwnedValue for Option<&str> {
    type Owned = Option<String>;

    fn to_owned_value(&self) -> Option<String> {
        self.map(str::to_owned)
    }
}

/// Values that are copied.
macro_rules! copied {
    ($($type:ty),*) => {
        $(impl ToOwnedValue for Option<$type> {
            type Owned = Self;

            fn to_owned_value(&self) -> Self {
                *self
            }
        })*
    };
}

copied!(u64, bool);

macro_rules! owned_descriptor {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// The properties of a capability that are read at run time, such as by a registry: a [`Descriptor`] with owned
        /// strings.
        ///
        /// The values are unchecked texts. `capgen_manifest::Capability` has the checked values, and converts in both
        /// directions.
        ///
        /// With the feature `serde`, it is a map with the keys of `capabilities.yaml`. Absent values and empty lists
        /// are left out, unknown keys are ignored, and `agent` is the id without `agent://`. The schemas are strings
        /// that contain JSON, so that every format keeps the digits of their numbers.
        ///
        /// ```
        /// use capgen_descriptor::{Descriptor, OwnedDescriptor};
        /// const ECHO: Descriptor = Descriptor::new("echo", "say", "6f1d").with_timeout_ms(500);
        /// let mut echo = OwnedDescriptor::from(&ECHO);
        /// echo.tags.push("demo".to_owned());
        /// assert_eq!((echo.name.as_str(), echo.timeout_ms), ("say", Some(500)));
        /// ```
        #[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
        #[non_exhaustive]
        pub struct OwnedDescriptor {
            /// The id of the agent that offers the capability, without `agent://`; `None` if it is unknown.
            pub agent: Option<String>,
            /// The name, unique within the agent.
            pub name: String,
            $($(#[$doc])* pub $field: owned_type!($type),)*
            /// The hash of the name, the version and the schemas, in hexadecimal; empty if it is unknown.
            pub hash: String,
            /// The schema of the request as canonical JSON without annotations; `None` if any JSON value is a request.
            pub input_schema: Option<String>,
            /// The schema of the response as canonical JSON without annotations; `None` if any JSON value is a
            /// response.
            pub output_schema: Option<String>,
            /// The errors that the capability declares; other ones are possible. They are not in the hash.
            pub errors: Vec<OwnedErrorDescriptor>,
        }

        impl From<&Descriptor> for OwnedDescriptor {
            fn from(descriptor: &Descriptor) -> Self {
                Self {
                    agent: descriptor.agent.to_owned_value(),
                    name: descriptor.name.to_owned(),
                    $($field: descriptor.$field.to_owned_value(),)*
                    hash: descriptor.hash.to_owned(),
                    // Generated code has them over several lines.
                    input_schema: descriptor.input_schema.map(compact),
                    output_schema: descriptor.output_schema.map(compact),
                    errors: descriptor.errors.iter().map(OwnedErrorDescriptor::from).collect(),
                }
            }
        }
    };
}

capability_keys!(owned_descriptor);

impl OwnedDescriptor {
    /// A descriptor with a name and nothing else.
    ///
    /// ```
    /// let echo = capgen_descriptor::OwnedDescriptor::new("say");
    /// assert!(echo.agent.is_none() && echo.tags.is_empty());
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The declared error with a code.
    #[must_use]
    pub fn error(&self, code: &str) -> Option<&OwnedErrorDescriptor> {
        self.errors.iter().find(|error| error.code == code)
    }
}

impl Descriptor {
    /// The same with owned strings.
    ///
    /// ```
    /// # use capgen_descriptor as capgen;
    /// let echo = capgen::Descriptor::new("echo", "say", "6f1d").to_owned_descriptor();
    /// assert_eq!(echo.agent.as_deref(), Some("echo"));
    /// ```
    #[must_use]
    pub fn to_owned_descriptor(&self) -> OwnedDescriptor {
        OwnedDescriptor::from(self)
    }
}
