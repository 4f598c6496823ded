//! Records whose undeclared properties an assertion outside the record depends on.
//!
//! A record without `additionalProperties` drops undeclared properties. Two items of a list may then become equal
//! although `uniqueItems` accepted them, and a value may match a schema that `not` excludes, or no longer match that of
//! `if` or `contains`. A type must be able to write every value that it reads, so such records keep all their
//! properties.

use std::collections::HashSet;

use capgen_schema::analysis::facets::Facets;
use capgen_schema::{Assertions, Json, Kind, NodeId, Schema};

use super::{Built, Lowering};
use crate::model::{Rest, Shape, Type, TypeDef, TypeId};

/// Whether the assertions of a place, beyond those of its properties and items, depend on undeclared properties of its
/// values.
pub(super) fn compares_values(schema: &Schema, facets: &Facets<'_>) -> bool {
    let declared: HashSet<&str> = facets.properties().iter().map(|property| property.name).collect();
    facets.has_unique_items()
        || facets.has_contains()
        || facets.has_conditions()
        || !facets.unions.is_empty()
        || facets.negations.iter().any(|not| depends_on_undeclared(schema, *not, &declared))
}

/// Whether a `not` looks at more than scalars, the `declared` properties of an object, and the scalars in them.
fn depends_on_undeclared(schema: &Schema, not: NodeId, declared: &HashSet<&str>) -> bool {
    let is_declared = |name: &String| declared.contains(name.as_str());
    let mut scalars = Vec::new();
    let depends = any_in_place(schema, not, |group| {
        let items = group.items.into_iter().chain(group.tuple.iter().copied()).chain(group.additional_items);
        let items = items.chain(group.contains);
        scalars.extend(group.properties.iter().map(|(_, node)| *node).chain(items));
        compares_objects(group)
            || !group.properties.iter().all(|(name, _)| is_declared(name))
            || !group.required.iter().all(is_declared)
            || !group
                .dependent_required
                .iter()
                .all(|(name, required)| is_declared(name) && required.iter().all(is_declared))
    });
    let has_structure = |group: &Assertions| {
        compares_objects(group)
            || !group.properties.is_empty()
            || !group.required.is_empty()
            || !group.dependent_required.is_empty()
            || group.items.is_some()
            || group.contains.is_some()
            || !group.tuple.is_empty()
    };
    depends || scalars.into_iter().any(|node| any_in_place(schema, node, has_structure))
}

fn compares_objects(group: &Assertions) -> bool {
    let is_composite = |value: &Json| value.as_object().is_some() || value.as_array().is_some();
    group.unique_items
        || group.additional_properties.is_some()
        || group.property_names.is_some()
        || !group.pattern_properties.is_empty()
        || group.min_properties.is_some()
        || group.max_properties.is_some()
        || group.enum_values.iter().flatten().chain(&group.const_value).any(is_composite)
}

/// Whether the condition is true for any of the schemas that apply to the same value as `node`.
fn any_in_place(schema: &Schema, node: NodeId, mut condition: impl FnMut(&Assertions) -> bool) -> bool {
    let mut stack = vec![node];
    let mut seen = HashSet::new();
    while let Some(node) = stack.pop() {
        if !seen.insert(node) {
            continue;
        }
        match &schema.node(node).kind {
            Kind::Bool(_) => {}
            Kind::Ref(target) => stack.push(*target),
            Kind::Assertions(group) => {
                if condition(group) {
                    return true;
                }
                let unions = group.all_of.iter().chain(&group.any_of).chain(&group.one_of).flatten();
                stack.extend(unions.copied().chain(group.not));
                stack.extend([group.if_, group.then, group.else_].into_iter().flatten());
            }
        }
    }
    false
}

impl Lowering<'_, '_> {
    /// Notes that an assertion, such as `not`, depends on all properties of the values of a type.
    pub(super) fn compare(&mut self, built: &mut Built) {
        match built {
            Built::Type(ty) => self.compared.push(ty.clone()),
            Built::Shape { shape, .. } => {
                keep(shape);
                shape.each_type(&mut |ty| self.compared.push(ty.clone()));
            }
        }
    }
}

/// Makes records keep undeclared properties, in all types that are compared and the types inside them.
pub(super) fn keep_undeclared(types: &mut [TypeDef], compared: &[Type]) {
    let mut stack: Vec<TypeId> = compared.iter().flat_map(Type::named).collect();
    let mut seen = HashSet::new();
    while let Some(id) = stack.pop() {
        if let Some(def) = types.get_mut(id.0)
            && seen.insert(id)
        {
            keep(&mut def.shape);
            def.shape.each_type(&mut |ty| stack.extend(ty.named()));
        }
    }
}

fn keep(shape: &mut Shape) {
    if let Shape::Record(record) = shape
        && matches!(record.rest, Rest::Ignored)
    {
        record.rest = Rest::Kept(Type::Unknown);
        record.is_rest_compared = true;
    }
}
