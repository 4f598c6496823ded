//! `capgen gen`: generate code from contracts.

mod arguments;
mod history;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use capgen_codegen::output::{self, Destination, KeptOutputs, Output, Plan};
use capgen_diagnostic::Diagnostic;
use capgen_manifest::{KeptContracts, LoadedContract, Selection};
use capgen_schema::Hash;
use clap::error::ErrorKind;

use crate::arguments::{Contracts, Format};
use crate::check;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::import::{self, Conversion, Manifest};
use crate::input;
use crate::lock::{self, IfMissing, KeptLocks};
use crate::rerun;
use crate::signals;
use crate::summary::{File, Peer, Summary, findings_json, shown};
use crate::watch::{self, Change};
pub(crate) use arguments::{DEFAULT_OUT, Generate};
use history::History;

pub(crate) fn run(arguments: &Generate, console: &Console) -> RunResult {
    let selection = selection(&arguments.contracts);
    if selection.is_empty() && arguments.imported.mcp.is_none() {
        return Err(nothing_selected());
    }
    if !arguments.check && !arguments.diff {
        signals::remove_temporary_files_at_the_end();
    }
    if arguments.watch {
        let source = || arguments.imported.mcp.iter().cloned().chain(history::files(arguments, &selection)).collect();
        if arguments.imported.mcp.as_deref().is_some_and(input::is_stdin) {
            return Err(Failure::usage(
                ErrorKind::ArgumentConflict,
                "`--watch` needs a file: standard input cannot be read again",
            ));
        }
        let mut kept = Kept::default();
        let run = |change: Option<&Change>| watched(arguments, &selection, change, &mut kept, console);
        return watch::repeat(&selection, source, console, run);
    }
    let result = once(arguments, &selection, None, &mut Kept::default(), console);
    match result {
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

fn nothing_selected() -> Failure {
    let message = "no contracts selected: pass `--peer <ID>` for an agent, `--all` for the whole fleet, or `--capabilities <PATH>` \
                   for a file\n\nFor example: capgen --peer pr-reviewer";
    Failure::usage(ErrorKind::MissingRequiredArgument, message)
}

/// Results of the run before, with `--watch`.
#[derive(Default)]
struct Kept {
    contracts: KeptContracts,
    outputs: KeptOutputs,
}

/// One run; with `--watch`, after a change. All contracts are read, generated and compared before the first file is
/// written.
fn once(
    arguments: &Generate,
    selection: &Selection,
    change: Option<&Change>,
    kept: &mut Kept,
    console: &Console,
) -> RunResult {
    let located = selection.locate();
    let options = arguments.options(located.options());
    let languages = arguments.languages();
    let history = History::open(arguments, located.fleet(), options.calls)?;
    let target = Destination { folder: &arguments.out, languages: &languages, options, build_script: None };
    if let Some(file) = &arguments.imported.mcp {
        let (contracts, outputs, findings) = imported(file, &arguments.imported.conversion(), &target, console)?;
        return finish(arguments, selection, change, (&contracts, outputs, findings), console);
    }
    let contracts = check::usable(check::load(located, &languages, &mut kept.contracts)?)?;
    let outputs = match history {
        None => target.generate_again(&contracts, &mut kept.outputs),
        Some(history) => {
            let tables = history.tables(&contracts, &arguments.out, console)?;
            target.generate_knowing(&contracts, tables)
        }
    };
    let result = finish(arguments, selection, change, (&contracts, outputs, Vec::new()), console);
    kept.contracts.keep(contracts);
    result
}

/// Compares the output with the folder, writes it, and reports the result.
fn finish(
    arguments: &Generate,
    selection: &Selection,
    change: Option<&Change>,
    (contracts, outputs, mut findings): (&[LoadedContract], Vec<Output>, Vec<Diagnostic>),
    console: &Console,
) -> RunResult {
    let warnings = contracts.iter().zip(&outputs).flat_map(|(c, output)| c.warnings.iter().chain(&output.warnings));
    findings.extend(warnings.cloned());
    let hashes: Vec<_> = outputs.iter().map(|output| output.hash).collect();
    let plan = Plan::new(&arguments.out, outputs)?;
    let mut orphans = Vec::new();
    let mut verdict = Verdict::Fine;
    let left_behind = plan.left_behind()?;
    if arguments.check {
        // Of several imports, each one has its own run.
        orphans = if selection.is_empty() { Vec::new() } else { orphans_of(&plan, selection)? };
        let stale: Vec<_> = plan
            .stale(&rerun::fix(arguments))
            .into_iter()
            .chain(orphans.iter().map(|path| output::orphan(path)))
            .chain(lock::findings(contracts, selection, IfMissing::Ignore, &mut KeptLocks::default()))
            .collect();
        if !stale.is_empty() {
            verdict = Verdict::Findings;
        }
        findings.extend(stale);
    } else if !arguments.diff {
        plan.write()?;
    }
    findings.extend(left_behind);
    check::report(&findings, arguments.format, console)?;
    if arguments.diff {
        console::print(&plan.diff())?;
    }
    let writes = !arguments.check && !arguments.diff;
    let peers = peers(contracts, &hashes, &plan, writes);
    let shared: Vec<File> =
        plan.files().iter().filter(|file| file.agent().is_none()).map(|file| File::new(file, writes)).collect();
    if writes || (arguments.check && verdict == Verdict::Fine) {
        match change {
            Some(change) => console.tick(&change.succeeded(&totals(&peers, &shared))),
            None => report(&peers, &shared, console),
        }
    }
    if arguments.json {
        let orphans = orphans.iter().map(|path| shown(path)).collect();
        let summary = Summary { peers, shared, orphans, findings: findings_json(&findings) };
        console::print_json(&summary.to_json()?)?;
    }
    Ok(verdict)
}

/// Contracts with their outputs, and findings.
type Generated = (Vec<LoadedContract>, Vec<Output>, Vec<Diagnostic>);

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

/// The generated files of agents that are neither planned nor in the fleet; empty if there is no fleet.
fn orphans_of(plan: &Plan, selection: &Selection) -> Result<Vec<PathBuf>, Failure> {
    // A fleet with errors fails `--all`. Here it only means that orphans are not known.
    let Some(peers) = selection.fleet()?.and_then(|fleet| fleet.peers().ok()) else { return Ok(Vec::new()) };
    let known: BTreeSet<String> = peers.into_iter().map(|(id, _)| id.as_str().to_owned()).collect();
    Ok(plan.orphans(|id| known.contains(id))?)
}

/// The summary of each contract, of which `hashes` are the hashes. No two contracts belong to the same agent: a plan
/// rejects that.
fn peers(contracts: &[LoadedContract], hashes: &[Hash], plan: &Plan, writes: bool) -> Vec<Peer> {
    let mut files = plan.files().iter().peekable();
    let mut peers = Vec::with_capacity(contracts.len());
    for (LoadedContract { source, manifest, .. }, hash) in contracts.iter().zip(hashes) {
        let mut peer = Peer {
            peer: manifest.agent.to_string(),
            source: source.path().to_owned(),
            capabilities: manifest.labels(),
            files: Vec::new(),
            hash: format!("sha256:{hash}"),
        };
        while let Some(file) = files.next_if(|file| file.agent() == Some(&manifest.agent)) {
            peer.files.push(File::new(file, writes));
        }
        peers.push(peer);
    }
    peers
}

fn report(peers: &[Peer], shared: &[File], console: &Console) {
    let print = |File { path, status }: &File, about: &str| match *status {
        "written" => console.tick(&format!("wrote {path} ({about})")),
        _ => console.line(&format!("  {status} {path} ({about})")),
    };
    for peer in peers {
        let capabilities = count(peer.capabilities.len(), "capability", "capabilities");
        peer.files.iter().for_each(|file| print(file, &capabilities));
    }
    shared.iter().for_each(|file| print(file, "shared code"));
}

/// `2 files written, 4 unchanged`.
fn totals(peers: &[Peer], shared: &[File]) -> String {
    let files: Vec<_> = peers.iter().flat_map(|peer| &peer.files).chain(shared).collect();
    let written = files.iter().filter(|file| file.status == "written").count();
    format!("{} written, {} unchanged", count(written, "file", "files"), files.len() - written)
}

/// One run of `--watch`, which continues after errors.
fn watched(
    arguments: &Generate,
    selection: &Selection,
    change: Option<&Change>,
    kept: &mut Kept,
    console: &Console,
) -> RunResult {
    match (once(arguments, selection, change, kept, console), change) {
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
