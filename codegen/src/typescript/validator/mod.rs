//! Validators: a fast verdict as code, and violations that are listed from rules as data. Both follow the
//! [plan](crate::plan) of the file.
//!
//! Most payloads are valid, so the verdict is straight-line code, which is fast. Violations are rare and have many
//! messages, so they are listed from data, which keeps files small.

mod choice;
pub(super) mod condition;
mod function;
pub(super) mod helper;
mod internal;
mod narrowing;
mod repeated;
mod report;
pub(super) mod standard;
mod style;
mod test;

use std::collections::HashSet;

use helper::{Helper, Used};
use internal::{Exported, Internals};
use standard::StandardNames;
use style::TypeScriptStyle;
use test::Tests;

use super::names::AgentNames;
use super::syntax::{
    DeclarationKind, ErrorClass, ErrorKind, Expression, Function, HandWritten, Item, Keyword, Literal, Local, Module,
    Name, Parameter, Property, Returns, Statement, Type, TypeDeclaration, union,
};
use crate::model::Model;
use crate::plan::{self, SidePlan};

/// The hand-written type; `PREFIX` is before its name and those of other types.
const TEXT: &str = include_str!("types.ts");

/// The names of the exported functions for a type.
pub(super) struct Names {
    pub(super) is: String,
    pub(super) parse: String,
    assert: String,
}

impl Names {
    pub(super) fn of(ty: &str) -> Self {
        Self { is: format!("is{ty}"), parse: format!("parse{ty}"), assert: format!("assert{ty}") }
    }

    pub(super) fn all(self) -> [String; 3] {
        [self.is, self.parse, self.assert]
    }
}

/// The names of all functions that [`add`] exports.
pub(super) fn exported(model: &Model<'_>) -> HashSet<String> {
    let names = model.validators.iter().map(|validator| Names::of(&model[validator.ty].name));
    names.flat_map(Names::all).collect()
}

/// The types and the class that the exported functions use; empty if no side has a schema, apart from the type of
/// violations, which calls use.
pub(super) fn types(model: &Model<'_>, agent: &AgentNames) -> Vec<Item> {
    if model.validators.is_empty() {
        return model.options.calls.then(|| violation(agent)).into_iter().collect();
    }
    all_types(agent)
}

/// The types and the class that functions for a side use.
pub(super) fn all_types(agent: &AgentNames) -> Vec<Item> {
    let doc = vec!["The error that the `assert` functions throw.".to_owned()];
    let kind = ErrorKind::Violations(agent.violation.clone());
    let error = ErrorClass { doc, name: agent.error.clone(), kind };
    let types = [result(agent), violation(agent), options(agent)];
    types.into_iter().chain(validators(agent)).chain([Item::Error(error)]).collect()
}

/// Adds the validators of every side that has a schema, then other functions, then every side as a Standard Schema, and
/// everything that they all use, except for the helpers, which it returns.
pub(super) fn add(
    module: &mut Module,
    model: &Model<'_>,
    agent: &AgentNames,
    others: Vec<Function>,
    standard: &StandardNames,
) -> Used {
    let plan = plan::plan(model, &TypeScriptStyle);
    let tests = Tests::new(&plan.shared);
    let mut internals = Internals::of(&plan.shared);
    let (mut verdicts, mut parsers, mut assertions) = (Vec::new(), Vec::new(), Vec::new());
    for side in &plan.sides {
        let name = &model[side.ty].name;
        let names = Names::of(name);
        verdicts.push(verdict(side, &tests, name, &names));
        parsers.push(parser(report::data(&side.report, &tests, &mut internals.keywords), name, &names, agent));
        assertions.push(assertion(name, &names, agent));
    }
    // Functions of one kind are printed together, because compressors find repetitions that are close to each other.
    let functions = verdicts.into_iter().chain(parsers).chain(assertions).chain(others).collect();
    let exported = Exported { functions, constants: standard::constants(model, agent, standard, &mut internals) };
    internals.finish(module, exported)
}

/// The function that returns the verdict on a value.
fn verdict(side: &SidePlan<'_>, tests: &Tests<'_, '_>, ty: &str, names: &Names) -> Function {
    // In the body, tests narrow the value, which `unknown` would not allow.
    let value = Parameter { declared: Some(Type::UNKNOWN), ..Parameter::new(Local::Value, Type::ANY) };
    let verdict = tests.expression(&side.verdict);
    let body = if side.memories.is_empty() {
        function::body(verdict, Statement::Return)
    } else {
        let mut statements = function::body(verdict, |verdict| Statement::Const(Local::Verdict, verdict));
        let clear = |memory: &_| Statement::Expression(tests.constant(*memory).method("clear", Vec::new()));
        statements.extend(side.memories.iter().map(clear));
        statements.push(Statement::Return(Local::Verdict.into()));
        statements
    };
    Function {
        doc: Vec::new(),
        name: Name::Exported(names.is.clone()),
        parameters: vec![value],
        returns: Returns::Predicate(Type::name(ty)),
        body,
    }
}

fn parser(rules: Expression, ty: &str, names: &Names, agent: &AgentNames) -> Function {
    let is_valid = Expression::call(Name::Exported(names.is.clone()), vec![Local::Value.into()]);
    // The rules are made only for an invalid value.
    let rules = Expression::Arrow(Vec::new(), Box::new(rules));
    let arguments = vec![is_valid, Local::Value.into(), Local::Options.into(), rules];
    Function {
        doc: Vec::new(),
        name: Name::Exported(names.parse.clone()),
        parameters: value_and_options(agent),
        returns: Returns::Type(Type::Name(agent.result.clone(), vec![Type::name(ty)])),
        body: vec![Statement::Return(Helper::Parse.call(arguments))],
    }
}

fn assertion(ty: &str, names: &Names, agent: &AgentNames) -> Function {
    let parsed =
        Expression::call(Name::Exported(names.parse.clone()), vec![Local::Value.into(), Local::Options.into()]);
    Function {
        doc: vec![format!("Throws a `{}` if the value is invalid.", agent.error)],
        name: Name::Exported(names.assert.clone()),
        parameters: value_and_options(agent),
        returns: Returns::Assertion(Type::name(ty)),
        body: vec![Statement::Expression(Helper::Assert.call(vec![parsed]))],
    }
}

fn value_and_options(agent: &AgentNames) -> Vec<Parameter> {
    let options = Parameter { is_optional: true, ..Parameter::new(Local::Options, Type::name(&agent.options)) };
    vec![Parameter::new(Local::Value, Type::UNKNOWN), options]
}

fn result(agent: &AgentNames) -> Item {
    let is_ok = |value| Property::new("ok", Type::Literal(Literal::Boolean(value)));
    let body = union([
        Type::object(vec![is_ok(true), Property::new("value", Type::name("T"))]),
        Type::object(vec![
            is_ok(false),
            Property::new("violations", Type::array(Type::name(&agent.violation))),
            Property::new("truncated", Type::BOOLEAN),
        ]),
    ]);
    declaration(
        &agent.result,
        Some("T"),
        body,
        "The result of `parse`: the value, or the violations; `truncated` if there are more.",
    )
}

fn violation(agent: &AgentNames) -> Item {
    let members = ["path", "message", "keyword"].map(|name| Property::new(name, Type::STRING));
    let doc = "A place (RFC 6901) where a value violates its schema, the reason, and the keyword that it violates.";
    declaration(&agent.violation, None, Type::object(members.into()), doc)
}

fn options(agent: &AgentNames) -> Item {
    let number = Type::Keyword(Keyword::Number);
    let members = [("redact", Type::BOOLEAN), ("limit", number.clone()), ("maxBytes", number)];
    let members = members.map(|(name, ty)| Property::new(name, ty).optional(true));
    let doc = "`redact` keeps values of the payload out of messages. At most `limit` (100) violations are listed, with at most \
               `maxBytes` (65536) bytes of text, but at least one.";
    declaration(&agent.options, None, Type::object(members.into()), doc)
}

/// The type of the functions for a side.
fn validators(agent: &AgentNames) -> impl Iterator<Item = Item> {
    let name = |name: &str| match name {
        "ParseOptions" => agent.options.clone(),
        "ParseResult" => agent.result.clone(),
        _ => agent.validators.clone(),
    };
    HandWritten::types(TEXT, "PREFIX", name).map(Item::HandWrittenType)
}

fn declaration(name: &str, parameter: Option<&'static str>, body: Type, doc: &str) -> Item {
    let doc = vec![doc.to_owned()];
    Item::Type(TypeDeclaration { doc, name: name.to_owned(), parameter, body, kind: DeclarationKind::Compact })
}
