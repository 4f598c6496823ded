//! Capabilities and payloads as Rust types.
//!
//! Programs and generated code import the crate `capgen`, which re-exports everything here. It is a crate of its own so that the
//! layer that calls capabilities (`capgen-call`) can use it, and `capgen` can re-export that layer.
//!
//! The modules depend on each other in one direction, from left to right:
//!
//! ```text
//! derive -> capability -> declared_capability -> unsupported_schema
//! derive -> capability -> payload -> wire -> options, invalid_payload, unsupported_schema
//! ```
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
pub use capgen_descriptor::{Descriptor, OwnedDescriptor};
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
