//! The text of a module in the making, formatted as `prettyplease` formats it.

use super::line::{Break, Line};
use super::literal;

/// The indent of one level.
const INDENT: usize = 4;

const OUT: isize = -4;

/// A struct's value that is wider is broken, wherever it stands.
const MAX_VALUE: usize = 34;

pub(super) struct Writer {
    out: String,
    line: Line,
    indent: usize,
    is_first: bool,
}

impl Writer {
    /// Writes the items of a module behind `out`, which ends in a line end.
    pub(super) fn new(out: String) -> Self {
        Self { out, line: Line::default(), indent: 0, is_first: true }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// The start of an item: an empty line before all but the first.
    pub(super) fn item(&mut self) {
        if !self.is_first {
            self.out.push('\n');
        }
        self.is_first = false;
    }

    /// The next item is the first one of its block.
    pub(super) fn first_item(&mut self) {
        self.is_first = true;
    }

    /// A line of documentation, whatever is in it.
    pub(super) fn doc(&mut self, text: &str) {
        for line in text.split(['\n', '\r']) {
            let line = line.trim_end_matches(' ');
            self.text("///");
            if !line.is_empty() {
                self.text(" ");
                self.text(line);
            }
            self.end();
        }
    }

    /// A part of a line.
    pub(super) fn text(&mut self, text: &str) {
        self.line.text(text);
    }

    /// A string literal.
    pub(super) fn literal(&mut self, text: &str) {
        self.line.append(|line| literal::push(line, text));
    }

    /// A whole line, which is never broken.
    pub(super) fn line(&mut self, text: &str) {
        self.text(text);
        self.end();
    }

    /// The end of a line.
    pub(super) fn end(&mut self) {
        self.end_with(0);
    }

    fn end_with(&mut self, hang: usize) {
        self.line.flush(&mut self.out, INDENT, self.indent, hang);
        self.out.push('\n');
    }

    /// A block behind the head of an item or a function, which hangs where it is broken.
    pub(super) fn body(&mut self, f: impl FnOnce(&mut Self)) {
        self.braces(INDENT, f);
    }

    /// A block behind an expression.
    pub(super) fn block(&mut self, f: impl FnOnce(&mut Self)) {
        self.braces(0, f);
    }

    fn braces(&mut self, hang: usize, f: impl FnOnce(&mut Self)) {
        self.text("{");
        self.end_with(hang);
        let start = self.out.len();
        self.indented(f);
        if self.out.len() == start {
            self.out.pop();
            self.out.push_str("}\n");
        } else {
            self.line("}");
        }
    }

    pub(super) fn indented(&mut self, f: impl FnOnce(&mut Self)) {
        self.indent += INDENT;
        f(self);
        self.indent -= INDENT;
    }

    /// What is broken everywhere or nowhere.
    pub(super) fn group(&mut self, offset: isize, f: impl FnOnce(&mut Self)) {
        self.line.open(offset, true);
        f(self);
        self.line.close();
    }

    /// What is broken where it needs be.
    pub(super) fn fill(&mut self, offset: isize, f: impl FnOnce(&mut Self)) {
        self.line.open(offset, false);
        f(self);
        self.line.close();
    }

    /// A place to break.
    pub(super) fn cut(&mut self) {
        self.line.cut(Break::default());
    }

    /// A space, or a place to break.
    pub(super) fn space(&mut self) {
        self.line.cut(Break { flat: " ", width: 1, ..Break::default() });
    }

    /// What is before it may stay whole where what is behind it does not fit.
    pub(super) fn hold(&mut self) {
        self.line.cut(Break { never: true, ..Break::default() });
    }

    /// Between two elements.
    pub(super) fn comma(&mut self) {
        self.text(",");
        self.space();
    }

    /// Behind the last element: a comma where it is broken.
    pub(super) fn last(&mut self) {
        self.line.cut(Break { before: ",", offset: OUT, ..Break::default() });
    }

    /// A comma that is not asked to fit.
    pub(super) fn loose_comma(&mut self) {
        self.line.cut(Break { flat: ",", ..Break::default() });
    }

    /// Each element, with commas between them.
    pub(super) fn each<T>(&mut self, elements: impl IntoIterator<Item = T>, mut f: impl FnMut(&mut Self, T)) {
        for (index, element) in elements.into_iter().enumerate() {
            if index > 0 {
                self.comma();
            }
            f(self, element);
        }
    }

    /// Elements with [`comma`](Self::comma) between them, in brackets: on one line, or each on its own.
    pub(super) fn list(&mut self, open: &str, close: &str, f: impl FnOnce(&mut Self)) {
        self.text(open);
        self.elements(4, f);
        self.text(close);
    }

    fn elements(&mut self, offset: isize, f: impl FnOnce(&mut Self)) {
        self.line.open(offset, true);
        self.cut();
        let start = self.line.mark();
        f(self);
        if self.line.mark() == start {
            self.line.forget(2);
        } else {
            self.last();
            self.line.close();
        }
    }

    /// A call of `path`.
    pub(super) fn call(&mut self, path: &str, arguments: impl FnOnce(&mut Self)) {
        self.text(path);
        self.list("(", ")", arguments);
    }

    /// A generic type with arguments.
    pub(super) fn generic(&mut self, path: &str, arguments: impl FnOnce(&mut Self)) {
        self.text(path);
        self.list("<", ">", arguments);
    }

    /// A method's name, with its dot, and arguments; inside the group of what it is called on.
    pub(super) fn method(&mut self, name: &str, arguments: impl FnOnce(&mut Self)) {
        self.cut();
        self.text(name);
        self.group(0, |w| w.list("(", ")", arguments));
    }

    /// `receiver.name(arguments)`.
    pub(super) fn method_call(&mut self, receiver: &str, name: &str, arguments: impl FnOnce(&mut Self)) {
        self.group(4, |w| {
            w.text(receiver);
            w.method(name, arguments);
        });
    }

    /// A struct's value.
    pub(super) fn value<T>(&mut self, name: &str, fields: impl IntoIterator<Item = T>, f: impl FnMut(&mut Self, T)) {
        let mut fields = fields.into_iter().peekable();
        self.line.open(4, true);
        self.text(name);
        self.text(" {");
        if fields.peek().is_some() {
            self.space();
            self.each(fields, f);
            self.line.cut(Break { flat: " ", width: 1, before: ",", offset: OUT, ..Break::default() });
        }
        self.line.close_within(MAX_VALUE);
        self.text("}");
    }

    /// A function's head, up to its body.
    pub(super) fn signature(&mut self, head: &str, parameters: impl FnOnce(&mut Self), output: impl FnOnce(&mut Self)) {
        self.text(head);
        self.text("(");
        self.hold();
        self.elements(0, parameters);
        self.text(")");
        self.group(OUT, |w| {
            w.text(" -> ");
            output(w);
        });
        self.text(" ");
    }

    /// `impl … for name` with its block; `path` is the trait.
    pub(super) fn implement(&mut self, path: impl FnOnce(&mut Self), name: &str, f: impl FnOnce(&mut Self)) {
        self.item();
        self.fill(OUT, |w| {
            w.text("impl ");
            path(w);
            w.space();
            w.text("for ");
            w.text(name);
        });
        self.text(" ");
        self.body(f);
    }

    /// An arm of a `match`.
    pub(super) fn arm(&mut self, pattern: impl FnOnce(&mut Self), body: impl FnOnce(&mut Self)) {
        pattern(self);
        self.text(" => ");
        self.hold();
        self.group(4, |w| {
            w.line.cut(Break { before: "{", ..Break::default() });
            body(w);
            w.line.cut(Break { flat: ",", after: "}", offset: OUT, ..Break::default() });
        });
        self.end();
    }

    /// A macro that stands as an item and has names as its arguments.
    pub(super) fn macro_item(&mut self, path: &str, names: &[&str]) {
        self.item();
        self.text(path);
        self.text("!(");
        self.group(4, |w| {
            w.cut();
            w.fill(0, |w| w.each(names, |w, name| w.text(name)));
            w.line.cut(Break { offset: OUT, ..Break::default() });
        });
        self.line(");");
    }
}
