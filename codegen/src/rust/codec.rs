//! How a type is read and written: an anonymous constant that holds its rules and its `Json`.

use super::types::Types;
use super::wire_rule::{Whole, WireRule};
use super::writer::Writer;
use crate::model::{Origin, TypeDef};

/// The rules that a type's code refers to by number.
#[derive(Default)]
pub(super) struct Rules(Vec<WireRule>);

impl Rules {
    /// Keeps a rule, and says how it is referred to; `None` where there is none.
    pub(super) fn keep(&mut self, rule: Option<WireRule>) -> Option<String> {
        self.0.push(rule?);
        Some(format!("&R{}", self.0.len() - 1))
    }
}

/// The constant around what `f` writes, with the rules and the schemas beside the type.
pub(super) fn block(
    writer: &mut Writer,
    types: &Types<'_>,
    def: &TypeDef,
    names: Option<&[&str]>,
    rules: &Rules,
    f: impl FnOnce(&mut Writer, bool),
) {
    let whole = Whole::of(types, def);
    let is_bare = whole.is_none() && names.is_none() && rules.0.is_empty();
    if is_bare {
        return f(writer, false);
    }
    writer.item();
    writer.line("const _: () = {");
    writer.indented(|w| {
        if let Some(names) = names {
            w.text("const NAMES: &[&str] = ");
            w.hold();
            w.list("&[", "]", |w| w.each(names, |w, name| w.literal(name)));
            w.line(";");
        }
        for (index, rule) in rules.0.iter().enumerate() {
            w.text(&format!("static R{index}: "));
            rule.write_type(w);
            w.text(" = ");
            w.hold();
            rule.write(w);
            w.line(";");
        }
        if let Some(whole) = &whole {
            w.text("static INTERPRETED: ::capgen::wire::Interpreted = ");
            w.hold();
            whole.write(w);
            w.line(";");
        }
        w.first_item();
        f(w, whole.is_some());
    });
    writer.line("};");
}

/// `Json` for the type of that name.
pub(super) fn json(
    writer: &mut Writer,
    name: &str,
    has_whole: bool,
    read: impl FnOnce(&mut Writer),
    write: impl FnOnce(&mut Writer),
) {
    writer.implement(
        |w| w.text("::capgen::wire::Codec"),
        name,
        |w| {
            if has_whole {
                w.line("const INTERPRETED: Option<&'static ::capgen::wire::Interpreted> = Some(&INTERPRETED);");
            }
            w.text("fn read(reader: &mut ::capgen::wire::Reader<'_>) -> Option<Self> ");
            w.body(read);
            w.text("fn write(&self, writer: &mut ::capgen::wire::Writer) -> Option<()> ");
            w.body(write);
        },
    );
}

/// Serde's traits for a definition that has a type of its own.
pub(super) fn serde(writer: &mut Writer, def: &TypeDef) {
    match def.origin {
        Origin::Root => writer.macro_item("::capgen::impl_serde", &[&def.name, "payload"]),
        _ => writer.macro_item("::capgen::impl_serde", &[&def.name]),
    }
}

/// The call that reads a value.
pub(super) fn read(writer: &mut Writer, rule: Option<&str>) {
    match rule {
        None => writer.method(".read", |_| {}),
        Some(rule) => writer.method(".read_by", |w| w.text(rule)),
    }
}

/// The call that writes what `value` writes.
pub(super) fn write(writer: &mut Writer, rule: Option<&str>, value: impl Fn(&mut Writer)) {
    writer.method_call("writer", if rule.is_some() { ".write_by" } else { ".write" }, |w| {
        value(w);
        if let Some(rule) = rule {
            w.comma();
            w.text(rule);
        }
    });
}
