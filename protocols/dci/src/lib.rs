//! Dependent capabilities (DCI/1): skills declare the capabilities that they provide and require, and a resolver chooses providers.
//!
//! Reading contracts, scoring, selection and reports are functions of values: they use no IO, clock or randomness, so that a choice can be
//! replayed from the same inputs.
#![forbid(unsafe_code)]

mod alias;
mod budget;
pub mod codes;
mod compatibility;
mod conflict;
pub mod contract;
mod corpus;
mod coverage;
mod document;
pub mod files;
mod frontmatter;
mod gate;
mod host;
mod lint;
mod matching;
mod mode;
mod penalty;
mod policy;
mod probe;
mod profile;
mod query;
mod question;
mod rank;
mod reliability;
mod report;
mod resolve;
mod score;
mod search;
mod select;
mod skill;
mod suggest;
mod text;
mod transitive;
mod verified;
mod warning;

pub use alias::{AliasSource, Aliases};
pub use budget::Exceeded;
pub use conflict::{Conflict, Conflicts, Party};
pub use contract::Contract;
pub use corpus::{Candidate, Corpus, Declaration};
pub use coverage::NearName;
pub use frontmatter::Spans;
pub use gate::Reason;
pub use host::Host;
pub use lint::{Lint, LintFindings, LintSkill};
pub use matching::Match;
pub use mode::{InvalidMode, Mode};
pub use policy::{InvalidSetting, OnMissingRequired, Overrides, Policy, SelectionMode, Threshold};
pub use probe::{Probe, ProbeRunner, Probes};
pub use profile::{InvalidProfile, Profile};
pub use question::{Penalties, Scored, Scores};
pub use rank::TieBreak;
pub use reliability::{InvalidOutcome, Record, Reliability};
pub use report::{Circumstances, Counts, RELIABILITY_PATH, Rejection, Report};
pub use resolve::{Consumer, Decision, Inputs, Outcome, Resolution, ResolveError, resolve};
pub use score::Score;
pub use search::{Found, search};
pub use select::{Ranked, Selection};
pub use skill::{Declared, ManifestNames, Skill, SkillFile, Source};
pub use suggest::{Change, Suggestion, suggest};
pub use transitive::{Graph, Node};
pub use verified::Verified;
pub use warning::Warning;
