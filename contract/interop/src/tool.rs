//! The schema of one side of an MCP tool, as the contract has it.

use capgen_manifest::Side;
use capgen_schema::{Json, Object};

use crate::carried::Reader;
use crate::root::unwrap;
use crate::{MCP_META_KEY, REQUEST_MEMBER, RESPONSE_MEMBER};

/// The schema of one side of an MCP tool.
#[derive(Clone, PartialEq, Debug)]
pub enum ToolSide {
    /// The side has no schema: any JSON value is valid.
    Loose,
    /// The arguments or the structured content are the payload.
    Plain(Json),
    /// The payload is the value of the property `value` of the arguments, or `result` of the structured content.
    Wrapped(Json),
}

/// The schema of a side of a tool, after undoing the changes that [`mcp`](crate::mcp) notes in `_meta`: `$defs` becomes
/// `definitions`, and a wrapped payload is unwrapped. If the schema of the tool is one for strict clients, `_meta` has
/// that of the contract. The schema is not checked, and can be of any dialect.
///
/// ```
/// use capgen_interop::{ToolSide, tool_side};
/// use capgen_manifest::Side;
/// let tool = r##"{"name": "add", "inputSchema": {"type": "object", "$defs": {"N": {"type": "number"}},
///     "properties": {"a": {"$ref": "#/$defs/N"}}}}"##.parse()?;
/// let ToolSide::Plain(schema) = tool_side(&tool, Side::Request) else { panic!() };
/// assert_eq!(schema.pointer("/properties/a/$ref").and_then(|r| r.as_str()), Some("#/definitions/N"));
/// assert_eq!(tool_side(&tool, Side::Response), ToolSide::Loose);
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
pub fn tool_side(tool: &Json, side: Side) -> ToolSide {
    let meta = tool.get("_meta").and_then(|meta| meta.get(MCP_META_KEY));
    let form = meta.and_then(|meta| meta.get(side.name())).and_then(Json::as_str);
    let Some(schema) = tool.get(side.schema_key()).filter(|_| form != Some("loose")) else { return ToolSide::Loose };
    let restore = meta.and_then(|meta| meta.get("restore")?.get(side.name())?.as_object());
    let member = if side == Side::Request { REQUEST_MEMBER } else { RESPONSE_MEMBER };
    // A schema for strict clients can be wider than that of the contract.
    let original = meta.and_then(|meta| meta.get("schemas")?.get(side.name())).cloned();
    match unwrap(schema, member, "$defs").filter(|_| form == Some("wrapped")) {
        Some(inner) => ToolSide::Wrapped(original.unwrap_or_else(|| renamed(inner, restore))),
        None => ToolSide::Plain(original.unwrap_or_else(|| renamed(schema.clone(), restore))),
    }
}

/// The schema with `definitions` for `$defs`; unchanged if it cannot be renamed.
fn renamed(schema: Json, restore: Option<&Object>) -> Json {
    let name = |reference: &str| {
        let token = reference.strip_prefix("#/$defs/")?;
        capgen_schema::definition_name(&format!("#/definitions/{token}"))
    };
    Reader::new(&name, "$defs", restore).read(&schema).unwrap_or(schema)
}
