//! The properties of a capability apart from its schemas: the one table of keys, and the rules for their values.
//!
//! The reader and the writer of `capabilities.yaml`, the derive macro, generated code and descriptors all take the keys
//! from [`capability_keys!`]. The derive macro links this crate, so it has no heavy dependencies.
//!
//! ```
//! use capgen_descriptor::{CAPABILITY_KEYS, Descriptor};
//!
//! const REVIEW: Descriptor = Descriptor::new("pr-reviewer", "review-pr", "6f1d").with_timeout_ms(60_000);
//! assert_eq!(REVIEW.timeout_ms, Some(60_000));
//! assert!(CAPABILITY_KEYS.iter().any(|key| key.name == "timeoutMs"));
//! ```
//!
//! # Reading order
//!
//! For contributors. `keys.rs` is the table: a row per optional key, with its type and an example. Other code expands
//! it, so a new key is added there, and the compiler names the other places.
//!
//! `descriptor.rs` is a capability as constants, for generated code, and `owned.rs` the same with owned strings, for
//! descriptors that arrive from other programs; `error.rs` has the errors that a capability declares; with the feature
//! `serde`, `serde_impls.rs` reads and writes them.
//! `name.rs`, `version.rs` and `class.rs` have the rules for the values, `line.rs` the compatibility lines of versions,
//! `version_set.rs` exact operations on sets of versions, with which ranges are compared, and `schema_text.rs` the
//! compact text of a schema. `embedded.rs` is the form of peers that a program contains.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod class;
mod descriptor;
pub mod embedded;
mod error;
mod keys;
mod line;
pub mod name;
mod owned;
mod schema_text;
#[cfg(feature = "serde")]
mod serde_impls;
mod version;
mod version_set;

pub use class::{Assume, Determinism, SideEffects, Skew};
pub use descriptor::Descriptor;
pub use error::{ErrorDescriptor, OwnedErrorDescriptor};
pub use keys::{CAPABILITY_KEYS, CapabilityKey, ValueType};
pub use line::{are_in_one_line, may_run};
pub use owned::OwnedDescriptor;
pub use version::{
    InvalidVersionRange, LARGE_NUMBER, VERSION_PATTERN, VersionRange, complete_version, has_large_number,
};
pub use version_set::VersionSet;
