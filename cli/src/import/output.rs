//! Writing an imported manifest.

use std::path::Path;

use capgen_codegen::{codes, output::unified_diff};
use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, Present, Unreadable, is_marked, read_present, replace_files};
use capgen_manifest::shown;
use clap::error::ErrorKind;

use super::arguments::Output;
use super::changes;
use super::header;
use super::manifest::Manifest;
use crate::arguments::Format;
use crate::check;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::{input, signals};

/// Rejects options that need a file, if the manifest goes to standard output: a comparison, and findings on the same
/// stream.
pub(super) fn check_streams(output: &Output) -> Result<(), Failure> {
    if !input::is_stdin(&output.out) {
        return Ok(());
    }
    let message = if output.check || output.diff {
        "`--check` and `--diff` compare the manifest with a file: pass `--out <FILE>`"
    } else if output.format != Format::Human {
        "`--format` prints findings to standard output, and so does an import without `--out <FILE>`"
    } else {
        return Ok(());
    };
    Err(Failure::usage(ErrorKind::ArgumentConflict, message))
}

/// The result of an import without errors.
enum Written {
    /// The manifest is for standard output.
    Printed,
    Replaced,
    Unchanged,
    /// Only a comparison was requested.
    Compared,
}

/// Writes the manifest, and prints all findings at once, because a report may be one document.
pub(super) fn finish(output: &Output, imported: Result<Manifest, Failure>, console: &Console) -> RunResult {
    let mut manifest = match imported {
        Err(Failure::Findings(findings)) => {
            check::report(&findings, output.format, console)?;
            return Ok(Verdict::Findings);
        }
        imported => imported?,
    };
    let mut findings = std::mem::take(&mut manifest.findings);
    let written = match write(output, &manifest) {
        Err(Failure::Findings(errors)) => {
            findings.extend(errors);
            None
        }
        written => Some(written?),
    };
    check::report(&findings, output.format, console)?;
    manifest.left_out.iter().for_each(|line| console.line(line));
    let capabilities = count(manifest.contract.manifest.capabilities.len(), "capability", "capabilities");
    let path = shown(&output.out);
    match written {
        None => return Ok(Verdict::Findings),
        Some(Written::Printed) => console::print(&manifest.text)?,
        Some(Written::Replaced) => console.tick(&format!("wrote {path} ({capabilities})")),
        Some(Written::Unchanged) => console.line(&format!("  unchanged {path} ({capabilities})")),
        Some(Written::Compared) => {}
    }
    Ok(Verdict::Fine)
}

/// Compares the text with the file, and replaces that.
fn write(output: &Output, manifest: &Manifest) -> Result<Written, Failure> {
    let (path, text) = (output.out.as_path(), manifest.text.as_str());
    if input::is_stdin(path) {
        return Ok(Written::Printed);
    }
    let old = present(output, text)?;
    let is_current = old.as_deref() == Some(text);
    if output.diff && !is_current {
        console::print(&unified_diff(path, old.as_deref(), text))?;
    }
    if output.check && !is_current {
        let state = if old.is_some() { "out of date" } else { "missing" };
        let finding = Diagnostic::new(codes::STALE, format!("`{}` is {state}", shown(path))).in_file(shown(path));
        let changes = old.map(|old| changes::notes(&shown(path), &old, &manifest.contract.manifest));
        let finding = changes.into_iter().flatten().fold(finding, Diagnostic::note);
        let help = "run the command without `--check`, and check in the result";
        return Err(Failure::Findings(vec![finding.help(help)]));
    }
    if output.check || output.diff {
        return Ok(Written::Compared);
    }
    if is_current {
        return Ok(Written::Unchanged);
    }
    signals::remove_temporary_files_at_the_end();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, "create", &error))?;
    }
    replace_files(&[(path, text)]).map_err(|(_, error)| failed(path, "write", &error))?;
    Ok(Written::Replaced)
}

/// The present text of the file; empty if it differs in any case.
fn present(output: &Output, text: &str) -> Result<Option<String>, Failure> {
    let path = output.out.as_path();
    let mark = header::mark();
    let is_imported = |old: &str| old.trim().is_empty() || old.lines().next().is_some_and(|line| line.contains(&mark));
    match read_present(path, text.len()).map_err(|error| failed(path, "read", &error))? {
        None => Ok(None),
        Some(Present::Text(old)) if is_imported(&old) || output.force => Ok(Some(old)),
        // Its text was not read. Generated code has a mark too, but another one.
        Some(Present::TooLong) if output.force || is_marked(path, Links::Followed, &mark) => Ok(Some(String::new())),
        Some(Present::Irregular) => Err(failed(path, "read", &Unreadable::Irregular.into())),
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
