//! `capgen docs`: the contracts as a site.

mod arguments;
mod calls;
mod output;

pub(crate) use arguments::Docs;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use capgen_codegen::Language;
use capgen_diagnostic::Diagnostic;
use capgen_manifest::{LoadedContract, Selection};
use capgen_site::{Agent, CallSample, Changes, Fleet, OlderContract};

use crate::check;
use crate::codes;
use crate::console::{Console, count};
use crate::diff;
use crate::failure::{Failure, RunResult, Verdict};
use crate::generate::selection;
use crate::repository;
use crate::signals;
use crate::summary::shown;
use output::Plan;

/// The most pages of agents and capabilities. All pages are in memory before the first one is written. Usual fleets
/// have some hundreds.
const MAX_PAGES: usize = 20_000;

/// The most older contracts of an agent that are compared. Each is read and compared with others, so a long history
/// would take the time of a site for many agents.
const MAX_OLDER: usize = 30;

pub(crate) fn run(arguments: &Docs, console: &Console) -> RunResult {
    let mut selection = selection(&arguments.contracts);
    selection.all |= selection.is_empty();
    let contracts = diff::distinct(selection.locate().load()?)?;
    let pages: usize = contracts.iter().map(|contract| contract.manifest.capabilities.len() + 1).sum();
    if pages > MAX_PAGES {
        let message = format!("the site would have {pages} pages of agents and capabilities, more than {MAX_PAGES}");
        let finding = Diagnostic::new(codes::SITE_TOO_LARGE, message);
        return Err(Failure::Findings(vec![finding.help("select agents with `--peer`, and write several sites")]));
    }
    let fleet = fleet(arguments, &selection, &contracts, console)?;
    let plan = Plan::new(&arguments.out, capgen_site::build(&fleet))?;
    if arguments.check {
        let findings = plan.findings();
        console.report(&findings);
        return Ok(if findings.is_empty() { Verdict::Fine } else { Verdict::Findings });
    }
    signals::remove_temporary_files_at_the_end();
    plan.write()?;
    let (written, removed) = (plan.changed().count(), plan.leftovers().len());
    let pages = count(plan.len(), "file", "files");
    let removed = if removed > 0 { format!(", removed {removed}") } else { String::new() };
    let folder = shown(&arguments.out);
    match written {
        0 => console.line(&format!("  unchanged {folder} ({pages}{removed})")),
        _ => console.tick(&format!("wrote {folder} ({written} of {pages}{removed})")),
    }
    Ok(Verdict::Fine)
}

/// The input of the site.
fn fleet<'c>(
    arguments: &Docs,
    selection: &Selection,
    contracts: &'c [LoadedContract],
    console: &Console,
) -> Result<Fleet<'c>, Failure> {
    let opened = selection.fleet()?.filter(|_| selection.all || !selection.peers.is_empty());
    let root = opened.as_ref().map(|fleet| fleet.root());
    let mut agents: Vec<Agent<'c>> = contracts
        .iter()
        .map(|contract| Agent {
            contract,
            path: place(&contract.file, root),
            warnings: Vec::new(),
            older: Vec::new(),
            samples: samples(contract),
        })
        .collect();
    let numbers: BTreeMap<&str, usize> = (0..).zip(contracts).map(|(i, contract)| (contract.path(), i)).collect();
    for warning in check::warnings(contracts, selection) {
        // Every finding about a contract has a label in it, or names its file.
        let path = warning.primary().map(|label| label.source.path().to_owned()).or_else(|| warning.file.clone());
        let number = path.and_then(|path| numbers.get(path.as_str()).copied());
        if let Some(agent) = number.and_then(|number| agents.get_mut(number)) {
            agent.warnings.push(warning);
        }
    }
    let mut changes = None;
    if let Some(since) = &arguments.since {
        let mut contracts = Vec::new();
        for (compared, old) in diff::since(since, selection)? {
            let agent = agents.iter_mut().find(|agent| agent.contract.manifest.agent == compared.agent);
            if let (Some(agent), Some(manifest)) = (agent, old) {
                agent.older.push(OlderContract { source: named(since), manifest });
            }
            contracts.push(compared);
        }
        changes = Some(Changes { since: named(since), contracts });
    }
    if arguments.history.is_some() {
        for agent in &mut agents {
            agent.older = older(agent.contract, console)?;
        }
    }
    Ok(Fleet {
        name: opened.as_ref().and_then(|fleet| fleet.name().map(str::to_owned)),
        description: opened.as_ref().and_then(|fleet| fleet.description().map(str::to_owned)),
        agents,
        calls: calls::find(contracts, selection, console),
        changes,
    })
}

/// Calls of each capability in the languages that capgen generates by default.
fn samples(contract: &LoadedContract) -> Vec<Vec<CallSample>> {
    let samples = capgen_codegen::call_samples(&contract.manifest, &Language::DEFAULT);
    let sample = |sample: capgen_codegen::CallSample| {
        let capgen_codegen::CallSample { language, before, after, .. } = sample;
        CallSample { language: language.to_owned(), before, after }
    };
    samples.into_iter().map(|of_one| of_one.into_iter().map(sample).collect()).collect()
}

/// The contracts in the history of a manifest, the oldest first, without those that have the hash of the next one.
fn older(contract: &LoadedContract, console: &Console) -> Result<Vec<OlderContract>, Failure> {
    let mut older = Vec::new();
    let mut newer = None;
    diff::history::contracts(contract, console, |commit, contract| {
        let hash = contract.manifest.hash();
        if newer.replace(hash) != Some(hash) {
            older.push(OlderContract { source: commit.to_owned(), manifest: contract.manifest });
        }
        if older.len() < MAX_OLDER { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    older.reverse();
    Ok(older)
}

/// The path of a manifest, relative to the root of the fleet or else of the repository, so that it is the same on every
/// machine and in every working directory.
fn place(file: &Path, root: Option<&Path>) -> String {
    if let Some(relative) = root.and_then(|root| file.strip_prefix(root).ok()) {
        return shown(relative);
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let below = repository::root_of(folder)
        .and_then(|root| file.canonicalize().ok()?.strip_prefix(root).ok().map(Path::to_owned));
    shown(&below.unwrap_or_else(|| file.file_name().unwrap_or_default().into()))
}

/// The value of `--since`, without the folders of an absolute path.
fn named(since: &Path) -> String {
    if since.is_absolute() { shown(Path::new(since.file_name().unwrap_or_default())) } else { shown(since) }
}
