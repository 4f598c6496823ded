//! The inputs of a run, one subject each. Every text that they are read from may be hostile.
//!
//! `contract/` reads the text in which a skill declares its capabilities, and `frontmatter.rs` finds that text in a
//! skill. `document.rs` reads the JSON of tables of aliases, probes and histories.

mod alias;
pub mod contract;
mod document;
pub(crate) mod frontmatter;
mod host;
mod mode;
mod policy;
mod probe;
mod profile;
mod rejection;
mod reliability;
mod skill;

pub use alias::{AliasSource, Aliases};
pub use contract::SkillContract;
pub use frontmatter::Spans;
pub use host::Host;
pub use mode::{InvalidMode, Mode};
pub use policy::{InvalidSetting, OnMissingRequired, Overrides, Policy, SelectionMode, Threshold};
pub use probe::{Probe, ProbeRunner, Probes};
pub use profile::{InvalidProfile, Profile};
pub use rejection::Rejection;
pub use reliability::{InvalidOutcome, RELIABILITY_PATH, Record, Reliability};
pub use skill::{Declared, ManifestNames, Skill, SkillFile, Source};
