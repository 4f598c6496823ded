//! The versions of a capability that are compared.

use std::ops::ControlFlow;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{Capability, LoadedContract, load, read_source, shown};

use super::arguments::Matrix;
use crate::codes;
use crate::console::{Console, count};
use crate::diff::history;
use crate::failure::Failure;

/// The most versions of a matrix, whose size is the square of their number. 30 versions are up to 900 comparisons, and
/// as many columns as a wide terminal shows.
const MAX_VERSIONS: usize = 30;

/// A version of the capability, with all capabilities of its contract.
pub(super) struct Version {
    pub(super) label: String,
    /// The file or the commit.
    pub(super) source: String,
    pub(super) capability: Capability,
    pub(super) contract: Vec<Capability>,
}

/// All versions, the oldest first. The last one is that of the selected manifest.
pub(super) fn versions(
    arguments: &Matrix,
    current: &LoadedContract,
    console: &Console,
) -> Result<Vec<Version>, Failure> {
    let name = &arguments.capability;
    let mut versions = Vec::new();
    if arguments.history.is_some() {
        versions.extend(from_history(current, name, console)?);
    }
    let mut findings = Vec::new();
    for path in &arguments.against {
        match read_source(path, &shown(path)).and_then(|source| load(&source)) {
            Ok(contract) => match version(&contract, name, contract.path()) {
                Some(version) => versions.push(version),
                None => {
                    let message = format!("`{}` has no capability {name:?}", contract.path());
                    findings.push(Diagnostic::new(codes::UNKNOWN_CAPABILITY, message).in_file(contract.path()));
                }
            },
            Err(errors) => findings.extend(errors),
        }
    }
    if !findings.is_empty() {
        return Err(Failure::Findings(findings));
    }
    let is_new = |newest: &Version| versions.last().is_none_or(|last| identity(last) != identity(newest));
    let newest =
        version(current, name, current.path()).filter(|newest| !arguments.against.is_empty() || is_new(newest));
    versions.extend(newest);
    if versions.len() > MAX_VERSIONS {
        let skipped = versions.len() - MAX_VERSIONS;
        console.line(&format!(
            "{} not shown: the matrix has at most {MAX_VERSIONS}",
            count(skipped, "older version is", "older versions are")
        ));
        versions.drain(..skipped);
    }
    label(&mut versions);
    Ok(versions)
}

fn identity(version: &Version) -> (Option<String>, capgen_schema::Hash) {
    (version.capability.version.as_ref().map(ToString::to_string), version.capability.hash())
}

fn version(contract: &LoadedContract, name: &str, source: &str) -> Option<Version> {
    let capability = contract.manifest.capability(name)?.clone();
    let label = capability.version.as_ref().map_or_else(|| capability.hash().short(), ToString::to_string);
    let contract = contract.manifest.capabilities.clone();
    Some(Version { label, source: source.to_owned(), capability, contract })
}

/// The revisions of the manifest in which the capability changed, the oldest first.
fn from_history(current: &LoadedContract, name: &str, console: &Console) -> Result<Vec<Version>, Failure> {
    let mut versions: Vec<Version> = Vec::new();
    history::contracts(current, console, |commit, contract| {
        // Of equal versions, the newest revision counts: other properties, such as `supportedVersions`, may have
        // changed.
        let found = version(&contract, name, commit);
        versions.extend(found.filter(|found| versions.last().is_none_or(|last| identity(last) != identity(found))));
        if versions.len() > MAX_VERSIONS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    versions.reverse();
    Ok(versions)
}

/// Makes equal labels different, by adding the source.
fn label(versions: &mut [Version]) {
    let labels: Vec<String> = versions.iter().map(|version| version.label.clone()).collect();
    for version in versions {
        if labels.iter().filter(|label| **label == version.label).count() > 1 {
            version.label = format!("{} ({})", version.label, version.source);
        }
    }
}
