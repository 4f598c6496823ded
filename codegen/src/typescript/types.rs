//! The types of the model as TypeScript's.

use std::collections::BTreeMap;

use super::syntax::{self, Property, Ts};
use super::{doc, exclude, inline, literal};
use crate::model::{Field, Member, Model, Record, Rest, Shape, Type, TypeId};

/// The most elements that a tuple writes out.
const MAX_TUPLE: u64 = 8;
/// Arrays whose tuple would be wider are written without their bounds.
const MAX_TUPLE_WIDTH: usize = 240;
/// An index signature whose type would be wider is `unknown`.
const MAX_INDEX_WIDTH: usize = 240;

/// What `Object.prototype` has: an optional property of that name is never just absent, neither to the compiler nor when
/// it is read.
pub(super) const INHERITED: [&str; 7] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// A model with what is known of its types in TypeScript.
pub(super) struct Types<'m> {
    model: &'m Model<'m>,
    inlined: Vec<bool>,
    excluded: BTreeMap<TypeId, Vec<&'m str>>,
}

impl<'m> Types<'m> {
    pub(super) fn new(model: &'m Model<'m>) -> Self {
        Self { model, inlined: inline::inlined(model), excluded: exclude::excluded(model) }
    }

    pub(super) fn model(&self) -> &'m Model<'m> {
        self.model
    }

    /// Whether the type has a name in the output.
    pub(super) fn is_exported(&self, id: TypeId) -> bool {
        !self.inlined.get(id.0).copied().unwrap_or(false)
    }

    /// What a named type stands for.
    pub(super) fn body(&self, id: TypeId) -> Ts {
        match &self.model[id].shape {
            Shape::Record(record) => self.record(id, record),
            Shape::Enum(members) => syntax::union(members.iter().map(|member| literal::type_of(&member.value))),
            Shape::Union(union) => syntax::union(union.variants.iter().map(|variant| self.of(&variant.ty))),
            Shape::Alias { target, .. } => self.of(target),
        }
    }

    pub(super) fn of(&self, ty: &Type) -> Ts {
        match ty {
            Type::Unknown => syntax::text("unknown"),
            Type::Never => syntax::text("never"),
            Type::Null => syntax::text("null"),
            Type::Boolean => syntax::text("boolean"),
            Type::Integer { .. } | Type::Number => syntax::text("number"),
            Type::String => syntax::text("string"),
            Type::Array { item, min, max } => array(self.of(item), *min, *max),
            Type::Map(value) => syntax::map(self.of(value)),
            Type::Nullable(inner) => syntax::union([self.of(inner), syntax::text("null")]),
            Type::Named { id, .. } if self.is_exported(*id) => syntax::text(self.model[*id].name.clone()),
            Type::Named { id, .. } => self.body(*id),
        }
    }

    fn record(&self, id: TypeId, record: &Record) -> Ts {
        let mut members: Vec<Property> = record.fields.iter().map(|field| self.field(field)).collect();
        let excluded = self.excluded.get(&id).into_iter().flatten();
        members.extend(
            excluded.map(|name| Property::new(&format!("{}?", literal::property(name)), syntax::text("never"))),
        );
        if let Rest::Kept(value) = &record.rest {
            let index = index(self.of(value), &members);
            members.push(Property::index(index));
        }
        syntax::object(members)
    }

    fn field(&self, field: &Field) -> Property {
        let mark = if field.required { "" } else { "?" };
        let mut ty = self.of(&field.ty);
        if !field.required && INHERITED.contains(&field.name.as_str()) {
            ty = syntax::union([ty, syntax::text(format!("Object[{}]", literal::string(&field.name)))]);
        }
        Property::new(&format!("{}{mark}", literal::property(&field.name)), ty)
            .doc(doc::of_field(field.description.as_deref(), self.listed(&field.ty)))
    }

    /// The values of a place whose type has no name.
    fn listed(&self, ty: &Type) -> Option<&'m [Member]> {
        match ty {
            Type::Named { id, .. } if !self.is_exported(*id) => match &self.model[*id].shape {
                Shape::Enum(members) => Some(members),
                _ => None,
            },
            Type::Array { item, .. } | Type::Map(item) | Type::Nullable(item) => self.listed(item),
            _ => None,
        }
    }
}

/// The type of an index signature, which has to allow what the named members are.
fn index(value: Ts, members: &[Property]) -> Ts {
    let mut types = vec![value];
    types.extend(members.iter().map(|member| member.ty.clone()));
    if members.iter().any(|member| member.name.ends_with('?')) {
        types.push(syntax::text("undefined"));
    }
    let index = syntax::union(types);
    if index.width > MAX_INDEX_WIDTH { syntax::text("unknown") } else { index }
}

/// How often the tuple of an array with these bounds has its item; 1 for a plain array.
pub(super) fn copies(min: u64, max: Option<u64>) -> u64 {
    match max {
        Some(max) if max <= MAX_TUPLE => max,
        _ if min <= MAX_TUPLE => min + 1,
        _ => 1,
    }
}

fn array(item: Ts, min: u64, max: Option<u64>) -> Ts {
    let bounded = max.filter(|max| *max <= MAX_TUPLE);
    let is_plain = bounded.is_none() && (min == 0 || min > MAX_TUPLE);
    let too_wide = usize::try_from(copies(min, max)).unwrap_or(0) * (item.width + 2) > MAX_TUPLE_WIDTH;
    if is_plain || too_wide {
        return syntax::array(item);
    }
    let mut elements: Vec<Ts> = (0..min).map(|_| item.clone()).collect();
    match bounded {
        Some(max) => elements.extend((min..max).map(|_| syntax::optional(item.clone()))),
        None => elements.push(syntax::rest(syntax::array(item))),
    }
    syntax::tuple(elements)
}
