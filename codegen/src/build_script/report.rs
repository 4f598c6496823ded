//! The instructions of a build script to cargo, one per line
//! ([build scripts](https://doc.rust-lang.org/cargo/reference/build-scripts.html)).

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use capgen_diagnostic::{Diagnostic, Severity, render};

use super::BuildError;
use crate::codes;

/// A longer diff, in lines, is cut: cargo repeats every line with a prefix.
const DIFF_LINES: usize = 200;

pub(super) struct CargoInstructions<'o> {
    package: &'o Path,
    /// The lines about dependencies that were printed, because several outputs may have the same ones.
    known: BTreeSet<String>,
    out: &'o mut dyn Write,
}

impl<'o> CargoInstructions<'o> {
    pub(super) fn new(package: &'o Path, out: &'o mut dyn Write) -> Self {
        Self { package, known: BTreeSet::new(), out }
    }

    /// Makes cargo rerun the build script when the file changes. A path inside the package is written relative to it.
    pub(super) fn depends_on(&mut self, path: &Path) -> Result<(), BuildError> {
        let path = path.strip_prefix(self.package).unwrap_or(path);
        let text = path.to_string_lossy();
        // The path may come from `fleet.yaml`. A line break in it would start another instruction.
        if text.contains(['\n', '\r']) {
            let message = format!("cargo cannot watch {text:?}: the path has a line break");
            return Err(self.fail(&[Diagnostic::new(codes::PATH, message)]));
        }
        self.depend(format!("cargo::rerun-if-changed={text}"))
    }

    fn depend(&mut self, line: String) -> Result<(), BuildError> {
        if !self.known.contains(&line) {
            writeln!(self.out, "{line}")?;
            self.known.insert(line);
        }
        Ok(())
    }

    /// Makes cargo rerun the build script when the environment variable changes.
    pub(super) fn depends_on_variable(&mut self, name: &str) -> Result<(), BuildError> {
        self.depend(format!("cargo::rerun-if-env-changed={name}"))
    }

    /// Shows a line to the user. cargo leaves it out for packages that are not in the workspace.
    pub(super) fn note(&mut self, line: &str) -> Result<(), BuildError> {
        self.lines("warning", line)
    }

    /// Shows a finding that does not fail the build, in two lines.
    pub(super) fn note_of(&mut self, finding: &Diagnostic) -> Result<(), BuildError> {
        let help = finding.help.iter().map(|help| format!("\nhelp: {help}"));
        let notes = finding.notes.iter().map(|note| format!("; {note}"));
        self.lines("warning", &notes.chain(help).fold(finding.message.clone(), |text, part| text + &part))
    }

    pub(super) fn warn(&mut self, findings: &[Diagnostic]) -> Result<(), BuildError> {
        self.lines("warning", &render::human(findings, false))
    }

    /// Reports the findings, and returns the error for the build script.
    pub(super) fn fail(&mut self, findings: &[Diagnostic]) -> BuildError {
        match self.lines("error", &render::human(findings, false)) {
            Ok(()) => BuildError::new(summary(findings)),
            Err(error) => error,
        }
    }

    /// Reports files that are out of date or missing, and the start of their diff.
    pub(super) fn fail_as_stale(&mut self, findings: &[Diagnostic], diff: &str) -> BuildError {
        let end = diff.match_indices('\n').nth(DIFF_LINES).map_or(diff.len(), |(at, _)| at);
        let (shown, rest) = diff.split_at_checked(end).unwrap_or((diff, ""));
        let mut text = render::human(findings, false) + shown;
        if !rest.is_empty() {
            text.push_str(&format!("\n... and {} more lines", rest.trim().lines().count()));
        }
        match self.lines("error", &text) {
            Ok(()) => BuildError::new(format!("generated code is out of date: {}", summary(findings))),
            Err(error) => error,
        }
    }

    fn lines(&mut self, key: &str, text: &str) -> Result<(), BuildError> {
        for line in text.lines() {
            writeln!(self.out, "cargo::{key}={}", visible(line))?;
        }
        Ok(self.out.flush()?)
    }
}

/// The errors on one line, each with its place.
fn summary(findings: &[Diagnostic]) -> String {
    let place = |finding: &Diagnostic| {
        let label = finding.primary()?;
        Some(format!("{}:{}: ", label.source.path(), label.source.position(label.span.start).line))
    };
    let errors = findings.iter().filter(|finding| finding.severity() == Severity::Error);
    let messages: Vec<_> = errors.map(|f| visible(&(place(f).unwrap_or_default() + &render::message(f)))).collect();
    messages.join("; ")
}

/// The line without control characters and invisible ones: the diff of a file that someone edited may contain any.
fn visible(line: &str) -> String {
    let line = line.replace('\t', "    ");
    line.chars().map(|c| if capgen_diagnostic::is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}
