//! Code that reads and writes a type: an implementation of the runtime's codec trait with the rules that it applies.

use std::collections::HashSet;

use super::ident;
use super::types::Types;
use super::wire_rule::{Interpreted, WireRule};
use super::writer::Writer;
use crate::model::{Origin, Shape, TypeDef};

/// The rules of one type, each a `static` that the type's code refers to.
#[derive(Default)]
pub(super) struct Rules(Vec<(RuleRef, WireRule)>);

/// The name of one of the rules of a type.
#[derive(Clone)]
pub(super) struct RuleRef(String);

impl Rules {
    /// Adds a rule for a part of the type and returns a reference to it; `None` if there is no rule. `part` is unique
    /// in the type, in any case.
    pub(super) fn add(&mut self, part: &str, rule: Option<WireRule>) -> Option<RuleRef> {
        let rule = rule?;
        // The suffix distinguishes the rules from the other names of the scope.
        let name = RuleRef(format!("{}_RULE", part.to_ascii_uppercase()));
        self.0.push((name.clone(), rule));
        Some(name)
    }
}

impl RuleRef {
    /// The reference as an expression.
    pub(super) fn reference(&self) -> String {
        format!("&{}", self.0)
    }

    /// Writes the reference.
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.text(&self.reference());
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
        for (name, rule) in &rules.0 {
            w.text(&format!("static {}: ", name.0));
            rule.write_type(w);
            w.assign(" = ", |w| rule.write(w));
        }
        if let Some(interpreted) = &interpreted {
            w.assign("static INTERPRETED: wire::Interpreted = ", |w| interpreted.write(w));
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
        |w| w.text("wire::Codec"),
        name,
        |w| {
            if is_interpreted {
                w.text("const INTERPRETED: ");
                w.generic("Option", |w| w.text("&'static wire::Interpreted"));
                w.assign(" = ", |w| w.call("Some", |w| w.text("&INTERPRETED")));
            }
            w.text("fn read(reader: &mut wire::Reader<'_>) -> Option<Self> ");
            w.body(read);
            w.text("fn write(&self, writer: &mut wire::Writer) -> Option<()> ");
            w.body(write);
        },
    );
}

/// Implements the traits that all types have: `Payload`, if a schema is equivalent to the type, and serde's.
pub(super) fn traits(writer: &mut Writer, types: &Types<'_>, def: &TypeDef) {
    let is_newtype = types.is_newtype(def);
    let schema = ident::schema_static(types.root(def));
    let payload = types.runtime("payload");
    match (&def.shape, def.origin, def.coverage.equivalent()) {
        // The traits are those of the target.
        (Shape::Alias { .. }, _, _) if !is_newtype => {}
        (_, Origin::Root, _) => {
            writer.macro_item(&payload, |w| w.each([&def.name, &schema], |w, name| w.text(name)));
        }
        (_, _, Some(pointers)) => writer.macro_item(&payload, |w| {
            w.each([&def.name, &schema], |w, name| w.text(name));
            for pointer in distinct(pointers) {
                w.comma();
                w.literal(pointer);
            }
        }),
        (_, _, None) => writer.macro_item(&types.runtime("impl_serde"), |w| w.text(&def.name)),
    }
}

/// The pointers without duplicates.
pub(super) fn distinct(pointers: &[String]) -> Vec<&str> {
    let mut seen = HashSet::new();
    pointers.iter().map(String::as_str).filter(|pointer| seen.insert(*pointer)).collect()
}

/// The method call that reads a value, inside the group of `reader`.
pub(super) fn read_call(writer: &mut Writer, rule: Option<&RuleRef>) {
    match rule {
        None => writer.method(".read", |_| {}),
        Some(rule) => writer.method(".read_by", |w| rule.write(w)),
    }
}

/// The call that writes the value of the expression `value`.
pub(super) fn write_call(writer: &mut Writer, rule: Option<&RuleRef>, value: impl Fn(&mut Writer)) {
    writer.method_call("writer", if rule.is_some() { ".write_by" } else { ".write" }, |w| {
        value(w);
        if let Some(rule) = rule {
            w.comma();
            rule.write(w);
        }
    });
}
