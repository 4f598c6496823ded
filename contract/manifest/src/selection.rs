//! From a selection of agents and files to checked contracts. Every command and every build script loads contracts
//! here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cache::KeptContracts;
use crate::file::{read_source, shown};
use crate::fleet::{Fleet, find_root};
use crate::{AgentId, Diagnostic, LoadedContract, Options, codes};

/// The contracts to load.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Agents of the fleet, by id.
    pub peers: Vec<String>,
    /// Every agent of the fleet.
    pub all: bool,
    /// Files, in the fleet or not.
    pub files: Vec<PathBuf>,
    /// The fleet's root. If absent, it is searched for from `start` upwards.
    pub root: Option<PathBuf>,
    /// The folder in which the search for the fleet's root starts.
    pub start: PathBuf,
}

/// The files of a selection, found but not read yet.
#[derive(Clone, Debug)]
pub struct Located {
    fleet: Option<Fleet>,
    inputs: Vec<Input>,
    findings: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
struct Input {
    path: PathBuf,
    /// The agent that the file was looked up for.
    agent: Option<AgentId>,
}

impl Selection {
    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.peers.is_empty() && !self.all && self.files.is_empty()
    }

    /// The fleet at the root, or at or above the start; also if only files are selected.
    ///
    /// # Errors
    ///
    /// Those of [`Fleet::open`].
    pub fn fleet(&self) -> Result<Option<Fleet>, Vec<Diagnostic>> {
        let root = self.root.clone().or_else(|| find_root(&self.start));
        root.map(|root| Fleet::open(&root)).transpose()
    }

    /// Finds the files: peers first, then the rest of the fleet, then files. A file that is selected twice is read
    /// once. [`Located::load`] reports the errors.
    pub fn locate(&self) -> Located {
        let mut located = Located { fleet: None, inputs: Vec::new(), findings: Vec::new() };
        if self.all || !self.peers.is_empty() {
            let fleet = match &self.root {
                Some(root) => Fleet::open(root),
                None => Fleet::find(&self.start),
            };
            match fleet {
                Ok(fleet) => located.add_peers(self, fleet),
                Err(findings) => located.findings.extend(findings),
            }
        }
        located.inputs.extend(self.files.iter().map(|path| Input { path: path.clone(), agent: None }));
        let mut seen = BTreeSet::new();
        located.inputs.retain(|input| seen.insert(input.path.canonicalize().unwrap_or_else(|_| input.path.clone())));
        located
    }
}

impl Located {
    fn add_peers(&mut self, selection: &Selection, fleet: Fleet) {
        for id in &selection.peers {
            match fleet.peer(id) {
                Ok(path) => {
                    let agent = AgentId::new(id.strip_prefix("agent://").unwrap_or(id));
                    self.inputs.push(Input { path, agent });
                }
                Err(findings) => self.findings.extend(findings),
            }
        }
        if selection.all {
            match fleet.peers() {
                Ok(peers) if peers.is_empty() => {
                    let message = format!("no agent of the fleet at `{}` has a manifest", fleet.root().display());
                    self.findings.push(Diagnostic::new(codes::NOTHING_SELECTED, message));
                }
                Ok(peers) => {
                    for (id, _) in peers {
                        // `peers` includes agents whose path in `fleet.yaml` does not exist; `peer` reports them.
                        match fleet.peer(id.as_str()) {
                            Ok(path) => self.inputs.push(Input { path, agent: Some(id) }),
                            Err(findings) => self.findings.extend(findings),
                        }
                    }
                }
                Err(findings) => self.findings.extend(findings),
            }
        }
        self.fleet = Some(fleet);
    }

    /// Every file that the result depends on: `fleet.yaml`, if there is one, and the contracts.
    pub fn paths(&self) -> Vec<PathBuf> {
        let fleet = self.fleet.as_ref().and_then(Fleet::file);
        fleet.into_iter().chain(self.inputs.iter().map(|input| input.path.clone())).collect()
    }

    /// The options of generated code that `fleet.yaml` sets. The defaults if only files are selected: they need not be
    /// in the fleet.
    pub fn options(&self) -> Options {
        self.fleet.as_ref().map(Fleet::options).unwrap_or_default()
    }

    /// The fleet, if it was opened: to find agents. Its errors are reported by [`load`](Self::load).
    pub fn fleet(&self) -> Option<&Fleet> {
        self.fleet.as_ref()
    }

    /// The path of each manifest, and its agent if the fleet has it.
    pub fn inputs(&self) -> impl Iterator<Item = (&Path, Option<&AgentId>)> {
        self.inputs.iter().map(|input| (input.path.as_path(), input.agent.as_ref()))
    }

    /// How many contracts were found.
    pub fn count(&self) -> usize {
        self.inputs.len()
    }

    /// Reads every file.
    ///
    /// # Errors
    ///
    /// If one finding is an error, all findings of all files, warnings included.
    pub fn load(self) -> Result<Vec<LoadedContract>, Vec<Diagnostic>> {
        self.load_and_check(&mut KeptContracts::default(), |_| Vec::new())
    }

    /// Reads every file, and checks the agents of all files together. `check` gets each agent with the path of its
    /// contract, and returns the errors. A file that does not load counts as a contract of the agent that it was looked
    /// up for, so that `check` sees as many agents as possible and one run reports everything.
    ///
    /// Files whose text is the same as in the load that filled `kept` are not parsed again. After an error, `kept`
    /// contains the valid contracts; otherwise the caller may [give them back](KeptContracts::keep).
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load) and, at the same time, those of `check`.
    pub fn load_and_check(
        self,
        kept: &mut KeptContracts,
        check: impl FnOnce(&[(AgentId, String)]) -> Vec<Diagnostic>,
    ) -> Result<Vec<LoadedContract>, Vec<Diagnostic>> {
        let mut failed = !self.findings.is_empty();
        let mut findings = self.findings;
        let mut contracts = Vec::with_capacity(self.inputs.len());
        let mut agents = Vec::with_capacity(self.inputs.len());
        let mut earlier = std::mem::take(kept);
        for input in self.inputs {
            match input.load(kept, &mut earlier) {
                Ok(contract) => {
                    // If another file fails, these are reported together with its errors.
                    findings.extend(contract.warnings.iter().cloned());
                    agents.push((contract.manifest.agent.clone(), contract.path().to_owned()));
                    contracts.push(contract);
                }
                Err(errors) => {
                    failed = true;
                    findings.extend(errors);
                    agents.extend(input.agent.map(|agent| (agent, shown(&input.path))));
                }
            }
        }
        let errors = check(&agents);
        failed |= !errors.is_empty();
        findings.extend(errors);
        if failed {
            kept.keep(contracts);
            return Err(findings);
        }
        Ok(contracts)
    }
}

impl Input {
    fn load(&self, kept: &mut KeptContracts, earlier: &mut KeptContracts) -> Result<LoadedContract, Vec<Diagnostic>> {
        let source = read_source(&self.path, &shown(&self.path))?;
        kept.load(earlier, source, &self.path, self.agent.as_ref())
    }
}
