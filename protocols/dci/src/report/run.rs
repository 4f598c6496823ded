//! `capability_resolution_report` (section "Required Run Artifact").

use capgen_schema::HashBuilder;
use serde::Serialize;

use crate::Score;
use crate::choose::{Conflict, Corpus, Decision, Inputs, Outcome, Ranked, Resolution, Scored, TieBreak};
use crate::inputs::{OnMissingRequired, Policy, RELIABILITY_PATH, Rejection, Reliability, SelectionMode, Source};

/// The version of the report's format.
const SCHEMA_VERSION: &str = "1";

/// The counts of a discovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Counts {
    /// All skills that were found.
    pub discovered: usize,
    /// The candidates.
    pub included: usize,
    /// The excluded ones, each of which is in `rejections`.
    pub excluded: usize,
}

/// The parts of a report that do not follow from the resolution.
#[derive(Clone, Debug)]
pub struct Circumstances<'r> {
    /// The sources that were read.
    pub sources: Vec<Source>,
    /// The skills that discovery excluded.
    pub rejections: &'r [Rejection],
    /// The decision of the user for missing capabilities.
    pub decision: Decision,
    /// The time of the report (RFC 3339).
    pub generated_at: &'r str,
}

/// A report. Its serialization as JSON has the same bytes for the same inputs.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    schema_version: &'static str,
    run_id: String,
    mode: &'static str,
    history_state: &'static str,
    alias_resolution: AliasResolution,
    reliability: ReliabilitySource,
    query_capabilities: Vec<String>,
    policy: Policies,
    discovery: Discovery,
    selection: SelectionSummary,
    candidates: Vec<Candidate>,
    selected_candidates: Vec<String>,
    unresolved_required_capabilities: Vec<String>,
    unresolved_require_deny_conflicts: Vec<String>,
    on_missing_required_action: Action,
    degraded_mode: bool,
    emulated_capabilities: Vec<String>,
    rejections: Vec<Rejection>,
    generated_at: String,
}

#[derive(Clone, Debug, Serialize)]
struct AliasResolution {
    source: &'static str,
    alias_table_version: String,
}

#[derive(Clone, Debug, Serialize)]
struct ReliabilitySource {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'static str>,
    schema_version: &'static str,
    updated_at: String,
}

#[derive(Clone, Debug, Serialize)]
struct Policies {
    defaults: Policy,
    effective: Policy,
    override_source: String,
}

#[derive(Clone, Debug, Serialize)]
struct Discovery {
    sources_scanned: Vec<&'static str>,
    counts: Counts,
}

#[derive(Clone, Debug, Serialize)]
struct SelectionSummary {
    mode: SelectionMode,
    max_providers: u32,
    max_dependency_depth: u32,
    selected_count: usize,
}

#[derive(Clone, Debug, Serialize)]
struct Action {
    policy: OnMissingRequired,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_decision: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
struct Candidate {
    id: String,
    scores: Scores,
    coverage: Coverage,
    reliability: Snapshot,
    penalties: Penalties,
    tie_break: Tie,
    rejection_reasons: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    require_deny_conflicts: Vec<Entry>,
}

#[derive(Clone, Debug, Serialize)]
struct Scores {
    s_contract: Score,
    s_desc: Score,
    s_namepath: Score,
    s_runtime: Score,
    s_total: Score,
    s_total_penalized: Score,
    history_multiplier: Score,
    s_total_final: Score,
}

#[derive(Clone, Debug, Serialize)]
struct Coverage {
    required_total: usize,
    required_resolved: usize,
    required_ratio: Score,
}

#[derive(Clone, Debug, Serialize)]
struct Snapshot {
    sample_size: u32,
    success_rate_last_20: Score,
    outcomes_last_20: Vec<u8>,
    last_used_at: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Penalties {
    invalid_token_penalty: Score,
    unknown_clause_penalty: Score,
    overclaim_penalty: Score,
    inflation_penalty: Score,
    require_deny_penalty: Score,
    total_penalty: Score,
}

#[derive(Clone, Debug, Serialize)]
struct Tie {
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_step: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash_algorithm: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash_input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash_hex: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Entry {
    capability: String,
    required_by_candidate_id: String,
    denied_by_candidate_id: String,
    required_depth: u32,
    denied_depth: u32,
}

impl Report {
    /// The report of a resolution.
    pub fn new(corpus: &Corpus, inputs: &Inputs, resolution: &Resolution, circumstances: &Circumstances) -> Self {
        let outcome = resolution.outcome(circumstances.decision);
        let emulated = outcome == Outcome::Emulated;
        let (included, excluded) = (corpus.candidates().len(), circumstances.rejections.len());
        let id = |one: &Ranked| one.scored.id.to_string();
        let candidate = |one: &Ranked| candidate(inputs.reliability, resolution, one);
        Self {
            schema_version: SCHEMA_VERSION,
            run_id: run_id(corpus, inputs, resolution),
            mode: corpus.mode().name(),
            history_state: history_state(inputs.reliability),
            alias_resolution: AliasResolution {
                source: inputs.aliases.source().name(),
                alias_table_version: inputs.aliases.version().to_owned(),
            },
            reliability: reliability(inputs.reliability),
            query_capabilities: resolution.required.clone(),
            policy: policies(resolution),
            discovery: Discovery {
                sources_scanned: circumstances.sources.iter().map(|source| source.name()).collect(),
                counts: Counts { discovered: included + excluded, included, excluded },
            },
            selection: selection(resolution),
            candidates: resolution.selection.ranked.iter().map(candidate).collect(),
            selected_candidates: resolution.selection.providers().map(id).collect(),
            unresolved_required_capabilities: resolution.unresolved.clone(),
            unresolved_require_deny_conflicts: resolution.conflicts.capabilities.clone(),
            on_missing_required_action: action(resolution, circumstances.decision),
            degraded_mode: emulated,
            emulated_capabilities: if emulated { resolution.unresolved.clone() } else { Vec::new() },
            rejections: circumstances.rejections.to_vec(),
            generated_at: circumstances.generated_at.to_owned(),
        }
    }
}

fn history_state(reliability: &Reliability) -> &'static str {
    if reliability.is_persistent { "persistent" } else { "ephemeral" }
}

fn reliability(reliability: &Reliability) -> ReliabilitySource {
    ReliabilitySource {
        mode: history_state(reliability),
        path: reliability.is_persistent.then_some(RELIABILITY_PATH),
        schema_version: SCHEMA_VERSION,
        updated_at: reliability.updated_at.clone(),
    }
}

fn policies(resolution: &Resolution) -> Policies {
    let sources = &resolution.override_sources;
    Policies {
        defaults: resolution.defaults.clone(),
        effective: resolution.effective.clone(),
        override_source: if sources.is_empty() { "defaults".to_owned() } else { sources.join("+") },
    }
}

fn selection(resolution: &Resolution) -> SelectionSummary {
    let Policy { selection_mode, max_providers, max_dependency_depth, .. } = resolution.effective;
    let selected_count = resolution.selection.selected.len();
    SelectionSummary { mode: selection_mode, max_providers, max_dependency_depth, selected_count }
}

fn action(resolution: &Resolution, decision: Decision) -> Action {
    let policy = resolution.on_missing_required;
    // The public schema requires the decision whenever the policy is `offer-emulation` (decision 26).
    let is_offer = policy == OnMissingRequired::OfferEmulation;
    Action { policy, outcome: resolution.outcome(decision).name(), user_decision: is_offer.then(|| decision.name()) }
}

fn candidate(reliability: &Reliability, resolution: &Resolution, one: &Ranked) -> Candidate {
    let id = one.scored.id.to_string();
    let conflicts = resolution.conflicts.of(&one.scored.id);
    Candidate {
        scores: scores(&one.scored),
        coverage: coverage(&one.scored, resolution.required.len()),
        reliability: snapshot(reliability, &id),
        penalties: penalties(&one.scored),
        tie_break: tie(one.tie_break.as_ref()),
        rejection_reasons: one.reasons.iter().map(|reason| reason.name()).collect(),
        require_deny_conflicts: conflicts.iter().map(entry).collect(),
        id,
    }
}

fn scores(scored: &Scored) -> Scores {
    let scores = &scored.scores;
    Scores {
        s_contract: scores.contract,
        s_desc: scores.description,
        s_namepath: scores.name_path,
        s_runtime: scores.runtime,
        s_total: scores.total,
        s_total_penalized: scores.penalized,
        history_multiplier: scores.history,
        s_total_final: scores.last,
    }
}

fn coverage(scored: &Scored, required: usize) -> Coverage {
    let covered = scored.covered.len();
    // If nothing is required, everything is covered (decision 32).
    let ratio = if required == 0 { Score::ONE } else { Score::ratio(covered as i128, required as i128) };
    Coverage { required_total: required, required_resolved: covered, required_ratio: ratio }
}

fn snapshot(reliability: &Reliability, id: &str) -> Snapshot {
    let record = reliability.candidates.get(id);
    Snapshot {
        sample_size: record.map_or(0, |record| record.sample_size),
        success_rate_last_20: reliability.rate(id),
        outcomes_last_20: record
            .map(|record| record.outcomes.iter().map(|ok| u8::from(*ok)).collect())
            .unwrap_or_default(),
        last_used_at: record.map(|record| record.last_used_at.clone()),
    }
}

fn penalties(scored: &Scored) -> Penalties {
    let penalties = &scored.penalties;
    Penalties {
        invalid_token_penalty: penalties.invalid_token,
        unknown_clause_penalty: penalties.unknown_clause,
        overclaim_penalty: penalties.overclaim,
        inflation_penalty: penalties.inflation,
        require_deny_penalty: penalties.require_deny,
        total_penalty: penalties.total().min(Score::ONE),
    }
}

fn tie(tie_break: Option<&TieBreak>) -> Tie {
    let (input, hex) = tie_break.and_then(|tie| tie.hash.clone()).unzip();
    Tie {
        applied: tie_break.is_some(),
        applied_step: tie_break.map(|tie| tie.step),
        hash_algorithm: hex.as_ref().map(|_| "sha256"),
        hash_input: input,
        hash_hex: hex,
    }
}

fn entry(conflict: &Conflict) -> Entry {
    Entry {
        capability: conflict.capability.clone(),
        required_by_candidate_id: conflict.required_by.id.clone(),
        denied_by_candidate_id: conflict.denied_by.id.clone(),
        required_depth: conflict.required_by.depth,
        denied_depth: conflict.denied_by.depth,
    }
}

/// The length of a `run_id`, in hexadecimal digits: 128 bits of the hash (decision 27).
const RUN_ID_LENGTH: usize = 32;

/// The first 32 hexadecimal digits of the hash of the inputs (decision 27).
fn run_id(corpus: &Corpus, inputs: &Inputs, resolution: &Resolution) -> String {
    let mut identity = HashBuilder::new();
    identity.add_framed(corpus.mode().name());
    identity.add_framed(&inputs.host.runtime);
    identity.add_framed(inputs.host.model.as_deref().unwrap_or(""));
    identity.add_framed(&resolution.query);
    identity.add_count(resolution.required.len());
    resolution.required.iter().for_each(|token| identity.add_framed(token));
    identity.add_framed(inputs.consumer.as_ref().map_or("", |consumer| &consumer.id));
    identity.add_framed(serde_json::to_string(&resolution.effective).unwrap_or_default());
    identity.add_framed(inputs.profile.name());
    identity.add_framed(inputs.aliases.source().name());
    identity.add_framed(inputs.aliases.version());
    let recorded = |id: &str| serde_json::to_string(&snapshot(inputs.reliability, id)).unwrap_or_default();
    // Most candidates have no record, and so the same text.
    let mut unrecorded: Option<String> = None;
    identity.add_count(corpus.candidates().len());
    for candidate in corpus.candidates() {
        identity.add_framed(candidate.id.as_bytes());
        identity.add(candidate.skill.metadata_hash().as_bytes());
        if inputs.reliability.candidates.contains_key(&*candidate.id) {
            identity.add_framed(recorded(&candidate.id));
        } else {
            identity.add_framed(unrecorded.get_or_insert_with(|| recorded(&candidate.id)));
        }
    }
    // The hash of a run without this extension does not depend on it.
    for (number, verified) in corpus.verified().into_iter().flatten().enumerate() {
        identity.add_count(number);
        verified.tokens().for_each(|token| identity.add_framed(token));
    }
    identity.finish().digits(RUN_ID_LENGTH)
}
