//! Probes: programs that check whether a skill really offers a capability.

use std::collections::BTreeMap;

use crate::Skill;

/// A program and its limit of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The program and its arguments. No shell interprets them.
    pub command: Vec<String>,
    /// The time in ms after which the program is ended and the probe has failed.
    pub timeout_ms: u64,
}

/// The probes of `.dci/probes.v1.json`, by capability (decision 25).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Probes {
    /// The probes by the capabilities that they check.
    pub by_capability: BTreeMap<String, Probe>,
}

/// Runs probes.
pub trait ProbeRunner {
    /// Whether a probe passes for a skill: the program exits with 0 within its time (decision 36).
    fn passes(&mut self, probe: &Probe, skill: &Skill) -> bool;
}
