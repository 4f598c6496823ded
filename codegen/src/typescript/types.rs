//! Types of the model to TypeScript types.

use super::exclude::Excluded;
use super::syntax::{Keyword, Property, Type as Ts, union};
use super::{doc, inline, printer};
use crate::model::{Field, Member, Model, Record, Rest, Shape, Tuple, Type, TypeId, Variant};

/// The most elements that a tuple writes out.
const MAX_TUPLE: u64 = 8;
/// Arrays whose tuple would be wider are written without their bounds.
const MAX_TUPLE_WIDTH: usize = 240;
/// An index signature whose type would be wider gets `unknown`.
const MAX_INDEX_WIDTH: usize = 240;

/// The properties of `Object.prototype`. An object always has a property of such a name, both for the compiler and when
/// it is read, so it cannot be optional.
pub(super) const INHERITED: [&str; 7] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// A model, and which of its types are inlined or exclude properties in TypeScript.
pub(super) struct Types<'m> {
    model: &'m Model<'m>,
    inlined: Vec<bool>,
    excluded: Excluded<'m>,
}

impl<'m> Types<'m> {
    pub(super) fn new(model: &'m Model<'m>) -> Self {
        Self { model, inlined: inline::inlined(model), excluded: Excluded::of(model) }
    }

    pub(super) fn model(&self) -> &'m Model<'m> {
        self.model
    }

    /// Whether the type has a name in the output.
    pub(super) fn is_exported(&self, id: TypeId) -> bool {
        !self.inlined.get(id.0).copied().unwrap_or(false)
    }

    /// The definition of a named type.
    pub(super) fn body(&self, id: TypeId) -> Ts {
        match &self.model[id].shape {
            Shape::Record(record) => self.record(id, record),
            Shape::Enum(members) => union(members.iter().map(|member| Ts::of_value(&member.value))),
            Shape::Union(of) => {
                let variant = |(index, variant): (usize, &Variant)| {
                    Ts::intersection(self.of(&variant.ty), self.excluded.of_variant(id, index))
                };
                union(of.variants.iter().enumerate().map(variant))
            }
            Shape::Alias { target, .. } => self.of(target),
        }
    }

    pub(super) fn of(&self, ty: &Type) -> Ts {
        match ty {
            Type::Unknown => Ts::UNKNOWN,
            Type::Never => Ts::NEVER,
            Type::Null => Ts::Keyword(Keyword::Null),
            Type::Boolean => Ts::BOOLEAN,
            Type::Integer { .. } | Type::Number => Ts::NUMBER,
            Type::String => Ts::STRING,
            Type::Array { item, .. } if self.model.options.plain_arrays => Ts::array(self.of(item)),
            Type::Array { item, min, max } => array(self.of(item), *min, *max),
            Type::Tuple(tuple) => self.tuple(tuple),
            Type::Map(value) => Ts::object(vec![Property::index(self.of(value))]),
            Type::Nullable(inner) => union([self.of(inner), Ts::Keyword(Keyword::Null)]),
            Type::Named { id, .. } if self.is_exported(*id) => Ts::name(&self.model[*id].name),
            Type::Named { id, .. } => self.body(*id),
        }
    }

    /// A tuple whose first items have types of their own. Plain arrays do not repeat the type of the items after them.
    fn tuple(&self, tuple: &Tuple) -> Ts {
        let item = |(at, item): (usize, &Type)| match tuple.is_optional(at) {
            true => Ts::Optional(Box::new(self.of(item))),
            false => self.of(item),
        };
        let mut all: Vec<Ts> = tuple.items.iter().enumerate().map(item).collect();
        if let Some(rest) = &tuple.rest {
            let rest = self.of(rest);
            let (min, max) = if self.model.options.plain_arrays { (0, None) } else { tuple.rest_bounds() };
            all.extend(elements(&rest, min, max).unwrap_or_else(|| vec![rest_of(rest)]));
        }
        Ts::Tuple(all)
    }

    fn record(&self, id: TypeId, record: &Record) -> Ts {
        let mut members: Vec<Property> = record.fields.iter().map(|field| self.field(field)).collect();
        members.extend(self.excluded.of_record(id));
        // TypeScript drops no property, so it needs no place for those that Rust keeps for comparisons alone.
        if let Rest::Kept(value) = &record.rest
            && !record.is_rest_compared
        {
            let index = index(self.of(value), &members);
            members.push(Property::index(index));
        }
        Ts::object(members)
    }

    fn field(&self, field: &Field) -> Property {
        let mut ty = self.of(&field.ty);
        if !field.required && INHERITED.contains(&field.name.as_str()) {
            ty = union([ty, Ts::Inherited(field.name.clone())]);
        }
        Property::new(&field.name, ty).optional(!field.required).doc(doc::of_field(field, self.listed(&field.ty)))
    }

    /// The values of an enum that has no name of its own.
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

/// The type of an index signature, which must also allow the types of the named members.
fn index(value: Ts, members: &[Property]) -> Ts {
    let mut types = vec![value];
    types.extend(members.iter().map(|member| member.ty.clone()));
    if members.iter().any(|member| member.is_optional) {
        types.push(Ts::Keyword(Keyword::Undefined));
    }
    let index = union(types);
    if printer::width_of_type(&index) > MAX_INDEX_WIDTH { Ts::UNKNOWN } else { index }
}

/// How often the tuple of an array with these bounds repeats its item; 1 for a plain array.
pub(super) fn copies(min: u64, max: Option<u64>) -> u64 {
    match max {
        Some(max) if max <= MAX_TUPLE => max,
        _ if min <= MAX_TUPLE => min + 1,
        _ => 1,
    }
}

fn array(item: Ts, min: u64, max: Option<u64>) -> Ts {
    match elements(&item, min, max) {
        Some(elements) => Ts::Tuple(elements),
        None => Ts::array(item),
    }
}

/// The elements of a tuple of equal items with these bounds; `None` if it would be a plain array or too wide.
fn elements(item: &Ts, min: u64, max: Option<u64>) -> Option<Vec<Ts>> {
    let bounded = max.filter(|max| *max <= MAX_TUPLE);
    let is_plain = bounded.is_none() && (min == 0 || min > MAX_TUPLE);
    let too_wide =
        usize::try_from(copies(min, max)).unwrap_or(0) * (printer::width_of_type(item) + 2) > MAX_TUPLE_WIDTH;
    if is_plain || too_wide {
        return None;
    }
    let mut elements: Vec<Ts> = (0..min).map(|_| item.clone()).collect();
    match bounded {
        Some(max) => elements.extend((min..max).map(|_| Ts::Optional(Box::new(item.clone())))),
        None => elements.push(rest_of(item.clone())),
    }
    Some(elements)
}

/// The elements of a tuple from here on.
fn rest_of(item: Ts) -> Ts {
    Ts::Rest(Box::new(Ts::array(item)))
}
