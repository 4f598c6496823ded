//! The output folder: comparing it with the generated files, and replacing those that are out of date.
//!
//! All checks run before the first write, and all files are complete before the first one is moved to its place. A
//! failure therefore leaves the folder as it was.
//!
//! In reading order: `destination.rs` generates the files of contracts that the caller has loaded, `plan.rs` compares
//! them with the folder, with `present.rs` for the files that are there and `names.rs` for those that some file system
//! would confuse, and `index.rs` for the index of the folder; `write.rs` replaces files, and `orphans.rs` finds those
//! that no agent needs any more.

mod destination;
mod index;
mod languages;
mod names;
mod orphans;
mod plan;
mod present;
mod share;
mod write;

use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{AgentId, shown};

use crate::{Language, codes};

pub use capgen_files::MARK;
pub use destination::{Destination, Indexes, KeptOutputs, Output, check_types};
pub use languages::languages_of;
pub(crate) use names::file_names;
pub use orphans::orphan;
pub use plan::{Plan, PlannedFile, State, unified_diff};
pub use share::share;

/// Reports agents whose files in these languages would have the same name on some file system ([`codes::COLLISION`]),
/// and agents whose files Windows would not create ([`codes::RESERVED_NAME`]). Each agent comes with the path of its
/// contract.
pub fn check_agents<'a>(
    agents: impl IntoIterator<Item = (&'a AgentId, &'a str)>,
    languages: &[Language],
) -> Vec<Diagnostic> {
    names::check(agents, languages)
}

/// The check of contracts that are [loaded together](capgen_manifest::Located::load_and_check), because the output of
/// all of them in these languages could go to one folder: [`check_agents`].
pub fn agents_check(languages: &[Language]) -> impl FnOnce(&[(AgentId, String)]) -> Vec<Diagnostic> {
    move |agents: &[(AgentId, String)]| {
        check_agents(agents.iter().map(|(agent, path)| (agent, path.as_str())), languages)
    }
}

/// The names in a folder, sorted; empty if the folder does not exist. Names that are not UTF-8 are left out: capgen
/// writes no such names.
fn entries(folder: &Path) -> std::io::Result<Vec<String>> {
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let names: std::io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.file_name().into_string().ok())).collect();
    let mut names: Vec<String> = names?.into_iter().flatten().collect();
    names.sort_unstable();
    Ok(names)
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> Vec<Diagnostic> {
    let message = format!("cannot {verb} `{}`: {error}", path.display());
    vec![Diagnostic::new(codes::OUTPUT_IO, message).in_file(shown(path))]
}
