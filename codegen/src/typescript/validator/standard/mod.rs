//! Each side of a capability as a [Standard Schema](https://standardschema.dev): an object that libraries can validate
//! with, and that knows its JSON Schema.
//!
//! The objects are plain literals, and only the functions in them refer to validators. So a bundler leaves out each
//! object that a program does not use, whatever comments the bundler or the compiler understands.

mod json_schema;

use std::collections::HashSet;

use capgen_manifest::Side;
use capgen_schema::Schema;

use super::Names;
use super::helper::Helper;
use super::internal::Internals;
use crate::model::{CapabilityModel, Model, SideModel};
use crate::name;
use crate::typescript::doc;
use crate::typescript::names::{AgentNames, lower_first};
use crate::typescript::syntax::{Constant, Expression, HandWritten, Item, Local, Name, Parameter, Statement, Type};

/// The hand-written type; `PREFIX` is the start of its name.
const TEXT: &str = include_str!("types.ts");

/// The names of the constants of all sides, in the order of the contract, the request first; empty without the option.
pub(in crate::typescript) struct StandardNames(Vec<String>);

impl StandardNames {
    /// The names for a model, in which no name is `taken`.
    pub(in crate::typescript) fn new(model: &Model<'_>, taken: &HashSet<String>) -> Self {
        if !model.options.standard_schema {
            return Self(Vec::new());
        }
        let types = sides(model).map(|(.., side)| type_name(model, side));
        let mut names: Vec<(String, Vec<u8>)> = types.map(|ty| (lower_first(ty), ty.as_bytes().to_vec())).collect();
        name::make_unique(&mut names, "X", |name| taken.contains(name));
        Self(names.into_iter().map(|(name, _)| name).collect())
    }

    /// The names, each with the name of the type of its side.
    pub(in crate::typescript) fn of_types<'m>(
        &'m self,
        model: &'m Model<'_>,
    ) -> impl Iterator<Item = (&'m str, &'m str)> {
        sides(model).map(|(.., side)| type_name(model, side)).zip(self.0.iter().map(String::as_str))
    }
}

/// The name of the type of a side.
fn type_name<'m>(model: &'m Model<'_>, side: &'m SideModel) -> &'m str {
    match side {
        SideModel::Loose(name) => name,
        SideModel::Typed(id) => &model[*id].name,
    }
}

/// Every side, with its capability.
fn sides<'m, 'a>(model: &'m Model<'a>) -> impl Iterator<Item = (&'m CapabilityModel<'a>, Side, &'m SideModel)> {
    let of = |capability: &'m CapabilityModel<'a>| {
        [(capability, Side::Request, &capability.request), (capability, Side::Response, &capability.response)]
    };
    model.capabilities.iter().flat_map(of)
}

/// The type of the constants, if there are any.
pub(in crate::typescript) fn types(agent: &AgentNames) -> impl Iterator<Item = Item> {
    let prefix = agent.standard_schema.as_deref();
    prefix
        .into_iter()
        .flat_map(|name| HandWritten::types(TEXT, "PREFIXStandardSchema", name))
        .map(Item::HandWrittenType)
}

/// The constants, whose functions are added to `internals`.
pub(super) fn constants(
    model: &Model<'_>,
    agent: &AgentNames,
    names: &StandardNames,
    internals: &mut Internals,
) -> Vec<Constant> {
    let Some(interface) = &agent.standard_schema else { return Vec::new() };
    let constant = |((capability, side, of), name): ((&CapabilityModel<'_>, Side, &SideModel), &String)| {
        let text = format!("The {} of `{}` as a Standard Schema.", side.name(), capability.name.label);
        let schema = schema_function(internals, type_name(model, of), capability.source.schema(side));
        Constant {
            doc: doc::lines(&text),
            name: name.clone(),
            value: object(vec![("~standard", properties(validate(model, of), schema))]),
            declared: Type::Name(interface.clone(), vec![Type::name(type_name(model, of))]),
            is_inferred: false,
        }
    };
    sides(model).zip(&names.0).map(constant).collect()
}

/// The members of `~standard`.
fn properties(validate: Expression, schema: Name) -> Expression {
    let schema = || Expression::Name(schema.clone());
    object(vec![
        ("version", Expression::count(1)),
        ("vendor", Expression::string("capgen")),
        ("validate", validate),
        ("jsonSchema", object(vec![("input", schema()), ("output", schema())])),
    ])
}

/// The function that validates a value. Without a schema, it accepts every value.
fn validate(model: &Model<'_>, side: &SideModel) -> Expression {
    let value = Expression::from(Local::Value);
    match side {
        SideModel::Loose(_) => Expression::Arrow(vec![Local::Value], Box::new(object(vec![("value", value)]))),
        SideModel::Typed(id) => {
            let parse = Expression::Name(Name::Exported(Names::of(&model[*id].name).parse));
            let result = Helper::Standard.call(vec![parse, value, Local::Options.into()]);
            Expression::Arrow(vec![Local::Value, Local::Options], Box::new(result))
        }
    }
}

/// Adds the function that returns the JSON Schema of a side. Equal schemas share one.
fn schema_function(internals: &mut Internals, ty: &str, schema: Option<&Schema>) -> Name {
    let parts = json_schema::parts(schema);
    let has_references = parts.mentions(Local::References);
    let parameters = has_references.then_some(Local::References).into_iter().collect();
    let schema = Expression::Arrow(parameters, Box::new(parts));
    let body = vec![Statement::Return(Helper::JsonSchema.call(vec![Local::Options.into(), schema]))];
    internals.schema(ty, vec![Parameter::new(Local::Options, Type::ANY)], body)
}

fn object(members: Vec<(&str, Expression)>) -> Expression {
    Expression::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
