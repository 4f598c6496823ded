//! Older contracts of the selected agents, for tables in generated servers.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use capgen_codegen::history::{HistoryTable, MAX_OLDER, OlderContracts, OlderFiles, VerdictSources};
use capgen_codegen::regenerate::Locator;
use capgen_diagnostic::Diagnostic;
use capgen_manifest::{Fleet, LoadedContract, Selection};
use clap::error::ErrorKind;

use super::Generate;
use crate::console::{Console, count};
use crate::diff::history;
use crate::failure::Failure;

/// The value of `--history` that means the history of the manifest.
pub(super) const GIT: &str = "git";

/// Where the older contracts are.
pub(super) struct History {
    /// `None` for the commits that changed the manifest.
    files: Option<OlderFiles>,
    sources: VerdictSources,
}

impl History {
    /// Reads the files of the option; `None` without the option. `has_calls` says whether the output has servers, and
    /// `fleet` is the fleet of the selection.
    pub(super) fn open(arguments: &Generate, fleet: Option<&Fleet>, has_calls: bool) -> Result<Option<Self>, Failure> {
        let values = &arguments.history;
        if values.is_empty() {
            return Ok(None);
        }
        if !has_calls {
            let message = "`--history` needs `--calls`: the table of older contracts is for generated servers";
            return Err(Failure::usage(ErrorKind::MissingRequiredArgument, message));
        }
        let is_git = values.iter().any(|value| value.as_os_str() == GIT);
        if is_git && values.len() > 1 {
            let message = "`--history` has either `git` or files; a file called `git` is `./git`";
            return Err(Failure::usage(ErrorKind::ArgumentConflict, message));
        }
        let files = if is_git { None } else { Some(OlderFiles::read(values).map_err(Failure::Findings)?) };
        let assume = arguments.assume.map(Into::into);
        let sources = VerdictSources { assume, accepted: arguments.accepted.clone(), fleet: fleet.cloned() };
        Ok(Some(Self { files, sources }))
    }

    /// The tables of the contracts, in the same order, for files in this folder.
    pub(super) fn tables(
        &self,
        contracts: &[LoadedContract],
        folder: &Path,
        console: &Console,
    ) -> Result<Vec<HistoryTable>, Failure> {
        if let Some(stray) = self.files.as_ref().and_then(|files| files.stray(contracts)) {
            let (path, agent) = (stray.path(), &stray.manifest.agent);
            let message = format!("`{path}` is a contract of `agent://{agent}`, which is not selected");
            return Err(Failure::usage(ErrorKind::ValueValidation, message));
        }
        let mut locator = Locator::new(folder);
        contracts.iter().map(|contract| self.table(contract, &mut locator, console)).collect()
    }

    fn table(
        &self,
        contract: &LoadedContract,
        locator: &mut Locator,
        console: &Console,
    ) -> Result<HistoryTable, Failure> {
        let (older, mut words) = match &self.files {
            Some(files) => (files.of(contract), files.words(locator, contract)),
            None => (of_commits(contract, console).map_err(helped)?, vec![GIT.to_owned()]),
        };
        if words.is_empty() {
            return Ok(HistoryTable::default());
        }
        if older.left_out() > 0 {
            let contracts = count(older.left_out(), "older contract is", "older contracts are");
            console.line(&format!("{contracts} not in the table: it has at most {MAX_OLDER} of a capability"));
        }
        let (settings, others) = self.sources.read(locator, contract).map_err(Failure::Findings)?;
        words.extend(others);
        Ok(HistoryTable { verdicts: older.verdicts(&contract.manifest, &settings), words })
    }
}

/// The files that the tables of older contracts depend on, for `--watch`: those of the options, and the accepted
/// findings that the fleet names.
pub(super) fn files(arguments: &Generate, selection: &Selection) -> Vec<PathBuf> {
    if arguments.history.is_empty() {
        return Vec::new();
    }
    let files = arguments.history.iter().filter(|value| value.as_os_str() != GIT).cloned();
    // A fleet with errors is one of the files that are watched in any case.
    let of_fleet = || selection.fleet().ok()??.accepted_file();
    files.chain(arguments.accepted.clone().or_else(of_fleet)).collect()
}

/// The contracts in the commits that changed the manifest.
fn of_commits(current: &LoadedContract, console: &Console) -> Result<OlderContracts, Vec<Diagnostic>> {
    let mut older = OlderContracts::default();
    history::contracts(current, console, |_, contract| {
        older.add(&current.manifest, contract.manifest);
        ControlFlow::Continue(())
    })?;
    Ok(older)
}

/// Findings about git, whose help is for the options of other commands, with help about this option.
fn helped(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    const OTHER: &str = "as a file or a folder: `--against <path>`";
    for finding in &mut findings {
        finding.help = finding.help.take().map(|help| help.replace(OTHER, "as a file: `--history <file>`"));
    }
    findings
}
