//! Writing an imported manifest.

use std::path::Path;

use capgen_codegen::{codes, output::unified_diff};
use capgen_diagnostic::Diagnostic;
use capgen_manifest::{Present, read_present, replace_files, shown};

use super::arguments::Output;
use super::header;
use super::manifest::Manifest;
use crate::console::{self, Console, count};
use crate::failure::{Failure, Outcome, Verdict};
use crate::{input, signals};

/// Prints the text, or compares it with the file and replaces that.
pub(super) fn write(output: &Output, manifest: &Manifest, console: &Console) -> Outcome {
    let text = manifest.text.as_str();
    let path = output.out.as_path();
    if input::is_stdin(path) {
        console::print(text)?;
        return Ok(Verdict::Fine);
    }
    let old = present(output, text)?;
    let is_current = old.as_deref() == Some(text);
    if output.diff && !is_current {
        console::print(&unified_diff(path, old.as_deref(), text))?;
    }
    if output.check && !is_current {
        let state = if old.is_some() { "out of date" } else { "missing" };
        let finding = Diagnostic::new(codes::STALE, format!("`{}` is {state}", shown(path))).in_file(shown(path));
        console.report(&[finding.help("run the command without `--check`, and check in the result")]);
        return Ok(Verdict::Findings);
    }
    if output.check || output.diff {
        return Ok(Verdict::Fine);
    }
    let capabilities = count(manifest.contract.manifest.capabilities.len(), "capability", "capabilities");
    if is_current {
        console.line(&format!("  unchanged {} ({capabilities})", shown(path)));
        return Ok(Verdict::Fine);
    }
    signals::remove_temporary_files_at_the_end();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, "create", &error))?;
    }
    replace_files(&[(path, text)]).map_err(|(_, error)| failed(path, "write", &error))?;
    console.tick(&format!("wrote {} ({capabilities})", shown(path)));
    Ok(Verdict::Fine)
}

/// The present text of the file; empty if it differs in any case.
fn present(output: &Output, text: &str) -> Result<Option<String>, Failure> {
    let path = output.out.as_path();
    let mark = header::mark();
    let is_imported = |old: &str| old.trim().is_empty() || old.lines().next().is_some_and(|line| line.contains(&mark));
    match read_present(path, text.len()).map_err(|error| failed(path, "read", &error))? {
        None => Ok(None),
        Some(Present::Text(old)) if is_imported(&old) || output.force => Ok(Some(old)),
        Some(Present::TooLong) => Ok(Some(String::new())),
        Some(_) if output.force => Ok(Some(String::new())),
        Some(_) => {
            let message = format!("`{}` was not imported", shown(path));
            let finding = Diagnostic::new(codes::FOREIGN_FILE, message).in_file(shown(path));
            let help = "write to another file with `--out`, or pass `--force` to overwrite this one";
            Err(Failure::Findings(vec![finding.help(help)]))
        }
    }
}

pub(super) fn failed(path: &Path, action: &str, error: &std::io::Error) -> Failure {
    let message = format!("cannot {action} `{}`: {error}", shown(path));
    Failure::Findings(vec![Diagnostic::new(codes::OUTPUT_IO, message).in_file(shown(path))])
}
