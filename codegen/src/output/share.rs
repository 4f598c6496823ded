//! Several plans for one folder: which of them writes a file that more than one has, and one index of all agents.

use std::collections::HashMap;
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::shown;

use super::plan::PlannedFile;
use super::{Plan, index};
use crate::codes;

/// Leaves the code that the files of a folder share, and the index of all their agents, to the first plan that has it.
/// A file of an agent is in one plan.
///
/// Returns a finding ([`codes::COLLISION`]) for each file of which this is not true.
pub fn share<'p>(plans: impl IntoIterator<Item = &'p mut Plan>) -> Vec<Diagnostic> {
    // By the name that a file system that ignores case uses.
    let mut first: HashMap<String, PlannedFile> = HashMap::new();
    let mut findings = Vec::new();
    let mut plans: Vec<&mut Plan> = plans.into_iter().collect();
    index::merge(&mut plans);
    for plan in plans {
        plan.files.retain(|file| {
            let key = file.path().to_string_lossy().to_lowercase();
            let Some(earlier) = first.get(&key) else {
                first.insert(key, file.clone());
                return true;
            };
            // Shared code is the same for every contract and option, and each index lists the agents of all plans.
            if file.agent().is_some() || earlier.agent().is_some() {
                findings.push(written_twice(file.path()));
            }
            false
        });
    }
    findings
}

fn written_twice(path: &Path) -> Diagnostic {
    let message = format!("`{}` is in two outputs for this folder", path.display());
    let help = "select each agent in one output for a folder and a language, or give one of the outputs another folder";
    Diagnostic::new(codes::COLLISION, message).help(help).in_file(shown(path))
}
