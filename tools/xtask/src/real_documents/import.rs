//! One document, imported strictly and with `--lossy --skip`.

use capgen_diagnostic::Diagnostic;
use capgen_interop::import::{Document, ImportSettings, Imported, json_schema, mcp, openapi};
use capgen_manifest::{Manifest, Source, TransportSettings};

use super::reasons::Reasons;

/// A kind of documents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    OpenApi,
    Schemas,
    Tools,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::OpenApi, Self::Schemas, Self::Tools];

    /// The folder of the documents.
    pub(super) const fn folder(self) -> &'static str {
        match self {
            Self::OpenApi => "openapi",
            Self::Schemas => "schemas",
            Self::Tools => "tools",
        }
    }

    /// The entries of a document, in a heading.
    pub(super) const fn entries(self) -> &'static str {
        match self {
            Self::OpenApi => "operations",
            Self::Schemas => "schemas",
            Self::Tools => "tools",
        }
    }

    /// The capabilities of a document. A document of the kind can also have none.
    pub(super) fn import(self, document: &Document, lossy: bool) -> Imported {
        let settings = ImportSettings { lossy, ..ImportSettings::default() };
        match self {
            Self::OpenApi => openapi::operations(document, settings).imported,
            Self::Schemas => json_schema::schemas(document, settings, &json_schema::Naming::default()).imported,
            Self::Tools => mcp::tools(document, settings).imported,
        }
    }

    fn parse(self, source: &Source) -> Result<Document, Vec<Diagnostic>> {
        match self {
            Self::OpenApi => Document::parse(source),
            Self::Schemas => Ok(Document::of_files(vec![(source.path().to_owned(), Document::parse_json(source)?)])),
            Self::Tools => Document::parse_json_or_lines(source),
        }
    }
}

/// The result of one document.
pub(super) struct Measured {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// The number of operations, schemas or tools.
    pub(super) entries: usize,
    /// How many of them a strict import accepts.
    pub(super) strict: usize,
    /// How many of them `--lossy --skip` accepts.
    pub(super) lossy: usize,
    /// The findings of a strict import that reject entries.
    pub(super) reasons: Reasons,
    /// The contract of the entries that `--lossy --skip` accepts; `None` if there are none.
    pub(super) contract: Option<Manifest>,
    /// Whether the code of that contract compiles, in the order of the languages; empty if it was not tried.
    pub(super) compiles: Vec<bool>,
}

/// A document of a kind.
pub(super) fn parsed(kind: Kind, source: &Source) -> Result<Document, String> {
    kind.parse(source).map_err(|findings| format!("{}: {}", source.path(), first(&findings)))
}

/// Imports a document in both ways.
pub(super) fn measure(kind: Kind, source: &Source) -> Result<Measured, String> {
    let name = source.path().to_owned();
    let document = parsed(kind, source)?;
    let strict = kind.import(&document, false);
    let lossy = kind.import(&document, true);
    Ok(Measured {
        kind,
        entries: strict.entries,
        strict: strict.capabilities.len(),
        lossy: lossy.capabilities.len(),
        reasons: Reasons::of(kind, &document, &strict),
        contract: contract(&name, lossy),
        name,
        compiles: Vec::new(),
    })
}

/// The first of several findings, which have no lines here.
pub(super) fn first(findings: &[Diagnostic]) -> &str {
    findings.first().map_or("it cannot be read", |finding| finding.message.as_str())
}

/// The contract of the entries that were imported.
fn contract(name: &str, imported: Imported) -> Option<Manifest> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let agent = capgen_interop::import::agent_id(stem)?;
    let transport = TransportSettings::memory(&format!("agents.{agent}.requests"));
    (!imported.capabilities.is_empty()).then(|| imported.into_manifest(agent, vec![transport]))
}
