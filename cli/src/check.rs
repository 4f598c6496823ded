//! `capgen check`: lint contracts.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use capgen_codegen::{Language, output};
use capgen_diagnostic::{Applicability, Diagnostic, Severity, render};
use capgen_evolve::read_accepted;
use capgen_manifest::{
    Fleet, KeptContracts, LoadedContract, Located, PerContract, Selection, check_addresses, check_meaning,
    check_requirements, check_values, shown,
};
use clap::Args;

use crate::arguments::{Contracts, Format, contract_path};
use crate::console::{self, Console, count};
use crate::explain::explanations;
use crate::failure::{RunResult, Verdict};
use crate::fix::Fixing;
use crate::generate::selection;
use crate::lock::{self, IfMissing, KeptLocks};
use crate::repository;
use crate::watch::{self, Change};

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    #[command(flatten)]
    contracts: Contracts,
    /// Manifests to check, the same as --capabilities [default: every agent in the fleet, as with --all]
    #[arg(value_name = "PATH", value_parser = contract_path())]
    paths: Vec<PathBuf>,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// How to print errors and warnings: `human` prints to standard error, the other formats to standard output
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Keep running, and check again when a manifest changes
    #[arg(long, conflicts_with = "format")]
    watch: bool,
    #[command(flatten)]
    fixing: Fixing,
}

const EXAMPLES: &str = "\
Examples:
  capgen check                           check every agent in the fleet
  capgen check agents/*/capabilities.yaml --strict
  capgen check --watch                   check again after each save
  capgen check --fix                     apply the suggested edits that are certain
  capgen check --fix --unsafe --dry-run  show all suggested edits as a diff
  capgen check --format sarif > capgen.sarif
  capgen check --format junit > capgen.xml
  capgen check --format github           in a GitHub workflow: annotate the pull request";

pub(crate) fn run(arguments: &Check, console: &Console) -> RunResult {
    let mut selection = selection(&arguments.contracts);
    selection.files.extend(arguments.paths.iter().cloned());
    selection.all |= selection.is_empty();
    if arguments.watch {
        let locks = || lock::candidates(&selection);
        let mut kept = Kept::default();
        let run = |change: Option<&Change>| once(arguments, &selection, change, &mut kept, console);
        let files = || watch::files_of(&selection).into_iter().chain(locks()).collect();
        return watch::repeat(files, console, run);
    }
    if arguments.fixing.fix {
        arguments.fixing.run(&selection, console)?;
    }
    once(arguments, &selection, None, &mut Kept::default(), console)
}

/// Results of the run before, with `--watch`.
#[derive(Default)]
struct Kept {
    contracts: KeptContracts,
    meaning: PerContract<Vec<Diagnostic>>,
    types: PerContract<Vec<Diagnostic>>,
    locks: KeptLocks,
}

/// One run; with `--watch`, after a change.
fn once(
    arguments: &Check,
    selection: &Selection,
    change: Option<&Change>,
    kept: &mut Kept,
    console: &Console,
) -> RunResult {
    let located = selection.locate();
    let number = located.count();
    let files: Vec<String> = located.inputs().map(|(path, _)| shown(path)).collect();
    let accepted = accepted(located.fleet());
    let findings = match load(located, &Language::DEFAULT, &mut kept.contracts) {
        // The warnings of the loader about contracts without errors are among the findings.
        Err(findings) => (findings, kept.contracts.contracts()),
        Ok(contracts) => (loader_warnings(&contracts), contracts),
    };
    let (mut findings, contracts) = findings;
    findings.extend(warnings_again(&contracts, selection, kept));
    findings.extend(requirements(&contracts, selection));
    for contract in &contracts {
        contract.without_accepted(&mut findings, selection.all);
    }
    kept.contracts.keep(contracts);
    findings.extend(accepted);
    if arguments.format == Format::Junit {
        console::print(&render::junit("capgen check", &files, &findings, arguments.strict))?;
    } else {
        report(&findings, arguments.format, console)?;
    }
    let has = |severity| findings.iter().any(|finding| finding.severity() == severity);
    let failed = has(Severity::Error) || (arguments.strict && has(Severity::Warning));
    if arguments.format == Format::Human {
        let summary = format!("checked {}: {}", count(number, "contract", "contracts"), totals(&findings));
        let summary = match change {
            Some(change) if failed => change.failed(&summary),
            Some(change) => change.succeeded(&summary),
            None => summary,
        };
        if findings.is_empty() {
            console.tick(&summary)
        } else {
            console.line(&summary)
        }
        if arguments.fixing.fix && !arguments.fixing.dry_run {
            edits_left(&findings, arguments.fixing.unsafe_edits, console);
        }
    }
    Ok(if failed { Verdict::Findings } else { Verdict::Fine })
}

/// Prints how many findings have edits that `--fix` did not apply.
fn edits_left(findings: &[Diagnostic], applied_unsafe: bool, console: &Console) {
    let number = |wanted| findings.iter().filter(|finding| finding.applicability() == Some(wanted)).count();
    let (mut held_back, unsafe_ones) = (number(Applicability::Certain), number(Applicability::NeedsReview));
    if applied_unsafe {
        held_back += unsafe_ones;
    } else if unsafe_ones > 0 {
        let problems = count(unsafe_ones, "problem has an edit that needs", "problems have edits that need");
        console.line(&format!("{problems} review: `capgen check --fix --unsafe` applies them"));
    }
    if held_back > 0 {
        let problems = count(held_back, "problem has an edit that was", "problems have edits that were");
        console
            .line(&format!("{problems} not applied: it would cause another problem, or the file may not be written"));
    }
}

/// The warnings about capabilities that require roles or scopes. The errors of a fleet that is around files, but not
/// itself checked, are not reported here.
fn requirements(contracts: &[LoadedContract], selection: &Selection) -> Vec<Diagnostic> {
    let fleet = selection.fleet().ok().flatten();
    check_requirements(contracts, fleet.as_ref())
}

/// The errors of the file of accepted findings that the fleet names.
fn accepted(fleet: Option<&Fleet>) -> Vec<Diagnostic> {
    let read = |fleet: &Fleet| fleet.accepted()?.map(|source| read_accepted(&source)).transpose();
    fleet.and_then(|fleet| read(fleet).err()).unwrap_or_default()
}

/// Loads contracts whose output in these languages could go to one folder. Files whose text is the same as in the load
/// that filled `kept` are not parsed again.
///
/// # Errors
///
/// Those of [`Located::load_and_check`] and, at the same time, those of [`output::check_agents`].
pub(crate) fn load(
    located: Located,
    languages: &[Language],
    kept: &mut KeptContracts,
) -> Result<Vec<LoadedContract>, Vec<Diagnostic>> {
    located.load_and_check(kept, output::agents_check(languages))
}

/// `1 error, 0 warnings`.
pub(crate) fn totals(findings: &[Diagnostic]) -> String {
    let number = |severity| findings.iter().filter(|finding| finding.severity() == severity).count();
    let errors = count(number(Severity::Error), "error", "errors");
    format!("{errors}, {}", count(number(Severity::Warning), "warning", "warnings"))
}

/// The contracts, unless no value is valid for a side of one.
///
/// # Errors
///
/// Those of [`check_values`], with the warnings of the loader.
pub(crate) fn usable(contracts: Vec<LoadedContract>) -> Result<Vec<LoadedContract>, Vec<Diagnostic>> {
    let errors: Vec<Diagnostic> = contracts.iter().flat_map(check_values).collect();
    if errors.is_empty() { Ok(contracts) } else { Err(loader_warnings(&contracts).into_iter().chain(errors).collect()) }
}

/// The warnings about contracts that loaded, and the findings about their locks.
pub(crate) fn warnings(contracts: &[LoadedContract], selection: &Selection) -> Vec<Diagnostic> {
    let mut findings = loader_warnings(contracts);
    findings.extend(warnings_again(contracts, selection, &mut Kept::default()));
    contracts.iter().for_each(|contract| contract.without_accepted(&mut findings, selection.all));
    findings
}

fn loader_warnings(contracts: &[LoadedContract]) -> Vec<Diagnostic> {
    contracts.iter().flat_map(|contract| &contract.warnings).cloned().collect()
}

fn warnings_again(contracts: &[LoadedContract], selection: &Selection, kept: &mut Kept) -> Vec<Diagnostic> {
    kept.meaning.keep_only(contracts);
    kept.types.keep_only(contracts);
    let mut findings = Vec::new();
    for contract in contracts {
        let meaning = kept.meaning.get(contract, |_| true, || check_meaning(contract));
        findings.extend(meaning.iter().cloned());
        let types = kept.types.get(contract, |_| true, || output::check_types(contract, &Language::DEFAULT));
        findings.extend(types.iter().cloned());
    }
    findings.extend(check_addresses(contracts));
    findings.extend(lock::findings(contracts, selection, IfMissing::Ignore, &mut kept.locks));
    findings
}

/// The findings without copies of earlier ones: several outputs may read the same files.
pub(crate) fn distinct(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    findings.into_iter().filter(|finding| seen.insert(render::json_lines(std::slice::from_ref(finding)))).collect()
}

/// Prints findings in a format: human-readable ones to standard error, the others to standard output. GitHub and
/// services that read SARIF need paths relative to the root of the repository.
pub(crate) fn report(findings: &[Diagnostic], format: Format, console: &Console) -> io::Result<()> {
    match format {
        Format::Human => {
            console.report(findings);
            Ok(())
        }
        Format::Json => console::print(&render::json_lines(findings)),
        Format::Github => console::print(&render::github_in(findings, &repository::base())),
        Format::Junit => console::print(&render::junit("capgen", &[], findings, false)),
        Format::Sarif => console::print(&render::sarif_in(findings, &repository::base(), &explanations())),
    }
}
