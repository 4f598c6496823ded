//! The one layout algorithm: a group stays on one line if it fits there, and otherwise breaks at all of its lines.

use std::borrow::Cow;

/// Lines are no longer than this if they can be broken.
const WIDTH: usize = 100;
const INDENT: usize = 2;

/// The largest indentation. It bounds the white space in files whose contracts contain deeply nested values.
const SPACES: &str = "                                                                ";

/// Text with possible line breaks.
pub(super) struct Doc {
    kind: Kind,
    /// In characters, on one line; `None` if it always breaks.
    width: Option<usize>,
}

enum Kind {
    /// Most texts are symbols of the language, which need no allocation.
    Text(Cow<'static, str>),
    /// The first text if the enclosing group is on one line, the second if it is broken.
    Either(&'static str, &'static str),
    /// A line break in a broken group. On one line: a space, or nothing if it is soft.
    Line {
        is_soft: bool,
    },
    /// A line break, which breaks every enclosing group.
    HardLine,
    Concat(Vec<Doc>),
    Indent(Vec<Doc>),
    Group(Vec<Doc>),
}

pub(super) fn text(text: impl Into<Cow<'static, str>>) -> Doc {
    let text = text.into();
    // Counting bytes is quicker, and nearly all text is ASCII.
    let width = if text.is_ascii() { text.len() } else { text.chars().count() };
    Doc { width: Some(width), kind: Kind::Text(text) }
}

pub(super) fn concat(docs: Vec<Doc>) -> Doc {
    Doc { width: width(&docs), kind: Kind::Concat(docs) }
}

pub(super) fn group(docs: Vec<Doc>) -> Doc {
    Doc { width: width(&docs), kind: Kind::Group(docs) }
}

pub(super) fn indent(docs: Vec<Doc>) -> Doc {
    Doc { width: width(&docs), kind: Kind::Indent(docs) }
}

fn width(docs: &[Doc]) -> Option<usize> {
    docs.iter().try_fold(0, |sum, doc| Some(sum + doc.width?))
}

/// A space, or a line break if the enclosing group is broken.
pub(super) fn line() -> Doc {
    Doc { width: Some(1), kind: Kind::Line { is_soft: false } }
}

/// Nothing, or a line break if the enclosing group is broken.
pub(super) fn soft_line() -> Doc {
    Doc { width: Some(0), kind: Kind::Line { is_soft: true } }
}

pub(super) fn hard_line() -> Doc {
    Doc { width: None, kind: Kind::HardLine }
}

/// Text that appears only if the enclosing group is broken.
pub(super) fn if_broken(text: &'static str) -> Doc {
    either("", text)
}

/// `flat` if the enclosing group is on one line, `broken` if it is not.
pub(super) fn either(flat: &'static str, broken: &'static str) -> Doc {
    Doc { width: Some(flat.chars().count()), kind: Kind::Either(flat, broken) }
}

/// The documents with `separator` and then a possible line break between them.
pub(super) fn separated(docs: impl IntoIterator<Item = Doc>, separator: &'static str) -> Vec<Doc> {
    let mut joined = Vec::new();
    for doc in docs {
        if !joined.is_empty() {
            joined.extend([text(separator), line()]);
        }
        joined.push(doc);
    }
    joined
}

impl Doc {
    /// The width on one line, in characters.
    pub(super) fn width(&self) -> usize {
        self.width.unwrap_or(usize::MAX)
    }
}

/// The lines of a file, and the position in the last one.
pub(super) struct Output {
    text: String,
    column: usize,
}

impl Output {
    pub(super) fn new(text: String) -> Self {
        Self { text, column: 0 }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Writes a document, which begins at the start of a line.
    pub(super) fn write(&mut self, doc: &Doc) {
        self.write_in(doc, 0, true);
    }

    /// Recurses as deeply as documents are nested, which the depth of schemas bounds.
    fn write_in(&mut self, doc: &Doc, indent: usize, is_broken: bool) {
        match &doc.kind {
            Kind::Text(text) => {
                self.text.push_str(text);
                self.column += doc.width();
            }
            Kind::Either(flat, broken) => self.push(if is_broken { broken } else { flat }),
            Kind::Line { is_soft: true } if !is_broken => {}
            Kind::Line { is_soft: false } if !is_broken => self.push(" "),
            Kind::Line { .. } | Kind::HardLine => self.new_line(indent),
            Kind::Concat(docs) => self.write_all(docs, indent, is_broken),
            Kind::Indent(docs) => self.write_all(docs, indent + INDENT, is_broken),
            Kind::Group(docs) => {
                // One character is kept for the comma or semicolon behind it.
                let fits = doc.width.is_some_and(|width| self.column + width < WIDTH);
                self.write_all(docs, indent, is_broken && !fits);
            }
        }
    }

    fn write_all(&mut self, docs: &[Doc], indent: usize, is_broken: bool) {
        docs.iter().for_each(|doc| self.write_in(doc, indent, is_broken));
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    fn new_line(&mut self, indent: usize) {
        let spaces = SPACES.get(..indent).unwrap_or(SPACES);
        self.text.push('\n');
        self.text.push_str(spaces);
        self.column = spaces.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_limited() {
        let nest = |doc: Doc| concat(vec![text("["), indent(vec![hard_line(), doc]), hard_line(), text("]")]);
        let doc = (0..100).fold(text("1"), |doc, _| nest(doc));
        let mut output = Output::new(String::new());
        output.write(&doc);
        let printed = output.finish();
        let indents = printed.lines().map(|line| line.len() - line.trim_start().len());
        let expected = (0..=100).chain((0..100).rev()).map(|level: usize| (level * INDENT).min(64));
        assert_eq!(indents.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}
