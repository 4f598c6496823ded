//! Findings as text, the way rustc prints them.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use super::escape::visible;
use super::excerpt::{Excerpt, LONG, Mark, excerpts, line_of};
use super::presentable;
use crate::{Diagnostic, Severity, Suggestion};

/// Human-readable text with snippets of the sources; `color` adds ANSI escapes. An empty line separates findings, and
/// the text ends with a line end unless there are no findings.
///
/// A suggestion is shown as a diff, unless the help text already quotes the replacement.
///
/// Takes time linear in the output and, once for each source, in the source.
pub fn human(findings: &[Diagnostic], color: bool) -> String {
    let rendered: Vec<_> = presentable(findings).map(|finding| render(&finding, color) + "\n").collect();
    rendered.join("\n")
}

/// The only place that calls `annotate-snippets`, which panics on a span outside its text. It receives only clamped
/// spans and lines that are safe to display.
fn render(finding: &Diagnostic, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.term_width(10 * LONG);
    let level = match finding.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let excerpts = excerpts(&finding.labels);
    let edits = edits(finding);
    let mut group: Group<'_> =
        Group::with_title(level.primary_title(visible(&finding.message)).id(finding.code.as_str()));
    for excerpt in &excerpts {
        let snippet = Snippet::source(&excerpt.text).path(&excerpt.path).line_start(excerpt.line);
        group = group.element(snippet.annotations(excerpt.marks.iter().map(Mark::annotation)));
    }
    group = group.elements(finding.notes.iter().map(|note| Level::NOTE.no_name().message(visible(note))));
    // The help is the title of the diff, if there is one.
    let help = finding.help.iter().filter(|_| edits.is_empty());
    group = group.elements(help.map(|help| Level::HELP.message(visible(help))));
    let mut groups = vec![group];
    for (index, EditedLine { excerpt, patches }) in edits.iter().enumerate() {
        let help = finding.help.as_deref().filter(|_| index == 0).unwrap_or("change this");
        let snippet = Snippet::source(&excerpt.text).path(&excerpt.path).line_start(excerpt.line);
        let title = Level::HELP.secondary_title(visible(help));
        let patches = patches.iter().map(|(span, replacement)| Patch::new(span.clone(), replacement.as_str()));
        groups.push(Group::with_title(title).element(patches.fold(snippet, Snippet::patch)));
    }
    let mut text = renderer.render(&groups);
    if excerpts.is_empty() {
        return text.lines().filter(|line| !is_bare_gutter(line)).collect::<Vec<_>>().join("\n");
    }
    let edited = edits.iter().map(|line| &line.excerpt);
    excerpts.iter().chain(edited).fold(0, |from, excerpt| excerpt.correct_position(&mut text, from));
    text
}

/// The lines that suggestions change.
struct EditedLine {
    excerpt: Excerpt,
    /// The parts of the excerpt and their new texts.
    patches: Vec<(Range<usize>, String)>,
}

/// The lines that the suggestions change together; none if the help already quotes every new text.
fn edits(finding: &Diagnostic) -> Vec<EditedLine> {
    let is_quoted = |suggestion: &Suggestion| {
        let new = suggestion.replacement.as_str();
        finding.help.as_ref().is_some_and(|help| help.contains(new))
    };
    // A removal has no new text that a help could quote.
    let added = finding.suggestions.iter().filter(|suggestion| !suggestion.replacement.is_empty());
    if added.clone().all(is_quoted) && (added.count() > 0 || finding.help.is_some()) {
        return Vec::new();
    }
    let mut lines: Vec<EditedLine> = Vec::new();
    for Suggestion { source, span, replacement, .. } in &finding.suggestions {
        let excerpt = line_of(source, span.clone());
        let patch = (excerpt.marks.first().map_or(0..0, |mark| mark.span.clone()), visible(replacement));
        let is_same = |line: &&mut EditedLine| {
            let other = &line.excerpt;
            (&other.path, other.line, &other.text) == (&excerpt.path, excerpt.line, &excerpt.text)
        };
        match lines.last_mut().filter(is_same) {
            Some(line) => line.patches.push(patch),
            None => lines.push(EditedLine { excerpt, patches: vec![patch] }),
        }
    }
    lines
}

/// Whether a rendered line consists of nothing but the bar that connects a snippet to its notes. Without a snippet the
/// bar connects nothing.
fn is_bare_gutter(line: &str) -> bool {
    let mut parts = line.split("\u{1b}[");
    let before = parts.next().unwrap_or_default();
    // Each further part begins with a colour, up to its `m`.
    let shown = parts.filter_map(|part| part.split_once('m').map(|(_, shown)| shown));
    std::iter::once(before).chain(shown).collect::<String>().trim() == "|"
}

impl Mark {
    fn annotation(&self) -> Annotation<'_> {
        let kind = if self.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        kind.span(self.span.clone()).label((!self.text.is_empty()).then_some(&self.text))
    }
}
