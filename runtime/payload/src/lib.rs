//! Capabilities and payloads as Rust types.
//!
//! Programs and generated code import the crate `capgen`, which re-exports everything here. It is a crate of its own so
//! that the layer that calls capabilities (`capgen-call`) can use it, and `capgen` can re-export that layer.
//!
//! ```
//! use capgen_payload::{Loose, Payload};
//!
//! // Loose payloads have no schema, but are read as strictly as others.
//! assert!(Loose::from_json_str(r#"{"a": 1}"#).is_ok());
//! assert!(Loose::from_json_str(r#"{"a": 1, "a": 2}"#).is_err());
//! ```
//!
//! # Reading order
//!
//! For contributors. `capability.rs` and `payload.rs` are the two traits that generated types implement, and
//! `macros.rs` the macros that generated code calls.
//!
//! `wire/` does the work: one pass over JSON text reads and checks a value, another checks and writes it. Generated
//! types implement its `Codec` with a reader and a writer that are not generic, so they are compiled once for all
//! types. If a payload is invalid, the interpreter of `capgen-schema` reads it again and lists the violations. serde's
//! traits are thin layers over the same functions.
//!
//! With the feature `derive`, `derive/` makes payloads of types with serde's traits, by the schemas that schemars
//! derives.
//!
//! The modules depend on each other in one direction, from left to right; only macros expand to everything:
//!
//! ```text
//! derive -> capability -> declared_capability -> unsupported_schema
//! derive -> capability -> payload -> wire -> options, invalid_payload, unsupported_schema
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod capability;
#[cfg(feature = "derive")]
mod declared_capability;
#[cfg(feature = "derive")]
pub mod derive;
mod invalid_payload;
mod macros;
mod never;
mod options;
mod payload;
#[cfg(feature = "derive")]
mod unsupported_schema;
pub mod wire;

pub use capability::Capability;
pub use capgen_descriptor::{Descriptor, ErrorDescriptor, OwnedDescriptor, OwnedErrorDescriptor};
pub use capgen_schema::{Keyword, PayloadError, ReportBudget, Validator, ValidatorCache, Violation, Violations};
pub use invalid_payload::InvalidPayload;
pub use never::Never;
pub use options::Options;
pub use payload::{Loose, Payload};
pub use wire::NotInEnum;

#[cfg(feature = "derive")]
#[doc(hidden)]
pub use declared_capability::DeclaredCapability;
#[cfg(feature = "derive")]
pub use derive::{Checked, MapSchema};
#[cfg(feature = "derive")]
pub use unsupported_schema::UnsupportedSchema;
