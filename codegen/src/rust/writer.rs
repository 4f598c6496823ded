//! The printer for Rust: every piece of generated Rust goes through [`Writer`], already formatted as `prettyplease`
//! would format it.
//!
//! Methods correspond to Rust's syntax (items, blocks, calls, arms) and collect one logical line at a time in a
//! [`Line`], which decides where to break it. Finished lines are only appended to: nothing reads or changes them again.

use super::line::{Break, Line};
use super::literal;

/// The indentation of one level.
const INDENT: usize = 4;

/// The offset that cancels one level: a closing delimiter is indented like the line of its opening one.
const OUTDENT: isize = -4;

/// `prettyplease` breaks a struct expression that is wider than this, even if it fits on the line.
const MAX_STRUCT_EXPRESSION: usize = 34;

pub(super) struct Writer {
    out: String,
    line: Line,
    indent: usize,
    is_first: bool,
    /// `out` ends in the `{` of a block that is empty so far. Its line end is delayed because an empty block is `{}`.
    after_brace: bool,
}

impl Writer {
    /// A writer of the items of a module. `out` is the text of the file so far, up to and including the line with the
    /// module's `{`.
    pub(super) fn new(out: String) -> Self {
        Self { out, line: Line::default(), indent: 0, is_first: true, after_brace: false }
    }

    /// Closes the module and returns the text of the file.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("}\n");
        self.out
    }

    /// Starts an item: writes an empty line, except before the first item of a block.
    pub(super) fn item(&mut self) {
        if !self.is_first {
            self.end_brace_line();
            self.out.push('\n');
        }
        self.is_first = false;
    }

    /// Declares that the next item is the first of its block.
    pub(super) fn first_item(&mut self) {
        self.is_first = true;
    }

    /// A doc comment with one line for each line of `text`, which may contain any characters.
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

    /// A part of a line. `text` must not contain line ends.
    pub(super) fn text(&mut self, text: &str) {
        self.line.text(text);
    }

    /// A string literal with the value `text`.
    pub(super) fn literal(&mut self, text: &str) {
        self.line.append(|line| literal::push(line, text));
    }

    /// Text that contains line ends, such as a raw string literal. It must be a whole part of a statement.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.line.text(text);
    }

    /// A whole line without breaks.
    pub(super) fn line(&mut self, text: &str) {
        self.text(text);
        self.end();
    }

    /// Ends the line.
    pub(super) fn end(&mut self) {
        self.flush(0);
        self.out.push('\n');
    }

    fn flush(&mut self, hang: usize) {
        self.end_brace_line();
        self.line.flush(&mut self.out, INDENT, self.indent, hang);
    }

    fn end_brace_line(&mut self) {
        if std::mem::take(&mut self.after_brace) {
            self.out.push('\n');
        }
    }

    /// A block after the head of an item or a function. If the head is broken, its other lines are indented.
    pub(super) fn body(&mut self, f: impl FnOnce(&mut Self)) {
        self.braces(INDENT, f);
    }

    /// A block after an expression, such as the arms of a `match`.
    pub(super) fn block(&mut self, f: impl FnOnce(&mut Self)) {
        self.braces(0, f);
    }

    fn braces(&mut self, hang: usize, f: impl FnOnce(&mut Self)) {
        self.text("{");
        self.flush(hang);
        self.after_brace = true;
        self.indented(f);
        if std::mem::take(&mut self.after_brace) {
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

    /// A group that is broken at all of its breaks or at none.
    pub(super) fn group(&mut self, offset: isize, f: impl FnOnce(&mut Self)) {
        self.line.open(offset, true);
        f(self);
        self.line.close();
    }

    /// A group that is broken only where necessary.
    pub(super) fn fill(&mut self, offset: isize, f: impl FnOnce(&mut Self)) {
        self.line.open(offset, false);
        f(self);
        self.line.close();
    }

    /// A break without text.
    pub(super) fn soft_break(&mut self) {
        self.line.add_break(Break::default());
    }

    /// A space or a line end.
    pub(super) fn space(&mut self) {
        self.line.add_break(Break { flat: " ", width: 1, ..Break::default() });
    }

    /// Separates a head from its continuation, without a break: the head remains on one line even if the continuation
    /// does not fit.
    pub(super) fn never_break(&mut self) {
        self.line.add_break(Break { never: true, ..Break::default() });
    }

    /// A comma between two elements.
    pub(super) fn comma(&mut self) {
        self.text(",");
        self.space();
    }

    /// A comma after the last element if the group is broken; the closing delimiter then starts a new line.
    pub(super) fn trailing_comma(&mut self) {
        self.line.add_break(Break { before: ",", offset: OUTDENT, ..Break::default() });
    }

    /// A comma whose width is not counted, as `prettyplease` writes after the field of a tuple struct.
    pub(super) fn uncounted_comma(&mut self) {
        self.line.add_break(Break { flat: ",", ..Break::default() });
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

    /// Elements, with [`comma`](Self::comma) between them, inside delimiters: on one line, or each on its own.
    pub(super) fn list(&mut self, open: &str, close: &str, f: impl FnOnce(&mut Self)) {
        self.text(open);
        self.elements(4, f);
        self.text(close);
    }

    fn elements(&mut self, offset: isize, f: impl FnOnce(&mut Self)) {
        self.line.open(offset, true);
        self.soft_break();
        let start = self.line.mark();
        f(self);
        if self.line.mark() == start {
            // `()` cannot be broken, so an empty list has neither the group nor its break.
            self.line.forget(2);
        } else {
            self.trailing_comma();
            self.line.close();
        }
    }

    /// A tuple, or the type of one. A single element has a comma even on one line.
    pub(super) fn tuple<T>(&mut self, elements: &[T], mut f: impl FnMut(&mut Self, &T)) {
        let [element] = elements else { return self.list("(", ")", |w| w.each(elements, f)) };
        self.text("(");
        self.line.open(4, true);
        self.soft_break();
        f(self, element);
        self.text(",");
        self.line.add_break(Break { offset: OUTDENT, ..Break::default() });
        self.line.close();
        self.text(")");
    }

    /// A call of the function `path`.
    pub(super) fn call(&mut self, path: &str, arguments: impl FnOnce(&mut Self)) {
        self.text(path);
        self.list("(", ")", arguments);
    }

    /// A generic type with its arguments.
    pub(super) fn generic(&mut self, path: &str, arguments: impl FnOnce(&mut Self)) {
        self.text(path);
        self.list("<", ">", arguments);
    }

    /// A method's name, with its dot, and arguments. Must be inside the group of its receiver.
    pub(super) fn method(&mut self, name: &str, arguments: impl FnOnce(&mut Self)) {
        self.soft_break();
        self.text(name);
        self.group(0, |w| w.list("(", ")", arguments));
    }

    /// `receiver.name(arguments)`; `name` starts with the dot.
    pub(super) fn method_call(&mut self, receiver: &str, name: &str, arguments: impl FnOnce(&mut Self)) {
        self.group(4, |w| {
            w.text(receiver);
            w.method(name, arguments);
        });
    }

    /// A struct expression; `f` writes a field.
    pub(super) fn struct_expression<T>(
        &mut self,
        name: &str,
        fields: impl IntoIterator<Item = T>,
        f: impl FnMut(&mut Self, T),
    ) {
        let mut fields = fields.into_iter().peekable();
        self.line.open(4, true);
        self.text(name);
        self.text(" {");
        if fields.peek().is_some() {
            self.space();
            self.each(fields, f);
            self.line.add_break(Break { flat: " ", width: 1, before: ",", offset: OUTDENT, ..Break::default() });
        }
        self.line.close_within(MAX_STRUCT_EXPRESSION);
        self.text("}");
    }

    /// A method of a trait without a body; `head` ends in its name.
    pub(super) fn declaration(
        &mut self,
        head: &str,
        parameters: impl FnOnce(&mut Self),
        output: impl FnOnce(&mut Self),
    ) {
        self.function(head, parameters, output);
        self.text(";");
        self.flush(INDENT);
        self.out.push('\n');
    }

    /// A function's head, up to its body; `head` ends in the function's name.
    pub(super) fn signature(&mut self, head: &str, parameters: impl FnOnce(&mut Self), output: impl FnOnce(&mut Self)) {
        self.function(head, parameters, output);
        self.text(" ");
    }

    fn function(&mut self, head: &str, parameters: impl FnOnce(&mut Self), output: impl FnOnce(&mut Self)) {
        self.text(head);
        self.text("(");
        self.never_break();
        self.elements(0, parameters);
        self.text(")");
        self.group(OUTDENT, |w| {
            w.text(" -> ");
            output(w);
        });
    }

    /// `head name { … }`, such as a struct or an inherent impl; `head` ends in a space.
    pub(super) fn braced(&mut self, head: &str, name: &str, f: impl FnOnce(&mut Self)) {
        self.text(head);
        self.text(name);
        self.text(" ");
        self.body(f);
    }

    /// A private module with the items from `f`.
    pub(super) fn module(&mut self, name: &str, f: impl FnOnce(&mut Self)) {
        self.braced("mod ", name, |w| {
            w.first_item();
            f(w);
        });
        self.is_first = false;
    }

    /// `impl … for name` with its block; `path` writes the trait.
    pub(super) fn implement(&mut self, path: impl FnOnce(&mut Self), name: &str, f: impl FnOnce(&mut Self)) {
        self.item();
        self.fill(OUTDENT, |w| {
            w.text("impl ");
            path(w);
            w.space();
            w.text("for ");
            w.text(name);
        });
        self.text(" ");
        self.body(f);
    }

    /// `head value;`, where `head` ends in `= `. The head is not broken.
    pub(super) fn assign(&mut self, head: &str, value: impl FnOnce(&mut Self)) {
        self.text(head);
        self.never_break();
        value(self);
        self.line(";");
    }

    /// `self.name = value;`
    pub(super) fn assign_field(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.fill(0, |w| {
            w.group(4, |w| {
                w.text("self");
                w.soft_break();
                w.text(".");
                w.text(name);
            });
            w.text(" = ");
            w.never_break();
            value(w);
        });
        self.line(";");
    }

    /// An arm of a `match`. If it does not fit on one line, its body becomes a block.
    pub(super) fn arm(&mut self, pattern: impl FnOnce(&mut Self), body: impl FnOnce(&mut Self)) {
        pattern(self);
        self.text(" => ");
        self.never_break();
        self.group(4, |w| {
            w.line.add_break(Break { before: "{", ..Break::default() });
            body(w);
            w.line.add_break(Break { flat: ",", after: "}", offset: OUTDENT, ..Break::default() });
        });
        self.end();
    }

    /// An arm whose body is the assignment `variable = Some(receiver method(arguments)?)`, to a variable or a field of
    /// `self`. If it does not fit on one line, its body becomes a block with a statement, whose semicolon counts when
    /// the line is broken further.
    pub(super) fn assigning_arm(&mut self, pattern: &str, variable: &str, call: (&str, &str), arguments: &str) {
        let (receiver, method) = call;
        let flat = format!("{pattern} => {variable} = Some({receiver}{method}({arguments})?)");
        if Line::fits(flat.len(), self.indent) {
            self.text(&flat);
            return self.line(",");
        }
        self.text(pattern);
        self.text(" => ");
        self.block(|w| {
            let value = |w: &mut Self| {
                w.call("Some", |w| {
                    w.method_call(receiver, method, |w| w.text(arguments));
                    w.text("?");
                });
            };
            match variable.strip_prefix("self.") {
                Some(field) => w.assign_field(field, value),
                None => w.assign(&format!("{variable} = "), value),
            }
        });
    }

    /// A macro call as an item; see [`macro_call`](Self::macro_call).
    pub(super) fn macro_item(&mut self, path: &str, arguments: impl FnOnce(&mut Self)) {
        self.item();
        self.macro_call(path, arguments);
        self.line(";");
    }

    /// A macro call. Its arguments are names and literals, with [`comma`](Self::comma) between them.
    pub(super) fn macro_call(&mut self, path: &str, arguments: impl FnOnce(&mut Self)) {
        self.text(path);
        self.text("!(");
        self.group(4, |w| {
            w.soft_break();
            w.fill(0, arguments);
            w.line.add_break(Break { offset: OUTDENT, ..Break::default() });
        });
        self.text(")");
    }
}
