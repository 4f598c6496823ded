//! Findings on one line each, without snippets.

use super::escape::visible;
use super::presentable;
use crate::Diagnostic;

/// A line for each finding: its severity and code, its message, its notes, and its place.
pub fn brief(findings: &[Diagnostic]) -> String {
    presentable(findings).map(|finding| line(&finding) + "\n").collect()
}

fn line(finding: &Diagnostic) -> String {
    let mut line = format!("{}[{}]: {}", finding.severity().name(), finding.code.as_str(), finding.message);
    finding.notes.iter().for_each(|note| line.push_str(&format!("; {note}")));
    if let Some(label) = finding.primary() {
        let position = label.source.position(label.span.start);
        line.push_str(&format!(" --> {}:{}:{}", label.source.path(), position.line, position.column));
    }
    visible(&line)
}
