//! What a build script tells cargo, one instruction a line
//! ([build scripts](https://doc.rust-lang.org/cargo/reference/build-scripts.html)).

use std::io::Write;
use std::path::Path;

use capgen_manifest::{Diagnostic, render};
use capgen_schema::Severity;

use super::BuildError;
use crate::codes;

/// How many lines of a diff are shown.
const DIFF_LINES: usize = 200;

pub(super) struct Report<'o> {
    package: &'o Path,
    out: &'o mut dyn Write,
}

impl<'o> Report<'o> {
    pub(super) fn new(package: &'o Path, out: &'o mut dyn Write) -> Self {
        Self { package, out }
    }

    /// Runs the build script again when the file changes. A path of the package is written relative to it.
    pub(super) fn depends_on(&mut self, path: &Path) -> Result<(), BuildError> {
        let path = path.strip_prefix(self.package).unwrap_or(path);
        let text = path.to_string_lossy();
        // A path comes from `fleet.yaml`: a line break in it would be an instruction of its own.
        if text.contains(['\n', '\r']) {
            let message = format!("cargo cannot watch {text:?}: the path has a line break");
            return Err(self.fail(&[Diagnostic::new(codes::PATH, message)]));
        }
        Ok(writeln!(self.out, "cargo::rerun-if-changed={text}")?)
    }

    pub(super) fn warn(&mut self, findings: &[Diagnostic]) -> Result<(), BuildError> {
        self.lines("warning", &render::human(findings, false))
    }

    /// Reports the findings, and gives the error that says so.
    pub(super) fn fail(&mut self, findings: &[Diagnostic]) -> BuildError {
        match self.lines("error", &render::human(findings, false)) {
            Ok(()) => BuildError::new(summary(findings)),
            Err(error) => error,
        }
    }

    /// Reports what is stale or missing, and as much of the diff as people read.
    pub(super) fn fail_as_stale(&mut self, findings: &[Diagnostic], diff: &str) -> BuildError {
        let end = diff.match_indices('\n').nth(DIFF_LINES).map_or(diff.len(), |(at, _)| at);
        let (shown, rest) = diff.split_at_checked(end).unwrap_or((diff, ""));
        let mut text = render::human(findings, false) + shown;
        if !rest.is_empty() {
            text.push_str(&format!("\n... and {} more lines", rest.trim().lines().count()));
        }
        match self.lines("error", &text) {
            Ok(()) => BuildError::new(format!("generated code is not as the contracts say: {}", summary(findings))),
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

/// The errors on one line, each after its place.
fn summary(findings: &[Diagnostic]) -> String {
    let place = |finding: &Diagnostic| {
        let (source, label) = (finding.source.as_ref()?, finding.labels.first()?);
        Some(format!("{}:{}: ", source.path(), source.position(label.span.start).line))
    };
    let errors = findings.iter().filter(|finding| finding.severity() == Severity::Error);
    let told: Vec<_> = errors.map(|f| visible(&(place(f).unwrap_or_default() + &f.message))).collect();
    told.join("; ")
}

/// The line without control characters: a stale file may hold any.
fn visible(line: &str) -> String {
    let line = line.replace('\t', "    ");
    line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
