//! The input of a site.

use std::collections::{BTreeMap, BTreeSet};

use capgen_diagnostic::Diagnostic;
use capgen_evolve::{ComparedContract, Finding};
use capgen_manifest::{AgentId, LoadedContract, Manifest};

/// The agents of a site, and everything else that it shows.
#[derive(Clone, Debug, Default)]
pub struct Fleet<'a> {
    /// The name of the fleet. Any text.
    pub name: Option<String>,
    /// Any text.
    pub description: Option<String>,
    /// The agents, each with a different id, in the order in which the site lists them.
    pub agents: Vec<Agent<'a>>,
    /// Who calls whom, in the order in which the site lists it.
    pub calls: Vec<Call>,
    /// The changes since an older version, if there is one.
    pub changes: Option<Changes>,
}

/// An agent with its contract.
#[derive(Clone, Debug)]
pub struct Agent<'a> {
    /// The contract.
    pub contract: &'a LoadedContract,
    /// The path of the manifest, as the site shows it: it must not be absolute, so that the site is the same on every
    /// machine.
    pub path: String,
    /// The findings of `capgen check`.
    pub warnings: Vec<Diagnostic>,
    /// Older versions of the contract, the oldest first.
    pub older: Vec<OlderContract>,
    /// Calls to copy of each capability, in the order of the contract. Capabilities without an element have none.
    pub samples: Vec<Vec<CallSample>>,
}

/// A call of a capability in a programming language, around its request as JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSample {
    /// The language, such as `Rust`.
    pub language: String,
    /// The text before the request.
    pub before: String,
    /// The text after the request.
    pub after: String,
}

/// An older version of a contract.
#[derive(Clone, Debug)]
pub struct OlderContract {
    /// Where it comes from, such as a commit. Versions that would have equal names get it.
    pub source: String,
    /// The contract.
    pub manifest: Manifest,
}

/// A caller of an agent, found by its generated files.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Call {
    /// The program with the generated files.
    pub caller: Caller,
    /// The agent whose contract they contain.
    pub provider: AgentId,
    /// The generated files, each with whether it contains the present contract.
    pub files: Vec<(String, bool)>,
}

/// A program with generated files.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Caller {
    /// An agent.
    Agent(AgentId),
    /// The folder of another program.
    Folder(String),
}

/// The changes since an older version.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The older version in words, such as `git:v1`.
    pub since: String,
    /// The comparison of each contract.
    pub contracts: Vec<ComparedContract>,
}

/// A fleet with tables for the pages of single agents.
pub(crate) struct Index<'a> {
    pub(crate) fleet: &'a Fleet<'a>,
    compared: BTreeMap<&'a AgentId, &'a ComparedContract>,
    callers: BTreeMap<&'a AgentId, Vec<&'a Call>>,
    called: BTreeMap<&'a AgentId, Vec<&'a Call>>,
    agents: BTreeSet<&'a AgentId>,
    capabilities: BTreeSet<(&'a AgentId, String)>,
    /// The changes and the warnings of each capability.
    changed: BTreeMap<(&'a AgentId, &'a str), Vec<&'a Finding>>,
    warned: BTreeMap<(&'a AgentId, usize), Vec<&'a Diagnostic>>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(fleet: &'a Fleet<'a>) -> Self {
        let contracts = fleet.changes.iter().flat_map(|changes| &changes.contracts);
        let mut callers: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut called: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for call in &fleet.calls {
            callers.entry(&call.provider).or_default().push(call);
            if let Caller::Agent(id) = &call.caller {
                called.entry(id).or_default().push(call);
            }
        }
        let mut index = Self {
            fleet,
            compared: contracts.map(|c| (&c.agent, c)).collect(),
            callers,
            called,
            agents: fleet.agents.iter().map(|agent| &agent.contract.manifest.agent).collect(),
            capabilities: BTreeSet::new(),
            changed: BTreeMap::new(),
            warned: BTreeMap::new(),
        };
        fleet.agents.iter().for_each(|agent| index.add(agent));
        for (agent, finding) in index.findings() {
            index.changed.entry((agent, &finding.capability)).or_default().push(finding);
        }
        index
    }

    fn add(&mut self, agent: &'a Agent<'a>) {
        let contract = agent.contract;
        let id = &contract.manifest.agent;
        self.capabilities.extend(contract.manifest.labels().into_iter().map(|label| (id, label)));
        if agent.warnings.is_empty() {
            return;
        }
        let count = contract.manifest.capabilities.len();
        let spans: Vec<_> =
            (0..count).map(|i| contract.span(&contract.capability_pointer(i)).unwrap_or_default()).collect();
        for warning in &agent.warnings {
            let label = warning.primary().filter(|label| label.source.path() == contract.path());
            let Some(place) = label.map(|label| &label.span) else { continue };
            // Capabilities are in source order.
            let number = spans.partition_point(|span| span.start <= place.start).saturating_sub(1);
            if spans.get(number).is_some_and(|span| span.start <= place.start && place.end <= span.end) {
                self.warned.entry((id, number)).or_default().push(warning);
            }
        }
    }

    /// The changes of a capability that still exists.
    pub(crate) fn changes_of(&self, agent: &AgentId, name: &str) -> Vec<&'a Finding> {
        let found = self.changed.get(&(agent, name)).into_iter().flatten().copied();
        found.filter(|finding| finding.new_pointer.is_some()).collect()
    }

    /// The findings whose primary place is in a capability, which has this number.
    pub(crate) fn warnings_of(&self, agent: &AgentId, number: usize) -> Vec<&'a Diagnostic> {
        self.warned.get(&(agent, number)).cloned().unwrap_or_default()
    }

    /// The calls to an agent, without those of its own code.
    pub(crate) fn callers(&self, agent: &AgentId) -> impl Iterator<Item = &'a Call> {
        let calls = self.callers.get(agent).into_iter().flatten().copied();
        calls.filter(|call| !call.is_own())
    }

    /// The calls of an agent to others.
    pub(crate) fn called_by(&self, agent: &AgentId) -> impl Iterator<Item = &'a Call> {
        let calls = self.called.get(agent).into_iter().flatten().copied();
        calls.filter(|call| !call.is_own())
    }

    pub(crate) fn compared(&self, agent: &AgentId) -> Option<&'a ComparedContract> {
        self.compared.get(agent).copied()
    }

    /// Whether the site has a page of the agent.
    pub(crate) fn has(&self, agent: &AgentId) -> bool {
        self.agents.contains(agent)
    }

    /// Whether the site has a page of the capability.
    pub(crate) fn has_capability(&self, agent: &AgentId, name: &str) -> bool {
        self.capabilities.contains(&(agent, name.to_owned()))
    }

    /// The number of findings about contracts.
    pub(crate) fn warnings(&self) -> usize {
        self.fleet.agents.iter().map(|agent| agent.warnings.len()).sum()
    }

    /// The findings about changes.
    pub(crate) fn findings(&self) -> impl Iterator<Item = (&'a AgentId, &'a Finding)> + use<'a> {
        let contracts = self.fleet.changes.iter().flat_map(|changes| &changes.contracts);
        contracts.flat_map(|contract| contract.comparison.findings.iter().map(|finding| (&contract.agent, finding)))
    }
}

impl Call {
    /// Whether the files are those of the agent itself, which implements its contract with them.
    pub(crate) fn is_own(&self) -> bool {
        matches!(&self.caller, Caller::Agent(id) if *id == self.provider)
    }

    /// Whether every file contains the present contract.
    pub(crate) fn is_current(&self) -> bool {
        self.files.iter().all(|(_, is_current)| *is_current)
    }
}
