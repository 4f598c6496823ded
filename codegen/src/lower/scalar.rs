//! Places whose values all have one scalar type.

use capgen_schema::analysis::facets::Facets;
use capgen_schema::{Number, Type as SchemaType, TypeSet};

use crate::model::{Type, TypeId};

/// The type of a place whose values all have one scalar type, or are `null`; `None` if there are other values.
pub(super) fn scalar(facets: &Facets<'_>) -> Option<Type> {
    let nullable = facets.types.contains(SchemaType::Null);
    let mut types = facets.types.iter().filter(|t| *t != SchemaType::Null);
    let scalar = match (types.next(), types.next()) {
        (None, None) => return Some(Type::Null),
        (Some(SchemaType::Boolean), None) => Type::Boolean,
        (Some(SchemaType::Integer), None) => Type::Integer { unsigned: is_unsigned(facets) },
        (Some(SchemaType::Number), None) => Type::Number,
        (Some(SchemaType::String), None) => Type::String,
        _ => return None,
    };
    Some(nullable_if(scalar, nullable))
}

/// Whether the bounds exclude every negative integer.
fn is_unsigned(facets: &Facets<'_>) -> bool {
    let minus_one = Number::from(-1_i64);
    let excludes = |limit: &Number, is_exclusive| *limit > minus_one || (is_exclusive && *limit == minus_one);
    facets.bounds().any(|bound| bound.is_lower && excludes(bound.limit, bound.is_exclusive))
}

/// The type, or `null` too if `nullable`.
pub(super) fn nullable_if(ty: Type, nullable: bool) -> Type {
    match ty {
        Type::Never if nullable => Type::Null,
        Type::Unknown | Type::Null | Type::Nullable(_) => ty,
        ty if nullable => Type::Nullable(Box::new(ty)),
        ty => ty,
    }
}

/// A type by its definition, or `null` too if `nullable`.
pub(super) fn named(id: TypeId, nullable: bool) -> Type {
    nullable_if(Type::Named { id, boxed: false }, nullable)
}

/// Whether the set contains every type, `null` included.
pub(super) fn is_everything(types: TypeSet) -> bool {
    types == TypeSet::ALL
}
