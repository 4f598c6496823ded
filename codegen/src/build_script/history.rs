//! Build scripts whose generated servers know the older contracts of their callers.

use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{Assume, Fleet, LoadedContract};

use super::report::CargoInstructions;
use super::{Build, BuildError};
use crate::codes;
use crate::history::{HistoryTable, MAX_OLDER, OlderFiles, VerdictSources};
use crate::regenerate::Locator;

/// The methods of [`Build`] about older contracts.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct History {
    files: Vec<PathBuf>,
    assume: Option<Assume>,
    accepted: Option<PathBuf>,
}

impl Build {
    /// Adds a table to servers in TypeScript and JavaScript that has these older contracts, and whether callers that
    /// were built with them can be served. They are manifests of the selected agents, of each agent the newest first.
    /// Needs [`calls`](Self::calls). Can be called more than once.
    ///
    /// ```
    /// use capgen_codegen::{Build, Language};
    /// let build = Build::new().peer("payments").languages([Language::TypeScript]).calls(true);
    /// let build = build.history(["contracts/payments-v2.yaml", "contracts/payments-v1.yaml"]);
    /// ```
    pub fn history(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.history.files.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Sets the programs that the comparisons for [`history`](Self::history) assume. The default is `calls.assume` in
    /// `fleet.yaml`, or [`Assume::AnyPeer`].
    ///
    /// ```
    /// use capgen_codegen::{Assume, Build};
    /// let build = Build::new().peer("payments").history(["v1.yaml"]).assume(Assume::CapgenPeer);
    /// ```
    pub fn assume(mut self, assume: Assume) -> Self {
        self.history.assume = Some(assume);
        self
    }

    /// Sets the file of accepted findings for [`history`](Self::history). The default is `calls.accepted` in
    /// `fleet.yaml`, or none.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("payments").history(["v1.yaml"]).accepted("capgen-accepted.yaml");
    /// ```
    pub fn accepted(mut self, path: impl Into<PathBuf>) -> Self {
        self.history.accepted = Some(path.into());
        self
    }
}

impl History {
    /// The history of an output in `fleet.yaml`.
    pub(super) fn of_files(files: Vec<PathBuf>) -> Self {
        Self { files, ..Self::default() }
    }

    /// The tables of the contracts, in the same order, for files in `folder`. Declares the files that they depend on
    /// and that are not `watched` yet.
    pub(super) fn tables(
        &self,
        contracts: &[LoadedContract],
        (fleet, watched): (Option<Fleet>, &[PathBuf]),
        (package, folder): (&Path, &Path),
        has_calls: bool,
        report: &mut CargoInstructions<'_>,
    ) -> Result<Vec<HistoryTable>, BuildError> {
        if self.files.is_empty() {
            return match self.assume.is_some() || self.accepted.is_some() {
                true => Err(report.fail(&[without_history()])),
                false => Ok(Vec::new()),
            };
        }
        if !has_calls {
            return Err(report.fail(&[without_calls()]));
        }
        let paths: Vec<PathBuf> = self.files.iter().map(|path| package.join(path)).collect();
        let accepted = self.accepted.as_ref().map(|path| package.join(path));
        for path in paths.iter().chain(&accepted) {
            report.depends_on(path)?;
        }
        let files = OlderFiles::read(&paths).map_err(|findings| report.fail(&findings))?;
        if let Some(stray) = files.stray(contracts) {
            return Err(report.fail(&[of_another_agent(stray)]));
        }
        let sources = VerdictSources { assume: self.assume, accepted, fleet };
        let mut locator = Locator::new(folder);
        let mut watched: Vec<PathBuf> = watched.iter().chain(&sources.accepted).cloned().collect();
        let mut tables = Vec::with_capacity(contracts.len());
        for contract in contracts {
            let (older, mut words) = (files.of(contract), files.words(&locator, contract));
            if words.is_empty() {
                tables.push(HistoryTable::default());
                continue;
            }
            if older.left_out() > 0 {
                let left_out = older.left_out();
                report.note(&format!("{left_out} older contracts are not in the table: it has {MAX_OLDER} of each"))?;
            }
            let settings = sources.read(&mut locator, contract).map_err(|findings| report.fail(&findings))?;
            let (settings, others) = settings;
            for file in settings.fleet_file.iter().chain(&settings.accepted_file) {
                if !watched.contains(file) {
                    report.depends_on(file)?;
                    watched.push(file.clone());
                }
            }
            words.extend(others);
            tables.push(HistoryTable { verdicts: older.verdicts(&contract.manifest, &settings), words });
        }
        Ok(tables)
    }
}

fn without_calls() -> Diagnostic {
    let message = "the build script has older contracts, but its output has no servers";
    Diagnostic::new(codes::NO_TABLE, message).help("call `.calls(true)`, or remove `.history(...)`")
}

fn without_history() -> Diagnostic {
    let message = "the build script sets how older contracts are compared, but has none";
    Diagnostic::new(codes::NO_TABLE, message)
        .help("call `.history(...)`, or remove `.assume(...)` and `.accepted(...)`")
}

fn of_another_agent(older: &LoadedContract) -> Diagnostic {
    let (path, agent) = (older.path(), &older.manifest.agent);
    let message = format!("`{path}` is an older contract of `agent://{agent}`, which the build script does not select");
    let help = format!("call `.peer(\"{agent}\")`, or remove the file from `.history(...)`");
    Diagnostic::new(codes::NO_TABLE, message).in_file(path.to_owned()).help(help)
}
