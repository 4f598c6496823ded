//! Code that reads and writes a type: an implementation of the runtime's codec trait with the rules that it applies.

use super::types::Types;
use super::wire_rule::{Interpreted, WireRule};
use super::writer::Writer;
use crate::model::{Origin, TypeDef};

/// The rules of one type, each a `static` that the type's code refers to.
#[derive(Default)]
pub(super) struct Rules(Vec<WireRule>);

/// A reference to one of the rules of a type.
#[derive(Clone, Copy)]
pub(super) struct RuleRef(usize);

impl Rules {
    /// Adds a rule and returns a reference to it; `None` if there is no rule.
    pub(super) fn add(&mut self, rule: Option<WireRule>) -> Option<RuleRef> {
        self.0.push(rule?);
        Some(RuleRef(self.0.len() - 1))
    }
}

impl RuleRef {
    /// The reference as an expression.
    pub(super) fn write(self, writer: &mut Writer) {
        writer.text(&format!("&R{}", self.0));
    }
}

/// Writes `f` inside an anonymous constant, together with the names, rules and schemas that its code refers to. Nothing
/// outside sees them, so every type can use the same short names. Without any of them, there is no constant.
///
/// `names` are property names. `f` receives whether there is an `INTERPRETED`.
pub(super) fn scope(
    writer: &mut Writer,
    types: &Types<'_>,
    def: &TypeDef,
    names: Option<&[&str]>,
    rules: &Rules,
    f: impl FnOnce(&mut Writer, bool),
) {
    let interpreted = Interpreted::of(types, def);
    let needs_scope = interpreted.is_some() || names.is_some() || !rules.0.is_empty();
    if !needs_scope {
        return f(writer, false);
    }
    writer.item();
    writer.line("const _: () = {");
    writer.indented(|w| {
        if let Some(names) = names {
            w.assign("const NAMES: &[&str] = ", |w| w.list("&[", "]", |w| w.each(names, |w, name| w.literal(name))));
        }
        for (index, rule) in rules.0.iter().enumerate() {
            w.text(&format!("static R{index}: "));
            rule.write_type(w);
            w.assign(" = ", |w| rule.write(w));
        }
        if let Some(interpreted) = &interpreted {
            w.assign("static INTERPRETED: ::capgen::wire::Interpreted = ", |w| interpreted.write(w));
        }
        w.first_item();
        f(w, interpreted.is_some());
    });
    writer.line("};");
}

/// Implements the codec trait for the type with that name; `read` and `write` write the bodies of its methods.
pub(super) fn implement(
    writer: &mut Writer,
    name: &str,
    is_interpreted: bool,
    read: impl FnOnce(&mut Writer),
    write: impl FnOnce(&mut Writer),
) {
    writer.implement(
        |w| w.text("::capgen::wire::Codec"),
        name,
        |w| {
            if is_interpreted {
                w.text("const INTERPRETED: ");
                w.generic("Option", |w| w.text("&'static ::capgen::wire::Interpreted"));
                w.assign(" = ", |w| w.call("Some", |w| w.text("&INTERPRETED")));
            }
            w.text("fn read(reader: &mut ::capgen::wire::Reader<'_>) -> Option<Self> ");
            w.body(read);
            w.text("fn write(&self, writer: &mut ::capgen::wire::Writer) -> Option<()> ");
            w.body(write);
        },
    );
}

/// Implements serde's traits. With `payload`, which root types have, errors of deserialization list every violation.
pub(super) fn serde(writer: &mut Writer, def: &TypeDef) {
    match def.origin {
        Origin::Root => writer.macro_item("::capgen::impl_serde", &[&def.name, "payload"]),
        _ => writer.macro_item("::capgen::impl_serde", &[&def.name]),
    }
}

/// The method call that reads a value, inside the group of `reader`.
pub(super) fn read_call(writer: &mut Writer, rule: Option<RuleRef>) {
    match rule {
        None => writer.method(".read", |_| {}),
        Some(rule) => writer.method(".read_by", |w| rule.write(w)),
    }
}

/// The call that writes the value of the expression `value`.
pub(super) fn write_call(writer: &mut Writer, rule: Option<RuleRef>, value: impl Fn(&mut Writer)) {
    writer.method_call("writer", if rule.is_some() { ".write_by" } else { ".write" }, |w| {
        value(w);
        if let Some(rule) = rule {
            w.comma();
            rule.write(w);
        }
    });
}
