//! Calls: the interfaces of clients and implementations, and the functions that make a client and handle messages.

mod verdicts;

use capgen_manifest::{Capability, OwnedDescriptor, capability_keys};

use super::names::CallNames;
use super::syntax::{
    DeclarationKind, Expression, Function, HandWritten, Item, Keyword, Literal, Local, Name, Number, Parameter,
    Property, Returns, Statement, Type, TypeDeclaration, union,
};
use super::validator::helper::Helper;
use super::{doc, errors, side};
use crate::model::{CapabilityModel, Model};
use crate::name;

pub(super) use verdicts::table as verdicts;

/// The hand-written types; each of their names follows [`PREFIX`].
const TEXT: &str = include_str!("types.ts");

/// The word before each name in [`TEXT`] that a file can change.
const PREFIX: &str = "PREFIX";

/// The names of the types in [`TEXT`], after the prefix.
pub(super) const TYPES: [&str; 33] = [
    "Transport",
    "Message",
    "Signal",
    "Sign",
    "AgentSign",
    "Verify",
    "Signature",
    "Retry",
    "ClientOptions",
    "Interceptor",
    "OutgoingCall",
    "SkewPolicy",
    "CallOptions",
    "Call",
    "CallResult",
    "FailedCall",
    "CallError",
    "CallFailure",
    "FailureOf",
    "Skew",
    "Handler",
    "Context",
    "DetailsOf",
    "ServerOptions",
    "Proof",
    "Principal",
    "Rights",
    "AuthorizedCapability",
    "ServerInterceptor",
    "ServedRequest",
    "ServedAnswer",
    "Server",
    "HandleOptions",
];

/// The constant with the methods.
const METHODS: &str = "call_methods";

/// Names that the objects of clients and implementations cannot have, or that have a meaning for every object.
const RESERVED: [&str; 8] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "then", "toJson", "toString", "valueOf"];

/// The interfaces of clients and implementations.
pub(super) fn types(model: &Model<'_>, names: &CallNames) -> Vec<Item> {
    let own = method_names(model);
    let aliases = aliases(model, &own);
    let interface = |name: &str, member: &str, doc: &str| {
        let member = names.of(member);
        let property = |(capability, method): (&CapabilityModel<'_>, &String)| {
            let sides = [&capability.request, &capability.response].map(|of| side(model, of));
            let errors = capability.error_names.as_ref().map(|names| Type::name(&names.details));
            Property::new(method, Type::Name(member.clone(), sides.into_iter().chain(errors).collect()))
                .doc(capability.source.description.as_deref().map(doc::lines).unwrap_or_default())
        };
        let mut methods: Vec<(&CapabilityModel<'_>, &String)> = model.capabilities.iter().zip(&own).collect();
        // A version under its suffix is the same implementation.
        if name == names.client {
            methods.extend(aliases.iter().map(|(capability, _, alias)| (*capability, alias)));
        }
        // The agent calls its webhooks, and does not offer them.
        methods.retain(|(capability, _)| name != names.client || !capability.source.is_webhook());
        let body = Type::object(methods.into_iter().map(property).collect());
        let (doc, name) = (doc::lines(doc), name.to_owned());
        Item::Type(TypeDeclaration { doc, name, parameter: None, body, kind: DeclarationKind::Interface })
    };
    let client = interface(&names.client, "Call", "Calls the capabilities of the agent.");
    let handlers = interface(&names.handlers, "Handler", "An implementation of the agent.");
    vec![client, handlers]
}

/// The types that do not depend on the contract.
pub(super) fn common_types(names: &CallNames) -> impl Iterator<Item = Item> {
    HandWritten::types(TEXT, PREFIX, |name| names.of(name)).map(Item::HandWrittenType)
}

/// The functions that make a client, handle a message, and make a server.
pub(super) fn functions(model: &Model<'_>, names: &CallNames, table: &str) -> Vec<Function> {
    let agent = Expression::string(model.manifest.agent.as_str());
    let shared = [agent, Expression::Name(Name::Exported(table.to_owned())), methods_name()];
    let arguments = |own: &[Local]| shared.iter().cloned().chain(own.iter().map(|local| (*local).into())).collect();
    let parameter = |local: Local, name: &str| Parameter::new(local, Type::Name(name.to_owned(), Vec::new()));
    let mut create_arguments: Vec<Expression> = arguments(&[Local::Transport, Local::Options]);
    create_arguments.push(Expression::Name(Name::Exported(names.error.clone())));
    let create = Function {
        doc: vec!["Makes a client that sends its messages over a transport.".to_owned()],
        name: Name::Exported(names.create.clone()),
        parameters: vec![
            parameter(Local::Transport, &names.of("Transport")),
            parameter(Local::Options, &names.of("ClientOptions")),
        ],
        returns: Returns::Type(Type::name(&names.client)),
        body: vec![Statement::Return(Helper::ClientOf.call(create_arguments))],
    };
    // Most agents have one version of each capability and serve every caller, so their files need no comparison.
    let restricts = model.capabilities.iter().any(|capability| restricts_versions(capability.source));
    let has_versions = model.capabilities.iter().any(|capability| capability.name.is_one_of_several());
    let served = |own: &[Local]| {
        let refusal = (restricts || has_versions).then(|| Helper::VersionRefusal.value());
        let versions = has_versions.then(|| Helper::CandidatesOf.value());
        let mut optional = vec![refusal, versions, verdicts::decision(model)];
        while optional.last().is_some_and(Option::is_none) {
            optional.pop();
        }
        let optional = optional.into_iter().map(|argument| argument.unwrap_or(Expression::Undefined));
        arguments(own).into_iter().chain(optional).collect()
    };
    let text = union([Type::STRING, Type::Keyword(Keyword::Undefined)]);
    let options = Parameter { is_optional: true, ..parameter(Local::Options, &names.of("ServerOptions")) };
    let handle = Function {
        doc: vec!["Handles a message, and returns the text of the response; `undefined` if it has none.".to_owned()],
        name: Name::Exported(names.handle.clone()),
        parameters: vec![
            Parameter::new(Local::Text, Type::STRING),
            parameter(Local::Handlers, &names.handlers),
            options.clone(),
        ],
        returns: Returns::Type(Type::Name("globalThis.Promise".to_owned(), vec![text])),
        body: vec![Statement::Return(Helper::Serve.call(served(&[Local::Text, Local::Handlers, Local::Options])))],
    };
    let create_server = Function {
        doc: vec!["Makes a server, which remembers requests: to cancel them, and to run duplicates once.".to_owned()],
        name: Name::Exported(names.create_server.clone()),
        parameters: vec![parameter(Local::Handlers, &names.handlers), options],
        returns: Returns::Type(Type::name(&names.of("Server"))),
        body: vec![Statement::Return(Helper::ServerOf.call(served(&[Local::Handlers, Local::Options])))],
    };
    vec![create, handle, create_server]
}

/// Whether the agent refuses some callers because of their version.
fn restricts_versions(capability: &Capability) -> bool {
    capability.min_schema_version.is_some() || !capability.supported_versions.is_empty()
}

/// The constant with the name and the descriptor of the capability of each method.
pub(super) fn methods(model: &Model<'_>) -> Item {
    let names = method_names(model);
    let method = |index: usize| {
        let (capability, method) = (model.capabilities.get(index)?, names.get(index)?);
        let label = Expression::string(capability.name.label.as_str());
        let descriptor = descriptor(capability.source.to_descriptor(None));
        let class = errors::class(model, capability).map(|class| Expression::Name(Name::Exported(class.to_owned())));
        let entry = [label, Expression::Arrow(Vec::new(), Box::new(descriptor))].into_iter().chain(class).collect();
        Some((method.clone(), Expression::Array(entry)))
    };
    // A server tries versions in this order, the highest first.
    let mut order: Vec<usize> = Vec::with_capacity(names.len());
    for (index, capability) in model.capabilities.iter().enumerate() {
        if !capability.name.is_one_of_several() {
            order.push(index);
        } else if !order.contains(&index) {
            order.extend(model.manifest.versions(&capability.name.name));
        }
    }
    let alias = |(_, method, alias): (_, String, String)| {
        (alias, Expression::Array(vec![Expression::Undefined, Expression::string(method.as_str())]))
    };
    let methods = order.into_iter().filter_map(method).chain(aliases(model, &names).into_iter().map(alias)).collect();
    Item::Constant { name: Name::Internal(METHODS.to_owned()), ty: Some(Type::ANY), value: Expression::Object(methods) }
}

fn methods_name() -> Expression {
    Expression::Name(Name::Internal(METHODS.to_owned()))
}

/// The methods under the suffix of a plain version: the capability, its method, and the other name.
fn aliases<'m, 'a>(model: &'m Model<'a>, names: &[String]) -> Vec<(&'m CapabilityModel<'a>, String, String)> {
    let alias = |(capability, method): (&'m CapabilityModel<'a>, &String)| {
        let alias = method_name(capability.name.alias.as_deref()?);
        // Another capability may have this name.
        (!names.contains(&alias)).then(|| (capability, method.clone(), alias))
    };
    model.capabilities.iter().zip(names).filter_map(alias).collect()
}

fn method_name(title: &str) -> String {
    super::names::lower_first(&name::type_name(title, "call"))
}

/// The names of the methods, in source order.
pub(super) fn method_names(model: &Model<'_>) -> Vec<String> {
    model.methods(method_name, "X", |name| RESERVED.contains(&name))
}

/// A property of a descriptor as an expression; `None` if it is absent.
trait ToExpression {
    fn to_expression(self) -> Option<Expression>;
}

impl ToExpression for Option<String> {
    fn to_expression(self) -> Option<Expression> {
        self.map(|text| Expression::Literal(Literal::String(text)))
    }
}

impl ToExpression for Vec<String> {
    fn to_expression(self) -> Option<Expression> {
        let texts = self.into_iter().map(|text| Expression::Literal(Literal::String(text)));
        Some(Expression::Array(texts.collect())).filter(|array| *array != Expression::Array(Vec::new()))
    }
}

impl ToExpression for Option<u64> {
    #[expect(clippy::cast_precision_loss, reason = "no one waits so long that it matters")]
    fn to_expression(self) -> Option<Expression> {
        self.map(|number| Expression::Literal(Literal::Number(Number::new(number as f64))))
    }
}

impl ToExpression for Option<bool> {
    fn to_expression(self) -> Option<Expression> {
        self.map(|flag| Expression::Literal(Literal::Boolean(flag)))
    }
}

macro_rules! descriptor_members {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// A descriptor as an object, without its description. A provider with another contract compares it with its
        /// own.
        fn descriptor(descriptor: OwnedDescriptor) -> Expression {
            let mut descriptor = descriptor;
            descriptor.description = None;
            let members = [
                ("name", Some(descriptor.name).to_expression()),
                $(($name, descriptor.$field.to_expression()),)*
                ("hash", Some(descriptor.hash).to_expression()),
                ("inputSchema", descriptor.input_schema.to_expression()),
                ("outputSchema", descriptor.output_schema.to_expression()),
            ];
            let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            Expression::Object(members.collect())
        }
    };
}

capability_keys!(descriptor_members);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_types_is_complete() {
        let declared = TEXT.lines().filter_map(|line| line.strip_prefix("export ")?.split_once(PREFIX));
        let names =
            declared.map(|(_, rest)| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default());
        assert_eq!(names.collect::<Vec<_>>(), TYPES);
    }
}
