//! A contract as the tools of an MCP server.
//!
//! The document is the result of `tools/list`. It is valid in the revisions 2025-06-18 to 2026-07-28 of the protocol; a
//! server adds the members of results that its revision requires, such as `resultType`.

mod names;
mod strict;

use capgen_manifest::{Capability, Manifest, Side, SideEffects};
use capgen_schema::{Json, Object, Schema, fragment_token};

use super::extra::{extra, push_unless_empty};
use super::{Export, Loss, versions};
use crate::carried::{Carrier, object_form};
use crate::root::{accepts_only_objects, wrap};
use crate::{MCP_META_KEY, REQUEST_MEMBER, RESPONSE_MEMBER};

pub use names::tool_names;

/// Options of [`mcp`].
#[derive(Clone, Copy, Default, Debug)]
pub struct McpOptions {
    /// Writes schemas for hosts whose APIs reject unions, or read only a part of JSON Schema. They accept every payload
    /// that the contract accepts, and perhaps more; each difference is a [`Loss`].
    pub strict_clients: bool,
    /// Writes a tool for every version of a capability: [`tool_names`] has their names. Otherwise, each capability has
    /// one tool, for its highest version that is not a pre-release.
    pub all_versions: bool,
}

/// The keyword for definitions in JSON Schema 2020-12, which is MCP's default dialect.
const DEFINITIONS: &str = "$defs";

/// The tools of an agent: the result of `tools/list`.
///
/// A tool's schemas have an object at the root, as the protocol requires; a schema that accepts other values becomes
/// that of the property `value` (requests) or `result` (responses) of an object. They have no `$schema`, since clients
/// reject a dialect other than 2020-12. Whatever tools cannot express is in the member `io.github.capgen/contract` of
/// `_meta`, so that an import gives a contract with the same hash.
///
/// ```
/// use capgen_interop::{McpOptions, mcp};
/// use capgen_manifest::{Source, load};
/// let text = "\
/// version: 1
/// agent: agent://shop
/// transports: [{ kind: memory, topics: { requests: shop } }]
/// capabilities: [{ name: find, sideEffects: pure, inputSchema: { type: object } }]
/// ";
/// let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
/// let tools = mcp(&contract.manifest, McpOptions::default()).document;
/// assert_eq!(tools.pointer("/tools/0/name").and_then(|name| name.as_str()), Some("find"));
/// assert_eq!(tools.pointer("/tools/0/annotations/readOnlyHint"), Some(&true.into()));
/// ```
pub fn mcp(manifest: &Manifest, options: McpOptions) -> Export {
    let names = tool_names(manifest, options.all_versions);
    let mut losses = if options.all_versions { names::losses(manifest, &names) } else { versions::plain(manifest).1 };
    let mut tools = Vec::with_capacity(names.len());
    for (capability, name) in names.iter().filter_map(|(index, name)| Some((manifest.capabilities.get(*index)?, name)))
    {
        if capability.wire_name.as_ref().is_some_and(|wire_name| wire_name != name) {
            losses.push(Loss::of_wire_name(capability, &format!("the tool is `{name}`")));
        }
        tools.push(tool(capability, name, options, &mut losses));
    }
    let mut document: Object = [("tools".to_owned(), Json::Array(tools))].into_iter().collect();
    if !manifest.about.is_empty() {
        let member = (MCP_META_KEY.to_owned(), Json::Object(manifest.about.definition()));
        document.push("_meta".to_owned(), Json::Object([member].into_iter().collect()));
    }
    Export { document: Json::Object(document), losses }
}

fn tool(capability: &Capability, name: &str, options: McpOptions, losses: &mut Vec<Loss>) -> Json {
    let mut tool = Object::new();
    tool.push("name".to_owned(), Json::from(name));
    if let Some(description) = &capability.description {
        tool.push("description".to_owned(), Json::from(description.as_str()));
    }
    let mut meta = extra(capability, &["description", "wireName"]);
    if name != capability.name {
        meta.push("name".to_owned(), Json::from(capability.name.as_str()));
    }
    let (mut restore, mut originals) = (Object::new(), Object::new());
    for side in Side::ALL {
        match capability.schema(side) {
            Some(schema) => {
                let plain = tool_schema(schema, side);
                if plain.is_wrapped {
                    meta.push(side.name().to_owned(), Json::from("wrapped"));
                }
                let member = plain.is_wrapped.then(|| member_of(side));
                let mut report = |pointer: &str, message: String| {
                    let capability = capability.name.clone();
                    losses.push(Loss { capability, side: Some(side), pointer: pointer.to_owned(), message });
                };
                let strict = options.strict_clients.then(|| strict::strict(schema, member, &mut report));
                match strict.filter(|strict| strict.canonical() != plain.schema.canonical()) {
                    Some(strict) => {
                        originals.push(side.name().to_owned(), schema.source().clone());
                        tool.push(side.schema_key().to_owned(), strict);
                    }
                    None => {
                        push_unless_empty(&mut restore, side.name(), plain.restore);
                        tool.push(side.schema_key().to_owned(), plain.schema);
                    }
                }
            }
            None if side == Side::Request => {
                meta.push(side.name().to_owned(), Json::from("loose"));
                tool.push(side.schema_key().to_owned(), Json::Object(any_arguments(options)));
            }
            None => {}
        }
    }
    push_unless_empty(&mut meta, "restore", restore);
    push_unless_empty(&mut meta, "schemas", originals);
    push_unless_empty(&mut tool, "annotations", annotations(capability));
    if !meta.is_empty() {
        let member = (MCP_META_KEY.to_owned(), Json::Object(meta));
        tool.push("_meta".to_owned(), Json::Object([member].into_iter().collect()));
    }
    Json::Object(tool)
}

/// The schema of a side for strict clients. With `is_wrapped`, the payload is a property of an object.
pub(crate) fn strict_form(schema: &Schema, side: Side, is_wrapped: bool) -> Json {
    strict::strict(schema, is_wrapped.then(|| member_of(side)), &mut |_, _| {})
}

/// Whether it is the schema that an export writes for arguments without a schema.
pub(crate) fn is_any_arguments(schema: &Json) -> bool {
    [false, true].into_iter().any(|strict_clients| {
        let options = McpOptions { strict_clients, ..McpOptions::default() };
        Json::Object(any_arguments(options)).canonical() == schema.canonical()
    })
}

/// The schema of arguments without a schema.
fn any_arguments(options: McpOptions) -> Object {
    let properties = options.strict_clients.then(|| ("properties".to_owned(), Json::Object(Object::new())));
    [("type".to_owned(), Json::from("object"))].into_iter().chain(properties).collect()
}

/// The property that contains a payload that need not be an object.
fn member_of(side: Side) -> &'static str {
    if side == Side::Request { REQUEST_MEMBER } else { RESPONSE_MEMBER }
}

/// The hints that the keys of a capability imply. An absent key implies none.
pub(crate) fn annotations(capability: &Capability) -> Object {
    let mut hints = Object::new();
    if let Some(effects) = capability.side_effects {
        hints.push("readOnlyHint".to_owned(), Json::Bool(effects == SideEffects::Pure));
    }
    let by_effects = capability.side_effects.filter(|effects| *effects != SideEffects::External).map(|_| true);
    if let Some(idempotent) = capability.idempotent.or(by_effects) {
        hints.push("idempotentHint".to_owned(), Json::Bool(idempotent));
    }
    hints
}

/// A schema of a tool.
struct ToolSchema {
    schema: Json,
    is_wrapped: bool,
    restore: Object,
}

fn tool_schema(schema: &Schema, side: Side) -> ToolSchema {
    let reference = |name: &str| format!("#/{DEFINITIONS}/{}", fragment_token(name));
    let mut carrier =
        Carrier { reference: &reference, container: DEFINITIONS, has_objects: false, restore: Object::new() };
    let mut carried = carrier.carry(schema.source(), "");
    let is_wrapped = !accepts_only_objects(schema);
    if is_wrapped {
        if let Json::Bool(value) = carried {
            carrier.note_boolean("", value);
            carried = object_form(value);
        }
        carried = wrap(carried, member_of(side), DEFINITIONS);
    } else {
        carried = with_object_type(carried, &mut carrier);
        booleans_of_properties(&mut carried, &mut carrier);
    }
    ToolSchema { schema: carried, is_wrapped, restore: carrier.restore }
}

/// Sets `type` to `object` at a root that accepts only objects. The protocol requires it there, even next to a `$ref`.
fn with_object_type(schema: Json, carrier: &mut Carrier<'_>) -> Json {
    // A boolean schema does not accept only objects.
    let Json::Object(mut members) = schema else { return schema };
    let declared = members.get("type").cloned();
    if declared.as_ref().and_then(Json::as_str) == Some("object") {
        return Json::Object(members);
    }
    let lost = [("type".to_owned(), declared.unwrap_or(Json::Null))].into_iter().collect();
    carrier.note("", lost);
    members.set("type", None);
    let first = [("type".to_owned(), Json::from("object"))];
    Json::Object(first.into_iter().chain(members.iter().cloned()).collect())
}

/// Replaces boolean schemas among the root's properties, where the protocol requires objects.
fn booleans_of_properties(schema: &mut Json, carrier: &mut Carrier<'_>) {
    let Json::Object(members) = schema else { return };
    let Some(Json::Object(properties)) = members.get("properties") else { return };
    let replaced = properties.iter().map(|(name, value)| match value {
        Json::Bool(value) => {
            carrier.note_boolean(&capgen_schema::pointer::join("/properties", name), *value);
            (name.clone(), object_form(*value))
        }
        other => (name.clone(), other.clone()),
    });
    let replaced = Json::Object(replaced.collect());
    members.set("properties", Some(replaced));
}
