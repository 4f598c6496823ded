//! Contracts from other formats.
//!
//! An importer reads one [`Document`], turns each entry of it (a tool, an operation, a skill) into a capability, and
//! reports every part that a contract cannot express. An entry is imported as a whole or not at all.
//!
//! `importer` has the parts that all formats share: schemas, names and findings.

pub mod a2a;
mod bundle;
mod collection;
mod document;
mod formats;
mod importer;
pub mod json_schema;
mod kind;
mod lines;
mod links;
pub mod manifest;
mod mark;
pub mod mcp;
mod name;
pub mod openapi;
mod schema;
mod tidy;
mod unread;

use capgen_diagnostic::{Diagnostic, Severity};
use capgen_manifest::{About, AgentId, Capability, Manifest, TransportSettings};
use capgen_schema::{Anchor, Code};

use crate::codes;
pub use bundle::with_files;
pub use document::Document;
pub use formats::AnnotatedFormats;
pub(crate) use importer::{Entry, Importer, add_tags, finding};
pub(crate) use kind::Kind;
pub(crate) use mark::Kept;
pub use name::agent_id;
pub(crate) use schema::{Dialect, Foreign, pruned};
pub use unread::NotRead;

/// How schemas are imported.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ImportSettings {
    /// Whether a schema that the subset cannot express is widened, so that it accepts more payloads than the original.
    /// Otherwise its entry is rejected.
    pub lossy: bool,
    /// The formats that are kept in `x-format`, and not checked.
    pub annotated_formats: AnnotatedFormats,
}

/// The result of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The valid texts about the agent: others, such as a URL without `https`, are left out.
    pub about: About,
    /// The capabilities of the entries without errors, sorted by name.
    pub capabilities: Vec<Capability>,
    /// The number of entries, including those with errors.
    pub entries: usize,
    /// The names in the input of the entries with errors; the last ones are empty, for entries without a name.
    pub rejected: Vec<String>,
    /// Errors and warnings, in the order of the input.
    pub findings: Vec<ImportFinding>,
}

impl Imported {
    /// The contract of an agent that offers the capabilities.
    pub fn into_manifest(self, agent: AgentId, transports: Vec<TransportSettings>) -> Manifest {
        Manifest { about: self.about, ..Manifest::new(agent, transports, self.capabilities) }
    }

    /// Whether an entry, or the document as a whole, has an error.
    pub fn has_errors(&self) -> bool {
        !self.rejected.is_empty() || self.has_document_errors()
    }

    /// Whether the document as a whole has an error, so that entries may be missing.
    pub fn has_document_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.concerns_document && finding.code.severity() == Severity::Error)
    }

    /// The error of an import without capabilities.
    pub fn nothing(&self) -> Diagnostic {
        let message = match self.entries {
            0 => "there is nothing to import".to_owned(),
            count => format!("there is nothing to import: all of the {count} entries have errors"),
        };
        Diagnostic::new(codes::NOTHING_TO_IMPORT, message).help("a contract has at least one capability")
    }
}

/// A part of the input that cannot be imported, or, with [`ImportSettings::lossy`], that was left out.
///
/// Its texts may quote the input, which is untrusted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportFinding {
    /// The code: one of [`codes`], or that of the schema's problem.
    pub code: Code,
    /// The name of the entry in the input; empty if it has none, or if the finding concerns the document as a whole.
    pub entry: String,
    /// Whether it concerns the document as a whole, and not one entry.
    pub concerns_document: bool,
    /// The place in words, such as ``tool `search`, inputSchema, /properties/q``; may be empty. If several entries
    /// share the place in the document, it is that of the first one, with the number of others.
    pub place: String,
    /// JSON Pointer from the root of the document.
    pub pointer: String,
    /// Whether the name or the value of that member is wrong.
    pub anchor: Anchor,
    /// The keyword of JSON Schema in question; empty if the finding is not about a schema.
    pub keyword: String,
    /// One sentence, without a full stop.
    pub message: String,
    /// A few words next to the place in the source; may be empty.
    pub label: String,
    /// JSON Pointer of the first of two places that exclude each other.
    pub first: Option<String>,
    /// How to fix it.
    pub help: Option<String>,
}
