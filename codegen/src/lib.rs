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
pub mod regenerate;
mod rust;
pub mod surface;
mod target;
mod typescript;

use std::collections::BTreeMap;

use capgen_manifest::Manifest;
pub use capgen_manifest::Options;

pub use build_script::{Build, BuildError};
pub use language::Language;
use lower::widened::Widened;
use model::Model;
pub use regenerate::Regenerate;

/// Generated files: a map from file names, without folders, to text with `\n` line ends.
pub type Files = BTreeMap<String, String>;

/// Generates the files of one agent's contract: `<id>.rs`, `<id>.ts`, or two files for each form of JavaScript, such as
/// `<id>.js` and `<id>.d.ts`, depending on `languages`.
///
/// Every contract has an output, and the output compiles. Takes time linear in the size of the contract.
///
/// The options have their defaults, and the headers give a command for the root folder of the fleet; see [`generate_with`].
pub fn generate(manifest: &Manifest, languages: &[Language]) -> Files {
    generate_with(manifest, languages, &Options::default(), &Regenerate::anywhere(&manifest.agent))
}

/// Like [`generate`], with options, and with the command that the headers give.
pub fn generate_with(manifest: &Manifest, languages: &[Language], options: &Options, regenerate: &Regenerate) -> Files {
    print(lower::lower(manifest), languages, options, regenerate).0
}

/// The files of a model that is not settled yet, and the limits that its types exceed in these languages.
fn print(mut model: Model<'_>, languages: &[Language], options: &Options, regenerate: &Regenerate) -> (Files, Widened) {
    model.options = *options;
    // Each header has the hash, so it is computed before the model is copied.
    model.hashes();
    let mut files = Files::new();
    let mut widened = model.widened.clone();
    let targets = Language::targets(languages);
    let count = targets.len();
    // The last target needs no copy.
    let mut model = Some(model);
    for (index, target) in targets.into_iter().enumerate() {
        let copy = if index + 1 < count { model.clone() } else { model.take() };
        let Some(mut settled) = copy else { break };
        target.settle(&mut settled);
        for language in languages.iter().filter(|language| language.target().name() == target.name()) {
            let header = header::header(&settled, *language, options, regenerate);
            for file in language.files() {
                let name = format!("{}.{}", settled.manifest.agent, file.extension);
                files.insert(name, (file.print)(header.clone(), &settled));
            }
        }
        widened.extend(settled.widened);
    }
    (files, widened)
}
