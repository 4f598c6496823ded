//! The module that the files of one folder share: the code that is the same for every contract.
//!
//! It exports types without the prefix of an agent, and every helper. Nothing in it runs when it is loaded, so a
//! bundler keeps only the functions that a program uses.

use super::names::AgentNames;
use super::printer::{self, Form};
use super::syntax::{Import, Item, Module, Renamed};
use super::validator::standard::{self, COERCE};
use super::validator::{self, helper::Helper, helper::Used};
use super::{calls, errors};
use crate::language::SHARED;
use crate::model::Model;

/// The module in TypeScript, which starts with the header.
pub(crate) fn typed(header: String) -> String {
    printer::print(header, &module(), Form::Typed)
}

/// The module in JavaScript, as an ES module.
pub(crate) fn script(header: String) -> String {
    printer::print(header, &module(), Form::Script)
}

/// The module in JavaScript, as a CommonJS module.
pub(crate) fn common_js(header: String) -> String {
    printer::print(header, &module(), Form::CommonJs)
}

/// The declarations of the module in JavaScript. They leave out the functions that only generated code calls.
pub(crate) fn declarations(header: String) -> String {
    printer::print(header, &module(), Form::Declarations)
}

fn module() -> Module {
    let names = AgentNames::shared();
    let mut items = validator::all_types(&names);
    items.extend(standard::types(&names));
    items.extend(standard::coerce(&names).map(Item::Function));
    items.extend(names.calls.iter().flat_map(calls::common_types));
    items.extend(names.calls.iter().map(errors::failed_call));
    let helper = |helper: &Helper| Item::SharedHandWritten(helper.name(), helper.text_for(None, &names.error));
    items.extend(Helper::ALL.iter().map(helper));
    Module { import: None, items }
}

/// The names that a file needs from the module, whose extension is given with its dot.
pub(super) fn import(model: &Model<'_>, own: &AgentNames, used: &Used, extension: &str) -> Import {
    let shared = AgentNames::shared();
    let has_validators = !model.validators.is_empty();
    let renamed = |shared: &String, own: &String| Renamed { shared: shared.clone(), own: own.clone() };
    let mut types = Vec::new();
    if has_validators {
        let names = [(&shared.result, &own.result), (&shared.options, &own.options)];
        types.extend(names.map(|(shared, own)| renamed(shared, own)));
        types.push(renamed(&shared.validators, &own.validators));
    }
    if has_validators || own.calls.is_some() {
        types.push(renamed(&shared.violation, &own.violation));
    }
    for (shared, own) in shared.standard_schema.iter().zip(&own.standard_schema) {
        types.extend(shared.all().into_iter().zip(own.all()).map(|(shared, own)| renamed(shared, own)));
    }
    for (shared, own) in shared.calls.iter().zip(&own.calls) {
        types.extend(calls::TYPES.iter().map(|name| renamed(&shared.of(name), &own.of(name))));
    }
    let name = COERCE.to_owned();
    let coerce = own.standard_schema.as_ref().map(|_| renamed(&name, &name));
    let class = has_validators.then(|| renamed(&shared.error, &own.error));
    let calls = shared.calls.iter().zip(&own.calls).map(|(shared, own)| renamed(&shared.error, &own.error));
    let classes = class.into_iter().chain(calls);
    Import {
        from: format!("./{SHARED}{extension}"),
        functions: used.names(false),
        tests: used.names(true),
        classes: classes.chain(coerce).collect(),
        types,
    }
}
