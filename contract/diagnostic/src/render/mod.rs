//! Findings as human-readable text, JSON lines, GitHub annotations, SARIF and JUnit XML.
//!
//! Sources are untrusted. No renderer passes on a character that steers a terminal, a hidden part of a source, or the
//! user info of a URL.

mod base;
mod brief;
mod escape;
mod excerpt;
mod github;
mod human;
mod json;
mod junit;
mod sarif;

pub use base::Base;
pub use brief::brief;
pub use github::{github, github_in};
pub use human::human;
pub use json::json_lines;
pub use junit::junit;
pub use sarif::{sarif, sarif_in};

use std::borrow::Cow;
use std::ops::Range;

use crate::{Diagnostic, Position, Source, Suggestion};

/// The message of a finding on one line, safe to display.
pub fn message(finding: &Diagnostic) -> String {
    escape::visible(&presented(finding).message)
}

/// The finding as a renderer may show it, for programs that render findings themselves: without the texts that its
/// sources hide, and without the user info of URLs. Characters that steer a terminal are escaped. The suggestions are
/// left out, because they may quote hidden texts.
pub fn displayable(finding: &Diagnostic) -> Diagnostic {
    let mut shown = presented(finding).into_owned();
    shown.suggestions.clear();
    let texts = std::iter::once(&mut shown.message).chain(&mut shown.notes).chain(&mut shown.help);
    let texts = texts.chain(shown.labels.iter_mut().map(|label| &mut label.text));
    texts.for_each(|text| *text = escape::visible(text));
    shown
}

/// The text of a source without the parts that it hides, and without the user info of URLs. Its lines are those of the
/// source.
pub fn shown_text(source: &Source) -> String {
    let text = source.text();
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for span in source.hidden().within(&(0..text.len())) {
        shown.push_str(text.get(at..span.start).unwrap_or_default());
        shown.push_str(crate::hidden::MASK);
        at = span.end;
    }
    shown.push_str(text.get(at..).unwrap_or_default());
    shown.split_inclusive('\n').map(crate::public_text).collect()
}

/// The findings without the texts that their sources hide.
fn presentable(findings: &[Diagnostic]) -> impl Iterator<Item = Cow<'_, Diagnostic>> {
    findings.iter().map(presented)
}

fn presented(finding: &Diagnostic) -> Cow<'_, Diagnostic> {
    let hides = |suggestion: &Suggestion| !suggestion.source.hidden().within(&suggestion.span).is_empty();
    let has_words = finding.labels.iter().any(|label| label.source.hidden().has_words());
    if !has_words && !finding.suggestions.iter().any(hides) {
        return Cow::Borrowed(finding);
    }
    let mut presented = finding.clone();
    // An edit of a hidden part may quote it.
    presented.suggestions.retain(|suggestion| !hides(suggestion));
    for label in &finding.labels {
        let hidden = label.source.hidden();
        let texts = std::iter::once(&mut presented.message).chain(&mut presented.notes);
        let texts = texts.chain(&mut presented.help).chain(&mut presented.pointer);
        let texts = texts.chain(presented.labels.iter_mut().map(|label| &mut label.text));
        let texts = texts.chain(presented.suggestions.iter_mut().map(|suggestion| &mut suggestion.replacement));
        texts.for_each(|text| *text = hidden.mask_words(text));
    }
    Cow::Owned(presented)
}

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

/// The message, then the notes, then the help: the text of a finding in formats without snippets.
fn paragraphs(finding: &Diagnostic) -> Vec<String> {
    let help = finding.help.iter().map(|help| format!("help: {help}"));
    std::iter::once(finding.message.clone()).chain(finding.notes.iter().cloned()).chain(help).collect()
}
