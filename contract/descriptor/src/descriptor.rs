//! The properties of a capability as constants of a program.

use std::hash::{Hash, Hasher};

use crate::schema_text::are_same;
use crate::{ErrorDescriptor, capability_keys};

/// The Rust type of a value of a row, if it is a constant of a program.
macro_rules! constant_type {
    (VersionRanges) => { &'static [&'static str] };
    (Words) => { &'static [&'static str] };
    (Milliseconds) => { Option<u64> };
    (Flag) => { Option<bool> };
    ($text:ident) => { Option<&'static str> };
}

/// The initial value of a row.
macro_rules! absent {
    (VersionRanges) => {
        &[]
    };
    (Words) => {
        &[]
    };
    ($option:ident) => {
        None
    };
}

/// The `with_...` method of a row, with an example.
macro_rules! with {
    (VersionRanges, $field:ident, $with:ident, $example:literal) => {
        with!(@ $field, $with, &'static [&'static str], $field, concat!("&", $example), concat!("&", $example));
    };
    (Words, $field:ident, $with:ident, $example:literal) => {
        with!(@ $field, $with, &'static [&'static str], $field, concat!("&", $example), concat!("&", $example));
    };
    (Milliseconds, $field:ident, $with:ident, $example:literal) => {
        with!(@ $field, $with, u64, Some($field), $example, concat!("Some(", $example, ")"));
    };
    (Flag, $field:ident, $with:ident, $example:literal) => {
        with!(@ $field, $with, bool, Some($field), $example, concat!("Some(", $example, ")"));
    };
    ($text:ident, $field:ident, $with:ident, $example:literal) => {
        with!(@ $field, $with, &'static str, Some($field), $example, concat!("Some(", $example, ")"));
    };
    (@ $field:ident, $with:ident, $type:ty, $value:expr, $argument:expr, $expected:expr) => {
        #[doc = concat!(
            "The descriptor with this `", stringify!($field), "`.\n\n```\n# use capgen_descriptor as capgen;\n",
            "let echo = capgen::Descriptor::new(\"echo\", \"say\", \"6f1d\").", stringify!($with), "(", $argument,
            ");\nassert_eq!(echo.", stringify!($field), ", ", $expected, ");\n```"
        )]
        #[must_use]
        pub const fn $with(mut self, $field: $type) -> Self {
            self.$field = $value;
            self
        }
    };
}

macro_rules! descriptor {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// The properties of a capability, for code that learns at run time which capability it calls. Generated code
        /// has a constant for each capability.
        ///
        /// [`OwnedDescriptor`](crate::OwnedDescriptor) is the same for properties that are read at run time.
        ///
        /// ```
        /// # use capgen_descriptor as capgen;
        /// use capgen::Descriptor;
        /// const ECHO: Descriptor = Descriptor::new("echo", "say", "6f1d").with_idempotent(true);
        /// assert_eq!((ECHO.agent, ECHO.name, ECHO.idempotent), (Some("echo"), "say", Some(true)));
        /// ```
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub struct Descriptor {
            /// The id of the agent that offers the capability, without `agent://`; `None` if a Rust type declares it.
            pub agent: Option<&'static str>,
            /// The name, unique within the agent.
            pub name: &'static str,
            $($(#[$doc])* pub $field: constant_type!($type),)*
            /// The hash of the name, the version and the schemas, in hexadecimal. Two programs with the same hash mean
            /// the same capability.
            pub hash: &'static str,
            /// The schema of the request as JSON without annotations; `None` if any JSON value is a request. In
            /// generated code, it has several lines and is ASCII. Comparing descriptors ignores the layout.
            pub input_schema: Option<&'static str>,
            /// The schema of the response, like that of the request; `None` if any JSON value is a response.
            pub output_schema: Option<&'static str>,
            /// The errors that the capability declares; other ones are possible. They are not in the hash.
            pub errors: &'static [ErrorDescriptor],
        }

        impl Descriptor {
            /// A descriptor without a hash, for `#[derive(Capability)]`: the hash depends on schemas that are made at
            /// run time.
            #[doc(hidden)]
            #[must_use]
            pub const fn declared(name: &'static str) -> Self {
                Self {
                    agent: None,
                    name,
                    $($field: absent!($type),)*
                    hash: "",
                    input_schema: None,
                    output_schema: None,
                    errors: &[],
                }
            }

            $(with!($type, $field, $with, $example);)*

            with!(Text, input_schema, with_input_schema, r#""true""#);
            with!(Text, output_schema, with_output_schema, r#""true""#);
        }

        impl PartialEq for Descriptor {
            fn eq(&self, other: &Self) -> bool {
                (self.agent, self.name, self.hash) == (other.agent, other.name, other.hash)
                    $(&& self.$field == other.$field)*
                    && are_same(self.input_schema, other.input_schema)
                    && are_same(self.output_schema, other.output_schema)
                    && self.errors == other.errors
            }
        }

        impl Eq for Descriptor {}

        impl Hash for Descriptor {
            fn hash<H: Hasher>(&self, state: &mut H) {
                // Equal descriptors may have schemas with different layouts, and `hash` is computed from the schemas.
                (self.agent, self.name, self.hash).hash(state);
                $(self.$field.hash(state);)*
                self.errors.hash(state);
            }
        }
    };
}

capability_keys!(descriptor);

impl Descriptor {
    /// A descriptor without optional properties.
    ///
    /// ```
    /// # use capgen_descriptor as capgen;
    /// let echo = capgen::Descriptor::new("echo", "say", "6f1d");
    /// assert_eq!((echo.hash, echo.timeout_ms), ("6f1d", None));
    /// ```
    #[must_use]
    pub const fn new(agent: &'static str, name: &'static str, hash: &'static str) -> Self {
        Self { agent: Some(agent), hash, ..Self::declared(name) }
    }
    /// The descriptor with these errors. [`ErrorDescriptor`] has an example.
    #[must_use]
    pub const fn with_errors(mut self, errors: &'static [ErrorDescriptor]) -> Self {
        self.errors = errors;
        self
    }

    /// The declared error with a code.
    #[must_use]
    pub fn error(&self, code: &str) -> Option<&'static ErrorDescriptor> {
        self.errors.iter().find(|error| error.code == code)
    }
}
