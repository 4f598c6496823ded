//! A run: from its inputs to its report.

use std::collections::BTreeSet;
use std::fmt;

use capgen_diagnostic::quoted;

use super::budget::Exceeded;
use super::conflict::{self, Conflicts};
use super::corpus::{Candidate, Corpus};
use super::coverage::NearName;
use super::matching::Match;
use super::penalty;
use super::rejection::{Limits, ignored, on_missing_required};
use super::scoring::{Question, Run, Scored};
use super::select::{Selection, select};
use super::transitive::{Graph, Root, traverse};
use crate::inputs::{
    Aliases, Host, Mode, OnMissingRequired, Overrides, Policy, Probe, ProbeRunner, Probes, Profile, Reliability, Skill,
    SkillContract,
};
use crate::{Warning, codes};

/// The decision of the user for missing capabilities, if the policy is `offer-emulation`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Decision {
    /// The missing capabilities are emulated.
    Emulate,
    /// The run continues without them.
    ContinueWithPartial,
    /// The run ends.
    #[default]
    Abort,
}

impl Decision {
    /// `emulate`, `continue-with-partial` or `abort`.
    pub const fn name(self) -> &'static str {
        match self {
            Decision::Emulate => "emulate",
            Decision::ContinueWithPartial => "continue-with-partial",
            Decision::Abort => "abort",
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing is missing.
    NotNeeded,
    /// Something is missing, and the run fails.
    Failed,
    /// The missing capabilities are emulated.
    Emulated,
    /// The run continues without the missing capabilities.
    ContinuedPartial,
    /// The user ended the run.
    Aborted,
}

impl Outcome {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::NotNeeded => "not-needed",
            Outcome::Failed => "failed",
            Outcome::Emulated => "emulated",
            Outcome::ContinuedPartial => "continued-partial",
            Outcome::Aborted => "aborted",
        }
    }

    /// Whether the run gives a result that can be used.
    pub const fn is_success(self) -> bool {
        !matches!(self, Outcome::Failed | Outcome::Aborted)
    }
}

/// The skill that requires something, with its contract as it is read in the mode of the run.
#[derive(Clone, Debug)]
pub struct Consumer {
    /// Its canonical id.
    pub id: String,
    /// Its contract, if it has a readable one.
    pub contract: Option<SkillContract>,
}

/// The inputs of a run besides its corpus.
#[derive(Clone, Debug)]
pub struct Inputs<'i> {
    /// The required capabilities of the caller, normalised for the mode and distinct. If there are none, those of the
    /// consumer apply (decision 13).
    pub required: Vec<String>,
    /// The text of the query. Without it, the required capabilities are the text.
    pub query: Option<String>,
    /// The skill that requires something.
    pub consumer: Option<Consumer>,
    /// The host.
    pub host: Host,
    /// The policy of the caller.
    pub overrides: Overrides,
    /// The values that apply if the caller sets no others.
    pub profile: Profile,
    /// The aliases.
    pub aliases: &'i Aliases,
    /// The history.
    pub reliability: &'i Reliability,
    /// The probes.
    pub probes: &'i Probes,
}

/// Why a run has no report.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ResolveError {
    /// A limit was reached, while the requirements of this skill were followed, if any.
    Exceeded(Exceeded, Option<String>),
    /// In strict, a probe applies to this capability, and no program may be run (decision 25).
    ProbeNotAllowed(String),
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exceeded(limit, None) => limit.fmt(f),
            Self::Exceeded(limit, Some(skill)) => write!(f, "{limit}, while {} was resolved", quoted(skill)),
            Self::ProbeNotAllowed(capability) => {
                write!(f, "a probe for {} applies in strict, and programs may not run", quoted(capability))
            }
        }
    }
}

impl std::error::Error for ResolveError {}

/// The choice of a run with everything that led to it.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The required capabilities.
    pub required: Vec<String>,
    /// The text whose words were compared.
    pub query: String,
    /// The policy before hints, and the one that applies.
    pub defaults: Policy,
    /// The policy that applies.
    pub effective: Policy,
    /// The sources that changed the policy, in order of precedence: `runtime`, `consumer`, `provider-hints`.
    pub override_sources: Vec<&'static str>,
    /// The candidates with their scores, and the selected ones.
    pub selection: Selection,
    /// The dependencies of the selected providers.
    pub graph: Graph,
    /// Capabilities that are required and denied.
    pub conflicts: Conflicts,
    /// Required capabilities that are missing: those of the run, then those of providers, then those in conflict,
    /// without duplicates.
    pub unresolved: Vec<String>,
    /// The required capabilities that a selected provider covers by a near name only: those of the run, then those of
    /// providers.
    pub near_names: Vec<NearName>,
    /// The consequence of missing capabilities that applies.
    pub on_missing_required: OnMissingRequired,
    /// Hints, runtimes and declarations that were ignored.
    pub warnings: Vec<Warning>,
    /// The keys that the caller or the consumer set.
    set: Overrides,
}

impl Resolution {
    /// The policy that applies to a candidate: the effective one, with the limits that the candidate's hints tighten
    /// (decision 21).
    pub fn policy_of(&self, candidate: &Candidate) -> Policy {
        Limits::new(candidate, &self.effective, &self.set).policy(&self.effective)
    }

    /// The required capabilities that a candidate matches, each with the kind of match.
    pub fn matches<'r>(&'r self, one: &'r Scored) -> impl Iterator<Item = (&'r str, Match)> {
        one.matches.iter().filter_map(|(index, kind)| Some((self.required.get(*index)?.as_str(), *kind)))
    }

    /// The required capabilities that a candidate covers (decisions 20 and 40).
    pub fn covered<'r>(&'r self, one: &'r Scored) -> impl Iterator<Item = &'r str> {
        one.covered.iter().filter_map(|index| self.required.get(*index)).map(String::as_str)
    }

    /// The required capabilities that the selected candidates do not cover.
    pub fn uncovered(&self) -> impl Iterator<Item = &str> {
        self.selection.uncovered.iter().filter_map(|index| self.required.get(*index)).map(String::as_str)
    }

    /// How the run ends with a decision of the user.
    pub fn outcome(&self, decision: Decision) -> Outcome {
        if self.unresolved.is_empty() {
            return Outcome::NotNeeded;
        }
        match (self.on_missing_required, decision) {
            (OnMissingRequired::HardFail, _) => Outcome::Failed,
            (OnMissingRequired::AutoEmulate, _) | (OnMissingRequired::OfferEmulation, Decision::Emulate) => {
                Outcome::Emulated
            }
            (OnMissingRequired::OfferEmulation, Decision::ContinueWithPartial) => Outcome::ContinuedPartial,
            (OnMissingRequired::OfferEmulation, Decision::Abort) => Outcome::Aborted,
        }
    }
}

/// Chooses providers. The same inputs give the same resolution, apart from probes that run programs.
///
/// `runner` runs probes if the caller allows it.
///
/// # Errors
///
/// A limit was reached, or a probe is necessary and not allowed.
pub fn resolve(
    corpus: &Corpus,
    inputs: &Inputs,
    runner: Option<&mut dyn ProbeRunner>,
) -> Result<Resolution, ResolveError> {
    let mode = corpus.mode();
    let contract = inputs.consumer.as_ref().and_then(|consumer| consumer.contract.as_ref());
    let required = match contract {
        Some(contract) if inputs.required.is_empty() => contract.requires.clone(),
        _ => inputs.required.clone(),
    };
    let query = inputs.query.clone().unwrap_or_else(|| required.join(" "));
    let consumer_overrides = contract.map(|contract| contract.overrides.clone()).unwrap_or_default();
    let runtime_overrides = inputs.overrides.or(&inputs.profile.overrides());
    let set = runtime_overrides.or(&consumer_overrides);
    let defaults = Policy::defaults(mode);
    let policy = defaults.with(&set);
    let mut warnings = hint_warnings(corpus, &policy);
    let values = (&policy, &set, inputs.profile);
    let mut run = Run::new(corpus, inputs.aliases, values, &inputs.host, inputs.reliability, &mut warnings);

    let question = Question { required: &required, text: &query, without: None };
    let mut selection = probed(&mut run, &question, inputs.probes, runner)?;
    let root = root(inputs.aliases, &required, contract);
    let graph = traverse(&mut run, inputs.aliases, &root, &selection).map_err(|limit| exceeded(&run, limit))?;
    let id = inputs.consumer.as_ref().map_or("consumer", |consumer| &consumer.id);
    let conflicts = conflict::find(corpus, inputs.aliases, (id, &root), &graph, &mut run.budget)
        .map_err(|limit| exceeded(&run, limit))?;
    if mode == Mode::BestEffort {
        penalize(&mut selection, &conflicts);
    }

    let near_names = near_names(&required, &selection, &graph);
    warnings.extend(near_names.iter().map(|near| near.warning(corpus)));
    let unresolved = unresolved(&required, &selection, &graph, &conflicts);
    let providers = selection.providers().filter_map(|one| run.candidate(one.scored.candidate));
    let hinted = on_missing_required(&run, providers);
    let effective = Policy { on_missing_required: hinted, ..policy.clone() };
    let is_denied = mode == Mode::Strict && !conflicts.capabilities.is_empty();
    let is_hinted = hinted != policy.on_missing_required || selection.ranked.iter().any(|one| one.is_tightened);
    let override_sources = sources(&defaults, &runtime_overrides, &consumer_overrides, is_hinted);
    Ok(Resolution {
        required,
        query,
        defaults,
        effective,
        override_sources,
        selection,
        graph,
        conflicts,
        unresolved,
        near_names,
        // In strict, a conflict fails the run whatever the policy is (decision 23).
        on_missing_required: if is_denied { OnMissingRequired::HardFail } else { hinted },
        warnings,
        set,
    })
}

fn exceeded(run: &Run, limit: Exceeded) -> ResolveError {
    let candidate = run.resolving.and_then(|index| run.candidate(index));
    ResolveError::Exceeded(limit, candidate.map(|candidate| candidate.id.to_string()))
}

/// The selection of the run, with the probes that apply.
fn probed(
    run: &mut Run,
    question: &Question,
    probes: &Probes,
    runner: Option<&mut dyn ProbeRunner>,
) -> Result<Selection, ResolveError> {
    let applying = applying(probes, question.required, run.mode());
    let Some((capability, _)) = applying.first() else {
        return select(run, question, None).map_err(|limit| exceeded(run, limit));
    };
    let Some(runner) = runner else {
        return match run.mode() {
            Mode::Strict => Err(ResolveError::ProbeNotAllowed((*capability).to_owned())),
            Mode::BestEffort => select(run, question, None).map_err(|limit| exceeded(run, limit)),
        };
    };
    let corpus = run.corpus;
    let mut passes = |index: usize| {
        let skill: Option<&Skill> = corpus.candidates().get(index).map(|candidate| &candidate.skill);
        skill.is_some_and(|skill| applying.iter().all(|(_, probe)| runner.passes(probe, skill)))
    };
    select(run, question, Some(&mut passes)).map_err(|limit| exceeded(run, limit))
}

/// The probes for required capabilities, as the mode compares them.
fn applying<'p>(probes: &'p Probes, required: &[String], mode: Mode) -> Vec<(&'p str, &'p Probe)> {
    let probes = probes.by_capability.iter();
    let applies = |capability: &String| required.contains(&mode.normalised(capability));
    probes.filter(|(key, _)| applies(key)).map(|(key, probe)| (key.as_str(), probe)).collect()
}

/// The sets that every path starts with.
fn root(aliases: &Aliases, required: &[String], contract: Option<&SkillContract>) -> Root {
    let canonical = |tokens: &[String]| tokens.iter().map(|token| aliases.canonical(token).to_owned()).collect();
    Root {
        required: canonical(required),
        denied: contract.map(|contract| canonical(&contract.denies)).unwrap_or_default(),
    }
}

/// Applies `require_deny_penalty`. The order of the candidates stays as it is (decision 23).
fn penalize(selection: &mut Selection, conflicts: &Conflicts) {
    for place in &selection.selected {
        if let Some(one) = selection.ranked.get_mut(*place) {
            one.scored.penalties.require_deny = penalty::conflicts(conflicts.count(&one.scored.id));
            one.scored.penalize();
        }
    }
}

fn unresolved(required: &[String], selection: &Selection, graph: &Graph, conflicts: &Conflicts) -> Vec<String> {
    let own = selection.uncovered.iter().filter_map(|index| required.get(*index));
    let nested = graph.nodes.iter().flat_map(|node| &node.unresolved);
    let mut known = BTreeSet::new();
    own.chain(nested).chain(&conflicts.capabilities).filter(|token| known.insert(*token)).cloned().collect()
}

/// The sources that changed a value of the policy (decision 37).
fn sources(defaults: &Policy, runtime: &Overrides, consumer: &Overrides, is_hinted: bool) -> Vec<&'static str> {
    let below = defaults.with(consumer);
    let changed = [
        ("runtime", below.with(runtime) != below),
        // A value that the runtime replaces by another one changed nothing.
        ("consumer", defaults.with(&consumer.without(runtime)) != *defaults),
        ("provider-hints", is_hinted),
    ];
    changed.into_iter().filter(|(_, changed)| *changed).map(|(source, _)| source).collect()
}

fn near_names(required: &[String], selection: &Selection, graph: &Graph) -> Vec<NearName> {
    let own = selection.providers().flat_map(|one| one.scored.near_names(required, None));
    own.chain(graph.near_names.iter().cloned()).collect()
}

fn hint_warnings(corpus: &Corpus, policy: &Policy) -> Vec<Warning> {
    let ignored = |candidate: &Candidate| {
        let keys = candidate.contract().map(|contract| ignored(&contract.overrides, policy)).unwrap_or_default();
        let warning = |key: &str| Warning {
            code: codes::IGNORED_HINT,
            subject: candidate.id.to_string(),
            message: format!("the hint {} of `Pol(...)` never applies to a provider and is ignored", quoted(key)),
        };
        keys.into_iter().map(warning).collect::<Vec<_>>()
    };
    corpus.candidates().iter().flat_map(ignored).collect()
}
