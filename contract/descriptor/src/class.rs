//! The closed sets of values.

/// Defines an enum whose variants have names in `capabilities.yaml`.
macro_rules! class {
    ($(#[$doc:meta])* $type:ident, $count:literal { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $type {
            /// Every value, in the order of declaration.
            pub const ALL: [Self; $count] = [$(Self::$variant),*];

            /// The value in `capabilities.yaml`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The value that has this name in `capabilities.yaml`.
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
