//! Generates Rust and TypeScript types from contracts.
//!
//! [`generate`] turns a checked contract into files in memory and performs no IO. The same contract gives the same bytes.
#![forbid(unsafe_code)]

mod build_script;
pub mod codes;
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
use language::FileKind;
pub use language::Language;
use typescript::Form;

/// Generated files: a map from file names, without folders, to text with `\n` line ends.
pub type Files = BTreeMap<String, String>;

/// Generates the files of one agent's contract: `<id>.rs`, `<id>.ts`, or `<id>.js` and `<id>.d.ts`, depending on `languages`.
///
/// Every contract has an output, and the output compiles. Takes time linear in the size of the contract.
pub fn generate(manifest: &Manifest, languages: &[Language]) -> Files {
    let id = manifest.agent.as_str();
    let mut model = lower::lower(manifest);
    if languages.iter().any(|language| *language != Language::Rust) {
        lower::add_validators(&mut model);
    }
    let print = |file: FileKind| match file {
        FileKind::Rust => rust::print(&model),
        FileKind::TypeScript => typescript::print(&model, Form::Typed),
        FileKind::JavaScript => typescript::print(&model, Form::Script),
        FileKind::Declarations => typescript::print(&model, Form::Declarations),
    };
    let files = languages.iter().flat_map(|language| language.files());
    files.map(|file| (format!("{id}.{}", file.extension()), print(*file))).collect()
}
