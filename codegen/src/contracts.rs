//! From what was asked for to checked contracts: the one way in of the command line and of build scripts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use capgen_manifest::{AgentId, Diagnostic, Fleet, Manifest, find_root, load, load_peer, read_source, shown};

use crate::{codes, output};

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Agents of the fleet, by id.
    pub peers: Vec<String>,
    /// Every agent of the fleet.
    pub all: bool,
    /// Files, in the fleet or not.
    pub files: Vec<PathBuf>,
    /// The fleet's root; where absent it is looked for from `start` upwards.
    pub root: Option<PathBuf>,
    /// Where looking for the fleet's root starts.
    pub start: PathBuf,
}

/// The files that a selection names, found but not read.
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

/// A contract and where it came from.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The path that messages show.
    pub origin: String,
    /// What the file says.
    pub manifest: Manifest,
    /// Findings that do not refuse it.
    pub warnings: Vec<Diagnostic>,
}

impl Selection {
    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.peers.is_empty() && !self.all && self.files.is_empty()
    }

    /// The fleet that there is, also where files alone were asked for: the one at the root, or at or above the start.
    ///
    /// # Errors
    ///
    /// Those of [`Fleet::open`].
    pub fn fleet(&self) -> Result<Option<Fleet>, Vec<Diagnostic>> {
        let root = self.root.clone().or_else(|| find_root(&self.start));
        root.map(|root| Fleet::open(&root)).transpose()
    }

    /// Finds the files: peers first, then the rest of the fleet, then files; each file once, whatever names it.
    /// What goes wrong is reported by [`Located::load`].
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
                    self.findings.push(Diagnostic::new(codes::NOTHING_NAMED, message));
                }
                Ok(peers) => {
                    for (id, _) in peers {
                        // A path of `fleet.yaml` may lead nowhere.
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

    /// Every file that the result depends on: `fleet.yaml` where there is one, and the contracts.
    pub fn paths(&self) -> Vec<PathBuf> {
        let fleet = self.fleet.as_ref().and_then(Fleet::file);
        fleet.into_iter().chain(self.inputs.iter().map(|input| input.path.clone())).collect()
    }

    /// How many contracts were found.
    pub fn count(&self) -> usize {
        self.inputs.len()
    }

    /// Reads every file.
    ///
    /// # Errors
    ///
    /// All findings of all files, warnings included, where one of them is an error.
    pub fn load(self) -> Result<Vec<Contract>, Vec<Diagnostic>> {
        self.read(|_| Vec::new())
    }

    /// Reads every file, for output in one folder.
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load) and, at once, those of [`output::check_agents`]. A contract that does not load
    /// counts as that of the agent that it was looked up for.
    pub fn load_for_output(self) -> Result<Vec<Contract>, Vec<Diagnostic>> {
        self.read(|agents| output::check_agents(agents.iter().map(|(agent, origin)| (agent, origin.as_str()))))
    }

    fn read(self, judge: impl Fn(&[(AgentId, String)]) -> Vec<Diagnostic>) -> Result<Vec<Contract>, Vec<Diagnostic>> {
        let mut failed = !self.findings.is_empty();
        let mut findings = self.findings;
        let mut contracts = Vec::with_capacity(self.inputs.len());
        let mut agents = Vec::with_capacity(self.inputs.len());
        for input in self.inputs {
            match input.load() {
                Ok(contract) => {
                    // Kept for the case that another file fails.
                    findings.extend(contract.warnings.iter().cloned());
                    agents.push((contract.manifest.agent.clone(), contract.origin.clone()));
                    contracts.push(contract);
                }
                Err(errors) => {
                    failed = true;
                    findings.extend(errors);
                    agents.extend(input.agent.map(|agent| (agent, shown(&input.path))));
                }
            }
        }
        let refused = judge(&agents);
        failed |= !refused.is_empty();
        findings.extend(refused);
        if failed { Err(findings) } else { Ok(contracts) }
    }
}

impl Input {
    fn load(&self) -> Result<Contract, Vec<Diagnostic>> {
        let origin = shown(&self.path);
        let source = read_source(&self.path, &origin)?;
        let loaded = match &self.agent {
            Some(agent) => load_peer(&source, agent)?,
            None => load(&source)?,
        };
        Ok(Contract { origin, manifest: loaded.manifest, warnings: loaded.warnings })
    }
}
