//! Type model to TypeScript.
//!
//! The output imports nothing but the [shared module](shared) of its folder, and only defines constants and functions
//! when it is loaded. Its types can be erased without changing the rest. A file is built once, as a [syntax
//! tree](syntax), which the [printer] prints as TypeScript, as JavaScript or as declarations.

mod calls;
mod constants;
mod doc;
mod errors;
mod exclude;
mod guard;
pub(crate) mod index;
mod inline;
mod names;
mod printer;
mod public_items;
pub(crate) mod shared;
mod syntax;
mod target;
mod types;
mod validator;
mod versions;

use std::collections::HashSet;

use crate::model::{CapabilityModel, Model, Shape, SideModel, TypeId};
use crate::samples::SampleNames;
use names::AgentNames;
use printer::Form;
use syntax::{Constant, DeclarationKind, Expression, Item, Module, Name, Property, Type, TypeDeclaration};
pub(crate) use target::TypeScript;
use types::Types;
use validator::standard::{self, StandardNames};

/// The file of a contract in TypeScript, which starts with the header.
pub(crate) fn typed(header: String, model: &Model<'_>) -> String {
    printer::print(header, &module(model, model.options.import_extension.suffix()), Form::Typed)
}

/// The file in JavaScript, as an ES module with this extension.
pub(crate) fn script(header: String, model: &Model<'_>, extension: &str) -> String {
    printer::print(header, &module(model, extension), Form::Script)
}

/// The file in JavaScript, as a CommonJS module with this extension.
pub(crate) fn common_js(header: String, model: &Model<'_>, extension: &str) -> String {
    printer::print(header, &module(model, extension), Form::CommonJs)
}

/// The declarations of the file in JavaScript with this extension.
pub(crate) fn declarations(header: String, model: &Model<'_>, extension: &str) -> String {
    printer::print(header, &module(model, extension), Form::Declarations)
}

/// Which types of the model have a name in the output, by their index.
fn exported(model: &Model<'_>) -> Vec<bool> {
    inline::inlined(model).into_iter().map(|is_inlined| !is_inlined).collect()
}

/// The names that a file exports before those of constants, and the items that have them.
struct Named {
    taken: HashSet<String>,
    aliases: versions::Aliases,
    guards: guard::Guards,
    names: AgentNames,
}

impl Named {
    fn of(model: &Model<'_>, types: &Types<'_>) -> Self {
        let mut taken = validator::exported(model);
        taken.extend(model.types.iter().map(|def| def.name.clone()));
        let sides = model.capabilities.iter().flat_map(|capability| [&capability.request, &capability.response]);
        taken
            .extend(sides.filter_map(|side| if let SideModel::Loose(name) = side { Some(name.clone()) } else { None }));
        taken.extend(errors::names(model).map(str::to_owned));
        let aliases = versions::aliases(model, types, &mut taken);
        let guards = guard::guards(model, types, &taken);
        taken.extend(guards.names().map(|(_, name)| name.to_owned()));
        let names = AgentNames::new(model, &taken);
        taken.extend(names.all());
        Self { taken, aliases, guards, names }
    }
}

/// The names of the calls of all capabilities.
fn sample_names(model: &Model<'_>) -> Vec<SampleNames> {
    let Some(names) = Named::of(model, &Types::new(model)).names.calls else { return Vec::new() };
    let methods = model.capabilities.iter().zip(calls::method_names(model));
    let call = |(capability, method): (&CapabilityModel<'_>, String)| {
        let request = match &capability.request {
            SideModel::Loose(name) => name.clone(),
            SideModel::Typed(id) => model[*id].name.clone(),
        };
        SampleNames { client: names.create.clone(), method, request }
    };
    methods.map(call).collect()
}

/// The file of a contract. The shared module that it may import has this extension.
fn module(model: &Model<'_>, extension: &str) -> Module {
    let types = Types::new(model);
    let Named { mut taken, mut aliases, guards, names } = Named::of(model, &types);
    let mut module = Module::default();
    for capability in &model.capabilities {
        for side in [&capability.request, &capability.response] {
            match side {
                SideModel::Loose(name) => {
                    module.items.push(declaration(Vec::new(), name, Type::UNKNOWN, DeclarationKind::Compact));
                }
                SideModel::Typed(root) => add_part(&mut module, &types, *root),
            }
        }
        model.own_details(capability).for_each(|root| add_part(&mut module, &types, root));
        module.items.extend(errors::details(model, capability));
    }
    module.items.extend(aliases.types());
    module.items.push(capabilities(model, &names));
    if let [Some(former), _] = &names.former {
        let body = Type::name(&names.capabilities);
        module.items.push(declaration(vec![deprecated(&names.capabilities)], former, body, DeclarationKind::Compact));
    }
    let is_alone = model.options.single_file;
    if is_alone {
        module.items.extend(validator::types(model, &names));
        module.items.extend(standard::types(&names));
    } else {
        module.items.push(Item::Reexports);
    }
    if let Some(calls) = &names.calls {
        module.items.extend(calls::types(model, calls));
        module.items.extend(is_alone.then(|| calls::common_types(calls)).into_iter().flatten());
        module.items.extend(is_alone.then(|| errors::failed_call(calls)));
        module.items.extend(errors::of_calls(model, calls));
    }
    let enums = constants::enums(model, &taken);
    taken.extend(enums.iter().map(|(_, constant)| constant.name.clone()));
    let standard = StandardNames::new(model, &taken);
    taken.extend(standard.of_types(model).map(|(_, name)| name.to_owned()));
    // Second names come last, so that they change no first one.
    enums.iter().for_each(|(ty, constant)| aliases.add_value(("", ty), &constant.name, &mut taken));
    guards.names().for_each(|(union, name)| aliases.add_value((guard::START, union), name, &mut taken));
    standard.of_types(model).for_each(|(ty, name)| aliases.add_value(("", ty), name, &mut taken));
    module.items.extend(enums.into_iter().map(|(_, constant)| Item::Exported(constant)));
    let timeouts = constants::timeouts(model, &taken);
    taken.extend(timeouts.iter().flatten().map(|constant| constant.name.clone()));
    for (capability, timeout) in model.capabilities.iter().zip(&timeouts) {
        let alias = capability.name.alias.as_deref().map(constants::timeout_name);
        if let Some((timeout, alias)) = timeout.as_ref().zip(alias) {
            aliases.add(&timeout.name, alias, &mut taken);
        }
    }
    module.items.extend(timeouts.iter().flatten().cloned().map(Item::Exported));
    module.items.push(Item::Exported(constants::table(model, &names, &timeouts)));
    module.items.extend(former_table(&names));
    module.items.extend(guards.into_items());
    let functions = names.calls.iter().flat_map(|calls| calls::functions(model, calls, &names.table));
    let functions = functions.chain(standard::coerce(&names).filter(|_| is_alone)).collect();
    let used = validator::add(&mut module, model, &names, functions, &standard);
    if is_alone {
        module.items.extend(used.texts(&names.error));
    } else {
        module.import = Some(shared::import(model, &names, &used, extension));
    }
    module.items.extend(aliases.constants());
    if names.calls.is_some() {
        module.items.push(calls::methods(model));
        module.items.extend(calls::verdicts(model));
    }
    module
}

/// Adds the root of a part and the types that no part before it needs.
fn add_part(module: &mut Module, types: &Types<'_>, root: TypeId) {
    for (id, def) in types.model().types_of(root).filter(|(id, _)| types.is_exported(*id)) {
        let is_record = matches!(def.shape, Shape::Record(_));
        let kind = if is_record { DeclarationKind::Expanded } else { DeclarationKind::Compact };
        module.items.push(declaration(doc::of_type(def), &def.name, types.body(id), kind));
    }
}

fn declaration(doc: Vec<String>, name: &str, body: Type, kind: DeclarationKind) -> Item {
    Item::Type(TypeDeclaration { doc, name: name.to_owned(), parameter: None, body, kind })
}

/// The comment of a former name.
fn deprecated(name: &str) -> String {
    format!("@deprecated `{name}`")
}

/// The table of capabilities by its former name, which the next release leaves out.
fn former_table(names: &AgentNames) -> Option<Item> {
    let [_, former] = &names.former;
    let former = former.as_ref()?;
    Some(Item::Exported(Constant {
        doc: vec![deprecated(&names.table)],
        name: former.clone(),
        value: Expression::Name(Name::Exported(names.table.clone())),
        declared: Type::Of(names.table.clone()),
        is_inferred: false,
    }))
}

/// The type of a side.
fn side(model: &Model<'_>, side: &SideModel) -> Type {
    match side {
        SideModel::Loose(name) => Type::name(name),
        SideModel::Typed(id) => Type::name(&model[*id].name),
    }
}

/// The interface that lists all capabilities.
fn capabilities(model: &Model<'_>, names: &AgentNames) -> Item {
    let property = |capability: &CapabilityModel<'_>| {
        let (request, response) = (side(model, &capability.request), side(model, &capability.response));
        let errors = capability.error_names.as_ref().map(|names| Type::name(&names.details));
        let errors = errors.or_else(|| model.has_errors().then(|| Type::object(Vec::new())));
        let errors = errors.map(|errors| Property::new("errors", errors));
        let sides = [Property::new("request", request), Property::new("response", response)];
        let sides = Type::object(sides.into_iter().chain(errors).collect());
        // Names of capabilities have hyphens. All are quoted, so that those without one look the same.
        let description = capability.source.description.as_deref().map(doc::lines).unwrap_or_default();
        let labels = capability.name.labels();
        labels
            .map(move |label| Property::new(label, sides.clone()).quoted().doc(description.clone()))
            .collect::<Vec<_>>()
    };
    let body = Type::object(model.capabilities.iter().flat_map(property).collect());
    let doc = doc::lines(match model.has_errors() {
        true => "The request, the response and the errors of every capability.",
        false => "The request and the response of every capability.",
    });
    declaration(doc, &names.capabilities, body, DeclarationKind::Interface)
}
