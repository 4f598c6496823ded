//! Everything that reads or writes files, or runs programs. The rest of the crate is pure.

mod budget;
mod cache;
mod config;
mod discover;
mod manifest;
mod missing;
mod programs;
mod scan;
mod skill_file;
mod state;
mod workspace;

pub use config::{AliasFiles, read_probes};
pub use discover::{Discovery, Roots, discover, discover_cached, read_consumer};
pub use manifest::Manifests;
pub use missing::misnamed_skills;
pub use programs::Programs;
pub use skill_file::read_skill_text;
pub use state::{read_reliability, record};
pub use workspace::{Workspace, WorkspaceOptions};
