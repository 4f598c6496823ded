//! Contract to Rust and TypeScript types.
//!
//! [`generate`] turns a checked contract into files in memory; it does no IO. The same contract gives the same bytes.
#![forbid(unsafe_code)]

mod build_script;
pub mod codes;
pub mod contracts;
mod header;
mod language;
mod lower;
mod model;
mod name;
pub mod output;
mod rust;
mod typescript;

use std::collections::BTreeMap;

use capgen_manifest::Manifest;

pub use build_script::{Build, BuildError};
pub use language::Language;

/// Generated files: file name (no folder) to text, `\n` line ends.
pub type Files = BTreeMap<String, String>;

/// The files of one agent's contract: `<id>.rs`, `<id>.ts`, as `languages` asks.
///
/// Total: every contract has an output, and what is emitted compiles. Takes time linear in the size of the contract.
pub fn generate(manifest: &Manifest, languages: &[Language]) -> Files {
    let id = manifest.agent.as_str();
    let model = lower::lower(manifest);
    let print = |language: Language| match language {
        Language::Rust => rust::print(&model),
        Language::TypeScript => typescript::print(&model),
    };
    languages.iter().map(|&language| (format!("{id}.{}", language.extension()), print(language))).collect()
}
