//! Type model to TypeScript.
//!
//! The output imports nothing, does nothing when it is loaded but set up constants, and has only syntax that can be
//! erased.

mod doc;
mod exclude;
mod guard;
mod inline;
mod literal;
mod printer;
mod syntax;
mod types;
mod validator;

use crate::header::header;
use crate::model::{CapabilityModel, Model, Shape, SideModel, TypeId};
use syntax::{Property, Writer};
use types::Types;

/// What of a file is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// TypeScript.
    Typed,
    /// JavaScript: the same without types.
    Script,
    /// The types of the JavaScript.
    Declarations,
}

/// The file of a contract.
pub(crate) fn print(model: &Model<'_>, form: Form) -> String {
    let types = Types::new(model);
    let guards = guard::guards(model, &types, &validator::exported(model));
    let mut writer = Writer::new(header(model));
    let mut next = 0;
    for capability in &model.capabilities {
        for side in [&capability.request, &capability.response] {
            match side {
                SideModel::Loose(_) if form == Form::Script => {}
                SideModel::Loose(name) => writer.line(&format!("export type {name} = unknown;\n")),
                SideModel::Typed(root) => next = print_side(&mut writer, &types, &guards, *root, next, form),
            }
        }
    }
    if form != Form::Script {
        print_capabilities(&mut writer, model);
    }
    if !validator::print(&mut writer, model, form) && form == Form::Script {
        writer.line("export {};");
    }
    writer.finish()
}

/// Prints the root of a side and what only it needs, which the model has behind it; gives where the next side starts.
fn print_side(
    writer: &mut Writer,
    types: &Types<'_>,
    guards: &guard::Guards,
    root: TypeId,
    next: usize,
    form: Form,
) -> usize {
    let model = types.model();
    let own = &model[root];
    let mut at = next.max(root.0);
    while let Some(def) = model.types.get(at) {
        if def.capability != own.capability || def.side != own.side {
            break;
        }
        let id = TypeId(at);
        if types.is_exported(id) {
            if form != Form::Script {
                print_type(writer, types, id);
            }
            guards.print(writer, id, form);
        }
        at += 1;
    }
    at
}

fn print_type(writer: &mut Writer, types: &Types<'_>, id: TypeId) {
    let def = &types.model()[id];
    writer.doc(&doc::of_type(def));
    writer.text(&format!("export type {} =", def.name));
    match &def.shape {
        Shape::Record(_) => types.body(id).write_block(writer),
        _ => types.body(id).write_after(writer),
    }
    writer.line(";\n");
}

fn print_capabilities(writer: &mut Writer, model: &Model<'_>) {
    writer.doc(&doc::lines("The request and the response of every capability."));
    writer.text("export interface Capabilities");
    let side = |side: &SideModel| match side {
        SideModel::Loose(name) => name.clone(),
        SideModel::Typed(id) => model[*id].name.clone(),
    };
    let property = |capability: &CapabilityModel<'_>| {
        let (request, response) = (side(&capability.request), side(&capability.response));
        Property::new(
            &literal::string(&capability.source.name),
            syntax::object(vec![
                Property::new("request", syntax::text(request)),
                Property::new("response", syntax::text(response)),
            ]),
        )
        .doc(capability.source.description.as_deref().map(doc::lines).unwrap_or_default())
    };
    syntax::object(model.capabilities.iter().map(property).collect()).write_block(writer);
    writer.line("");
}
