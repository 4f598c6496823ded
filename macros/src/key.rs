//! The keys of `#[capability(...)]`: those of the manifest, and four of the derive itself.

use capgen_descriptor::{CAPABILITY_KEYS, CapabilityKey, ValueType};

/// A key of `#[capability(...)]`.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: KeyKind,
    /// A valid value, for messages.
    example: &'static str,
}

/// The effect of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyKind {
    /// The name of the capability, which has a default.
    Name,
    /// An optional property of the capability.
    Property(&'static CapabilityKey),
    /// The type of the response.
    Response,
    /// The enum of the declared errors.
    Errors,
    /// The path of the crate `capgen`.
    Crate,
}

const NAME: Key = Key { name: "name", kind: KeyKind::Name, example: "\"review-pr\"" };
const RESPONSE: Key = Key { name: "response", kind: KeyKind::Response, example: "Review" };
const ERRORS: Key = Key { name: "errors", kind: KeyKind::Errors, example: "ReviewError" };
const CRATE: Key = Key { name: "crate", kind: KeyKind::Crate, example: "path::to::capgen" };

impl Key {
    /// Every key, in the order in which messages list them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let property =
            |key: &'static CapabilityKey| Self { name: key.field, kind: KeyKind::Property(key), example: key.example };
        [NAME].into_iter().chain(CAPABILITY_KEYS.iter().map(property)).chain([RESPONSE, ERRORS, CRATE])
    }

    /// The type of the value, if the key is one of the manifest.
    pub(crate) fn value_type(self) -> Option<ValueType> {
        match self.kind {
            KeyKind::Property(key) => Some(key.value_type),
            KeyKind::Name | KeyKind::Response | KeyKind::Errors | KeyKind::Crate => None,
        }
    }

    /// The key with a valid value, for messages.
    pub(crate) fn example(self) -> String {
        format!("{} = {}", self.name, self.example)
    }
}
