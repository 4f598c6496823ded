//! Each part of a capability as a [Standard Schema](https://standardschema.dev): an object that libraries can validate
//! with, and that knows its JSON Schema.
//!
//! The objects are literals with a getter, and only the getter refers to validators. So a bundler leaves out each
//! object that a program does not use, whatever comments the bundler or the compiler understands.

mod json_schema;

use std::collections::HashSet;

use capgen_manifest::ContractPart;
use capgen_schema::Schema;

use super::Names;
use super::helper::Helper;
use super::internal::Internals;
use crate::model::{CapabilityModel, Model, SideModel, TypeId};
use crate::name;
use crate::typescript::doc;
use crate::typescript::names::{AgentNames, lower_first};
use crate::typescript::syntax::{
    Constant, Expression, Function, HandWritten, Item, Local, Name, Parameter, Returns, Statement, Type,
};

/// The hand-written types; `PREFIX` is before their names.
const TEXT: &str = include_str!("types.ts");

/// The names of the constants of all parts, in the order of the contract, the request first; empty without the option.
pub(in crate::typescript) struct StandardNames(Vec<String>);

impl StandardNames {
    /// The names for a model, in which no name is `taken`.
    pub(in crate::typescript) fn new(model: &Model<'_>, taken: &HashSet<String>) -> Self {
        if !model.options.standard_schema {
            return Self(Vec::new());
        }
        let types = parts(model).map(|part| part.type_name(model));
        let mut names: Vec<(String, Vec<u8>)> = types.map(|ty| (lower_first(ty), ty.as_bytes().to_vec())).collect();
        name::make_unique(&mut names, "X", |name| taken.contains(name));
        Self(names.into_iter().map(|(name, _)| name).collect())
    }

    /// The names, each with the name of the type of its part.
    pub(in crate::typescript) fn of_types<'m>(
        &'m self,
        model: &'m Model<'_>,
    ) -> impl Iterator<Item = (&'m str, &'m str)> {
        parts(model).map(|part| part.type_name(model)).zip(self.0.iter().map(String::as_str))
    }
}

/// A part of a capability.
struct Part<'m, 'a> {
    capability: &'m CapabilityModel<'a>,
    part: ContractPart,
    /// The root type, or the name of the type of a side without a schema.
    ty: Result<TypeId, &'m str>,
}

impl<'m> Part<'m, '_> {
    /// The name of the type.
    fn type_name(&self, model: &'m Model<'_>) -> &'m str {
        self.ty.map_or_else(|name| name, |id| model[id].name.as_str())
    }

    /// The comment of the constant.
    fn text(&self, model: &Model<'_>) -> String {
        let label = &self.capability.name.label;
        match (self.part, self.ty) {
            (ContractPart::Request, _) => format!("The request of `{label}` as a Standard Schema."),
            (ContractPart::Details(_), Ok(id)) => format!("{} as a Standard Schema.", doc::details(&model[id])),
            (ContractPart::Response | ContractPart::Details(_), _) => {
                format!("The response of `{label}` as a Standard Schema.")
            }
        }
    }
}

/// Every part with a type, each once.
fn parts<'m, 'a>(model: &'m Model<'a>) -> impl Iterator<Item = Part<'m, 'a>> {
    let of = |capability: &'m CapabilityModel<'a>| {
        let sides = [(ContractPart::Request, &capability.request), (ContractPart::Response, &capability.response)];
        let side = move |(part, side): (_, &'m SideModel)| match side {
            SideModel::Loose(name) => Part { capability, part, ty: Err(name) },
            SideModel::Typed(id) => Part { capability, part, ty: Ok(*id) },
        };
        let details = model.own_roots(capability).filter(|(part, _)| matches!(part, ContractPart::Details(_)));
        sides.into_iter().map(side).chain(details.map(move |(part, id)| Part { capability, part, ty: Ok(id) }))
    };
    model.capabilities.iter().flat_map(of)
}

/// The type of the constants, if there are any.
pub(in crate::typescript) fn types(agent: &AgentNames) -> impl Iterator<Item = Item> {
    let names = agent.standard_schema.iter();
    names.flat_map(|names| HandWritten::types(TEXT, "PREFIX", |name| names.of(name))).map(Item::HandWrittenType)
}

/// The constants, whose functions are added to `internals`.
pub(super) fn constants(
    model: &Model<'_>,
    agent: &AgentNames,
    names: &StandardNames,
    internals: &mut Internals,
) -> Vec<Constant> {
    let Some(names_of_types) = &agent.standard_schema else { return Vec::new() };
    let constant = |(part, name): (Part<'_, '_>, &String)| {
        let ty = part.type_name(model);
        let schema = schema_function(internals, ty, part.capability.source.schema(part.part));
        Constant {
            doc: doc::lines(&part.text(model)),
            name: name.clone(),
            value: object(vec![("~standard", Expression::Getter(Box::new(properties(model, part.ty.ok(), schema))))]),
            declared: Type::Name(names_of_types.schema.clone(), vec![Type::name(ty)]),
            is_inferred: false,
        }
    };
    parts(model).zip(&names.0).map(constant).collect()
}

/// The name of the function for forms. No export of a contract has it.
pub(in crate::typescript) const COERCE: &str = "coerce";

/// The function that makes an object of the members of a form, if there are Standard Schemas, which it needs.
pub(in crate::typescript) fn coerce(agent: &AgentNames) -> Option<Function> {
    let types = agent.standard_schema.as_ref()?;
    let schema = Type::Name(types.schema.clone(), vec![Type::UNKNOWN]);
    let doc = "The members of a query string or a form as the object that a schema describes: texts become numbers, booleans, `null` and \
               lists where the schema allows no text. The result is not validated.";
    Some(Function {
        doc: doc::lines(doc),
        name: Name::Exported(COERCE.to_owned()),
        parameters: vec![
            Parameter::new(Local::Schema, schema),
            Parameter::new(Local::Members, Type::name(&types.form)),
        ],
        returns: Returns::Type(Type::UNKNOWN),
        body: vec![Statement::Return(Helper::Coerced.call(vec![Local::Schema.into(), Local::Members.into()]))],
    })
}

/// The object `~standard`. Without a schema, it accepts every value.
fn properties(model: &Model<'_>, root: Option<TypeId>, schema: Name) -> Expression {
    let parse = root.map(|id| Expression::Name(Name::Exported(Names::of(&model[id].name).parse)));
    Helper::StandardSchema.call(vec![parse.unwrap_or(Expression::Undefined), Expression::Name(schema)])
}

/// Adds the function that returns the JSON Schema of a side. Equal schemas share one.
fn schema_function(internals: &mut Internals, ty: &str, schema: Option<&Schema>) -> Name {
    let parts = json_schema::parts(schema);
    let has_references = parts.mentions(Local::References);
    let parameters = has_references.then_some(Local::References).into_iter().collect();
    let positions = json_schema::has_positions(&parts).then(|| Helper::PositionsOf.value());
    let schema = Expression::Arrow(parameters, Box::new(parts));
    let arguments = [Local::Options.into(), schema].into_iter().chain(positions).collect();
    let body = vec![Statement::Return(Helper::JsonSchema.call(arguments))];
    internals.schema(ty, vec![Parameter::new(Local::Options, Type::ANY)], body)
}

fn object(members: Vec<(&str, Expression)>) -> Expression {
    Expression::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
