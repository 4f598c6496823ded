//! Aliases that a Rust `type` cannot express: tuple structs with one field.
//!
//! A recursive alias would expand forever, and the root of a side must be a type of its own to implement `Payload`.

use super::codec::{self, Rules};
use super::types::Types;
use super::writer::Writer;
use super::{union_type, wire_rule};
use crate::model::{Guard, Type, TypeDef};

pub(super) fn definition(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, target: &Type) {
    types.derive(writer, def);
    writer.text("pub struct ");
    writer.text(&def.name);
    writer.line("(");
    writer.indented(|w| {
        w.doc("The wrapped value.");
        w.text("pub ");
        types.write(w, target);
        w.uncounted_comma();
        w.end();
    });
    writer.line(");");
    // `From<Self>` exists for every type, and nothing converts into `Never` or from it.
    if *target != Type::Never && !types.resolved(target).is(def) {
        union_type::conversion(writer, types, def, target, |w, is_boxed| {
            w.call("Self", |w| if is_boxed { w.call("Box::new", |w| w.text("value")) } else { w.text("value") });
        });
    }
}

pub(super) fn implementation(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, target: &Type, guard: &Guard) {
    let mut rules = Rules::default();
    let rule = rules.add("value", wire_rule::of(types, def, target, guard));
    codec::scope(writer, types, def, None, &rules, |w, is_interpreted| {
        let read = |w: &mut Writer| {
            w.group(4, |w| {
                w.text("reader");
                codec::read_call(w, rule.as_ref());
                w.method(".map", |w| w.text("Self"));
            });
            w.end();
        };
        let write = |w: &mut Writer| {
            codec::write_call(w, rule.as_ref(), |w| w.text("&self.0"));
            w.end();
        };
        codec::implement(w, &def.name, is_interpreted, read, write);
    });
}
