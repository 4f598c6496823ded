//! The closed sets of values.

/// Defines an enum whose variants have names in files and on the command line.
#[doc(hidden)]
#[macro_export]
macro_rules! class {
    ($(#[$doc:meta])* $type:ident, $count:literal { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $type {
            /// Every value, in the order of declaration.
            pub const ALL: [Self; $count] = [$(Self::$variant),*];

            /// The name of the value in files and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The value that has this name; the inverse of [`name`](Self::name).
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}

class! {
    /// The effects of a call.
    ///
    /// ```
    /// use capgen_descriptor::SideEffects;
    /// assert_eq!(SideEffects::from_name("external"), Some(SideEffects::External));
    /// ```
    SideEffects, 3 {
        /// Nothing.
        Pure = "pure",
        /// Something, but repeating the call changes nothing more.
        Idempotent = "idempotent",
        /// Something outside the agent, with every call.
        External = "external",
    }
}

impl SideEffects {
    /// Whether repeating a call has no further effect, by the keys `idempotent` and `sideEffects` of its capability.
    ///
    /// ```
    /// use capgen_descriptor::SideEffects;
    /// assert!(SideEffects::allow_repetition(Some(true), Some(SideEffects::External)));
    /// assert!(SideEffects::allow_repetition(None, Some(SideEffects::Pure)));
    /// assert!(!SideEffects::allow_repetition(None, None));
    /// ```
    #[must_use]
    pub const fn allow_repetition(idempotent: Option<bool>, effects: Option<Self>) -> bool {
        matches!(idempotent, Some(true)) || matches!(effects, Some(Self::Pure | Self::Idempotent))
    }
}

class! {
    /// Whether equal requests get equal responses.
    ///
    /// ```
    /// use capgen_descriptor::Determinism;
    /// assert_eq!(Determinism::Nondeterministic.name(), "nondeterministic");
    /// ```
    Determinism, 2 {
        /// They always do.
        Deterministic = "deterministic",
        /// They may get different ones.
        Nondeterministic = "nondeterministic",
    }
}

class! {
    /// Whether a provider serves callers whose contract differs from its own, from the weakest policy to the strictest.
    ///
    /// In every case, requests and responses are validated, and `minSchemaVersion` and `supportedVersions` exclude
    /// callers.
    ///
    /// ```
    /// use capgen_descriptor::Skew;
    /// assert_eq!(Skew::from_name("refuse"), Some(Skew::Refuse));
    /// assert_eq!(Skew::Serve.max(Skew::Strict), Skew::Strict);
    /// ```
    #[derive(Default)]
    Skew, 3 {
        /// A call runs if its request is valid.
        #[default]
        Serve = "serve",
        /// A call that has an effect and cannot be repeated runs only if every response is valid for the caller: after
        /// the effect, an error would be too late.
        Refuse = "refuse",
        /// A call runs only if every request of the caller is valid for the provider, and every response for the
        /// caller.
        Strict = "strict",
    }
}

class! {
    /// The senders that a comparison of contracts assumes. It decides which payloads of the sender's schema count.
    ///
    /// ```
    /// use capgen_descriptor::Assume;
    /// assert_eq!(Assume::from_name("capgen-peer"), Some(Assume::CapgenPeer));
    /// ```
    #[derive(Default)]
    Assume, 2 {
        /// Any program that follows the schema. It may send undeclared properties in an open object.
        #[default]
        AnyPeer = "any-peer",
        /// A program built with generated types. Their writers send declared properties only, so a new optional
        /// property of an open object breaks nothing.
        CapgenPeer = "capgen-peer",
    }
}
