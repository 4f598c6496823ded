//! `capgen gen`: generate code from contracts.

mod arguments;
mod configured;
mod history;
mod job;
mod report;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use capgen_codegen::output::{self, Plan};
use capgen_diagnostic::Diagnostic;
use capgen_manifest::Selection;
use clap::error::ErrorKind;

use crate::arguments::{Contracts, Format};
use crate::check;
use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};
use crate::input;
use crate::lock::{self, IfMissing, KeptLocks};
use crate::rerun;
use crate::signals;
use crate::summary::{Summary, findings_json, shown};
use crate::watch::{self, Change};
pub(crate) use arguments::{DEFAULT_OUT, Generate};
use job::{Job, Kept, Prepared};

pub(crate) fn run(arguments: &Generate, console: &Console) -> RunResult {
    let is_configured = configured::applies(arguments)?;
    if !arguments.check && !arguments.diff {
        signals::remove_temporary_files_at_the_end();
    }
    let jobs = || if is_configured { configured::jobs(arguments) } else { Ok(vec![Job::of(arguments)]) };
    if arguments.watch {
        if arguments.imported.mcp.as_deref().is_some_and(input::is_stdin) {
            return Err(Failure::usage(
                ErrorKind::ArgumentConflict,
                "`--watch` needs a file: standard input cannot be read again",
            ));
        }
        // A file with errors is watched too, until it has none.
        let file = || is_configured.then(|| configured::file(arguments)).flatten();
        let files = || jobs().unwrap_or_default().iter().flat_map(Job::files).chain(file()).collect();
        let mut kept = Vec::new();
        let run = |change: Option<&Change>| {
            let result = jobs().and_then(|jobs| once(arguments, &jobs, change, &mut kept, console));
            watched(result, change, console)
        };
        return watch::repeat(files, console, run);
    }
    match jobs().and_then(|jobs| once(arguments, &jobs, None, &mut Vec::new(), console)) {
        Err(Failure::Findings(findings)) if arguments.format != Format::Human => {
            check::report(&findings, arguments.format, console)?;
            Ok(Verdict::Findings)
        }
        Err(Failure::Findings(findings)) if arguments.json => {
            console.report(&findings);
            let summary = Summary { findings: findings_json(&findings), ..Summary::default() };
            console::print_json(&summary.to_json()?)?;
            Ok(Verdict::Findings)
        }
        other => other,
    }
}

/// The selection that the arguments describe. The search for the fleet's root starts in the working directory.
pub(crate) fn selection(arguments: &Contracts) -> Selection {
    Selection {
        peers: arguments.peer.clone(),
        all: arguments.all,
        files: arguments.capabilities.clone(),
        root: arguments.root.clone(),
        start: PathBuf::from("."),
    }
}

/// One run; with `--watch`, after a change. All contracts are read, generated and compared before the first file is
/// written.
fn once(
    arguments: &Generate,
    jobs: &[Job],
    change: Option<&Change>,
    kept: &mut Vec<Kept>,
    console: &Console,
) -> RunResult {
    kept.resize_with(jobs.len(), Kept::default);
    let (mut prepared, mut failed) = (Vec::with_capacity(jobs.len()), Vec::new());
    for (job, kept) in jobs.iter().zip(kept.iter_mut()) {
        match job.prepare(kept, console) {
            Ok(one) => prepared.push(one),
            Err(Failure::Findings(findings)) => failed.extend(findings),
            Err(other) => return Err(other),
        }
    }
    if failed.is_empty() {
        failed = output::share(prepared.iter_mut().map(|one| &mut one.plan));
    }
    let result = match failed.is_empty() {
        true => finish(arguments, &prepared, change, console),
        false => Err(Failure::Findings(check::distinct(failed))),
    };
    for (one, kept) in prepared.into_iter().zip(kept) {
        kept.contracts.keep(one.contracts);
    }
    result
}

/// Writes the output, or reports how it differs, and reports the result.
fn finish(arguments: &Generate, prepared: &[Prepared], change: Option<&Change>, console: &Console) -> RunResult {
    let mut findings: Vec<Diagnostic> = prepared.iter().flat_map(|one| one.findings.clone()).collect();
    let mut orphans = Vec::new();
    let mut verdict = Verdict::Fine;
    let left_behind = left_behind(prepared)?;
    if arguments.check {
        orphans = orphans_of(prepared)?;
        let stale = stale(arguments, prepared, &orphans);
        if !stale.is_empty() {
            verdict = Verdict::Findings;
        }
        findings.extend(stale);
    } else if !arguments.diff {
        prepared.iter().try_for_each(|one| one.plan.write())?;
    }
    findings.extend(left_behind);
    let findings = check::distinct(findings);
    check::report(&findings, arguments.format, console)?;
    if arguments.diff {
        console::print(&prepared.iter().map(|one| one.plan.diff()).collect::<String>())?;
    }
    let writes = !arguments.check && !arguments.diff;
    let peers: Vec<_> =
        prepared.iter().flat_map(|one| report::peers(&one.contracts, &one.hashes, &one.plan, writes)).collect();
    let shared: Vec<_> = prepared.iter().flat_map(|one| report::shared(&one.plan, writes)).collect();
    if writes || (arguments.check && verdict == Verdict::Fine) {
        match change {
            Some(change) => console.tick(&change.succeeded(&report::totals(&peers, &shared))),
            None => report::report(&peers, &shared, console),
        }
    }
    if arguments.json {
        let orphans = orphans.iter().map(|path| shown(path)).collect();
        let summary = Summary { peers, shared, orphans, findings: findings_json(&findings) };
        console::print_json(&summary.to_json()?)?;
    }
    Ok(verdict)
}

/// The findings of `--check`: files that are out of date, missing or no longer needed, and differences from locks.
fn stale(arguments: &Generate, prepared: &[Prepared], orphans: &[PathBuf]) -> Vec<Diagnostic> {
    let fix = rerun::fix(arguments);
    let files = prepared.iter().flat_map(|one| one.plan.stale(&fix));
    let locked = prepared
        .iter()
        .flat_map(|one| lock::findings(&one.contracts, &one.selection, IfMissing::Ignore, &mut KeptLocks::default()));
    files.chain(orphans.iter().map(|path| output::orphan(path))).chain(locked).collect()
}

/// Whether another plan than this one has a file at a path.
fn is_planned_elsewhere(prepared: &[Prepared], plan: &Plan, path: &Path) -> bool {
    let others = prepared.iter().map(|one| &one.plan).filter(|other| !std::ptr::eq(*other, plan));
    others.flat_map(Plan::files).any(|file| file.path() == path)
}

/// The generated files that import a shared file that changes, but are not generated again.
fn left_behind(prepared: &[Prepared]) -> Result<Vec<Diagnostic>, Failure> {
    let mut found = Vec::new();
    for one in prepared {
        let is_other = |path: &Path| !is_planned_elsewhere(prepared, &one.plan, path);
        found.extend(one.plan.left_behind(is_other)?);
    }
    Ok(found)
}

/// The generated files of agents that are neither planned nor in the fleet, sorted; empty if there is no fleet.
fn orphans_of(prepared: &[Prepared]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    for one in prepared {
        // Of several imports, each one has its own run.
        if one.selection.is_empty() {
            continue;
        }
        // A fleet with errors fails `--all`. Here it only means that orphans are not known.
        let Some(peers) = one.selection.fleet()?.and_then(|fleet| fleet.peers().ok()) else { continue };
        let known: BTreeSet<String> = peers.into_iter().map(|(id, _)| id.as_str().to_owned()).collect();
        let orphans = one.plan.orphans(|id| known.contains(id))?;
        found.extend(orphans.into_iter().filter(|path| !is_planned_elsewhere(prepared, &one.plan, path)));
    }
    Ok(found.into_iter().collect())
}

/// The result of one run of `--watch`, which continues after errors.
fn watched(result: RunResult, change: Option<&Change>, console: &Console) -> RunResult {
    match (result, change) {
        (Err(Failure::Findings(findings)), _) => {
            console.report(&findings);
            if let Some(change) = change {
                console.line(&change.failed(&check::totals(&findings)));
            }
            Ok(Verdict::Findings)
        }
        // The source of an import lost the name of its agent, which `--agent` would give. A save may bring it back.
        (Err(Failure::Usage(_, message)), Some(change)) => {
            console.line(&change.failed(&format!("error: {message}")));
            Ok(Verdict::Findings)
        }
        (other, _) => other,
    }
}
