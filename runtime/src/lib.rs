//! Typed contracts between agents: what users and generated code import.
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
#![forbid(unsafe_code)]

#[cfg(feature = "derive")]
mod agent_manifest;
mod capability;
#[cfg(feature = "derive")]
pub mod derive;
mod descriptor;
#[cfg(feature = "derive")]
mod export;
mod macros;
mod never;
mod options;
mod payload;
pub mod wire;

pub use capability::Capability;
pub use capgen_schema::{Keyword, PayloadError, Validator, ValidatorCache, Violation};
pub use descriptor::Descriptor;
pub use never::Never;
pub use options::Options;
pub use payload::{InvalidPayload, Loose, Payload};

#[cfg(feature = "derive")]
pub use {
    agent_manifest::{AgentManifest, AgentManifestError},
    capgen_macros::Capability,
    capgen_manifest::TransportSettings,
    derive::{Checked, UnsupportedSchema},
    export::{ExportError, export},
};
