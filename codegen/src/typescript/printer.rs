//! Layout: what fits stays on one line, and what does not is broken as a formatter would.

use super::syntax::{Kind, Property, Ts, WIDTH, Writer};

impl Writer {
    pub(super) fn new(out: String) -> Self {
        Self { out, column: 0, indent: 0 }
    }

    /// Text without line ends.
    pub(super) fn text(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    /// The rest of a line; the next one has no indent.
    pub(super) fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
        self.column = 0;
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.column = self.indent;
    }

    /// A comment before what follows on a line of its own.
    pub(super) fn doc(&mut self, lines: &[String]) {
        match lines {
            [] => return,
            [line] if self.column + line.chars().count() + 7 <= WIDTH => self.text(&format!("/** {line} */")),
            lines => {
                self.text("/**");
                for line in lines {
                    self.new_line();
                    self.text(if line.is_empty() { " *" } else { " * " });
                    self.text(line);
                }
                self.new_line();
                self.text(" */");
            }
        }
        self.new_line();
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    fn fits(&self, ty: &Ts) -> bool {
        self.column + ty.width < WIDTH
    }

    fn indented(&mut self, f: impl FnOnce(&mut Self)) {
        self.indent += 2;
        f(self);
        self.indent -= 2;
    }
}

impl Ts {
    /// The type behind `=` or `:`, on the same line where it fits.
    pub(super) fn write_after(&self, writer: &mut Writer) {
        match &self.kind {
            Kind::Union(members) if writer.column + 1 + self.width >= WIDTH => {
                writer.indented(|writer| write_members(members, writer));
            }
            _ => {
                writer.text(" ");
                self.write(writer);
            }
        }
    }

    /// An object behind `=` or a name, each member on its own line.
    pub(super) fn write_block(&self, writer: &mut Writer) {
        writer.text(" ");
        match &self.kind {
            Kind::Object(members) => write_object(members, writer),
            _ => self.write(writer),
        }
    }

    fn write(&self, writer: &mut Writer) {
        if writer.fits(self) {
            return writer.text(&self.one_line());
        }
        match &self.kind {
            Kind::Text(text) => writer.text(text),
            Kind::Union(members) => writer.indented(|writer| write_members(members, writer)),
            Kind::Array(item) => {
                item.write_in_parens(writer);
                writer.text("[]");
            }
            Kind::Optional(item) => {
                item.write_in_parens(writer);
                writer.text("?");
            }
            Kind::Rest(array) => {
                writer.text("...");
                array.write(writer);
            }
            Kind::Tuple(elements) => write_tuple(elements, writer),
            Kind::Object(members) => write_object(members, writer),
        }
    }

    fn write_in_parens(&self, writer: &mut Writer) {
        match &self.kind {
            Kind::Union(members) => {
                writer.text("(");
                writer.indented(|writer| write_members(members, writer));
                writer.new_line();
                writer.text(")");
            }
            _ => self.write(writer),
        }
    }

    /// The whole type on one line.
    pub(super) fn one_line(&self) -> String {
        let mut line = String::with_capacity(self.width);
        self.push_to(&mut line);
        line
    }

    fn push_to(&self, line: &mut String) {
        match &self.kind {
            Kind::Text(text) => line.push_str(text),
            Kind::Union(members) => push_separated(line, members, " | "),
            Kind::Array(item) => {
                item.push_in_parens(line);
                line.push_str("[]");
            }
            Kind::Optional(item) => {
                item.push_in_parens(line);
                line.push('?');
            }
            Kind::Rest(array) => {
                line.push_str("...");
                array.push_to(line);
            }
            Kind::Tuple(elements) => {
                line.push('[');
                push_separated(line, elements, ", ");
                line.push(']');
            }
            Kind::Object(members) => push_object(line, members),
        }
    }

    fn push_in_parens(&self, line: &mut String) {
        if self.is_union() {
            line.push('(');
            self.push_to(line);
            line.push(')');
        } else {
            self.push_to(line);
        }
    }
}

fn push_separated(line: &mut String, types: &[Ts], separator: &str) {
    for (index, ty) in types.iter().enumerate() {
        if index > 0 {
            line.push_str(separator);
        }
        ty.push_to(line);
    }
}

fn push_object(line: &mut String, members: &[Property]) {
    line.push('{');
    for (index, member) in members.iter().enumerate() {
        line.push_str(if index > 0 { "; " } else { " " });
        line.push_str(&member.name);
        line.push_str(": ");
        member.ty.push_to(line);
    }
    line.push_str(" }");
}

fn write_members(members: &[Ts], writer: &mut Writer) {
    for member in members {
        writer.new_line();
        writer.text("| ");
        writer.indented(|writer| member.write(writer));
    }
}

fn write_tuple(elements: &[Ts], writer: &mut Writer) {
    writer.text("[");
    writer.indented(|writer| {
        for element in elements {
            writer.new_line();
            element.write(writer);
            writer.text(",");
        }
    });
    writer.new_line();
    writer.text("]");
}

fn write_object(members: &[Property], writer: &mut Writer) {
    writer.text("{");
    writer.indented(|writer| {
        for member in members {
            writer.new_line();
            writer.doc(&member.doc);
            writer.text(&format!("{}:", member.name));
            member.ty.write_after(writer);
            writer.text(";");
        }
    });
    writer.new_line();
    writer.text("}");
}
