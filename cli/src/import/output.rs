//! Writing an imported manifest.

use std::path::Path;

use capgen_codegen::{codes, output::unified_diff};
use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, Present, Unreadable, is_marked, read_present, replace_files};
use capgen_manifest::shown;
use clap::error::ErrorKind;
use serde::Serialize;

use super::arguments::Output;
use super::changes;
use super::header;
use super::manifest::Manifest;
use crate::arguments::Format;
use crate::check;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::summary::findings_json;
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
    /// Only a comparison was requested: the file, with this text, is not that of the manifest.
    OutOfDate(String),
    /// Only a comparison was requested: there is no file.
    Missing,
}

/// The JSON document of `--json`. Its keys are stable. A member that does not apply is absent.
#[derive(Serialize, Default)]
struct Document<'d> {
    /// The text of the manifest; absent if there are errors in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// `written`, `unchanged`, `stale` or `missing`; absent if the file cannot be read or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// The changes to the file as a unified diff, with `--diff`; empty if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// In the format of `capgen check --format json`.
    #[serde(rename = "diagnostics")]
    findings: Vec<serde_json::Value>,
}

impl Document<'_> {
    fn print(&self) -> std::io::Result<()> {
        console::print_json(&(serde_json::to_string(self)? + "\n"))
    }
}

/// Writes the manifest, and prints all findings at once, because a report may be one document.
pub(super) fn finish(output: &Output, imported: Result<Manifest, Failure>, console: &Console) -> RunResult {
    let mut manifest = match imported {
        Err(Failure::Findings(findings)) => {
            check::report(&findings, output.format, console)?;
            if output.json {
                Document { findings: findings_json(&findings), ..Document::default() }.print()?;
            }
            return Ok(Verdict::Findings);
        }
        imported => imported?,
    };
    let mut findings = std::mem::take(&mut manifest.findings);
    let mut diff = output.diff.then(String::new);
    let written = match write(output, &manifest.text, diff.as_mut()) {
        Err(Failure::Findings(errors)) => {
            findings.extend(errors);
            None
        }
        written => Some(written?),
    };
    let stale = written.as_ref().filter(|_| output.check).and_then(|written| stale(&output.out, &manifest, written));
    let has_failed = written.is_none() || stale.is_some();
    findings.extend(stale);
    if let Some(diff) = diff.as_ref().filter(|_| !output.json) {
        console::print(diff)?;
    }
    check::report(&findings, output.format, console)?;
    manifest.left_out.iter().for_each(|line| console.line(line));
    if output.json {
        let is_file = !input::is_stdin(&output.out);
        let path = is_file.then(|| shown(&output.out));
        let status = written.as_ref().and_then(Written::status);
        Document { manifest: Some(&manifest.text), path, status, diff, findings: findings_json(&findings) }.print()?;
    }
    if has_failed {
        return Ok(Verdict::Findings);
    }
    let capabilities = count(manifest.contract.manifest.capabilities.len(), "capability", "capabilities");
    let path = shown(&output.out);
    match written {
        Some(Written::Printed) if !output.json => console::print(&manifest.text)?,
        Some(Written::Replaced) => console.tick(&format!("wrote {path} ({capabilities})")),
        Some(Written::Unchanged) if !output.check && !output.diff => {
            console.line(&format!("  unchanged {path} ({capabilities})"));
        }
        _ => {}
    }
    Ok(Verdict::Fine)
}

impl Written {
    /// The status of the file in JSON; `None` without a file.
    fn status(&self) -> Option<&'static str> {
        match self {
            Written::Printed => None,
            Written::Replaced => Some("written"),
            Written::Unchanged => Some("unchanged"),
            Written::OutOfDate(_) => Some("stale"),
            Written::Missing => Some("missing"),
        }
    }
}

/// The error of `--check`, unless the file is that of the manifest.
fn stale(path: &Path, manifest: &Manifest, written: &Written) -> Option<Diagnostic> {
    let (state, changes) = match written {
        Written::OutOfDate(old) => ("out of date", changes::notes(&shown(path), old, &manifest.contract.manifest)),
        Written::Missing => ("missing", Vec::new()),
        Written::Printed | Written::Replaced | Written::Unchanged => return None,
    };
    let finding = Diagnostic::new(codes::STALE, format!("`{}` is {state}", shown(path))).in_file(shown(path));
    let finding = changes.into_iter().fold(finding, Diagnostic::note);
    Some(finding.help("run the command without `--check`, and check in the result"))
}

/// Compares the text with the file, and replaces that. `diff` gets the changes.
fn write(output: &Output, text: &str, diff: Option<&mut String>) -> Result<Written, Failure> {
    let path = output.out.as_path();
    if input::is_stdin(path) {
        return Ok(Written::Printed);
    }
    let old = present(output, text)?;
    if old.as_deref() == Some(text) {
        return Ok(Written::Unchanged);
    }
    if let Some(diff) = diff {
        *diff = unified_diff(path, old.as_deref(), text);
    }
    if output.check || output.diff {
        return Ok(old.map_or(Written::Missing, Written::OutOfDate));
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
