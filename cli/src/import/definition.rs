//! `capgen import manifest`: manifests with schemas of any draft, which programs make.

use capgen_interop::import::Imported;
use capgen_interop::import::manifest::{ManifestImport, manifest as read};
use capgen_manifest::{Manifest as Model, shown};

use super::arguments::Definition;
use super::header::{self, Header};
use super::manifest::{Manifest, completed, first_findings};
use crate::failure::Failure;
use crate::input;

pub(super) fn manifest(arguments: &Definition) -> Result<Manifest, Failure> {
    let Definition { file, made_from, output, .. } = arguments;
    let document = super::read_document(file)?;
    let conversion = arguments.conversion();
    let ManifestImport { imported, manifest } = read(&document, conversion.settings());
    let Some(rest) = manifest else { return Err(Failure::Findings(first_findings(&document, &imported))) };
    let comment = if made_from.is_some() || input::is_stdin(file) {
        header::of_program(made_from.as_deref(), &output.out)
    } else {
        let header = Header { format: "a manifest", server: None, version: None };
        header.text("manifest", std::slice::from_ref(file), &conversion.words(), Some(&output.out))
    };
    let complete = |imported: Imported| Model { capabilities: imported.capabilities, ..rest };
    completed((&document, imported), complete, &comment, &conversion, &shown(file))
}
