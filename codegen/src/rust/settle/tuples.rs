//! Tuples that Rust cannot express: those of several lengths, and those with more items than a tuple with traits may
//! have.

use crate::model::{Type, TypeDef};

/// Makes such tuples arrays of any values, whose guards leave them to the interpreter. Returns whether there are any.
pub(super) fn widen(types: &mut [TypeDef]) -> bool {
    let mut is_widened = false;
    for def in types {
        def.shape.each_type_mut(&mut |ty| is_widened |= widen_in(ty));
    }
    is_widened
}

fn widen_in(ty: &mut Type) -> bool {
    let is_fixed = ty.fixed().is_some();
    match ty {
        Type::Array { item, .. } | Type::Map(item) | Type::Nullable(item) => widen_in(item),
        Type::Tuple(tuple) if is_fixed => {
            let mut is_widened = false;
            tuple.items.iter_mut().for_each(|item| is_widened |= widen_in(item));
            is_widened
        }
        Type::Tuple(tuple) => {
            *ty = Type::Array { item: Box::new(Type::Unknown), min: tuple.min, max: tuple.max };
            true
        }
        _ => false,
    }
}
