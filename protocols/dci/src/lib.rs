//! Dependent capabilities (DCI/1): skills declare the capabilities that they provide and require, and a resolver chooses
//! providers.
//!
//! Reading contracts, scoring, selection and reports are functions of values: they use no IO, clock or randomness, so that
//! a choice can be replayed from the same inputs.
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
//! For contributors. `contract/` reads the text of a contract into clauses. The inputs of a run are values with one subject
//! each: skills, aliases, policies, profiles, the history of skills, and probes. `resolve` is the run: it filters the
//! candidates, scores them, with the words of `text/`, selects, and follows the requirements of the selected ones. Every
//! step is in the report, whose fields `docs/dci.md` describes.
//!
//! `lint/` finds mistakes in the skills of a workspace. `files/` is the only IO: it reads folders that may be hostile,
//! within limits, and runs probes. `codes/` has the codes with their pages.
//!
//! The conformance cases are in `protocols/dci/conformance`; `run.py` there runs any program with them.
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
