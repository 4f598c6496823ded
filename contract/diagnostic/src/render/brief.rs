//! Diagnostics on one line each, without snippets.

use super::escape::visible;
use super::presentable;
use crate::Diagnostic;

/// A line for each finding: its severity and code, its message, its notes, and its place.
pub fn brief(diagnostics: &[Diagnostic]) -> String {
    presentable(diagnostics).map(|diagnostic| line(&diagnostic) + "\n").collect()
}

fn line(diagnostic: &Diagnostic) -> String {
    let mut line = format!("{}[{}]: {}", diagnostic.severity().name(), diagnostic.code.as_str(), diagnostic.message);
    diagnostic.notes.iter().for_each(|note| line.push_str(&format!("; {note}")));
    if let Some(label) = diagnostic.primary() {
        let position = label.source.position(label.span.start);
        line.push_str(&format!(" --> {}:{}:{}", label.source.path(), position.line, position.column));
    }
    visible(&line)
}
