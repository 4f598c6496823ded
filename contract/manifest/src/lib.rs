//! The model of `capabilities.yaml` and `fleet.yaml`. With the default feature `parse`: the readers that turn untrusted
//! text into the model, and the loader that finds, reads and checks the contracts of a fleet.
//!
//! A contract that was read keeps its source and the span of every value ([`LoadedContract`]), so that a later finding,
//! such as an incompatible change, can point at lines.
//!
//! ```
//! # #[cfg(feature = "parse")] {
//! use capgen_manifest::{Source, load};
//!
//! let text = "\
//! version: 1
//! agent: agent://shop
//! transports: [{ kind: memory, topics: { requests: shop } }]
//! capabilities: [{ name: find, inputSchema: { type: string } }]
//! ";
//! let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
//! assert_eq!(contract.manifest.capabilities[0].name, "find");
//!
//! // An invalid text gives all of its findings at once.
//! let findings = load(&Source::new("capabilities.yaml", text.replace("string", "strung"))).unwrap_err();
//! assert!(findings[0].message.contains("strung"));
//! # }
//! ```
//!
//! # Reading order
//!
//! For contributors. Start with the model, which has no positions and needs no feature, then with the loader, which
//! adds them. A text becomes a tree with spans (`yaml/`, and JSON by the lexer of `capgen-schema`), within limits on
//! depth, values and bytes that count the expansion of aliases. `read/` turns the tree into the model, with one file
//! per part of the manifest; the keys of both files are in tables, from which `manifest_schema/` also makes the JSON
//! Schemas for editors. `secrets/` decides which parts of a text a finding may display. `fleet/` knows the agents of a
//! fleet, `addresses.rs` finds those that are in each other's way, and `requirements.rs` those that need authorization.
//! `http/` has the operations of HTTP that capabilities describe: their keys, checks and defaults.
//!
//! In the other direction, `write/` prints a model as YAML that every reader reads equally. The rest is about the
//! options of generated code, which are one table (`options.rs`), and about files that capgen writes: replaced as a
//! whole, all or none, and only if capgen may overwrite them.
//!
//! `codes/` has the codes with their pages.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod about;
#[cfg(feature = "parse")]
mod accepted_warning;
#[cfg(feature = "parse")]
mod addresses;
#[cfg(feature = "parse")]
mod cache;
#[cfg(feature = "parse")]
pub mod codes;
mod contract;
mod declared_error;
mod definitions;
mod descriptor;
#[cfg(feature = "parse")]
mod document;
#[cfg(feature = "parse")]
mod file;
#[cfg(feature = "parse")]
mod findings;
#[cfg(feature = "parse")]
mod fleet;
mod http;
mod import_extension;
#[cfg(feature = "parse")]
mod json;
mod keys;
#[cfg(feature = "parse")]
mod loaded;
mod manifest_schema;
mod masked;
#[cfg(feature = "parse")]
mod meaning;
mod model;
mod options;
#[cfg(feature = "parse")]
mod read;
#[cfg(feature = "parse")]
mod requirements;
mod runtime_path;
mod rust_keyword;
#[cfg(feature = "parse")]
mod secrets;
#[cfg(feature = "parse")]
mod selection;
mod transport;
mod transport_builder;
#[cfg(feature = "parse")]
mod tree;
mod versions;
mod write;
#[cfg(feature = "parse")]
mod yaml;

pub use about::{About, Contact, EmailAddress, HttpsUrl};
pub use capgen_descriptor::{
    Assume, Determinism, InvalidVersionRange, OwnedDescriptor, SideEffects, Skew, VersionRange, are_in_one_line,
    capability_keys, complete_version, may_run,
};
pub use contract::Hashes;
pub use declared_error::DeclaredError;
pub use definitions::{Definition, DefinitionPlace, Definitions};
pub use descriptor::InvalidProperty;
pub use http::{Http, HttpDefaults, InvalidHttp};
pub use import_extension::ImportExtension;
pub use manifest_schema::{capabilities_schema, fleet_schema};
pub use masked::masked_lines;
pub use model::{AgentId, Capability, ContractPart, InvalidAgentId, Manifest, Side, TransportSettings};
pub use options::{OptionRow, OptionValue, Options, Scope};
pub use runtime_path::{InvalidRuntimePath, RuntimePath};
pub use rust_keyword::RustKeyword;
pub use versions::{VersionConflict, plain_capabilities, plain_versions};

// The types of `capgen-diagnostic` that the functions below take and return. Its renderers are not re-exported.
#[cfg(feature = "parse")]
pub use capgen_diagnostic::{Diagnostic, Source};

#[cfg(feature = "parse")]
pub use {
    accepted_warning::AcceptedWarning,
    addresses::check_addresses,
    cache::{KeptContracts, PerContract},
    document::parse_document,
    file::{decode, read_source, shown},
    fleet::{
        AnnotatedNames, Fleet, FleetCalls, FleetGrant, FleetHistory, FleetKey, FleetOutput, FleetPlace, FleetText,
        McpSource, find_root, listed_agents,
    },
    json::parse_json,
    loaded::{LoadedContract, Spans},
    meaning::{accepts_no_value, check_meaning, check_values},
    read::{Inspection, inspect, load, load_peer, read_peers},
    requirements::check_requirements,
    secrets::show_schemas,
    selection::{Located, Selection},
    tree::{Data, Member, Node},
    yaml::parse_yaml,
};
