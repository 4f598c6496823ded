//! The declared errors of capabilities: the types of their details, their entries in the table of capabilities, and the
//! classes of errors that calls throw.

use super::constants::{self, Entry};
use super::names::{AgentNames, CallNames};
use super::syntax::{
    DeclarationKind, ErrorClass, ErrorKind, Expression, Item, Keyword, Literal, Number, Property, Type,
};
use super::{declaration, doc};
use crate::model::{CapabilityModel, ErrorModel, Model};

/// The names of the types about errors that a file has for all capabilities.
pub(super) fn names<'m>(model: &'m Model<'_>) -> impl Iterator<Item = &'m str> {
    model.capabilities.iter().flat_map(|capability| types(model, capability).chain(class(model, capability)))
}

/// The names of the types about the errors of a capability, apart from its class.
pub(super) fn types<'m>(
    model: &'m Model<'_>,
    capability: &'m CapabilityModel<'_>,
) -> impl Iterator<Item = &'m str> + use<'m> {
    let names = capability.error_names.as_ref();
    let failure = names.filter(|_| model.options.calls).map(|names| names.failure.as_str());
    names.map(|names| names.details.as_str()).into_iter().chain(failure)
}

/// The name of the class of the errors of a capability, which only calls need.
pub(super) fn class<'m>(model: &Model<'_>, capability: &'m CapabilityModel<'_>) -> Option<&'m str> {
    capability.error_names.as_ref().filter(|_| model.options.calls).map(|names| names.error.as_str())
}

/// The interface from the codes of a capability to the types of their details.
pub(super) fn details(model: &Model<'_>, capability: &CapabilityModel<'_>) -> Option<Item> {
    let names = capability.error_names.as_ref()?;
    let property = |error: &ErrorModel<'_>| {
        let ty = error.details.map_or(Type::Keyword(Keyword::Undefined), |id| Type::name(&model[id].name));
        let mut lines = error.source.description.as_deref().map(doc::lines).unwrap_or_default();
        lines.extend(error.source.retryable.then(|| "The same request may succeed later.".to_owned()));
        Property::new(&error.source.code, ty).doc(lines)
    };
    let body = Type::object(capability.errors.iter().map(property).collect());
    let text = format!("The details of each error that `{}` declares.", capability.name.label);
    Some(declaration(doc::lines(&text), &names.details, body, DeclarationKind::Interface))
}

/// The member with the errors in the object of a capability.
pub(super) fn entry(model: &Model<'_>, names: &AgentNames, capability: &CapabilityModel<'_>) -> Entry {
    let errors = capability.errors.iter().map(|error| (error.source.code.clone(), members(model, names, error)));
    let errors: Vec<(String, Vec<Entry>)> = errors.collect();
    let value = |(code, entries): &(String, Vec<Entry>)| {
        let members = entries.iter().map(|entry| (entry.name.to_owned(), entry.value.clone()));
        (code.clone(), Expression::Object(members.collect()))
    };
    let declared = |(code, entries): &(String, Vec<Entry>)| {
        let members = entries.iter().map(|entry| Property::new(entry.name, entry.declared.clone()).readonly());
        Property::new(code, Type::object(members.collect())).readonly()
    };
    Entry {
        name: "errors",
        value: Expression::Object(errors.iter().map(value).collect()),
        declared: Type::object(errors.iter().map(declared).collect()),
    }
}

/// The members of the object of an error. Each object has all of them.
fn members(model: &Model<'_>, names: &AgentNames, error: &ErrorModel<'_>) -> Vec<Entry> {
    let literal = |name, literal: Option<Literal>| match literal {
        Some(literal) => Entry { name, value: Expression::Literal(literal.clone()), declared: Type::Literal(literal) },
        None => Entry { name, value: Expression::Undefined, declared: Type::Keyword(Keyword::Undefined) },
    };
    let status = error.source.status.map(|status| Literal::Number(Number::new(f64::from(status))));
    let details = match error.details {
        None => literal("details", None),
        Some(id) => constants::validators("details", model, names, id),
    };
    vec![literal("retryable", Some(Literal::Boolean(error.source.retryable))), literal("status", status), details]
}

/// The class of the errors of all calls.
pub(super) fn failed_call(names: &CallNames) -> Item {
    let doc = vec!["The error of `orThrow` after a call that failed. `result` is the result of the call.".to_owned()];
    let kind = ErrorKind::Call(names.of("FailedCall"));
    Item::Error(ErrorClass { doc, name: names.error.clone(), kind })
}

/// The type and the class of the errors of each capability that declares some.
pub(super) fn of_calls(model: &Model<'_>, calls: &CallNames) -> Vec<Item> {
    let of = |capability: &CapabilityModel<'_>| {
        let names = capability.error_names.as_ref()?;
        let label = &capability.name.label;
        let failure = Type::Name(calls.of("CallFailure"), vec![Type::name(&names.details)]);
        let text = format!("The error of a call of `{label}`: one that it declares, or any other.");
        let failure = declaration(doc::lines(&text), &names.failure, failure, DeclarationKind::Compact);
        let kind = ErrorKind::Declared { extends: calls.error.clone(), details: names.details.clone() };
        let doc = doc::lines(&format!("The error of `orThrow` after a call of `{label}` that failed."));
        Some([failure, Item::Error(ErrorClass { doc, name: names.error.clone(), kind })])
    };
    model.capabilities.iter().filter_map(of).flatten().collect()
}
