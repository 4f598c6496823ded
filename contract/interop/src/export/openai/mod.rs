//! A contract as tools for OpenAI's API with strict schemas.

mod combine;
mod limits;
mod object;
mod schema;

use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{Hash, Json, Object};

use super::{Export, Loss, versions};
use crate::REQUEST_MEMBER;
use crate::root::wrap;
use schema::Strict;

/// Options of [`openai`].
#[derive(Clone, Copy, Default, Debug)]
pub struct OpenAiOptions {
    /// Writes the tools of the Chat Completions API, which have a member `function`, instead of those of the Responses
    /// API.
    pub chat: bool,
}

/// The longest name of a function. The API rejects longer ones.
const MAX_NAME: usize = 64;

/// The tools of an agent as an array of functions with strict schemas, whose arguments OpenAI's models always match.
///
/// Strict schemas list all properties in `required` and allow no other ones: an optional property is nullable instead,
/// and `null` means that it is absent. Keywords that are not supported are dropped. Each difference that changes which
/// requests can be expressed is a [`Loss`]. Responses have no place in a tool.
///
/// A schema beyond the limits of strict mode (5,000 properties, 10 levels, 1,000 values of enums, 120,000 characters of
/// names and values) gets `strict: false`.
///
/// ```
/// use capgen_interop::{OpenAiOptions, openai};
/// use capgen_manifest::{Source, load};
/// let text = "\
/// version: 1
/// agent: agent://shop
/// transports: [{ kind: memory, topics: { requests: shop } }]
/// capabilities: [{ name: find, inputSchema: { type: object, properties: { text: { type: string, minLength: 1 } } } }]
/// ";
/// let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
/// let export = openai(&contract.manifest, OpenAiOptions::default());
/// assert_eq!(export.document.pointer("/0/parameters/required/0").and_then(|name| name.as_str()), Some("text"));
/// assert_eq!(export.losses[0].pointer, "/properties/text/minLength");
/// ```
pub fn openai(manifest: &Manifest, options: OpenAiOptions) -> Export {
    let (manifest, mut losses) = versions::plain(manifest);
    let mut tools = Vec::new();
    for capability in &manifest.capabilities {
        let function = function(capability, &mut losses);
        let kind = ("type".to_owned(), Json::from("function"));
        tools.push(Json::Object(if options.chat {
            [kind, ("function".to_owned(), Json::Object(function))].into_iter().collect()
        } else {
            std::iter::once(kind).chain(function.iter().cloned()).collect()
        }));
    }
    Export { document: Json::Array(tools), losses }
}

fn function(capability: &Capability, losses: &mut Vec<Loss>) -> Object {
    let mut report = |side: Option<Side>, pointer: &str, message: String| {
        let capability = capability.name.clone();
        losses.push(Loss { capability, side, pointer: pointer.to_owned(), message });
    };
    let name = function_name(&capability.name);
    if name != capability.name {
        report(None, "", format!("names of functions have at most {MAX_NAME} characters, so it is `{name}`"));
    }
    let mut request = |pointer: &str, message: String| report(Some(Side::Request), pointer, message);
    let parameters = match &capability.input {
        Some(schema) => Strict::new(schema, &mut request).parameters(),
        None => {
            request("", "any request becomes a scalar in the argument `value`".to_owned());
            wrap(schema::scalar(), REQUEST_MEMBER, "$defs")
        }
    };
    let exceeded = limits::exceeded(&parameters);
    if let Some(limit) = exceeded {
        request("", format!("the schema has more than {limit}, so the tool is not strict"));
    }
    let mut function = Object::new();
    function.push("name".to_owned(), Json::from(name.as_str()));
    if let Some(description) = &capability.description {
        function.push("description".to_owned(), Json::from(description.as_str()));
    }
    function.push("parameters".to_owned(), parameters);
    function.push("strict".to_owned(), Json::Bool(exceeded.is_none()));
    function
}

/// The name of a capability, which has only characters that functions allow; a long one ends in a part of its hash.
fn function_name(name: &str) -> String {
    if name.len() <= MAX_NAME {
        return name.to_owned();
    }
    let hash = Hash::of(name).short();
    let start: String = name.chars().take(MAX_NAME - hash.len() - 1).collect();
    format!("{start}_{hash}")
}
