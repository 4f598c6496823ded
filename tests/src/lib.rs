//! Shared code of the whole-system tests.
//!
//! [`node`] runs the TypeScript compiler and [`rust_package`] cargo; [`round_trip`] reads and writes payloads with
//! generated Rust. [`corpus`] reads collections of schemas from outside this repository, and [`contract`] builds
//! contracts from schemas. [`random`] generates random schemas and payloads, [`agreement`] compares the engines that
//! validate them, and [`containment`] checks the answers to whether one schema contains another. [`derived`] contains
//! types to derive schemas from. [`fuzz`] contains the bodies of the fuzz targets, [`independent_cbor`] compares
//! decoders of CBOR, and [`registry_events`] has events of the registry.
#![forbid(unsafe_code)]

pub mod agreement;
pub mod containment;
pub mod contract;
pub mod corpus;
pub mod derived;
pub mod fuzz;
pub mod independent_cbor;
pub mod literal;
pub mod node;
pub mod random;
pub mod registry_events;
pub mod round_trip;
pub mod rust_package;

/// The example of a derive whose own crate does not depend on calls.
#[cfg(doctest)]
#[doc = include_str!("../../macros/src/error_enum.md")]
mod error_enum_example {}

/// The reason that a test could not run.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The folder of this package.
pub fn folder() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}
