//! `real-documents`: how much of a folder of documents can be imported, and why not the rest.
//!
//! The folder has any of the folders `openapi` (documents of OpenAPI, in JSON or YAML), `schemas` (files of JSON
//! Schema) and `tools` (lists of MCP tools). The documents belong to others, so they are not part of the repository;
//! this task prints the table in `docs/interop.md`.

mod compile;
mod import;
mod payloads;
mod reasons;
mod table;
mod variants;

use std::path::{Path, PathBuf};

use capgen_manifest::{Source, decode};

use crate::Outcome;
use import::{Kind, Measured, first};

/// A measurement in addition to that of imports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum More {
    Nothing,
    /// Whether generated code compiles.
    Compile,
    /// Whether Ajv gives the same verdicts.
    Payloads,
}

/// Measures the documents of a folder.
pub(crate) fn run(folder: &str, more: More) -> Outcome {
    let (mut measured, mut agreements) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        for path in documents(&Path::new(folder).join(kind.folder()))? {
            let source = read(&path)?;
            if more == More::Payloads {
                let document = import::parsed(kind, &source)?;
                agreements.push(payloads::Compared::of(kind, &document, &source)?.agreement(source.path())?);
            } else {
                measured.push(import::measure(kind, &source)?);
            }
        }
    }
    if !agreements.is_empty() {
        return Ok(table::of_payloads(&agreements));
    }
    if measured.is_empty() {
        let folders = Kind::ALL.map(|kind| format!("`{}`", kind.folder())).join(", ");
        return Err(format!("{folder}: no document in {folders}"));
    }
    if more == More::Compile {
        compile::all(&mut measured)?;
    }
    Ok(table::text(&measured))
}

/// The documents of a folder, sorted by name; none if it does not exist.
fn documents(folder: &Path) -> Result<Vec<PathBuf>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = folder.read_dir().and_then(|entries| entries.collect::<Result<Vec<_>, _>>()).map_err(failed)?;
    let is_document = |path: &PathBuf| {
        path.extension().is_some_and(|extension| ["json", "yaml", "yml"].iter().any(|known| extension == *known))
    };
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_document).collect();
    paths.sort();
    Ok(paths)
}

/// The text of a document. Its path in findings is its name alone.
fn read(path: &Path) -> Result<Source, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    decode(&name, bytes).map_err(|findings| format!("{name}: {}", first(&findings)))
}

/// The counts of all documents of a kind.
fn of_kind(measured: &[Measured], kind: Kind) -> impl Iterator<Item = &Measured> {
    measured.iter().filter(move |document| document.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two operations, one of which has a schema with an unknown type.
    const DOCUMENT: &str = r##"{
        "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "paths": {"/a": {
            "get": {"responses": {"200": {"description": "", "content": {"application/json": {"schema": {"type": "string"}}}}}},
            "put": {"requestBody": {"content": {"application/json": {"schema": {"type": "nothing"}}}},
                    "responses": {"200": {"description": "", "content": {"application/json": {"schema": true}}}}}
        }}
    }"##;

    #[test]
    fn each_rejected_operation_is_counted_once_for_each_reason() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("openapi")).unwrap();
        std::fs::write(folder.path().join("openapi/shop.json"), DOCUMENT).unwrap();
        let table = run(&folder.path().to_string_lossy(), More::Nothing).unwrap();
        assert!(table.contains("| shop.json | 2 | 1 | 2 |\n| all | 2 | 1 (50.0%) | 2 (100.0%) |"), "{table}");
        assert!(table.contains("| E0105: unknown type ... | 1 |"), "{table}");
    }

    #[test]
    fn a_folder_without_documents_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(run(&folder.path().to_string_lossy(), More::Nothing).unwrap_err().contains("no document in `openapi`"));
    }
}
