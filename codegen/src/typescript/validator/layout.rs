//! Values of a contract as expressions that break into lines.

use crate::typescript::literal;
use crate::typescript::syntax::WIDTH;
use capgen_schema::Json;

/// An expression that knows how wide it is.
pub(super) struct Expression {
    kind: Kind,
    width: usize,
}

enum Kind {
    Text(String),
    List { brackets: [char; 2], items: Vec<(String, Expression)> },
}

pub(super) fn text(text: impl Into<String>) -> Expression {
    let text = text.into();
    Expression { width: text.chars().count(), kind: Kind::Text(text) }
}

pub(super) fn array(items: impl IntoIterator<Item = Expression>) -> Expression {
    list(['[', ']'], items.into_iter().map(|item| (String::new(), item)).collect())
}

/// Names as they are written, with a colon behind.
pub(super) fn object(members: Vec<(String, Expression)>) -> Expression {
    list(['{', '}'], members.into_iter().map(|(name, value)| (format!("{name}: "), value)).collect())
}

fn list(brackets: [char; 2], items: Vec<(String, Expression)>) -> Expression {
    let width = items.iter().map(|(prefix, item)| prefix.chars().count() + item.width + 2).sum::<usize>() + 2;
    Expression { kind: Kind::List { brackets, items }, width }
}

/// A property's name in an expression: never one that would set the prototype.
pub(super) fn key(name: &str) -> String {
    if name == "__proto__" { format!("[{}]", literal::string(name)) } else { literal::property(name) }
}

/// A value; a number that TypeScript cannot hold is a symbol with its digits, which nothing equals.
pub(super) fn value(json: &Json) -> Expression {
    match json {
        Json::Array(items) => array(items.iter().map(value)),
        Json::Object(members) => object(members.iter().map(|(name, member)| (key(name), value(member))).collect()),
        Json::Number(number) if !number.is_representable() => text(format!("Symbol(\"{number}\")")),
        scalar => text(literal::primitive(scalar).unwrap_or_default()),
    }
}

impl Expression {
    /// Writes it where `column` characters stand on the line already, which is indented by `indent`.
    pub(super) fn write(&self, out: &mut String, column: usize, indent: usize) {
        match &self.kind {
            Kind::Text(text) => out.push_str(text),
            Kind::List { brackets: [open, close], items } => {
                out.push(*open);
                let is_broken = column + self.width >= WIDTH;
                let is_object = *open == '{' && !items.is_empty();
                for (index, (prefix, item)) in items.iter().enumerate() {
                    if is_broken {
                        new_line(out, indent + 2);
                    } else if index > 0 {
                        out.push_str(", ");
                    } else if is_object {
                        out.push(' ');
                    }
                    out.push_str(prefix);
                    let column = if is_broken { indent + 2 + prefix.chars().count() } else { 0 };
                    item.write(out, column, indent + 2);
                    if is_broken {
                        out.push(',');
                    }
                }
                if is_broken {
                    new_line(out, indent);
                } else if is_object {
                    out.push(' ');
                }
                out.push(*close);
            }
        }
    }
}

pub(super) fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}
