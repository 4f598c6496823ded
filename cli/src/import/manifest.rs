//! From an import to the text of a manifest that loads.

use capgen_diagnostic::{Diagnostic, Severity};
use capgen_interop::import::{Document, Imported};
use capgen_manifest::{AgentId, LoadedContract, Source, TransportSettings, load};

use super::arguments::Conversion;
use super::header::Header;
use crate::console::{Console, count};
use crate::failure::Failure;

/// At most this many findings are printed.
const MAX_FINDINGS: usize = 1000;

/// At most this many names of entries that were left out are printed.
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
}

/// Reports the findings, and writes the manifest. Fails if an entry has an error that `--skip` does not leave out, and if the text does
/// not load, as one beyond the limits of manifests.
pub(crate) fn checked(
    import: Import,
    header: &str,
    conversion: &Conversion,
    console: &Console,
) -> Result<Manifest, Failure> {
    let Import { document, imported, agent, transports, .. } = import;
    // Entries with errors are left out with `--skip`, but a document with errors may lack entries.
    let has_errors = if conversion.skip { imported.has_document_errors() } else { imported.has_errors() };
    let mut findings: Vec<Diagnostic> = imported.findings.iter().map(|finding| document.diagnostic(finding)).collect();
    if !has_errors {
        findings
            .iter_mut()
            .filter(|f| f.severity() == Severity::Error)
            .for_each(|f| f.severity = Some(Severity::Warning));
    }
    let omitted = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS);
    let is_empty = imported.capabilities.is_empty();
    if is_empty && !has_errors {
        findings.push(imported.nothing());
    }
    console.report(&findings);
    if omitted > 0 {
        console.line(&format!("and {}", count(omitted, "further finding", "further findings")));
    }
    if has_errors || is_empty {
        // They have been reported.
        return Err(Failure::Findings(Vec::new()));
    }
    left_out(&imported, console);
    let text = imported.into_manifest(agent, transports).to_yaml_with_comment(header);
    let contract = load(&Source::new("<imported>", text.as_str()))?;
    Ok(Manifest { text, contract })
}

fn left_out(imported: &Imported, console: &Console) {
    let rejected = &imported.rejected;
    if rejected.is_empty() {
        return;
    }
    let names: Vec<&str> = rejected.iter().take(MAX_NAMES).map(String::as_str).collect();
    let rest = if rejected.len() > MAX_NAMES { ", ..." } else { "" };
    let number = format!("{} of {}", rejected.len(), imported.entries);
    console.line(&format!("left out {number}: {}{rest}", names.join(", ")));
}
