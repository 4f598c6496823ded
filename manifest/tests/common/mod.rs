//! Helpers for the tests of this crate.

use std::fmt::Write as _;

use capgen_manifest::Diagnostic;

/// Findings in short form, a few lines each: code, position and message; then labels, notes and help.
pub(crate) fn short(findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    for finding in findings {
        let place = |offset| finding.source.as_ref().map(|source| source.position(offset));
        let at = finding.labels.first().and_then(|label| place(label.span.start));
        let at = at.map(|p| format!(" {}:{}", p.line, p.column)).unwrap_or_default();
        let _ = writeln!(out, "{}{at} {}", finding.code.as_str(), finding.message);
        for label in finding.labels.iter().filter(|label| !label.text.is_empty()) {
            let line = place(label.span.start).map_or(0, |p| p.line);
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
