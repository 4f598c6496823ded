//! Everything that reads or writes files, or runs programs. The rest of the crate is pure.

mod budget;
mod config;
mod discover;
mod manifest;
mod open;
mod programs;
mod scan;
mod state;

pub use config::{AliasFiles, read_probes};
pub use discover::{Discovery, Roots, discover};
pub use manifest::Manifests;
pub use programs::Programs;
pub use scan::read_skill_text;
pub use state::{read_reliability, record};
