//! Dependent capabilities (DCI/1): skills declare the capabilities that they provide and require, and a resolver chooses providers.
//!
//! Reading contracts, scoring, selection and reports are functions of values: they use no IO, clock or randomness, so that a choice can be
//! replayed from the same inputs.
#![forbid(unsafe_code)]

mod alias;
pub mod codes;
pub mod contract;
pub mod files;
mod frontmatter;
mod host;
mod mode;
mod policy;
mod probe;
mod reliability;
mod score;
mod skill;
mod warning;

pub use alias::{AliasSource, Aliases};
pub use contract::Contract;
pub use frontmatter::Spans;
pub use host::Host;
pub use mode::{InvalidMode, Mode};
pub use policy::{InvalidSetting, OnMissingRequired, Overrides, Policy, SelectionMode, Threshold};
pub use probe::{Probe, ProbeRunner, Probes};
pub use reliability::{Record, Reliability};
pub use score::Score;
pub use skill::{Declared, Skill, SkillFile, Source};
pub use warning::Warning;
