//! Generates Rust and TypeScript types from contracts, and is the API for `build.rs` ([`Build`]).
//!
//! [`generate`] turns a checked contract into files in memory and performs no IO. The same contract gives the same
//! bytes.
//!
//! ```
//! use capgen_codegen::{Language, generate};
//! use capgen_manifest::{Source, load};
//!
//! let text = "\
//! version: 1
//! agent: agent://shop
//! transports: [{ kind: memory, topics: { requests: shop } }]
//! capabilities: [{ name: find, inputSchema: { type: string } }]
//! ";
//! let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
//! let files = generate(&contract.manifest, &[Language::TypeScript]);
//! assert!(files["shop.ts"].contains("export type FindRequest = string;"));
//! ```
//!
//! # Reading order
//!
//! For contributors. A contract passes through four rooms, and no later one looks back at the schema:
//!
//! 1. `lower/` turns every schema into a type and the checks beyond it. It never fails: a type that cannot express its
//!    schema is wider, and the check remains.
//! 2. `model/` is the result: records, unions, enums and scalars, with their names. Names are assigned in one place,
//!    from the capability, the side and the path, and are the same in every language.
//! 3. `plan/` decides how validators test payloads: the order of tests, functions, loops, constants, and the rules of
//!    messages. Languages whose types check themselves, as Rust's do, have no need of it.
//! 4. One folder per language, `rust/` and `typescript/`, adapts a copy of the model and prints it. Each language has
//!    one printer, the only code that knows where a line is broken and how a text is escaped; everything else hands it
//!    items or trees. `target/` has the trait of a language, and `language.rs` the table of all, also with the file
//!    that the files of one folder share.
//!
//! To change emitted code, start in the folder of the language; the checked-in output in `generated/` and
//! `tests/cases/` shows the effect, and `cargo run -p xtask -- regen` writes it.
//!
//! Around them: `output/` compares files with a folder and replaces them, `regenerate/` is the command in the header of
//! a file, `samples.rs` has calls to copy, `history/` compares older contracts for a table in generated servers,
//! `public_items/` finds changes of generated code that break a program, and `build_script/` is [`Build`]. `codes/` has
//! the codes with their pages.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod build_script;
pub mod codes;
mod header;
pub mod history;
mod language;
mod lower;
mod model;
mod name;
pub mod output;
mod plan;
pub mod public_items;
pub mod regenerate;
mod rust;
mod samples;
mod target;
mod typescript;

use std::collections::BTreeMap;

use capgen_manifest::Manifest;
pub use capgen_manifest::{Assume, ImportExtension, Options, RuntimePath};

pub use build_script::{Build, BuildError};
pub use language::Language;
use lower::widened::Widened;
use model::Model;
pub use regenerate::Regenerate;
pub use samples::{CallSample, call_samples};

/// Generated files: a map from file names, without folders, to text with `\n` line ends.
pub type Files = BTreeMap<String, String>;

/// Generates the files of one agent's contract: `<id>.rs`, `<id>.ts`, or two files for each form of JavaScript, such as
/// `<id>.js` and `<id>.d.ts`, depending on `languages`. Adds the [files that they import](shared_files).
///
/// Every contract has an output, and the output compiles. Takes time linear in the size of the contract.
///
/// The options have their defaults, and the headers give a command for the root folder of the fleet; see
/// [`generate_with`].
pub fn generate(manifest: &Manifest, languages: &[Language]) -> Files {
    generate_with(manifest, languages, &Options::default(), &Regenerate::anywhere(&manifest.agent))
}

/// Like [`generate`], with options, and with the command that the headers give.
pub fn generate_with(manifest: &Manifest, languages: &[Language], options: &Options, regenerate: &Regenerate) -> Files {
    let mut files = print(lower::lower(manifest), languages, options, regenerate).0;
    files.extend(shared_files(languages, options));
    files
}

/// The files with the code that the generated files of one folder share: `_capgen.ts`, or `_capgen` with the extensions
/// of each form of JavaScript. They are the same for every contract. Empty for languages without such code, and with
/// the option [`single_file`](Options::single_file).
pub fn shared_files(languages: &[Language], options: &Options) -> Files {
    let mut files = Files::new();
    if options.single_file {
        return files;
    }
    for language in languages {
        for file in language.files() {
            let text = file.shared.map(|print| print(header::of_shared(*language)));
            files.extend(text.map(|text| (language::shared_name(file.extension), text)));
        }
    }
    files
}

/// The files of a model that is not settled yet, and the limits that its types exceed in these languages.
fn print(mut model: Model<'_>, languages: &[Language], options: &Options, regenerate: &Regenerate) -> (Files, Widened) {
    model.options = options.clone();
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
        target.prepare(&mut settled);
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
