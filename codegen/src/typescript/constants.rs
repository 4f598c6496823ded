//! Constants: the values of enums, the timeouts, and the table of capabilities. A bundler leaves them out if they are
//! not used.

use std::collections::HashSet;

use capgen_manifest::capability_keys;
use capgen_schema::{Hash, Json};

use super::errors;
use super::names::{AgentNames, lower_first};
use super::syntax::{Constant, Expression, Keyword, Literal, Name, Number, Property, Type};
use super::validator;
use crate::lower::marker_type;
use crate::model::{CapabilityModel, Member, Model, Shape, SideModel, TypeId};
use crate::name;

/// For every enum, by the name of its type, a constant with its values in the order of the contract. Its name is never
/// `taken`.
pub(super) fn enums<'m>(model: &'m Model<'_>, taken: &HashSet<String>) -> Vec<(&'m str, Constant)> {
    let mut found: Vec<(&str, Vec<Literal>)> = Vec::new();
    for def in &model.types {
        let Shape::Enum(members) = &def.shape else { continue };
        // Nothing in JavaScript equals a number that it cannot represent.
        let is_representable = |value: &Json| value.as_number().is_none_or(capgen_schema::Number::is_representable);
        let literal = |member: &Member| Literal::of(&member.value).filter(|_| is_representable(&member.value));
        let literals: Option<Vec<Literal>> = members.iter().map(literal).collect();
        // A single value is a constant of the contract, not a choice.
        found.extend(literals.filter(|literals| literals.len() > 1).map(|literals| (def.name.as_str(), literals)));
    }
    let mut names: Vec<(String, Vec<u8>)> =
        found.iter().map(|(ty, _)| (format!("{}Values", lower_first(ty)), ty.as_bytes().to_vec())).collect();
    name::make_unique(&mut names, "X", |name| taken.contains(name));
    found.into_iter().zip(names).map(|((ty, values), (name, _))| (ty, values_of(name, values))).collect()
}

fn values_of(name: String, values: Vec<Literal>) -> Constant {
    let types = values.iter().cloned().map(Type::Literal).collect();
    Constant {
        doc: Vec::new(),
        name,
        value: Expression::Array(values.into_iter().map(Expression::Literal).collect()),
        declared: Type::Readonly(Box::new(Type::Tuple(types))),
        is_inferred: true,
    }
}

/// For each capability with a timeout, a constant with it, so that a program that needs one timeout has no need of the
/// table; `None` for the others. Its name is never `taken`.
pub(super) fn timeouts(model: &Model<'_>, taken: &HashSet<String>) -> Vec<Option<Constant>> {
    let timeout = |capability: &CapabilityModel<'_>| {
        #[expect(clippy::cast_precision_loss, reason = "a JavaScript timer rounds as well")]
        capability.source.to_properties().timeout_ms.map(|ms| Literal::Number(Number::new(ms as f64)))
    };
    let name = |capability: &CapabilityModel<'_>| timeout_name(&capability.name.title);
    let identity = |capability: &CapabilityModel<'_>| capability.name.label.as_bytes().to_vec();
    let mut names: Vec<(String, Vec<u8>)> = model.capabilities.iter().map(|it| (name(it), identity(it))).collect();
    name::make_unique(&mut names, "X", |name| taken.contains(name));
    let constant = |(capability, (name, _)): (&CapabilityModel<'_>, (String, _))| {
        let literal = timeout(capability)?;
        let doc = vec![format!("The timeout of `{}` in milliseconds.", capability.name.label)];
        let (value, declared) = (Expression::Literal(literal.clone()), Type::Literal(literal));
        Some(Constant { doc, name, value, declared, is_inferred: true })
    };
    model.capabilities.iter().zip(names).map(constant).collect()
}

/// The name of the timeout of a capability with this title.
pub(super) fn timeout_name(title: &str) -> String {
    format!("{}TimeoutMs", lower_first(&marker_type(title)))
}

/// The table from the name of each capability to its functions and properties. The timeouts are [constants](timeouts).
pub(super) fn table(model: &Model<'_>, names: &AgentNames, timeouts: &[Option<Constant>]) -> Constant {
    let entries: Vec<(String, Vec<Entry>)> = model
        .capabilities
        .iter()
        .zip(&model.hashes().capabilities)
        .zip(timeouts)
        .flat_map(|((capability, hash), timeout)| {
            let labels = capability.name.labels();
            labels.map(move |label| (label.to_owned(), entries(model, names, capability, (hash, timeout.as_ref()))))
        })
        .collect();
    let value = |(name, entries): &(String, Vec<Entry>)| {
        (name.clone(), Expression::Object(entries.iter().map(|e| (e.name.to_owned(), e.value.clone())).collect()))
    };
    let declared = |(name, entries): &(String, Vec<Entry>)| {
        let members = entries.iter().map(|e| Property::new(e.name, e.declared.clone()).readonly()).collect();
        Property::new(name, Type::object(members)).quoted().readonly()
    };
    Constant {
        doc: vec!["The validators, the timeout, the version and the hash of every capability, by its name.".to_owned()],
        name: names.table.clone(),
        value: Expression::Object(entries.iter().map(value).collect()),
        declared: Type::object(entries.iter().map(declared).collect()),
        is_inferred: true,
    }
}

/// A member of the object of a capability.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) value: Expression,
    pub(super) declared: Type,
}

fn entries(
    model: &Model<'_>,
    names: &AgentNames,
    capability: &CapabilityModel<'_>,
    (hash, timeout): (&Hash, Option<&Constant>),
) -> Vec<Entry> {
    let descriptor = capability.source.to_properties();
    let text = |text: Option<String>| text.map(Literal::String);
    // Every entry has every member, so that the table can be read by a name that is only known at run time.
    let scalar = |name, literal: Option<Literal>| match literal {
        Some(literal) => Entry { name, value: Expression::Literal(literal.clone()), declared: Type::Literal(literal) },
        None => Entry { name, value: Expression::Undefined, declared: Type::Keyword(Keyword::Undefined) },
    };
    let timeout = match timeout {
        None => scalar(key("timeout_ms"), None),
        Some(constant) => Entry {
            name: key("timeout_ms"),
            value: Expression::Name(Name::Exported(constant.name.clone())).typed(Type::Of(constant.name.clone())),
            declared: constant.declared.clone(),
        },
    };
    let entries = [
        scalar(key("version"), text(descriptor.version)),
        timeout,
        scalar("hash", text(Some(hash.to_string()))),
        side("request", model, names, &capability.request),
        side("response", model, names, &capability.response),
    ];
    let errors = model.has_errors().then(|| errors::entry(model, names, capability));
    entries.into_iter().chain(errors).collect()
}

macro_rules! keys {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// The key of a property in the manifest.
        fn key(field: &str) -> &'static str {
            match field {
                $(stringify!($field) => $name,)*
                _ => "",
            }
        }
    };
}

capability_keys!(keys);

/// The functions for a side that has a schema.
fn side(name: &'static str, model: &Model<'_>, names: &AgentNames, side: &SideModel) -> Entry {
    match side {
        SideModel::Loose(_) => {
            Entry { name, value: Expression::Undefined, declared: Type::Keyword(Keyword::Undefined) }
        }
        SideModel::Typed(id) => validators(name, model, names, *id),
    }
}

/// The functions for a type. The compiler option `isolatedDeclarations` needs an explicit type of an object with names
/// of functions.
pub(super) fn validators(name: &'static str, model: &Model<'_>, names: &AgentNames, id: TypeId) -> Entry {
    let functions = validator::Names::of(&model[id].name);
    let members = [("is", functions.is), ("parse", functions.parse)];
    let value =
        |(name, function): &(&str, String)| ((*name).to_owned(), Expression::Name(Name::Exported(function.clone())));
    let declared = Type::Name(names.validators.clone(), vec![Type::name(&model[id].name)]);
    Entry { name, value: Expression::Object(members.iter().map(value).collect()).typed(declared.clone()), declared }
}
