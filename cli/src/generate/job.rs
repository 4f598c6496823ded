//! The contracts whose code goes to one folder, and that code.

use std::path::{Path, PathBuf};

use capgen_codegen::output::{self, Destination, KeptOutputs, Output, Plan};
use capgen_diagnostic::Diagnostic;
use capgen_manifest::{KeptContracts, LoadedContract, Options, Selection};
use capgen_schema::Hash;

use super::history::{self, History};
use super::{Generate, selection};
use crate::check;
use crate::console::Console;
use crate::failure::Failure;
use crate::import::{self, Conversion, Manifest};
use crate::watch;

/// Contracts whose code goes to one folder: those of a command line, or of an output in `fleet.yaml`.
pub(super) struct Job {
    /// Its selection, folder, languages and options. How a run checks and prints is not read here.
    arguments: Generate,
    selection: Selection,
    /// The options that apply where the arguments have none; `None` for those of the fleet with the selected agents.
    defaults: Option<Options>,
}

/// Results of the run before, with `--watch`.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) contracts: KeptContracts,
    outputs: KeptOutputs,
}

/// The changes to the folder of a job.
pub(super) struct Prepared {
    pub(super) selection: Selection,
    pub(super) contracts: Vec<LoadedContract>,
    /// Of each contract.
    pub(super) hashes: Vec<Hash>,
    /// The warnings.
    pub(super) findings: Vec<Diagnostic>,
    pub(super) plan: Plan,
}

/// Contracts with their outputs, and findings.
type Generated = (Vec<LoadedContract>, Vec<Output>, Vec<Diagnostic>);

impl Job {
    /// The job of a command line.
    pub(super) fn of(arguments: &Generate) -> Self {
        Self { arguments: arguments.clone(), selection: selection(&arguments.contracts), defaults: None }
    }

    /// A job that has these options unless its arguments have others.
    pub(super) fn with(arguments: Generate, defaults: Options) -> Self {
        Self { defaults: Some(defaults), ..Self::of(&arguments) }
    }

    /// The files that its output depends on, found again each time because agents may join or leave the fleet.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files = watch::files_of(&self.selection);
        files.extend(self.arguments.imported.mcp.clone());
        files.extend(history::files(&self.arguments, &self.selection));
        files
    }

    /// Reads and generates everything, and compares it with the folder.
    pub(super) fn prepare(&self, kept: &mut Kept, console: &Console) -> Result<Prepared, Failure> {
        let (contracts, outputs, mut findings) = self.generate(kept, console)?;
        let warnings = contracts.iter().zip(&outputs).flat_map(|(c, output)| c.warnings.iter().chain(&output.warnings));
        findings.extend(warnings.cloned());
        let hashes = outputs.iter().map(|output| output.hash).collect();
        let plan = Plan::new(&self.arguments.out, outputs)?;
        Ok(Prepared { selection: self.selection.clone(), contracts, hashes, findings, plan })
    }

    fn generate(&self, kept: &mut Kept, console: &Console) -> Result<Generated, Failure> {
        let arguments = &self.arguments;
        let located = self.selection.locate();
        let options = arguments.options(self.defaults.clone().unwrap_or_else(|| located.options()));
        let languages = arguments.languages();
        let history = History::open(arguments, located.fleet(), options.calls)?;
        let target = Destination { folder: &arguments.out, languages: &languages, options, build_script: None };
        if let Some(file) = &arguments.imported.mcp {
            return imported(file, &arguments.imported.conversion(), &target, console);
        }
        let contracts = check::usable(check::load(located, &languages, &mut kept.contracts)?)?;
        let outputs = match history {
            None => target.generate_again(&contracts, &mut kept.outputs),
            Some(history) => {
                let tables = history.tables(&contracts, &arguments.out, console)?;
                target.generate_knowing(&contracts, tables)
            }
        };
        Ok((contracts, outputs, Vec::new()))
    }
}

/// The contract of an import with its output, and the findings about the source.
fn imported(
    file: &Path,
    conversion: &Conversion,
    target: &Destination<'_>,
    console: &Console,
) -> Result<Generated, Failure> {
    let Manifest { contract, findings, left_out, .. } = import::mcp::contract(file, conversion)?;
    left_out.iter().for_each(|line| console.line(line));
    let reserved = output::check_agents([(&contract.manifest.agent, contract.path())], target.languages);
    if !reserved.is_empty() {
        return Err(Failure::Findings(reserved));
    }
    let contracts = vec![contract];
    let words = conversion.words();
    let outputs = target.generate_by(&contracts, |locator, _| locator.imported("--mcp", file, &words));
    Ok((contracts, outputs, findings))
}
