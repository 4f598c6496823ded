//! The statements that import names from the shared module, and export them.

use super::Form;
use super::layout::{Doc, concat, group, hard_line, if_broken, indent, line, separated, text};
use crate::typescript::syntax::{Import, Renamed};

/// The start of the imported names of functions for which the file has a constant. V8 reads an import again at each
/// call, but a constant of the module once: without these constants, the verdict on a tree of small objects takes a
/// quarter longer.
const IMPORTED: &str = "shared_";

/// The statements that import the names.
pub(super) fn statements(import: &Import, form: Form) -> Option<Doc> {
    let has_values = form != Form::Declarations;
    let functions = import.functions.iter().filter(|_| has_values).map(|name| text(*name));
    // The constants of a CommonJS module are those that `require` returns.
    let has_constants = has_values && form != Form::CommonJs;
    let test =
        |name: &&'static str| if has_constants { text(format!("{name} as {IMPORTED}{name}")) } else { text(*name) };
    let tests = import.tests.iter().filter(|_| has_values).map(test);
    let values: Vec<Doc> =
        import.classes.iter().map(|class| renamed(class, form)).chain(functions).chain(tests).collect();
    let types: Vec<Doc> = import.types.iter().filter(|_| form.has_types()).map(|name| renamed(name, form)).collect();
    let from = |keyword: &'static str, names: Vec<Doc>| {
        let module = text(format!("\"{}\"", import.from));
        let statement = match form {
            Form::CommonJs => vec![text("const "), list(names), text(" = require("), module, text(");")],
            _ => vec![text(keyword), list(names), text(" from "), module, text(";")],
        };
        concat(statement)
    };
    let values = Some(values).filter(|names| !names.is_empty()).map(|names| from("import ", names));
    let types = Some(types).filter(|names| !names.is_empty()).map(|names| from("import type ", names));
    let constant = |name: &&'static str| text(format!("const {name} = {IMPORTED}{name};"));
    let constants = import.tests.iter().filter(|_| has_constants).map(constant);
    joined(values.into_iter().chain(types).chain(constants))
}

/// Whether there is a statement that exports names.
pub(super) fn has_exports(import: &Import, form: Form) -> bool {
    match form {
        Form::CommonJs => false,
        Form::Script => !import.classes.is_empty(),
        Form::Typed | Form::Declarations => !import.classes.is_empty() || !import.types.is_empty(),
    }
}

/// The statements that export the classes and the types.
pub(super) fn exports(import: &Import, form: Form) -> Option<Doc> {
    let own = |name: &Renamed| text(name.own.clone());
    let classes: Vec<Doc> = import.classes.iter().map(own).collect();
    let classes = Some(classes).filter(|names| !names.is_empty());
    let classes = classes.map(|names| concat(vec![text("export "), list(names), text(";")]));
    let types: Vec<Doc> = import.types.iter().filter(|_| form.has_types()).map(own).collect();
    let types = Some(types).filter(|names| !names.is_empty());
    joined(classes.into_iter().chain(types.map(|names| concat(vec![text("export type "), list(names), text(";")]))))
}

/// A name of the shared module with the name in the file.
fn renamed(name: &Renamed, form: Form) -> Doc {
    if name.shared == name.own {
        return text(name.own.clone());
    }
    let word = if form == Form::CommonJs { ": " } else { " as " };
    text([name.shared.as_str(), word, &name.own].concat())
}

/// Names between braces.
fn list(names: Vec<Doc>) -> Doc {
    let mut inner = vec![line()];
    inner.extend(separated(names, ","));
    inner.push(if_broken(","));
    group(vec![text("{"), indent(inner), line(), text("}")])
}

fn joined(statements: impl Iterator<Item = Doc>) -> Option<Doc> {
    let mut docs = Vec::new();
    for statement in statements {
        docs.extend((!docs.is_empty()).then(hard_line));
        docs.push(statement);
    }
    (!docs.is_empty()).then(|| concat(docs))
}
