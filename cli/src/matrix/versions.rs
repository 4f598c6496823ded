//! The versions of a capability that are compared.

use std::ops::ControlFlow;

use capgen_diagnostic::Diagnostic;
use capgen_evolve::{DistinctVersions, Kept};
use capgen_manifest::{Capability, LoadedContract, load, read_source, shown};

use super::arguments::{History, Matrix};
use crate::codes;
use crate::console::{Console, count};
use crate::diff::history;
use crate::failure::Failure;

/// The most versions of a matrix, whose size is the square of their number. 30 versions are up to 900 comparisons, and
/// as many columns as a wide terminal shows.
const MAX_VERSIONS: usize = 30;

/// A version of the capability, with all capabilities of its contract.
#[derive(Clone)]
pub(super) struct Version {
    pub(super) label: String,
    /// The file or the commit.
    pub(super) source: String,
    pub(super) capability: Capability,
    pub(super) contract: Vec<Capability>,
}

/// The versions of a capability, the oldest first.
pub(super) struct Versions {
    /// Those of older contracts, then those of the selected one that differ.
    pub(super) all: Vec<Version>,
    /// The indexes of those that the selected contract has, the lowest version first.
    pub(super) served: Vec<usize>,
}

/// All versions, the oldest first. The last one is that of the selected manifest.
pub(super) fn versions(arguments: &Matrix, current: &LoadedContract, console: &Console) -> Result<Versions, Failure> {
    // All versions are compared, also if one of them is given.
    let name = arguments.capability.split('@').next().unwrap_or_default();
    let (mut versions, of_newest) = match arguments.history {
        Some(History::Git) => from_history(current, name, console)?,
        None => (Vec::new(), 0),
    };
    let older = versions.len().saturating_sub(of_newest);
    let mut findings = Vec::new();
    for path in &arguments.against {
        match read_source(path, &shown(path)).and_then(|source| load(&source)) {
            Ok(contract) => {
                let found = versions_of(&contract, name, contract.path());
                if found.is_empty() {
                    let message = format!("`{}` has no capability {name:?}", contract.path());
                    findings.push(Diagnostic::new(codes::UNKNOWN_CAPABILITY, message).in_file(contract.path()));
                }
                versions.extend(found);
            }
            Err(errors) => findings.extend(errors),
        }
    }
    if !findings.is_empty() {
        return Err(Failure::Findings(findings));
    }
    let served = versions_of(current, name, current.path());
    // After the files of `--against`, a single version is there in any case.
    let known = match arguments.against.is_empty() {
        true => versions.get(older..),
        false => Some(&*versions).filter(|_| served.len() > 1),
    };
    let is_known = |one: &Version| known.is_some_and(|known| has(known, one));
    let newest: Vec<Version> = served.iter().filter(|one| !is_known(one)).cloned().collect();
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
    // A version that is served is the last one with its contract.
    let place = |one: &Version| versions.iter().rposition(|other| identity(other) == identity(one));
    let served = served.iter().filter_map(place).collect();
    Ok(Versions { all: versions, served })
}

fn identity(version: &Version) -> (Option<String>, capgen_schema::Hash) {
    (version.capability.version.as_ref().map(ToString::to_string), version.capability.hash())
}

fn has(versions: &[Version], one: &Version) -> bool {
    versions.iter().any(|other| identity(other) == identity(one))
}

/// The versions of a contract, the lowest first.
fn versions_of(contract: &LoadedContract, name: &str, source: &str) -> Vec<Version> {
    let capabilities = &contract.manifest.capabilities;
    let version = |capability: &Capability| Version {
        label: capability.version.as_ref().map_or_else(|| capability.hash().short(), ToString::to_string),
        source: source.to_owned(),
        capability: capability.clone(),
        contract: capabilities.clone(),
    };
    contract.manifest.versions(name).into_iter().rev().filter_map(|at| capabilities.get(at)).map(version).collect()
}

/// The versions in the revisions of the manifest, the oldest first. Of equal versions in revisions next to each other,
/// the newest counts: other properties, such as `supportedVersions`, may have changed. Also returns how many of them,
/// at the end, the newest revision has.
fn from_history(current: &LoadedContract, name: &str, console: &Console) -> Result<(Vec<Version>, usize), Failure> {
    let (mut distinct, mut of_newest) = (DistinctVersions::default(), 0);
    history::contracts(current, console, |commit, contract| {
        // The newest revision comes first, so the highest version does too.
        let found = versions_of(&contract, name, commit).into_iter().rev();
        distinct.add(found, |one, other| identity(one) == identity(other), Kept::First);
        if of_newest == 0 {
            of_newest = distinct.len();
        }
        if distinct.len() > MAX_VERSIONS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let mut versions = distinct.into_vec();
    versions.reverse();
    Ok((versions, of_newest))
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
