//! Prints the type model as Rust.
//!
//! A file consists of a header, a glob export and one module with all items. The module carries the attributes, because
//! a file used through `include!` cannot have inner attributes, and keeps the names of the user's scope out. Paths
//! start at the path of the runtime, usually `::capgen`, at `::serde`, `::serde_json` and `::std`, or are names of the
//! prelude, which no type has: see [`settle`].
//!
//! The API comes first: capabilities, types, and the errors, the trait and the client of the agent, if they are
//! generated.
//! Internals come last: the inner module with the code that reads and writes the types, and the texts of the schemas.
//!
//! [`writer`] is the only place that produces text; every other module describes one kind of item to it.

mod calls;
mod capability;
mod codec;
mod constructor;
mod doc;
mod enums;
mod errors;
mod file;
mod ident;
mod line;
mod literal;
mod newtype;
mod public_items;
mod record;
mod required;
mod schema_text;
mod setter;
mod settle;
mod target;
mod types;
mod union_dispatch;
mod union_type;
mod versions;
mod wide_record;
mod wire_rule;
mod writer;

use crate::model::{Model, Origin, Shape, SideModel, TypeDef};
pub(crate) use target::Rust;
use types::Types;
use writer::Writer;

/// The module with the implementations. Types and constants never have a name in lower case.
const INTERNALS: &str = "internals";

/// The text of the agent's Rust file, which starts with the header.
pub(crate) fn print(header: String, model: &Model<'_>) -> String {
    file::print(header, model, |writer| items(writer, model))
}

fn items(writer: &mut Writer, model: &Model<'_>) {
    let types = Types::new(model);
    api(writer, model, &types);
    versions::items(writer, model);
    if model.options.calls {
        errors::items(writer, model, &types);
        calls::items(writer, model, &types);
    }
    writer.item();
    writer.doc("Reading, checking and writing of the types above.");
    writer.module(INTERNALS, |w| {
        w.item();
        w.line("use super::*;");
        w.item();
        w.line(&format!("use {};", types.runtime("wire")));
        for capability in &model.capabilities {
            capability::payload_schemas(w, model, &types, capability);
        }
        for def in &model.types {
            implementation(w, &types, def);
        }
    });
    for capability in &model.capabilities {
        capability::schemas(writer, model, &types, capability);
    }
}

fn api(writer: &mut Writer, model: &Model<'_>, types: &Types<'_>) {
    capability::constants(writer, model, types);
    for (capability, hash) in model.capabilities.iter().zip(&model.hashes().capabilities) {
        capability::marker(writer, types, capability, hash);
        for (side, label) in [(&capability.request, "request"), (&capability.response, "response")] {
            if let SideModel::Loose(name) = side {
                capability::loose(writer, name, label, &capability.name.label);
            }
        }
        for side in [&capability.request, &capability.response] {
            let SideModel::Typed(root) = side else { continue };
            for (_, def) in model.types_of(*root) {
                definition(writer, types, def);
            }
        }
        for root in model.own_details(capability) {
            for (_, def) in model.types_of(root) {
                definition(writer, types, def);
            }
        }
    }
}

/// The declaration of a type, and its methods.
fn definition(writer: &mut Writer, types: &Types<'_>, def: &TypeDef) {
    writer.item();
    doc::write_with_note(writer, def.description.as_deref(), &def.note, || default_doc(types, def));
    match &def.shape {
        Shape::Record(record) => record::definition(writer, types, def, record),
        Shape::Enum(members) => enums::definition(writer, def, members),
        Shape::Union(union) => union_type::definition(writer, types, def, union),
        Shape::Alias { target, .. } if types.is_newtype(def) => newtype::definition(writer, types, def, target),
        Shape::Alias { target, .. } => {
            writer.group(4, |w| {
                w.text("pub type ");
                w.text(&def.name);
                w.text(" = ");
                w.never_break();
                w.group(-4, |w| types.write(w, target));
                w.text(";");
            });
            writer.end();
        }
    }
}

/// The implementations of the runtime's traits for a type.
fn implementation(writer: &mut Writer, types: &Types<'_>, def: &TypeDef) {
    match &def.shape {
        Shape::Record(record) => record::implementation(writer, types, def, record),
        Shape::Enum(members) => enums::implementation(writer, types, def, members),
        Shape::Union(union) => union_type::implementation(writer, types, def, union),
        Shape::Alias { target, guard, .. } if types.is_newtype(def) => {
            newtype::implementation(writer, types, def, target, guard);
        }
        // The traits are those of the target.
        Shape::Alias { .. } => {}
    }
    codec::traits(writer, types, def);
}

/// The documentation of a type whose schema has no description.
fn default_doc(types: &Types<'_>, def: &TypeDef) -> String {
    let (part, owner) = doc::part(def);
    if def.pointer.is_empty() {
        return format!("The {part} of {owner}.");
    }
    let pointer = types.source_pointer(def).map(doc::code);
    match (&def.definition, pointer) {
        (Some(definition), _) if def.origin == Origin::Definition => {
            format!("The definition {}.", doc::code(definition))
        }
        (Some(_), Some(pointer)) => format!("Generated from {pointer}."),
        (Some(definition), None) => format!("A part of the definition {}.", doc::code(definition)),
        (None, Some(pointer)) => format!("Generated from {pointer} in the {part} schema of {owner}."),
        (None, None) => format!("A part of the {part} of {owner}."),
    }
}
