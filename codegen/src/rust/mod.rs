//! The type model as Rust.
//!
//! A file is a header, a glob export, and one module that holds everything: attributes that a file cannot carry under
//! `include!` stand on the module, and no name of the user's scope reaches into it. Paths start at `::capgen`, `::serde`,
//! `::serde_json` and `::std`, or are names of the prelude, which lowering keeps free.

mod capability;
mod codec;
mod doc;
mod enums;
mod file;
mod ident;
mod line;
mod literal;
mod record;
mod types;
mod union_type;
mod wire_rule;
mod writer;

use capgen_manifest::Side;

use crate::model::{Guard, Model, Origin, Shape, SideModel, Type, TypeDef};
use codec::Rules;
use types::Types;
use writer::Writer;

/// The file's text.
pub(crate) fn print(model: &Model<'_>) -> String {
    file::print(model, |writer| items(writer, model))
}

fn items(writer: &mut Writer, model: &Model<'_>) {
    let types = Types::new(model);
    capability::constants(writer, model);
    let mut defs = model.types.iter().peekable();
    for capability in &model.capabilities {
        capability::marker(writer, &types, capability);
        for (side, label) in [(&capability.request, "request"), (&capability.response, "response")] {
            if let SideModel::Loose(name) = side {
                capability::loose(writer, name, label, &capability.source.name);
            }
        }
        while let Some(def) = defs.next_if(|def| def.capability == capability.source.name) {
            definition(writer, &types, def);
            if def.origin == Origin::Root {
                let side = if def.side == Side::Request { "input_schema" } else { "output_schema" };
                writer.macro_item("::capgen::payload", &[&def.name, &capability.marker, side]);
            }
        }
    }
}

fn definition(writer: &mut Writer, types: &Types<'_>, def: &TypeDef) {
    writer.item();
    doc::write(writer, def.description.as_deref(), || place(def));
    match &def.shape {
        Shape::Record(record) => record::print(writer, types, def, record),
        Shape::Enum(members) => enums::print(writer, types, def, members),
        Shape::Union(union) => union_type::print(writer, types, def, union),
        Shape::Alias { target, guard, .. } if types.is_newtype(def) => newtype(writer, types, def, target, guard),
        Shape::Alias { target, .. } => {
            writer.group(4, |w| {
                w.text("pub type ");
                w.text(&def.name);
                w.text(" = ");
                w.hold();
                w.group(-4, |w| types.write(w, target));
                w.text(";");
            });
            writer.end();
        }
    }
}

fn newtype(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, target: &Type, guard: &Guard) {
    writer.line("#[derive(Debug, Clone, PartialEq)]");
    writer.text("pub struct ");
    writer.text(&def.name);
    writer.line("(");
    writer.indented(|w| {
        w.doc("The wrapped value.");
        w.text("pub ");
        types.write(w, target);
        w.loose_comma();
        w.end();
    });
    writer.line(");");
    let mut rules = Rules::default();
    let rule = rules.keep(wire_rule::of(types, def, target, guard));
    codec::block(writer, types, def, None, &rules, |w, has_whole| {
        let read = |w: &mut Writer| {
            w.group(4, |w| {
                w.text("reader");
                codec::read(w, rule.as_deref());
                w.method(".map", |w| w.text("Self"));
            });
            w.end();
        };
        let write = |w: &mut Writer| {
            codec::write(w, rule.as_deref(), |w| w.text("&self.0"));
            w.end();
        };
        codec::json(w, &def.name, has_whole, read, write);
    });
    codec::serde(writer, def);
}

/// What a type without a description is.
fn place(def: &TypeDef) -> String {
    let (side, capability) = (def.side.name(), doc::code(&def.capability));
    if def.pointer.is_empty() {
        return format!("The {side} of {capability}.");
    }
    format!("Generated from {} in the {side} schema of {capability}.", doc::code(&def.pointer))
}
