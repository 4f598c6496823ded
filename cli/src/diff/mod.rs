//! `capgen diff`: contracts compared with an older version.

mod acceptance;
mod against;
pub(crate) mod arguments;
mod callers;
mod findings;
pub(crate) mod git;
pub(crate) mod history;
mod human;
mod levels;
mod old_fleet;
mod replay;
mod source;

use std::collections::BTreeSet;
use std::path::Path;

use capgen_diagnostic::{Diagnostic, render};
use capgen_evolve::{Acceptance, ComparedContract, ComparisonReport, Levels, Settings, compare_with_levels};
use capgen_manifest::{LoadedContract, Manifest, Selection};
use capgen_schema::Steps;
use clap::error::ErrorKind;

use crate::arguments::Format;
use crate::check;
use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};
use crate::generate::selection;
use crate::generated_files::MAX_ENTRIES;
use crate::json_errors;
use crate::progress::Progress;
use crate::repository;
use acceptance::AcceptedFiles;
use against::{Against, Pair, Selected};
use arguments::{Diff, DiffFormat};

pub(crate) fn run(arguments: &Diff, console: &Console) -> RunResult {
    let mut selection = selection(&arguments.contracts);
    selection.all |= selection.is_empty();
    let outcome = match &arguments.replay {
        Some(payloads) => replay::run(arguments, payloads, &selection, console),
        None => differences(arguments, &selection, console),
    };
    match outcome {
        Err(Failure::Findings(findings)) => failed(&findings, arguments.format, console),
        other => other,
    }
}

/// Reports input that is invalid, in the format of the result if it has a place for that. The JSON document then has
/// the one member `errors`, so that no program takes it for a result without changes.
fn failed(findings: &[Diagnostic], format: DiffFormat, console: &Console) -> RunResult {
    if format == DiffFormat::Json {
        json_errors::print(findings)?;
    }
    let format = match format {
        DiffFormat::Github => Format::Github,
        DiffFormat::Sarif => Format::Sarif,
        DiffFormat::Human | DiffFormat::Json | DiffFormat::Junit | DiffFormat::Markdown => Format::Human,
    };
    check::report(findings, format, console)?;
    Ok(Verdict::Findings)
}

fn differences(arguments: &Diff, selection: &Selection, console: &Console) -> RunResult {
    let pairs = pairs(&arguments.against, selection)?;
    let accepted = AcceptedFiles::read(arguments.accepted.as_deref(), selection, &pairs)?;
    let levels: Levels = arguments.level.iter().copied().collect();
    let budget = Steps::of_seconds(arguments.budget);
    let settings = Settings { assume: arguments.assume.into(), budget, ..Settings::default() };
    let progress = Progress::start("comparing contracts", Some(pairs.len()));
    let compare = |pair: &Pair| {
        let compared = compared(pair, settings, &levels, &accepted);
        progress.step();
        compared
    };
    let contracts = pairs.iter().filter_map(compare).collect();
    drop(progress);
    let mut report = ComparisonReport { contracts, assume: settings.assume, fail_on: arguments.fail_on.into() };
    if !callers::find(&mut report, &pairs, selection) {
        console.line(&format!("the search for callers ended after {} files and folders", MAX_ENTRIES));
    }
    let mut unused = accepted.of_old_form();
    if selection.all {
        unused.extend(accepted.unused(&report));
    }
    print(&report, &pairs, &unused, arguments, console)?;
    Ok(if report.has_failed() { Verdict::Findings } else { Verdict::Fine })
}

/// Reads the selected contracts and their old versions.
fn pairs(against: &Path, selection: &Selection) -> Result<Vec<Pair>, Failure> {
    let located = selection.locate();
    let against = Against::new(against);
    let count = located.count();
    if matches!(against, Against::File(_)) && count > 1 {
        let message = format!(
            "`--against` is a file, but {count} contracts are selected: select one with `--peer <ID>` or `--capabilities <PATH>`"
        );
        return Err(usage(&message));
    }
    let contracts = distinct(located.load()?)?;
    Ok(against.pairs(Selected { selection, contracts })?)
}

/// The contracts, if each is of another agent.
pub(crate) fn distinct(contracts: Vec<LoadedContract>) -> Result<Vec<LoadedContract>, Failure> {
    let mut agents = BTreeSet::new();
    if let Some(twice) = contracts.iter().find(|contract| !agents.insert(&contract.manifest.agent)) {
        return Err(usage(&format!("two of the selected manifests are of the agent `{}`", twice.manifest.agent)));
    }
    Ok(contracts)
}

/// The selected contracts compared with an older version, as `capgen diff --against` does without other options, but
/// without their callers. Each comes with the older version, if there is one.
pub(crate) fn since(
    against: &Path,
    selection: &Selection,
) -> Result<Vec<(ComparedContract, Option<Manifest>)>, Failure> {
    let pairs = pairs(against, selection)?;
    let accepted = AcceptedFiles::read(None, selection, &pairs)?;
    let compared = pairs.into_iter().filter_map(|pair| {
        let compared = compared(&pair, Settings::default(), &Levels::default(), &accepted)?;
        Some((compared, pair.old.map(|old| old.manifest)))
    });
    Ok(compared.collect())
}

fn usage(message: &str) -> Failure {
    Failure::usage(ErrorKind::ArgumentConflict, message)
}

fn compared(pair: &Pair, settings: Settings, levels: &Levels, accepted: &AcceptedFiles) -> Option<ComparedContract> {
    let any = pair.new.as_ref().or(pair.old.as_ref())?;
    let agent = any.manifest.agent.clone();
    let nothing = Manifest::new(agent.clone(), Vec::new(), Vec::new());
    let [old, new] = [&pair.old, &pair.new].map(|contract| contract.as_ref().map_or(&nothing, |c| &c.manifest));
    let mut comparison = compare_with_levels(old, new, settings, levels);
    source::add(&mut comparison, old, new, levels);
    let acceptances: Vec<Acceptance> =
        comparison.findings.iter().map(|finding| accepted.acceptance(&agent, finding)).collect();
    Some(ComparedContract { agent, comparison, acceptances, callers: Vec::new() })
}

fn print(
    report: &ComparisonReport,
    pairs: &[Pair],
    unused: &[Diagnostic],
    arguments: &Diff,
    console: &Console,
) -> Result<(), Failure> {
    let all = || findings::all(report, pairs, unused, Against::new(&arguments.against));
    match arguments.format {
        DiffFormat::Human => human::print(report, pairs, unused, arguments.verbose, console),
        DiffFormat::Json => console::print_json(&report.json())?,
        DiffFormat::Github => console::print(&render::github_in(&all(), &repository::base()))?,
        DiffFormat::Sarif => {
            let explanations = crate::explain::explanations();
            console::print(&render::sarif_in(&all(), &repository::base(), &explanations))?;
        }
        DiffFormat::Junit => console::print(&report.junit())?,
        DiffFormat::Markdown => console::print(&report.markdown())?,
    }
    // The other formats have no place for them.
    if matches!(arguments.format, DiffFormat::Json | DiffFormat::Junit | DiffFormat::Markdown) {
        console.report(unused);
    }
    Ok(())
}
