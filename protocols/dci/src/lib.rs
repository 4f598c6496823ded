//! Dependent capabilities (DCI/1): skills declare the capabilities that they provide and require, and a resolver
//! chooses providers.
//!
//! Reading contracts, scoring, selection and reports are functions of values: they use no IO, clock or randomness, so
//! that a choice can be replayed from the same inputs.
//!
//! ```
//! use capgen_dci::{Mode, contract};
//!
//! let reading = contract::read("DCI/1 P(option-evaluation) R(web-search)", Mode::Strict);
//! assert_eq!(reading.contract.unwrap().requires, ["web-search"]);
//! ```
//!
//! # Reading order
//!
//! For contributors. A folder uses those before it. `inputs/` has the inputs of a run as values with one subject each:
//! the contracts of skills, which `inputs/contract/` reads into clauses, aliases, policies, profiles, the history of
//! skills, and probes. `choose/` is the run, in `choose/resolve.rs`: it filters the candidates, scores them, selects,
//! and follows the requirements of the selected ones. `report/` explains the choice: every step is in the report, whose
//! fields `docs/dci.md` describes.
//!
//! `lint/` finds mistakes in the skills of a workspace. `files/` is the only IO: it reads folders that may be hostile,
//! within limits, and runs probes. All folders use `codes/`, the codes with their pages, and `score.rs`, the number in
//! which scores are computed.
//!
//! The conformance cases are in `protocols/dci/conformance`; `run.py` there runs any program with them.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod choose;
pub mod codes;
pub mod files;
mod inputs;
mod lint;
mod report;
mod score;
mod warning;

pub use choose::{
    Candidate, Conflict, Conflicts, Consumer, Corpus, Decision, Declaration, Exceeded, Found, Graph, Inputs, Match,
    NearName, Node, Outcome, Party, Penalties, ProviderConflicts, Ranked, Reason, Resolution, ResolveError, Scored,
    Scores, Selection, TieBreak, Verified, resolve, search,
};
pub use inputs::{
    AliasSource, Aliases, Declared, Host, InvalidMode, InvalidOutcome, InvalidProfile, InvalidSetting, ManifestNames,
    Mode, OnMissingRequired, Overrides, Policy, Probe, ProbeRunner, Probes, Profile, RELIABILITY_PATH, Record,
    Rejection, Reliability, SelectionMode, Skill, SkillContract, SkillFile, Source, Spans, Threshold, contract,
};
pub use lint::{Lint, LintFindings, LintSkill};
pub use report::{Change, Circumstances, Counts, Report, Suggestion, suggest};
pub use score::Score;
pub use warning::Warning;
