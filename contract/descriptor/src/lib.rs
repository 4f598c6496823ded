//! The properties of a capability apart from its schemas: the one table of keys, and the rules for their values.
//!
//! The reader and the writer of `capabilities.yaml`, the derive macro, generated code and descriptors all take the keys from
//! [`capability_keys!`]. The derive macro links this crate, so it has no heavy dependencies.
#![forbid(unsafe_code)]

mod class;
mod descriptor;
mod keys;
pub mod name;
mod owned;
mod schema_text;
#[cfg(feature = "serde")]
mod serde_impls;
mod version;
mod version_set;

pub use class::{Determinism, SideEffects};
pub use descriptor::Descriptor;
pub use keys::{CAPABILITY_KEYS, CapabilityKey, ValueType};
pub use owned::OwnedDescriptor;
pub use version::{
    InvalidVersionRange, LARGE_NUMBER, VERSION_PATTERN, VersionRange, complete_version, has_large_number,
};
pub use version_set::VersionSet;
