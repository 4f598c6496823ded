//! `capgen import`: manifests from other formats.

mod arguments;
mod changes;
mod definition;
mod header;
mod json_schema;
mod linked;
mod manifest;
pub(crate) mod mcp;
mod one_file;
mod output;
#[cfg(feature = "mcp")]
mod server;

use std::path::Path;

use capgen_interop::import::Document;
use capgen_manifest::{Source, decode, read_source, shown};

pub(crate) use manifest::Manifest;

use clap::error::ErrorKind;

use crate::console::Console;
use crate::failure::{Failure, RunResult};
use crate::input;
use crate::progress::Progress;
use arguments::Format;
pub(crate) use arguments::{Conversion, Import, Imported};

pub(crate) fn run(arguments: &Import, console: &Console) -> RunResult {
    let output = arguments.format.output();
    output::check_streams(output)?;
    let progress = Progress::start("importing", None);
    let manifest = match &arguments.format {
        Format::Mcp(arguments) => mcp::manifest(arguments, console),
        Format::JsonSchema(arguments) => json_schema::manifest(arguments),
        Format::Openapi(arguments) => one_file::openapi(arguments),
        Format::A2a(arguments) => one_file::a2a(arguments),
        Format::Manifest(arguments) => definition::manifest(arguments),
    };
    drop(progress);
    output::finish(output, manifest, console)
}

/// The reason why an import has no agent: a document of another format has no name in the expected place.
fn no_agent(document: &Document, found: &capgen_interop::import::Imported) -> Failure {
    if found.has_document_errors() {
        return Failure::Findings(document.with_places(&found.findings));
    }
    let message = "the source has no usable name for the agent: pass `--agent <ID>`";
    Failure::usage(ErrorKind::MissingRequiredArgument, message)
}

/// The document in a file, as JSON or YAML by its path. Standard input has none, and nearly all of JSON is YAML, but
/// errors in JSON are clearer if it is read as JSON.
fn read_document(path: &Path) -> Result<Document, Failure> {
    let source = read(path)?;
    let looks_like_json = input::is_stdin(path) && source.text().trim_start().starts_with('{');
    Ok(if looks_like_json { Document::parse_json(&source)? } else { Document::parse(&source)? })
}

/// The text of a file, or of standard input. At most 32 MiB are read.
fn read(path: &Path) -> Result<Source, Failure> {
    /// One byte more than the reader of JSON accepts, so that it reports longer texts.
    const MAX_BYTES: u64 = 32 << 20;
    if !input::is_stdin(path) {
        return Ok(read_source(path, &shown(path))?);
    }
    Ok(decode("<stdin>", input::read(path, MAX_BYTES)?)?)
}
