//! The lines of a source that a snippet shows.

use std::ops::Range;

use super::escape::visible;
use crate::hidden::MASK;
use crate::source::floor_char_boundary;
use crate::{Label, Position, Source, push_visible};

/// Labels at most this many lines apart share a snippet, which shows the lines between them. More of those would take
/// up the screen without being about the finding.
const NEAR: usize = 8;
/// A longer line, in bytes, is cut around its label: a terminal would wrap it several times, and the marks below it
/// would be at other places than the text. Lines that people write are shorter.
pub(super) const LONG: usize = 200;
/// How much of a long line is displayed before and after the start of its label, in bytes. Together they are less than
/// [`LONG`], with more after the start, because the label is there.
const AROUND: (usize, usize) = (60, 120);

/// A few lines of a source, safe to display.
pub(super) struct Excerpt {
    pub(super) path: String,
    pub(super) text: String,
    /// The number of the first line.
    pub(super) line: usize,
    pub(super) marks: Vec<Mark>,
    /// The position of the first mark in the source.
    position: Position,
}

/// An underlined part of an excerpt.
pub(super) struct Mark {
    pub(super) is_primary: bool,
    /// In bytes of the excerpt.
    pub(super) span: Range<usize>,
    pub(super) text: String,
}

/// The excerpts that show all labels: those of the primary label's source first, then source by source.
pub(super) fn excerpts(labels: &[Label]) -> Vec<Excerpt> {
    let mut excerpts = Vec::new();
    let mut rest: Vec<(bool, &Label)> = labels.iter().enumerate().map(|(index, label)| (index == 0, label)).collect();
    while !rest.is_empty() {
        let first = rest.remove(0);
        let source = &first.1.source;
        let (here, elsewhere) = rest.into_iter().partition(|(_, label)| label.source.is_same(source));
        excerpts.extend(of_source(source, first, here));
        rest = elsewhere;
    }
    excerpts
}

/// The excerpts for the labels of one source. Labels near the first one share its excerpt; each of the others has its
/// own.
fn of_source(source: &Source, first: (bool, &Label), labels: Vec<(bool, &Label)>) -> Vec<Excerpt> {
    let line_of = |label: &Label| source.position(label.span.start).line;
    let is_long = |line: usize| source.line(line).is_none_or(|range| range.len() > LONG);
    let home = line_of(first.1);
    let (near, far): (Vec<_>, Vec<_>) = labels.into_iter().partition(|(_, label)| {
        let line = line_of(label);
        // A long line is cut around one label, so it cannot show a second one.
        line.abs_diff(home) <= NEAR && (line.min(home)..=line.max(home)).all(|line| !is_long(line))
    });
    let together: Vec<_> = std::iter::once(first).chain(near).collect();
    let apart = far.into_iter().map(|label| vec![label]);
    std::iter::once(together).chain(apart).map(|labels| excerpt(source, &labels)).collect()
}

/// The line that a span starts in, with one mark.
pub(super) fn line_of(source: &Source, span: Range<usize>) -> Excerpt {
    excerpt(source, &[(true, &Label { source: source.clone(), span, text: String::new() })])
}

/// The lines from the first to the last of the labels.
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
        path: visible(source.path()),
        text,
        line: first,
        marks: marks.into_iter().map(|(_, mark)| mark).collect(),
        position: source.position(start),
    }
}

impl Excerpt {
    /// Corrects the position of this excerpt in `rendered`. The renderer counts in the displayed text, in which escapes
    /// and cuts have moved the mark.
    ///
    /// Searches from the byte `from` on, and returns the offset behind the position. The renderer prints excerpts in
    /// their order, so that two excerpts with equal displayed positions are not confused.
    pub(super) fn correct_position(&self, rendered: &mut String, from: usize) -> usize {
        let start = self.marks.first().map_or(0, |mark| mark.span.start);
        let before = self.text.get(..start).unwrap_or_default();
        let path = &self.path;
        let line = self.line + before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let Position { line: true_line, column: true_column } = self.position;
        let printed = format!("{path}:{line}:{column}\n");
        let Some(at) = rendered.get(from..).and_then(|rest| rest.find(&printed)) else { return from };
        let at = from + at;
        let correct = format!("{path}:{true_line}:{true_column}\n");
        rendered.replace_range(at..at + printed.len(), &correct);
        at + correct.len()
    }
}

impl Mark {
    fn new(is_primary: bool, span: Range<usize>, label: &Label) -> Self {
        Self { is_primary, span, text: visible(&label.text) }
    }
}

/// A line as it is displayed, with a map from offsets in the source to offsets in the displayed text. A mask replaces
/// each hidden part.
struct Shown {
    text: String,
    /// For each displayed character of the source: its offset in the source, and its offset in `text`.
    offsets: Vec<(usize, usize)>,
}

impl Shown {
    /// Displays the line at `line`, or only the part around `focus` if the line is long.
    fn new(source: &Source, line: Range<usize>, focus: usize) -> Self {
        let (mut start, mut end) = (line.start, line.end);
        if line.len() > LONG {
            let focus = focus.clamp(line.start, line.end);
            start = floor_char_boundary(source.text(), focus.saturating_sub(AROUND.0).max(line.start));
            end = floor_char_boundary(source.text(), (focus + AROUND.1).min(line.end));
        }
        let mut shown = Self { text: String::new(), offsets: Vec::new() };
        shown.text.push_str(if start > line.start { "…" } else { "" });
        let mut at = start;
        for hidden in source.hidden().within(&(start..end)) {
            shown.push(source, at..hidden.start.max(at));
            shown.offsets.push((hidden.start.max(at), shown.text.len()));
            shown.text.push_str(MASK);
            at = hidden.end.min(end);
        }
        shown.push(source, at..end);
        shown.offsets.push((end, shown.text.len()));
        shown.text.push_str(if end < line.end { "…" } else { "" });
        shown
    }

    /// Appends a part of the source.
    fn push(&mut self, source: &Source, part: Range<usize>) {
        for (at, c) in source.text().get(part.clone()).unwrap_or_default().char_indices() {
            self.offsets.push((part.start + at, self.text.len()));
            match c {
                '\u{feff}' if part.start + at == 0 => {}
                '\t' => self.text.push('\t'),
                c => push_visible(&mut self.text, c),
            }
        }
    }

    /// The offset in the displayed text of an offset in the source. An offset outside the displayed part maps to the
    /// nearer end.
    fn place(&self, offset: usize) -> usize {
        let index = self.offsets.partition_point(|(from, _)| *from <= offset).saturating_sub(1);
        self.offsets.get(index).map_or(0, |(_, to)| *to)
    }
}
