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
//! The types of payloads are in the crate `capgen-payload`, which this one re-exports. With the feature `call`, `call`
//! has the crate `capgen-call`, which calls capabilities and serves them.
//!
//! # Reading order
//!
//! For contributors. This crate is a facade: start in `capgen-payload`, then `capgen-call`. Its own two files exist
//! with the feature `derive`: `export.rs` compares a checked-in manifest with the declared capabilities, in tests of
//! users, and `agent_manifest.rs` builds the content. The modules depend on each other in one direction, from left to
//! right:
//!
//! ```text
//! export -> agent_manifest
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "derive")]
mod agent_manifest;
#[cfg(feature = "derive")]
mod export;

pub use capgen_payload::{
    Capability, Descriptor, ErrorDescriptor, InvalidPayload, Keyword, Loose, Never, NotInEnum, Options,
    OwnedDescriptor, OwnedErrorDescriptor, Payload, PayloadError, ReportBudget, Validator, ValidatorCache, Violation,
    Violations, impl_serde, json_enum, payload, string_enum, wire,
};

#[cfg(feature = "call")]
pub use capgen_call::{self as call, agent};

#[cfg(feature = "jwt")]
pub use capgen_identity as identity;

#[cfg(feature = "call-fleet")]
#[doc(hidden)]
pub use capgen_macros::fleet_text;

/// Embeds the agents of a fleet in the program when it is built, as a
/// [`call::EmbeddedFleet`] for [`call::PeerTable::with_embedded`]. The program runs without the files.
///
/// The arguments are the folder with `fleet.yaml` or `agents/` and, optionally, an `rpc-peers.yaml`. Both are relative
/// to the package (`CARGO_MANIFEST_DIR`).
///
/// ```
/// use capgen::call::{EmbeddedFleet, PeerTable};
///
/// const FLEET: EmbeddedFleet = capgen::include_fleet!("../../examples/fleet", "../../examples/fleet/rpc-peers.yaml");
///
/// let peers = PeerTable::new().with_embedded(&FLEET)?;
/// assert!(peers.has("payments"));
/// # Ok::<(), capgen::call::InvalidFleet>(())
/// ```
///
/// The program contains the ids, capabilities and addresses of the agents, and no other settings of their transports,
/// which may contain credentials. It also contains the settings of the keys `calls`, `keys` and `grants` of
/// `fleet.yaml`, with the fingerprints and the last days of the accepted findings. Errors in the files are errors of
/// the compiler, with their places. A changed file builds the package again; a new folder below `agents/` does so if it
/// is in `fleet.yaml`, and otherwise at the next change.
#[cfg(feature = "call-fleet")]
#[macro_export]
macro_rules! include_fleet {
    ($($path:tt)*) => {
        $crate::call::EmbeddedFleet::of_macro($crate::fleet_text!($($path)*))
    };
}

#[cfg(feature = "derive")]
#[doc(hidden)]
pub use capgen_payload::{DeclaredCapability, derive};

#[cfg(all(feature = "derive", feature = "call"))]
#[doc(hidden)]
pub use capgen_call::declared_errors as derive_error_conversions;

/// Without calls, there are no failures to convert into. The enum needs the same traits as with them, so that it
/// compiles also if another crate of the program uses calls.
#[cfg(all(feature = "derive", not(feature = "call")))]
#[doc(hidden)]
#[macro_export]
macro_rules! derive_error_conversions {
    (@derived $name:ident, $($conversions:tt)*) => {
        const _: fn() = || {
            fn needs_debug<T: ::core::fmt::Debug>() {}
            needs_debug::<$name>();
        };
    };
}

#[cfg(feature = "derive")]
pub use {
    agent_manifest::{AgentManifest, AgentManifestError},
    capgen_macros::{Capability, CapabilityError},
    capgen_manifest::TransportSettings,
    capgen_payload::{Checked, MapSchema, UnsupportedSchema},
    export::{ExportError, export, export_in},
};
