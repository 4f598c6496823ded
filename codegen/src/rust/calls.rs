//! Calls: the trait that an agent implements, and the client that calls it.

use std::collections::HashSet;

use super::types::Types;
use super::writer::Writer;
use super::{doc, ident};
use crate::model::{CapabilityModel, Model, SideModel};
use crate::name;
use crate::samples::SampleNames;

/// Methods that clients have in any case.
const RESERVED: [&str; 3] = ["clone", "new", "with_options"];

/// The names of an agent's items.
struct Names {
    /// The trait.
    agent: String,
    client: String,
    /// The function that turns an implementation into handlers.
    handlers: String,
}

impl Names {
    fn of(model: &Model<'_>, types: &Types<'_>) -> Self {
        let taken = model.type_names();
        let is_free = |name: &String| {
            !taken.contains(name.as_str()) && !types.is_required_name(name) && !ident::is_reserved(name)
        };
        let id = model.manifest.agent.as_str();
        let with_prefix = |prefix: String| {
            // An agent often has the name of its only capability.
            let mut agents = [prefix.clone(), format!("{prefix}Agent")].into_iter();
            let agent = agents.find(&is_free)?;
            let handlers = format!("{}_handlers", ident::snake(&prefix));
            let client = Some(format!("{prefix}Client")).filter(&is_free)?;
            Some(Self { agent, client, handlers })
        };
        let mut names = name::of_agent(id).filter_map(with_prefix);
        names.next().unwrap_or_else(|| {
            let digest = name::hash(id.as_bytes(), 64);
            let [agent, client] = ["", "Client"].map(|suffix| format!("AgentX{digest}{suffix}"));
            Self { agent, client, handlers: format!("agent_x{digest}_handlers") }
        })
    }
}

/// A capability with the names of its methods, as identifiers.
struct Method<'m> {
    name: String,
    /// The method of the client that takes options.
    with_options: String,
    capability: &'m CapabilityModel<'m>,
    /// Whether it is the method of a client with the suffix of the plain version.
    is_alias: bool,
}

impl Method<'_> {
    fn of<'m>(model: &'m Model<'m>) -> Vec<Method<'m>> {
        let mut names = model.methods(name::field_name, "_x", |name| RESERVED.contains(&name));
        let mut capabilities: Vec<(&CapabilityModel<'_>, bool)> =
            model.capabilities.iter().map(|capability| (capability, false)).collect();
        for capability in &model.capabilities {
            let alias = capability.name.alias.as_deref().map(name::field_name);
            // Another capability may have this name.
            if let Some(alias) = alias.filter(|alias| !names.contains(alias)) {
                names.push(alias);
                capabilities.push((capability, true));
            }
        }
        let with_options = names_with_options(&names);
        let methods = capabilities.into_iter().zip(names.iter().zip(with_options));
        methods
            .map(|((capability, is_alias), (name, with_options))| Method {
                name: ident::escaped(name).into_owned(),
                with_options,
                capability,
                is_alias,
            })
            .collect()
    }

    fn doc(&self, writer: &mut Writer) {
        let source = self.capability.source;
        let default = || format!("The capability {}.", doc::code(&self.capability.name.label));
        doc::write(writer, source.description.as_deref(), default);
    }

    fn request(&self, types: &Types<'_>) -> String {
        side(types, &self.capability.request)
    }

    /// The name of the enum with the errors that the capability declares.
    fn error(&self) -> Option<&str> {
        self.capability.error_names.as_ref().map(|names| names.error.as_str())
    }

    /// `Result<Response, error>`.
    fn result(&self, writer: &mut Writer, types: &Types<'_>, error: &str) {
        writer.generic("Result", |w| {
            w.text(&side(types, &self.capability.response));
            w.comma();
            w.text(error);
        });
    }
}

/// The names of the methods that take options: `book_with` for `book`, unless another capability has this name.
fn names_with_options(names: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().chain(RESERVED.map(str::to_owned)).collect();
    let free_name = |name: &String| {
        let mut candidate = format!("{name}_with");
        while !taken.insert(candidate.clone()) {
            candidate = format!("{candidate}_options");
        }
        candidate
    };
    names.iter().map(free_name).collect()
}

fn side(types: &Types<'_>, side: &SideModel) -> String {
    match side {
        SideModel::Loose(name) => name.clone(),
        SideModel::Typed(id) => types.name(*id).to_owned(),
    }
}

/// The names of the calls of all capabilities.
pub(super) fn names(model: &Model<'_>) -> Vec<SampleNames> {
    let types = Types::new(model);
    let client = Names::of(model, &types).client;
    let methods = Method::of(model).into_iter().filter(|method| !method.is_alias);
    methods
        .map(|method| SampleNames { client: client.clone(), request: method.request(&types), method: method.name })
        .collect()
}

/// Writes the trait, the function that makes handlers of an implementation, and the client, unless all capabilities are
/// webhooks.
pub(super) fn items(writer: &mut Writer, model: &Model<'_>, types: &Types<'_>) {
    let (names, methods) = (Names::of(model, types), Method::of(model));
    let implemented: Vec<&Method<'_>> = methods.iter().filter(|method| !method.is_alias).collect();
    let id = doc::code(types.agent());
    agent(writer, types, &names, &implemented, &id);
    handlers(writer, types, &names, &implemented);
    // The agent calls its webhooks, and does not offer them.
    let called: Vec<&Method<'_>> = methods.iter().filter(|method| !method.capability.source.is_webhook()).collect();
    if !called.is_empty() {
        client(writer, types, &names, &called, &id);
    }
}

fn agent(writer: &mut Writer, types: &Types<'_>, names: &Names, methods: &[&Method<'_>], id: &str) {
    writer.item();
    let failure = types.runtime("call::Failure");
    writer.doc(&format!("The calls that the agent {id} accepts. Implement each method as an `async fn`."));
    writer.braced("pub trait ", &format!("{}: Send + Sync + 'static", names.agent), |w| {
        for method in methods {
            method.doc(w);
            let parameters = |w: &mut Writer| {
                let request = format!("request: {}", method.request(types));
                let context = format!("context: {}", types.runtime("call::Context"));
                w.each(["&self", &context, &request], |w, parameter| w.text(parameter));
            };
            // An `async fn` in a public trait would not promise that its future is `Send`.
            w.declaration(&format!("fn {}", method.name), parameters, |w| {
                w.text("impl ");
                w.generic("::core::future::Future", |w| {
                    w.text("Output = ");
                    method.result(w, types, method.error().unwrap_or(&failure));
                });
                w.text(" + Send");
            });
        }
    });
}

fn handlers(writer: &mut Writer, types: &Types<'_>, names: &Names, methods: &[&Method<'_>]) {
    let agent = &names.agent;
    writer.item();
    writer.doc(&format!("Returns handlers that pass each call to an implementation of [`{agent}`]."));
    let parameter = |w: &mut Writer| w.text(&format!("agent: impl {agent}"));
    let handlers = types.runtime("call::Handlers");
    writer.signature(&format!("pub fn {}", names.handlers), parameter, |w| w.text(&handlers));
    writer.body(|w| {
        w.macro_call(&types.runtime("call::handlers"), |w| {
            let methods = methods.iter().flat_map(|method| [method.capability.marker.as_str(), &method.name]);
            w.each(["agent", "AGENT", agent].into_iter().chain(methods), |w, argument| w.text(argument));
        });
        w.end();
    });
}

fn client(writer: &mut Writer, types: &Types<'_>, names: &Names, methods: &[&Method<'_>], id: &str) {
    let [client, options] = ["call::Client", "call::CallOptions"].map(|path| types.runtime(path));
    writer.item();
    writer.doc(&format!("Calls the agent {id}."));
    writer.line("#[derive(Debug, Clone)]");
    writer.braced("pub struct ", &names.client, |w| {
        w.line(&format!("client: {client},"));
        w.line(&format!("options: {options},"));
    });
    writer.item();
    writer.braced("impl ", &names.client, |w| {
        w.doc("Creates a client with the default options.");
        w.signature("pub fn new", |w| w.text(&format!("client: {client}")), |w| w.text("Self"));
        w.body(|w| {
            let fields = ["client".to_owned(), format!("options: {options}::default()")];
            w.struct_expression("Self", fields, |w, field| w.text(&field));
            w.end();
        });
        w.doc("Sets the options of all calls.");
        w.line("#[must_use]");
        let parameters = |w: &mut Writer| {
            w.each(["mut self", &format!("options: {options}")], |w, parameter| w.text(parameter));
        };
        w.signature("pub fn with_options", parameters, |w| w.text("Self"));
        w.body(|w| {
            w.assign_field("options", |w| w.text("options"));
            w.line("self");
        });
        for method in methods {
            method.doc(w);
            if let Some(error) = method.error() {
                w.doc("");
                w.doc(&format!("[`{error}::from`]({error}) gives the declared error of a failed call."));
            }
            call(w, types, method, &method.name, None);
            let sentence =
                format!("Like [`{}`](Self::{}), with the options of this call alone.", method.name, method.name);
            w.doc(&sentence);
            call(w, types, method, &method.with_options, Some(&options));
        }
    });
}

/// A method of the client, with its own options if it has a type for them.
fn call(writer: &mut Writer, types: &Types<'_>, method: &Method<'_>, name: &str, options: Option<&str>) {
    let parameters = |w: &mut Writer| {
        let request = format!("request: &{}", method.request(types));
        let options = options.map(|options| format!("options: &{options}"));
        w.each(["&self"].into_iter().chain([request.as_str()]).chain(options.as_deref()), |w, parameter| {
            w.text(parameter)
        });
    };
    writer.signature(&format!("pub async fn {name}"), parameters, |w| {
        method.result(w, types, &types.runtime("call::CallError"));
    });
    writer.body(|w| {
        w.group(4, |w| {
            w.text("self.client");
            w.soft_break();
            w.generic(".call_with::", |w| w.text(&method.capability.marker));
            let options = if options.is_some() { "options" } else { "&self.options" };
            w.group(0, |w| w.list("(", ")", |w| w.each(["request", options], |w, name| w.text(name))));
            w.soft_break();
            w.text(".await");
        });
        w.end();
    });
}
