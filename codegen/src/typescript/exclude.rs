//! Properties that a variant of a union does not declare, but another variant does.
//!
//! The compiler looks for excess properties in the union as a whole: without a tag, `{ a: 1, b: 2 }` would be a value
//! of `{ a: number } | { b: number }`, although each variant is closed. It also checks the type of `b` there, so `{ a:
//! 1, b: "x" }` would not be a value of the union if the variants are open. Each variant therefore states the types
//! that the properties of the others have in it.

use std::collections::{BTreeMap, HashSet};

use capgen_schema::{Type as SchemaType, TypeSet};

use super::inline;
use super::syntax::{Keyword, Property, Type as Ts, union};
use super::types::INHERITED;
use crate::model::{Model, Origin, Record, Rest, Shape, Type, TypeId, Union, Variant};

/// Unions whose variants have more properties are left alone.
const MAX_NAMES: usize = 32;

/// The properties that variants have because of others.
#[derive(Default)]
pub(super) struct Excluded<'m> {
    /// By records that are used once. They can declare the properties themselves.
    of_records: BTreeMap<TypeId, Vec<(&'m str, Ts)>>,
    /// Of records that are used elsewhere too, by the union and the index of the variant.
    of_variants: BTreeMap<(TypeId, usize), Vec<(&'m str, Ts)>>,
}

impl<'m> Excluded<'m> {
    pub(super) fn of(model: &'m Model<'_>) -> Self {
        let mut excluded = Self::default();
        let mut uses = None;
        for (index, def) in model.types.iter().enumerate() {
            if let Shape::Union(union) = &def.shape
                && union.tag.is_none()
            {
                let uses = uses.get_or_insert_with(|| inline::uses(model));
                excluded.add(model, TypeId(index), union, uses);
            }
        }
        excluded
    }

    /// The properties that the declaration of a record has.
    pub(super) fn of_record(&self, id: TypeId) -> Vec<Property> {
        properties(self.of_records.get(&id))
    }

    /// The properties that a union adds to its variant at an index.
    pub(super) fn of_variant(&self, union: TypeId, index: usize) -> Vec<Property> {
        properties(self.of_variants.get(&(union, index)))
    }

    fn add(&mut self, model: &'m Model<'_>, id: TypeId, union: &'m Union, uses: &[usize]) {
        let variants = union.variants.iter().enumerate();
        let records: Vec<_> =
            variants.filter_map(|(index, variant)| Some((index, variant, record(model, &variant.ty, uses)?))).collect();
        let mut names: Vec<&'m str> = Vec::new();
        for field in records.iter().flat_map(|(.., (_, record, _))| &record.fields) {
            if !names.contains(&field.name.as_str()) && !INHERITED.contains(&field.name.as_str()) {
                names.push(&field.name);
            }
            if names.len() > MAX_NAMES {
                return;
            }
        }
        for (index, variant, (record_id, record, is_own)) in records {
            let own: HashSet<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
            let others = names.iter().copied().filter(|name| !own.contains(name));
            match &record.rest {
                Rest::Closed if is_own => {
                    self.of_records.insert(record_id, others.map(|name| (name, Ts::NEVER)).collect());
                }
                // Only Rust drops undeclared properties, and keeps them for comparisons.
                rest if matches!(rest, Rest::Ignored) || record.is_rest_compared => {
                    let others = others.map(|name| (name, remaining(variant, name))).collect();
                    if is_own {
                        self.of_records.insert(record_id, others);
                    } else {
                        self.of_variants.insert((id, index), others);
                    }
                }
                // An index signature allows every property.
                Rest::Closed | Rest::Ignored | Rest::Kept(_) => {}
            }
        }
    }
}

fn properties(excluded: Option<&Vec<(&str, Ts)>>) -> Vec<Property> {
    let excluded = excluded.into_iter().flatten();
    excluded.map(|(name, ty)| Property::new(name, ty.clone()).optional(true)).collect()
}

/// The type that an undeclared property has in an open variant.
fn remaining(variant: &Variant, name: &str) -> Ts {
    let excluded = variant.excluded.iter().filter(|(excluded, _)| excluded == name);
    let excluded = excluded.fold(TypeSet::EMPTY, |all, (_, types)| all.union(*types));
    let unknown = || Box::new(Ts::UNKNOWN);
    let all = [
        (SchemaType::Null, Ts::Keyword(Keyword::Null)),
        (SchemaType::Boolean, Ts::BOOLEAN),
        (SchemaType::Number, Ts::NUMBER),
        (SchemaType::String, Ts::STRING),
        (SchemaType::Array, Ts::Array(unknown())),
        (SchemaType::Object, Ts::object(vec![Property::index(Ts::UNKNOWN)])),
    ];
    if all.iter().all(|(t, _)| !excluded.contains(*t)) {
        return Ts::UNKNOWN;
    }
    union(all.into_iter().filter(|(t, _)| !excluded.contains(*t)).map(|(_, ty)| ty))
}

/// The record that a type is, through aliases, and whether only the type itself refers to it.
fn record<'m>(model: &'m Model<'_>, ty: &Type, uses: &[usize]) -> Option<(TypeId, &'m Record, bool)> {
    let mut ty = ty;
    let mut is_own = true;
    loop {
        let Type::Named { id, .. } = ty else { return None };
        let def = &model[*id];
        is_own &= def.origin == Origin::Place && uses.get(id.0) == Some(&1);
        match &def.shape {
            Shape::Record(record) => return Some((*id, record, is_own)),
            Shape::Alias { target, distinct: false, .. } => ty = target,
            _ => return None,
        }
    }
}
