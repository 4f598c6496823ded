//! Adapts the model to Rust: reserved names, new types, boxes, and the limit on how deeply types are nested.

mod boxes;
mod depth;
mod height;
mod newtypes;
mod tuples;

use capgen_schema::Schema;

use super::ident::escape_types;
use super::record::REST;
use crate::lower::arrange;
use crate::lower::widened::Limit;
use crate::model::{Model, Record, Shape};

/// The text of a finding about types that are nested too deeply.
const TOO_DEEP: &str = "its Rust types would be nested more deeply than rustc's recursion limit allows";

/// See [`Target::settle`](crate::target::Target::settle).
pub(super) fn settle(model: &mut Model<'_>) {
    escape_types(model);
    escape_fields(model);
    if tuples::widen(&mut model.types) {
        arrange(model);
    }
    mark_newtypes(model);
    boxes::mark(&mut model.types);
    // New types and boxes add to the depth. The boxes stay, since those of other references could be deeper.
    let cut = depth::limit(&mut model.types);
    if cut.is_empty() {
        return;
    }
    for (index, capability) in model.capabilities.iter().enumerate() {
        let own = cut.iter().filter(|(name, _)| *name == capability.name.label);
        model.widened.extend(own.map(|(_, part)| (index, *part, Limit::Target(TOO_DEEP))));
    }
    arrange(model);
    mark_newtypes(model);
}

/// Whether the types of a schema may be nested too deeply.
pub(super) fn may_widen(schema: &Schema) -> bool {
    height::may_be_too_high(schema)
}

fn mark_newtypes(model: &mut Model<'_>) {
    newtypes::mark_recursive_aliases(&mut model.types);
    newtypes::mark_distinct_roots(&mut model.types);
}

/// Renames the declared properties whose field would have the name of the field with the undeclared ones. No other name
/// ends in `_`.
fn escape_fields(model: &mut Model<'_>) {
    for def in &mut model.types {
        let Shape::Record(Record { fields, .. }) = &mut def.shape else { continue };
        fields.iter_mut().filter(|field| field.ident == REST).for_each(|field| field.ident.push('_'));
    }
}

fn set<T>(slots: &mut [T], at: usize, value: T) {
    if let Some(slot) = slots.get_mut(at) {
        *slot = value;
    }
}
