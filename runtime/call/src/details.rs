//! The macro that makes an enum the errors of a capability, and the functions that it calls.

use capgen_descriptor::ErrorDescriptor;

use crate::failure::Failure;
use crate::outcome::CallError;

/// The conversions of an enum with the errors of a capability: a variant for each declared code, with its details if it
/// has any, and one for every other failure. Generated code and the derive call it.
///
/// The arguments are the enum, the capability, and each code with its variant. The other variant is `Other(Failure)`.
#[doc(hidden)]
#[macro_export]
macro_rules! declared_errors {
    ($name:ident, $capability:ty $(, $code:literal, $variant:ident $(($details:ty))?)* $(,)?) => {
        $crate::declared_errors!(
            @impl $name, <$capability as $crate::Capability>::descriptor().errors, plain, [Other],
            $($code => $variant $(($details))?,)*
        );
    };
    (@derived $name:ident, $errors:expr, [$($other:ident)?], $($codes:tt)*) => {
        $crate::declared_errors!(@impl $name, $errors, checked, [$($other)?], $($codes)*);
    };
    (@any $($details:tt)*) => { _ };
    (@return $error:ident, $variant:path, $form:ident) => { return $variant };
    (@return $error:ident, $variant:path, $form:ident, $details:ty) => {
        if let ::core::option::Option::Some(details) = $crate::details::$form::read::<$details>(&$error) {
            return $variant(details);
        }
    };
    (
        @impl $name:ident, $errors:expr, $form:ident, [$($other:ident)?],
        $($code:literal => $variant:ident $(($details:ty))?,)*
    ) => {
        #[automatically_derived]
        impl $name {
            /// The code.
            #[must_use]
            #[allow(dead_code, reason = "many programs match on the variants only")]
            pub fn code(&self) -> &::core::primitive::str {
                match self {
                    $(Self::$variant { .. } => $code,)*
                    $(Self::$other(failure) => failure.code(),)?
                }
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<$name> for $crate::Failure {
            fn from(error: $name) -> Self {
                match error {
                    $($name::$variant $((details @ $crate::declared_errors!(@any $details)))? => {
                        let failure = $crate::details::failure($errors, $code);
                        $(
                            let details: $details = details;
                            let failure = $crate::details::$form::attach(failure, details);
                        )?
                        failure
                    })*
                    $($name::$other(failure) => failure,)?
                }
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    $(Self::$variant { .. } => {
                        ::core::fmt::Display::fmt(&$crate::details::failure($errors, $code), f)
                    })*
                    $(Self::$other(failure) => ::core::fmt::Display::fmt(failure, f),)?
                }
            }
        }

        #[automatically_derived]
        impl ::core::error::Error for $name {
            fn source(&self) -> ::core::option::Option<&(dyn ::core::error::Error + 'static)> {
                match self {
                    $(Self::$variant { .. } => ::core::option::Option::None,)*
                    $(Self::$other(failure) => ::core::error::Error::source(failure),)?
                }
            }
        }

        $crate::declared_errors!(@open $name, $form, [$($other)?], $($code => $variant $(($details))?,)*);
    };
    (@open $name:ident, $form:ident, [], $($codes:tt)*) => {};
    (
        @open $name:ident, $form:ident, [$other:ident],
        $($code:literal => $variant:ident $(($details:ty))?,)*
    ) => {
        #[automatically_derived]
        impl ::core::convert::From<$crate::Failure> for $name {
            fn from(failure: $crate::Failure) -> Self {
                Self::$other(failure)
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<$crate::CallError> for $name {
            fn from(error: $crate::CallError) -> Self {
                match &*error.code {
                    $($code => { $crate::declared_errors!(@return error, Self::$variant, $form $(, $details)?); })*
                    _ => {}
                }
                Self::$other($crate::details::received(error))
            }
        }
    };
}

/// The failure with a declared code. Its message is the first line of the description.
#[must_use]
pub fn failure(errors: &[ErrorDescriptor], code: &str) -> Failure {
    let declared = errors.iter().find(|error| error.code == code);
    let description = declared.and_then(|error| error.description?.lines().next()).unwrap_or_default();
    let failure = Failure::new(code, if description.is_empty() { "the capability failed" } else { description });
    if declared.is_some_and(|error| error.retryable) { failure.retryable() } else { failure }
}

/// The failure of a call, with the code that arrived.
#[must_use]
pub fn received(error: CallError) -> Failure {
    Failure::received(error)
}

/// Details with generated types.
pub mod plain {
    use capgen_payload::Payload;

    use crate::failure::Failure;
    use crate::outcome::CallError;

    /// The failure with details.
    pub fn attach<T: Payload>(failure: Failure, details: T) -> Failure {
        failure.with_details(&details)
    }

    /// The details of an error, if they have the type.
    #[must_use]
    pub fn read<T: Payload>(error: &CallError) -> Option<T> {
        T::from_json(&serde_json::to_vec(error.details()?).ok()?).ok()
    }
}

/// Details with types of serde.
#[cfg(feature = "derive")]
pub mod checked {
    use capgen_payload::Checked;
    use capgen_payload::Payload;

    use crate::failure::Failure;
    use crate::outcome::CallError;

    /// The failure with details.
    pub fn attach<T>(failure: Failure, details: T) -> Failure
    where
        Checked<T>: Payload,
    {
        failure.with_details(&Checked(details))
    }

    /// The details of an error, if they have the type.
    #[must_use]
    pub fn read<T>(error: &CallError) -> Option<T>
    where
        Checked<T>: Payload,
    {
        super::plain::read::<Checked<T>>(error).map(|checked| checked.0)
    }
}
