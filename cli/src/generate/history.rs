//! Older contracts of the selected agents, and the verdicts on the callers that were built with them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use capgen_codegen::regenerate::Locator;
use capgen_codegen::{KnownFinding, SideVerdict, Verdicts};
use capgen_diagnostic::Diagnostic;
use capgen_evolve::{CallSettings, Refusal, can_call_side};
use capgen_manifest::{AgentId, Capability, LoadedContract, Side, load, read_source, shown};
use capgen_schema::Steps;
use clap::error::ErrorKind;

use crate::console::{Console, count};
use crate::diff::history;
use crate::failure::Failure;

/// The value of `--history` that means the history of the manifest.
const GIT: &str = "git";

/// The most older contracts of one capability, the newest: a generated file has a row for each, and each comparison may
/// take two seconds.
const MAX_OLDER: usize = 100;

/// The budget of a comparison of one side: that of servers that compare contracts while they run.
const BUDGET: Steps = Steps::of_seconds(1);

/// Where the older contracts are.
pub(super) enum History {
    /// In the commits that changed the manifest.
    Git,
    /// In these files, each with the path that was given.
    Files(Vec<(PathBuf, LoadedContract)>),
}

/// The older contracts of one capability, each hash once.
type Older = Vec<Capability>;

impl History {
    /// Reads the files of the option; `None` without the option. `has_calls` says whether the output has servers.
    pub(super) fn open(values: &[PathBuf], has_calls: bool) -> Result<Option<Self>, Failure> {
        if values.is_empty() {
            return Ok(None);
        }
        if !has_calls {
            let message = "`--history` needs `--calls`: the table of older contracts is for generated servers";
            return Err(Failure::usage(ErrorKind::MissingRequiredArgument, message));
        }
        if values.iter().any(|value| value.as_os_str() == GIT) {
            let message = "`--history` has either `git` or files; a file called `git` is `./git`";
            let is_alone = values.len() == 1;
            return is_alone
                .then_some(Some(Self::Git))
                .ok_or_else(|| Failure::usage(ErrorKind::ArgumentConflict, message));
        }
        let (mut files, mut findings) = (Vec::new(), Vec::new());
        for path in values {
            match read_source(path, &shown(path)).and_then(|source| load(&source)) {
                Ok(contract) => files.push((path.clone(), contract)),
                Err(errors) => findings.extend(errors),
            }
        }
        if findings.is_empty() { Ok(Some(Self::Files(files))) } else { Err(Failure::Findings(findings)) }
    }

    /// The verdicts on the callers of each contract, in the same order.
    pub(super) fn verdicts(&self, contracts: &[LoadedContract], console: &Console) -> Result<Vec<Verdicts>, Failure> {
        if let Self::Files(files) = self {
            let is_selected = |agent: &AgentId| contracts.iter().any(|contract| contract.manifest.agent == *agent);
            if let Some((_, other)) = files.iter().find(|(_, older)| !is_selected(&older.manifest.agent)) {
                let message = format!(
                    "`{}` is a contract of `agent://{}`, which is not selected",
                    other.path(),
                    other.manifest.agent
                );
                return Err(Failure::usage(ErrorKind::ValueValidation, message));
            }
        }
        let verdicts = |contract| Ok(verdicts(contract, &self.older(contract, console)?));
        contracts.iter().map(verdicts).collect()
    }

    /// The value of the option for the files of one contract, as words of a command in their folder.
    pub(super) fn words(&self, locator: &Locator, contract: &LoadedContract) -> Vec<String> {
        match self {
            Self::Git => vec![GIT.to_owned()],
            Self::Files(files) => {
                let word = |(path, _): &(PathBuf, LoadedContract)| word(locator, path);
                files.iter().filter(|(_, older)| older.manifest.agent == contract.manifest.agent).map(word).collect()
            }
        }
    }

    /// The older contracts of each capability, by its name.
    fn older(&self, current: &LoadedContract, console: &Console) -> Result<BTreeMap<String, Older>, Failure> {
        let mut older = BTreeMap::new();
        let mut skipped = 0;
        match self {
            Self::Git => history::contracts(current, console, |_, contract| {
                skipped += add(&mut older, current, contract);
                ControlFlow::Continue(())
            })
            .map_err(helped)?,
            Self::Files(files) => {
                let own = files.iter().filter(|(_, contract)| contract.manifest.agent == current.manifest.agent);
                skipped += own.map(|(_, contract)| add(&mut older, current, contract.clone())).sum::<usize>();
            }
        }
        if skipped > 0 {
            let contracts = count(skipped, "older contract is", "older contracts are");
            console.line(&format!("{contracts} not in the table: it has at most {MAX_OLDER} of a capability"));
        }
        Ok(older)
    }
}

/// Findings about git, whose help is for the options of other commands, with help about this option.
fn helped(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    const OTHER: &str = "as a file or a folder: `--against <path>`";
    for finding in &mut findings {
        finding.help = finding.help.take().map(|help| help.replace(OTHER, "as a file: `--history <file>`"));
    }
    findings
}

/// A file called like the other value of the option needs its folder.
fn word(locator: &Locator, path: &Path) -> String {
    let word = locator.word(path);
    if word == GIT { format!("./{word}") } else { word }
}

/// Adds the capabilities of a contract that the current one has in another form. Returns the number of those for which
/// there is no room.
fn add(older: &mut BTreeMap<String, Older>, current: &LoadedContract, contract: LoadedContract) -> usize {
    let mut skipped = 0;
    for capability in contract.manifest.capabilities {
        let mut named = current.manifest.capabilities.iter().filter(|own| own.name == capability.name).peekable();
        // Callers with the contract of a version that is served reach this version.
        if named.peek().is_none() || named.any(|own| own.hash() == capability.hash()) {
            continue;
        }
        let known = older.entry(capability.name.clone()).or_default();
        if known.iter().any(|one| one.hash() == capability.hash()) {
            continue;
        }
        if known.len() < MAX_OLDER { known.push(capability) } else { skipped += 1 }
    }
    skipped
}

fn verdicts(contract: &LoadedContract, older: &BTreeMap<String, Older>) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for (index, provider) in contract.manifest.capabilities.iter().enumerate() {
        for caller in older.get(&provider.name).into_iter().flatten() {
            let sides = [Side::Request, Side::Response].map(|side| verdict(side, caller, provider));
            verdicts.insert(index, caller.hash().to_string(), sides);
        }
    }
    verdicts
}

/// Whether all payloads of a side are valid for their receiver, as servers that compare contracts decide it.
fn verdict(side: Side, caller: &Capability, provider: &Capability) -> SideVerdict {
    // A side without a schema on either end is not compared: the other end validates.
    if caller.schema(side).is_none() || provider.schema(side).is_none() {
        return SideVerdict::Fits;
    }
    let settings = CallSettings { steps: BUDGET, budget: BUDGET, ..CallSettings::default() };
    // A server decides by the keys about versions before it looks for a verdict.
    let Err(refusal) = can_call_side(side, caller, provider, &settings) else {
        return SideVerdict::Fits;
    };
    match refusal {
        Refusal::Incompatible(found) if found.undecided.is_none() => {
            let found = found.finding.map(|finding| KnownFinding {
                code: Some(finding.code.as_str().to_owned()),
                pointer: finding.pointer().to_owned(),
                fingerprint: finding.fingerprint.as_str().to_owned(),
                message: finding.message,
                help: finding.help,
            });
            SideVerdict::MayFail(found.unwrap_or_default())
        }
        _ => SideVerdict::Undecided,
    }
}
