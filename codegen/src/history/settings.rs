//! The programs that verdicts assume, and the findings that a reviewer has accepted.

use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_evolve::{Accepted, read_accepted};
use capgen_manifest::{Assume, Fleet, LoadedContract, read_source, shown};

use crate::regenerate::Locator;

/// The rules of the comparisons of one agent's contracts. The default assumes any peer and accepts no finding.
#[derive(Clone, Debug, Default)]
pub struct VerdictSettings {
    /// The programs that are assumed.
    pub assume: Assume,
    /// The accepted findings. Whether an entry has expired does not matter: its last day is a part of the verdict.
    pub accepted: Accepted,
    /// The file of the accepted findings.
    pub accepted_file: Option<PathBuf>,
    /// The `fleet.yaml` that has settings which count.
    pub fleet_file: Option<PathBuf>,
}

/// Where the rules come from: each is given, or else a setting of the fleet.
#[derive(Clone, Debug, Default)]
pub struct VerdictSources {
    /// The programs to assume.
    pub assume: Option<Assume>,
    /// The file of accepted findings.
    pub accepted: Option<PathBuf>,
    /// The fleet whose agents are selected. A contract that is selected by its path has the settings of the fleet that
    /// it belongs to.
    pub fleet: Option<Fleet>,
}

impl VerdictSources {
    /// The settings for a contract, and the options that give a command for its files the same ones.
    ///
    /// # Errors
    ///
    /// Those of reading the file of accepted findings.
    pub fn read(
        &self,
        locator: &mut Locator,
        contract: &LoadedContract,
    ) -> Result<(VerdictSettings, Vec<String>), Vec<Diagnostic>> {
        let (own_assume, own_file) = match locator.fleet_of(contract) {
            Some(fleet) => (fleet.calls().assume.unwrap_or_default(), fleet.accepted_file()),
            None => Default::default(),
        };
        let fleet = self.fleet.as_ref().or_else(|| locator.fleet_of(contract));
        let assume = self.assume.or_else(|| fleet?.calls().assume).unwrap_or_default();
        let source = match (&self.accepted, fleet) {
            (Some(path), _) => Some(read_source(path, &shown(path))?),
            (None, Some(fleet)) => fleet.accepted()?,
            (None, None) => None,
        };
        let accepted = source.map(|source| read_accepted(&source)).transpose()?.unwrap_or_default();
        let accepted_file = self.accepted.clone().or_else(|| fleet?.accepted_file());
        let fleet_file = fleet.and_then(Fleet::file);
        let settings = VerdictSettings { assume, accepted: Accepted::new(accepted), accepted_file, fleet_file };
        let mut words = Vec::new();
        if assume != own_assume {
            words.extend(["--assume".to_owned(), assume.name().to_owned()]);
        }
        if let Some(path) = settings.accepted_file.as_deref().filter(|path| !is_same(path, own_file.as_deref())) {
            words.extend(["--accepted".to_owned(), locator.word(path)]);
        }
        Ok((settings, words))
    }
}

fn is_same(path: &Path, other: Option<&Path>) -> bool {
    other.is_some_and(|other| matches!((path.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b))
}
