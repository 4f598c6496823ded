//! Diagnostics as text: for people, as JSON lines, as GitHub annotations, as SARIF.
//!
//! A text that a peer wrote reaches none of them raw: no character that steers a terminal, no line that may hold a
//! credential, no user info of a URL.

mod credentials;
mod escape;
mod github;
mod human;
mod json;
mod sarif;

pub(crate) use credentials::hidden_lines;
pub use github::github;
pub use human::human;
pub use json::json_lines;
pub use sarif::sarif;

use capgen_schema::Severity;

use crate::{Diagnostic, Label, Position, Source};

/// Where a label starts and ends.
struct Region {
    start: Position,
    end: Position,
}

impl Region {
    fn new(source: &Source, label: &Label) -> Self {
        let end = label.span.end.max(label.span.start);
        Self { start: source.position(label.span.start), end: source.position(end) }
    }
}

/// The source with each label, the primary one first.
fn regions(diagnostic: &Diagnostic) -> Vec<(&Source, Region, &Label)> {
    let source = diagnostic.source.as_ref();
    diagnostic.labels.iter().filter_map(|label| source.map(|s| (s, Region::new(s, label), label))).collect()
}

fn severity_name(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
