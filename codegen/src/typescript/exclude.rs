//! Properties that a closed variant of a union must not have, because another variant has them.
//!
//! The compiler looks for excess properties in the union as a whole: without a tag, `{ a: 1, b: 2 }` would be a value of
//! `{ a: number } | { b: number }`, although each variant is closed.

use std::collections::{BTreeMap, HashSet};

use super::types::INHERITED;
use crate::model::{Model, Origin, Record, Rest, Shape, Type, TypeId, Union};

/// Unions whose variants have more properties are left alone.
const MAX_NAMES: usize = 32;

/// The names that each closed record excludes, by its id.
pub(super) fn excluded<'m>(model: &'m Model<'_>) -> BTreeMap<TypeId, Vec<&'m str>> {
    let mut excluded = BTreeMap::new();
    for def in &model.types {
        if let Shape::Union(union) = &def.shape
            && union.tag.is_none()
        {
            exclude(model, union, &mut excluded);
        }
    }
    excluded
}

fn exclude<'m>(model: &'m Model<'_>, union: &Union, excluded: &mut BTreeMap<TypeId, Vec<&'m str>>) {
    let records: Vec<(TypeId, &'m Record)> =
        union.variants.iter().filter_map(|variant| record(model, &variant.ty)).collect();
    let mut names: Vec<&'m str> = Vec::new();
    for field in records.iter().flat_map(|(_, record)| &record.fields) {
        if !names.contains(&field.name.as_str()) && !INHERITED.contains(&field.name.as_str()) {
            names.push(&field.name);
        }
        if names.len() > MAX_NAMES {
            return;
        }
    }
    for (id, record) in records {
        if model[id].origin == Origin::Place && matches!(record.rest, Rest::Closed) {
            let own: HashSet<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
            excluded.insert(id, names.iter().copied().filter(|name| !own.contains(name)).collect());
        }
    }
}

fn record<'m>(model: &'m Model<'_>, ty: &Type) -> Option<(TypeId, &'m Record)> {
    let Type::Named { id, .. } = ty else { return None };
    match &model[*id].shape {
        Shape::Record(record) => Some((*id, record)),
        _ => None,
    }
}
