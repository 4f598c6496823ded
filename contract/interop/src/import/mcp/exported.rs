//! Whether the schemas of a tool that capgen exported are still those of the export.
//!
//! `_meta` can state that the contract has no schema, or have that of the contract. A tool whose schema was changed
//! later would otherwise be imported without its schema, and a comparison with the server would not find the change.

use capgen_manifest::Side;
use capgen_schema::{Json, Schema};

use crate::MCP_META_KEY;
use crate::export::{is_any_arguments, strict_form};
use crate::import::mark::Form;

/// The reason why the schema of a side is not the one that was exported, if `_meta` determines it.
pub(super) fn contradiction(tool: &Json, side: Side, form: Form) -> Option<&'static str> {
    let visible = tool.get(side.schema_key()).filter(|schema| **schema != Json::Null);
    let mark = tool.get("_meta")?.get(MCP_META_KEY)?;
    let original = mark.get("schemas").and_then(|schemas| schemas.get(side.name()));
    match (form, visible, original) {
        (Form::Loose, None, None) => None,
        (Form::Loose, Some(schema), None) if side == Side::Request && is_any_arguments(schema) => None,
        (Form::Loose, ..) => Some("the tool has a schema, but `_meta` states that the contract has none"),
        (_, None, Some(_)) => Some("the tool has no schema, but `_meta` has one"),
        (_, Some(visible), Some(original)) => {
            // An invalid schema in `_meta` is reported with the other parts of the mark.
            let exported = strict_form(&Schema::parse(original).ok()?, side, form == Form::Wrapped);
            let is_same = exported.canonical() == visible.canonical();
            (!is_same).then_some("the schema was changed after the export: it no longer fits the one in `_meta`")
        }
        (_, _, None) => None,
    }
}
