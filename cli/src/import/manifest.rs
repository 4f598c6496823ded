//! From an import to the text of a manifest that loads.

use capgen_diagnostic::{Diagnostic, Severity};
use capgen_interop::import::{Document, Imported};
use capgen_manifest::{AgentId, LoadedContract, Source, TransportSettings, load};

use super::arguments::Conversion;
use super::header::Header;
use crate::console::count;
use crate::failure::Failure;

/// At most this many findings are printed. More than a user reads; a document of a server can cause any number.
const MAX_FINDINGS: usize = 1000;

/// At most this many names of entries that were left out are printed, which fit on a few lines.
const MAX_NAMES: usize = 20;

/// Capabilities with everything else that a manifest needs.
#[derive(Debug)]
pub(crate) struct Import {
    pub(super) document: Document,
    pub(super) imported: Imported,
    pub(super) agent: AgentId,
    pub(super) transports: Vec<TransportSettings>,
    pub(crate) header: Header,
}

/// A manifest that was imported.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) text: String,
    pub(crate) contract: LoadedContract,
    /// Warnings about the source, including those about entries that were left out.
    pub(crate) findings: Vec<Diagnostic>,
    /// The entries that were left out, as a line; `None` if there are none.
    pub(crate) left_out: Option<String>,
}

/// Makes a manifest. Fails if an entry has an error that `--skip` does not leave out, and if the text does not load, as
/// one beyond the limits of manifests. `path` is the source in findings about the manifest.
pub(crate) fn checked(import: Import, header: &str, conversion: &Conversion, path: &str) -> Result<Manifest, Failure> {
    let Import { document, imported, agent, transports, .. } = import;
    let complete = |imported: Imported| imported.into_manifest(agent, transports);
    completed((&document, imported), complete, header, conversion, path)
}

/// Makes a manifest, as [`checked`] does. `complete` adds the other keys.
pub(super) fn completed(
    (document, imported): (&Document, Imported),
    complete: impl FnOnce(Imported) -> capgen_manifest::Manifest,
    header: &str,
    conversion: &Conversion,
    path: &str,
) -> Result<Manifest, Failure> {
    // Entries with errors are left out with `--skip`, but a document with errors may lack entries.
    let has_errors = if conversion.skip { imported.has_document_errors() } else { imported.has_errors() };
    let mut findings = first_findings(document, &imported);
    if !has_errors {
        let errors = findings.iter_mut().filter(|finding| finding.severity() == Severity::Error);
        errors.for_each(|finding| finding.severity = Some(Severity::Warning));
    }
    if imported.capabilities.is_empty() && !has_errors {
        findings.push(imported.nothing());
    }
    if has_errors || imported.capabilities.is_empty() {
        return Err(Failure::Findings(findings));
    }
    let left_out = left_out(&imported);
    let text = complete(imported).to_yaml_with_comment(header);
    let contract = load(&Source::new(format!("{path} (imported)"), text.as_str()))?;
    Ok(Manifest { text, contract, findings, left_out })
}

/// The first findings of an import, and how many others there are.
pub(super) fn first_findings(document: &Document, imported: &Imported) -> Vec<Diagnostic> {
    let mut findings = document.with_places(&imported.findings);
    findings.truncate(MAX_FINDINGS);
    let omitted = imported.findings.len() - findings.len();
    if let Some(last) = findings.last_mut().filter(|_| omitted > 0) {
        last.notes.push(format!("and {}", count(omitted, "further finding", "further findings")));
    }
    findings
}

fn left_out(imported: &Imported) -> Option<String> {
    let rejected = &imported.rejected;
    let named = || rejected.iter().map(String::as_str).filter(|name| !name.is_empty());
    let (count, nameless) = (rejected.len(), rejected.len() - named().count());
    let mut names: Vec<&str> = named().take(MAX_NAMES).collect();
    names.extend((named().count() > MAX_NAMES).then_some("..."));
    let others = format!("{nameless} without a name");
    names.extend((nameless > 0).then_some(others.as_str()));
    let line = format!("left out {count} of {}: {}", imported.entries, names.join(", "));
    (count > 0).then_some(line)
}
