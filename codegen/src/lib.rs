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
mod typescript;

use std::collections::BTreeMap;

use capgen_manifest::Manifest;
pub use capgen_manifest::Options;

pub use build_script::{Build, BuildError};
use language::FileKind;
pub use language::Language;
use model::Model;
pub use regenerate::Regenerate;
use typescript::Form;

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
    print(lower::lower(manifest), languages, options, regenerate)
}

/// The files of a model, which has no validators yet.
fn print(mut model: Model<'_>, languages: &[Language], options: &Options, regenerate: &Regenerate) -> Files {
    let id = model.manifest.agent.as_str();
    model.options = *options;
    if languages.iter().any(|language| *language != Language::Rust) {
        lower::add_validators(&mut model);
    }
    let print = |language: Language, file: FileKind| {
        let header = header::header(&model, language, options, regenerate);
        match file {
            FileKind::Rust => rust::print(header, &model),
            FileKind::TypeScript => typescript::print(header, &model, Form::Typed),
            FileKind::JavaScript | FileKind::JavaScriptModule => typescript::print(header, &model, Form::Script),
            FileKind::CommonJs => typescript::print(header, &model, Form::CommonJs),
            FileKind::Declarations | FileKind::ModuleDeclarations | FileKind::CommonJsDeclarations => {
                typescript::print(header, &model, Form::Declarations)
            }
        }
    };
    let files = languages.iter().flat_map(|language| language.files().iter().map(|file| (*language, *file)));
    files.map(|(language, file)| (format!("{id}.{}", file.extension()), print(language, file))).collect()
}
