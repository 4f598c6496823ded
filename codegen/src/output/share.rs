//! Several plans for one folder: which of them writes a file that more than one has.

use std::collections::HashMap;
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::shown;

use super::Plan;
use super::plan::PlannedFile;
use crate::codes;

/// Leaves each file to the first plan that has it. The code that the files of a folder share may be in several plans,
/// but only with one text; a file of an agent is in one.
///
/// Returns a finding ([`codes::COLLISION`]) for each file of which this is not true.
pub fn share<'p>(plans: impl IntoIterator<Item = &'p mut Plan>) -> Vec<Diagnostic> {
    // By the name that a file system that ignores case uses.
    let mut first: HashMap<String, PlannedFile> = HashMap::new();
    let mut findings = Vec::new();
    for plan in plans {
        plan.files.retain(|file| {
            let key = file.path().to_string_lossy().to_lowercase();
            let Some(earlier) = first.get(&key) else {
                first.insert(key, file.clone());
                return true;
            };
            let is_shared = file.agent().is_none() && earlier.agent().is_none();
            if !is_shared || earlier.text() != file.text() {
                findings.push(written_twice(file.path(), is_shared));
            }
            false
        });
    }
    findings
}

fn written_twice(path: &Path, is_shared: bool) -> Diagnostic {
    let (reason, help) = match is_shared {
        true => {
            let reason = "would have two texts, because the options of two outputs for this folder differ";
            (reason, "give one of the outputs another folder, or both the same options")
        }
        false => {
            let help = "select each agent in one output for a folder and a language, or give one of the outputs another folder";
            ("is in two outputs for this folder", help)
        }
    };
    let finding = Diagnostic::new(codes::COLLISION, format!("`{}` {reason}", path.display()));
    finding.help(help).in_file(shown(path))
}
