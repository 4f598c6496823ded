//! Typed contracts between agents: the runtime library of users and of generated code.
//!
//! `capgen --peer <id>` writes a Rust file per agent. It has a marker type per capability, which implements
//! [`Capability`], and the types of its two payloads, which read, check and write JSON as [`Payload`]s:
//!
//! ```
//! use capgen::{Capability, Descriptor};
//!
//! // As generated:
//! pub struct ReviewPr;
//! impl Capability for ReviewPr {
//!     type Request = capgen::Loose;
//!     type Response = capgen::Loose;
//!     const NAME: &'static str = "review-pr";
//!     fn descriptor() -> &'static Descriptor {
//!         const { &Descriptor::new("pr-reviewer", "review-pr", "6f1d").with_timeout_ms(60_000) }
//!     }
//! }
//!
//! assert_eq!(ReviewPr::NAME, "review-pr");
//! assert_eq!(ReviewPr::descriptor().timeout_ms, Some(60_000));
//! ```
//!
//! The modules depend on each other in one direction, from left to right:
//!
//! ```text
//! export -> agent_manifest -> derive -> capability -> declared_capability -> unsupported_schema
//!                             derive -> capability -> payload -> wire -> options, invalid_payload, unsupported_schema
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "derive")]
mod agent_manifest;
mod capability;
#[cfg(feature = "derive")]
mod declared_capability;
#[cfg(feature = "derive")]
pub mod derive;
#[cfg(feature = "derive")]
mod export;
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
pub use capgen_schema::{Keyword, PayloadError, Validator, ValidatorCache, Violation};
pub use invalid_payload::InvalidPayload;
pub use never::Never;
pub use options::Options;
pub use payload::{Loose, Payload};
pub use wire::NotInEnum;

#[cfg(feature = "derive")]
#[doc(hidden)]
pub use declared_capability::DeclaredCapability;

#[cfg(feature = "derive")]
pub use {
    agent_manifest::{AgentManifest, AgentManifestError},
    capgen_macros::Capability,
    capgen_manifest::TransportSettings,
    derive::Checked,
    export::{ExportError, export, export_in},
    unsupported_schema::UnsupportedSchema,
};
