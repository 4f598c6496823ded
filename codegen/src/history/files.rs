//! Files of older contracts.

use std::path::PathBuf;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{LoadedContract, load, read_source, shown};

use super::OlderContracts;
use crate::regenerate::Locator;

/// A file called like this needs its folder in a command: the word alone means the history of the manifest.
const GIT: &str = "git";

/// Files of older contracts, of one or several agents.
#[derive(Clone, Debug, Default)]
pub struct OlderFiles(Vec<(PathBuf, LoadedContract)>);

impl OlderFiles {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// The findings of all files, if one has errors.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Vec<Diagnostic>> {
        let (mut files, mut findings) = (Vec::new(), Vec::new());
        for path in paths {
            match read_source(path, &shown(path)).and_then(|source| load(&source)) {
                Ok(contract) => files.push((path.clone(), contract)),
                Err(errors) => findings.extend(errors),
            }
        }
        if findings.is_empty() { Ok(Self(files)) } else { Err(findings) }
    }

    /// The first contract of an agent that has no current contract.
    pub fn stray(&self, current: &[LoadedContract]) -> Option<&LoadedContract> {
        let is_current = |older: &LoadedContract| current.iter().any(|contract| is_of_agent(older, contract));
        self.0.iter().map(|(_, older)| older).find(|older| !is_current(older))
    }

    /// The older contracts of the agent of a contract.
    pub fn of(&self, current: &LoadedContract) -> OlderContracts {
        let mut all = OlderContracts::default();
        let own = self.0.iter().filter(|(_, older)| is_of_agent(older, current));
        own.for_each(|(_, older)| all.add(&current.manifest, older.manifest.clone()));
        all
    }

    /// The files of the agent of a contract, as words of a command in its folder.
    pub fn words(&self, locator: &Locator, current: &LoadedContract) -> Vec<String> {
        let own = self.0.iter().filter(|(_, older)| is_of_agent(older, current));
        let word = |path| match locator.word(path) {
            word if word == GIT => format!("./{word}"),
            word => word,
        };
        own.map(|(path, _)| word(path)).collect()
    }
}

fn is_of_agent(older: &LoadedContract, current: &LoadedContract) -> bool {
    older.manifest.agent == current.manifest.agent
}
