//! Helpers for the tests of this crate.

use std::fmt::Write as _;

use capgen_manifest::Diagnostic;

/// Findings in short form, a few lines each: code, position and message; then labels, notes and help.
pub(crate) fn short(findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    for finding in findings {
        let at = finding.primary().map(|label| label.source.position(label.span.start));
        let at = at.map(|p| format!(" {}:{}", p.line, p.column)).unwrap_or_default();
        let _ = writeln!(out, "{}{at} {}", finding.code.as_str(), finding.message);
        for label in finding.labels.iter().filter(|label| !label.text.is_empty()) {
            let line = label.source.position(label.span.start).line;
            let _ = writeln!(out, "  {line}: {}", label.text);
        }
        for note in &finding.notes {
            let _ = writeln!(out, "  {note}");
        }
        if let Some(help) = &finding.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}
