//! Invalid input in the output for programs: a JSON document with the one member `errors`, so that no program takes it
//! for a result.

use std::io;

use capgen_diagnostic::Diagnostic;

use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};
use crate::summary::findings_json;

/// Prints the document, on one line, to standard output.
pub(crate) fn print(findings: &[Diagnostic]) -> io::Result<()> {
    let errors = serde_json::json!({ "errors": findings_json(findings) });
    console::print_json(&format!("{errors}\n"))
}

/// The outcome of a run. With `json`, invalid input is also printed as the document.
pub(crate) fn reported(outcome: RunResult, json: bool, console: &Console) -> RunResult {
    match outcome {
        Err(Failure::Findings(findings)) if json => {
            print(&findings)?;
            console.report(&findings);
            Ok(Verdict::Findings)
        }
        other => other,
    }
}
