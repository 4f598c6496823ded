//! Arrays whose items are described by their position.

use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::facets::{Facets, Limits};

use super::guard::{self, ExactGuard};
use super::widened::Limit;
use super::{Lowering, Place};
use crate::model::{Guard, Tuple, Type};

/// The most items that have types of their own. A longer list describes a table rather than a value with parts, and
/// its type would make compilers slow.
pub(super) const MAX_POSITIONS: usize = 64;

/// The schemas of the items of an array.
pub(super) struct Positions {
    /// Of the first items, one each; at least one.
    first: Vec<Conjunction>,
    /// Of all items after them.
    rest: Conjunction,
}

impl<'a> Lowering<'a, '_> {
    /// The schemas of the items by position; `None` if all items have the same, or if there are too many positions.
    pub(super) fn positions(&mut self, facets: &Facets<'a>) -> Option<Positions> {
        let count = facets.groups.iter().map(|group| group.tuple.len()).max().filter(|count| *count > 0)?;
        if count > MAX_POSITIONS {
            self.widened.insert((self.index, self.part, Limit::Positions));
            return None;
        }
        let at = |index: usize| Conjunction::of(facets.groups.iter().filter_map(move |group| group.item_at(index)));
        Some(Positions { first: (0..count).map(at).collect(), rest: at(count) })
    }

    /// The type of an array whose items have types by their position, and the guard that it needs.
    pub(super) fn tuple(&mut self, facets: &Facets<'a>, positions: Positions, place: &Place) -> (Type, ExactGuard) {
        let Limits { min, mut max, .. } = facets.item_counts();
        let (mut items, mut guards) = (Vec::new(), Some(Vec::new()));
        for (index, conjunction) in positions.first.iter().enumerate() {
            if max.is_some_and(|max| max <= index as u64) {
                break;
            }
            let at = place.child(&format!("Item{}", index + 1), "items", Some(&index.to_string()));
            let (ty, guard) = self.place(conjunction, &at);
            if ty == Type::Never {
                max = Some(index as u64);
                break;
            }
            items.push(ty);
            guards = guards.zip(guard).map(|(mut guards, guard): (Vec<Guard>, Guard)| {
                guards.push(guard);
                guards
            });
        }
        let mut rest = None;
        if max.is_none_or(|max| max > items.len() as u64) {
            let (ty, guard) = self.place(&positions.rest, &place.child("Item", "additionalItems", None));
            if ty == Type::Never {
                max = Some(items.len() as u64);
            } else {
                guards = guards.filter(|_| guard == Some(Guard::None));
                rest = Some(ty);
            }
        }
        if max.is_some_and(|max| max < min) {
            return (Type::Never, Some(Guard::None));
        }
        let ty = array_of(items, rest, min, max);
        let guard = guards.and_then(|guards| match &ty {
            Type::Array { item, .. } if guards.iter().all(|guard| *guard == Guard::None) => {
                guard::list(facets, self.types, item, Guard::None)
            }
            ty => guard::tuple(facets, ty, guards),
        });
        if guard.is_none() && facets.has_unique_items() {
            self.compared.push(ty.clone());
        }
        (ty, guard)
    }
}

/// The type of an array with these items: a tuple, unless none of them has a type of its own.
fn array_of(items: Vec<Type>, rest: Option<Type>, min: u64, max: Option<u64>) -> Type {
    if items.is_empty() {
        return Type::Array { item: Box::new(Type::Never), min, max };
    }
    if rest == Some(Type::Unknown) && items.iter().all(|item| *item == Type::Unknown) {
        return Type::Array { item: Box::new(Type::Unknown), min, max };
    }
    Type::Tuple(Box::new(Tuple { items, rest, min, max }))
}
