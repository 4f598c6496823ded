//! Diagnostics as human-readable text, JSON lines, GitHub annotations and SARIF.
//!
//! Sources are untrusted. No renderer passes on a character that steers a terminal, a line that may contain a credential,
//! or the user info of a URL.

mod escape;
mod excerpt;
mod github;
mod human;
mod json;
mod sarif;

pub use github::github;
pub use human::human;
pub use json::json_lines;
pub use sarif::sarif;

use std::ops::Range;

use crate::{Diagnostic, Position, Severity, Source};

/// The lines and columns of a span.
struct Region {
    start: Position,
    end: Position,
}

impl Region {
    fn new(source: &Source, span: &Range<usize>) -> Self {
        Self { start: source.position(span.start), end: source.position(span.end.max(span.start)) }
    }
}

fn severity_name(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// The message, then the notes, then the help: the text of a finding in formats without snippets.
fn paragraphs(diagnostic: &Diagnostic) -> Vec<String> {
    let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
    std::iter::once(diagnostic.message.clone()).chain(diagnostic.notes.iter().cloned()).chain(help).collect()
}
