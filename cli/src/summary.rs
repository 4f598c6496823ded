//! The JSON document of `capgen gen --json`. Its keys are stable.

use std::path::Path;

use capgen_codegen::output::{PlannedFile, State};
use capgen_diagnostic::{Diagnostic, render};
use serde::Serialize;

/// The result of a run.
#[derive(Serialize, Default, Debug)]
pub(crate) struct Summary {
    pub(crate) peers: Vec<Peer>,
    /// The files that the files of several peers share, and the indexes of folders.
    pub(crate) shared: Vec<File>,
    /// With `--check`: generated files whose agent no longer exists, and shared files and indexes that no other file
    /// needs.
    pub(crate) orphans: Vec<String>,
    /// In the format of `capgen check --format json`. If a contract has errors, `peers` is empty and nothing was
    /// written.
    #[serde(rename = "diagnostics")]
    pub(crate) findings: Vec<serde_json::Value>,
}

/// One contract and its generated files.
#[derive(Serialize, Debug)]
pub(crate) struct Peer {
    pub(crate) peer: String,
    pub(crate) source: String,
    pub(crate) capabilities: Vec<String>,
    pub(crate) files: Vec<File>,
    pub(crate) hash: String,
}

/// One generated file.
#[derive(Serialize, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) status: &'static str,
    /// Whether it is the index of its folder.
    #[serde(skip)]
    pub(crate) is_index: bool,
}

impl File {
    /// `writes` is whether the run replaces stale files and creates missing ones: their status is then `written`.
    pub(crate) fn new(planned: &PlannedFile, writes: bool) -> Self {
        let status = match planned.state() {
            State::Unchanged => "unchanged",
            State::Stale | State::Missing if writes => "written",
            State::Stale => "stale",
            State::Missing => "missing",
        };
        Self { path: shown(planned.path()), status, is_index: planned.is_index() }
    }
}

impl Summary {
    /// The document, on one line.
    pub(crate) fn to_json(&self) -> std::io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// Findings as JSON values.
pub(crate) fn findings_json(findings: &[Diagnostic]) -> Vec<serde_json::Value> {
    render::json_lines(findings).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A path with `/` between its parts on every system.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { text.replace('\\', "/") } else { text }
}
