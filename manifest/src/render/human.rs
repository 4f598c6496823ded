//! Diagnostics for people.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use capgen_schema::Severity;

use super::escape::{push_visible, visible};
use crate::source::floor_char_boundary;
use crate::{Diagnostic, Label, Position, Source};

/// Labels at most this many lines apart share a snippet.
const NEAR: usize = 8;
/// A longer line, in bytes, is cut around its label.
const LONG: usize = 200;
/// How much of a long line is shown before its label, and how much from there on, in bytes.
const AROUND: (usize, usize) = (60, 120);
/// What stands for a line that may hold a credential.
const HIDDEN: &str = "(not shown: it may hold a credential)";

/// For people, with snippets of the source; `color` adds ANSI escapes. Findings are separated by an empty line, and the
/// text ends with a line end where there is any finding.
///
/// Takes time linear in what is shown and, once for each source, in the source.
pub fn human(diagnostics: &[Diagnostic], color: bool) -> String {
    let rendered: Vec<_> = diagnostics.iter().map(|diagnostic| render(diagnostic, color) + "\n").collect();
    rendered.join("\n")
}

/// The one place that calls the renderer. It gets nothing but clamped spans into lines that are safe to show.
fn render(diagnostic: &Diagnostic, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.term_width(10 * LONG);
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let excerpts = diagnostic.source.as_ref().map(|source| excerpts(source, &diagnostic.labels)).unwrap_or_default();
    let path = diagnostic.source.as_ref().map(|source| visible(source.path()));
    let mut group: Group<'_> =
        Group::with_title(level.primary_title(visible(&diagnostic.message)).id(diagnostic.code.as_str()));
    if excerpts.is_empty() {
        group = group.elements(path.clone().map(Origin::path));
    }
    for excerpt in &excerpts {
        let snippet = Snippet::source(&excerpt.text).path(path.as_ref()).line_start(excerpt.line);
        group = group.element(snippet.annotations(excerpt.marks.iter().map(Mark::annotation)));
    }
    group = group.elements(diagnostic.notes.iter().map(|note| Level::NOTE.no_name().message(visible(note))));
    group = group.elements(diagnostic.help.iter().map(|help| Level::HELP.message(visible(help))));
    let text = renderer.render(&[group]);
    if excerpts.is_empty() {
        return text.lines().filter(|line| !is_bare_gutter(line)).collect::<Vec<_>>().join("\n");
    }
    let path = path.unwrap_or_default();
    excerpts.iter().fold(text, |text, excerpt| excerpt.with_true_position(&text, &path))
}

/// Whether a rendered line holds nothing but the bar that leads on to notes, which belongs below a snippet.
fn is_bare_gutter(line: &str) -> bool {
    let mut parts = line.split("\u{1b}[");
    let before = parts.next().unwrap_or_default();
    // Each further part begins with a colour, up to its `m`.
    let shown = parts.filter_map(|part| part.split_once('m').map(|(_, shown)| shown));
    std::iter::once(before).chain(shown).collect::<String>().trim() == "|"
}

/// Some lines to show.
struct Excerpt {
    text: String,
    /// The number of the first line.
    line: usize,
    marks: Vec<Mark>,
    /// Where the first mark is in the source.
    position: Position,
}

struct Mark {
    is_primary: bool,
    /// In bytes of the excerpt.
    span: Range<usize>,
    text: String,
}

impl Mark {
    fn annotation(&self) -> Annotation<'_> {
        let kind = if self.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        kind.span(self.span.clone()).label((!self.text.is_empty()).then_some(&self.text))
    }
}

impl Excerpt {
    /// The renderer names the place by the shown text, where escapes and cuts have moved it.
    fn with_true_position(&self, rendered: &str, path: &str) -> String {
        let start = self.marks.first().map_or(0, |mark| mark.span.start);
        let before = self.text.get(..start).unwrap_or_default();
        let line = self.line + before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let Position { line: true_line, column: true_column } = self.position;
        rendered.replacen(&format!("{path}:{line}:{column}\n"), &format!("{path}:{true_line}:{true_column}\n"), 1)
    }
}

/// The excerpts that show all labels, the one of the primary label first.
fn excerpts(source: &Source, labels: &[Label]) -> Vec<Excerpt> {
    let Some((primary, rest)) = labels.split_first() else { return Vec::new() };
    let home = source.position(primary.span.start).line;
    let is_long = |line: usize| source.line(line).is_none_or(|range| range.len() > LONG);
    let (near, far): (Vec<_>, Vec<_>) = rest.iter().partition(|label| {
        let line = source.position(label.span.start).line;
        line.abs_diff(home) <= NEAR && (line.min(home)..=line.max(home)).all(|line| !is_long(line))
    });
    let mut together = vec![(true, primary)];
    together.extend(near.into_iter().map(|label| (false, label)));
    let first = excerpt(source, &together);
    std::iter::once(first).chain(far.into_iter().map(|label| excerpt(source, &[(false, label)]))).collect()
}

/// The lines from the first to the last of the labels, which are near each other; a long line stands alone.
fn excerpt(source: &Source, labels: &[(bool, &Label)]) -> Excerpt {
    let lines = labels.iter().map(|(_, label)| source.position(label.span.start).line);
    let (first, last) = (lines.clone().min().unwrap_or(1), lines.max().unwrap_or(1));
    let mut text = String::new();
    let mut marks: Vec<(usize, Mark)> = Vec::new();
    for number in first..=last {
        if number > first {
            text.push('\n');
        }
        let line = source.line(number).unwrap_or_default();
        let here = labels
            .iter()
            .enumerate()
            .filter(|(_, (_, label))| source.position(label.span.start).line == number)
            .map(|(index, (is_primary, label))| (index, *is_primary, *label));
        if source.hides(number) {
            let span = text.len()..text.len() + HIDDEN.len();
            text.push_str(HIDDEN);
            marks.extend(here.map(|(index, is_primary, label)| (index, Mark::new(is_primary, span.clone(), label))));
            continue;
        }
        let shown = Shown::new(source, line, labels.first().map_or(0, |(_, label)| label.span.start));
        marks.extend(here.map(|(index, is_primary, label)| {
            let span = shown.place(label.span.start)..shown.place(label.span.end);
            (index, Mark::new(is_primary, text.len() + span.start..text.len() + span.end.max(span.start), label))
        }));
        text.push_str(&shown.text);
    }
    marks.sort_by_key(|(index, _)| *index);
    let start = labels.first().map_or(0, |(_, label)| label.span.start);
    Excerpt {
        text,
        line: first,
        marks: marks.into_iter().map(|(_, mark)| mark).collect(),
        position: source.position(start),
    }
}

impl Mark {
    fn new(is_primary: bool, span: Range<usize>, label: &Label) -> Self {
        Self { is_primary, span, text: visible(&label.text) }
    }
}

/// A line as it is shown, with the way from the source's offsets to its own.
struct Shown {
    text: String,
    /// Of each shown character of the source: its offset there, and its offset here.
    offsets: Vec<(usize, usize)>,
}

impl Shown {
    /// Shows the line at `line`; where it is long, only what is around `focus`.
    fn new(source: &Source, line: Range<usize>, focus: usize) -> Self {
        let (mut start, mut end) = (line.start, line.end);
        if line.len() > LONG {
            let focus = focus.clamp(line.start, line.end);
            start = floor_char_boundary(source.text(), focus.saturating_sub(AROUND.0).max(line.start));
            end = floor_char_boundary(source.text(), (focus + AROUND.1).min(line.end));
        }
        let mut shown = Self { text: String::new(), offsets: Vec::new() };
        shown.text.push_str(if start > line.start { "…" } else { "" });
        for (at, c) in source.text().get(start..end).unwrap_or_default().char_indices() {
            shown.offsets.push((start + at, shown.text.len()));
            match c {
                '\u{feff}' if start + at == 0 => {}
                '\t' => shown.text.push('\t'),
                c => push_visible(&mut shown.text, c),
            }
        }
        shown.offsets.push((end, shown.text.len()));
        shown.text.push_str(if end < line.end { "…" } else { "" });
        shown
    }

    /// Where an offset of the source is in the shown text; what is not shown is at its nearer end.
    fn place(&self, offset: usize) -> usize {
        let index = self.offsets.partition_point(|(from, _)| *from <= offset).saturating_sub(1);
        self.offsets.get(index).map_or(0, |(_, to)| *to)
    }
}
