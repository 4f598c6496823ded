//! What whole-system tests share.
//!
//! [`node`] runs the TypeScript compiler, [`rust_package`] cargo; [`corpus`] reads collections of schemas from outside this repository, and
//! [`contract`] makes contracts of schemas. [`random`] makes schemas and payloads by chance,
//! and [`agreement`] compares what the ways to judge them say. [`derived`] has types to derive schemas from. [`fuzz`] has the bodies of the fuzz targets.
#![forbid(unsafe_code)]

pub mod agreement;
pub mod contract;
pub mod corpus;
pub mod derived;
pub mod fuzz;
pub mod literal;
pub mod node;
pub mod random;
pub mod rust_package;

/// Why a test could not be run at all.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The folder of this package.
pub fn folder() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}
