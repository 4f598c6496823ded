//! Places where a reference is combined with other schemas. They can lead back to themselves, so each conjunction of
//! this kind gets one type, which is used wherever the conjunction occurs again, also inside itself.

use std::collections::{HashMap, HashSet};

use capgen_schema::analysis::conjunction::{Conjunction, ConjunctionKey, Term};
use capgen_schema::{Kind, NodeId};

use super::alias::{Alias, alias_of};
use super::guard::{self, ExactGuard};
use super::scalar::{self, scalar};
use super::{Lowering, Place, alias_shape};
use crate::model::{Guard, Origin, Type, TypeId};

/// Places inside more places than this get their types from the queue, so that the call stack does not grow with the
/// number of conjunctions. Schemas have at most 64 levels, so only combined references lead deeper.
const MAX_DEPTH: usize = 96;

/// The types of conjunctions that contain references.
pub(super) type Reused = HashMap<ConjunctionKey, Reuse>;

/// The type of a conjunction that can occur again.
pub(super) enum Reuse {
    /// It is being built at this place. The id is that of its definition, which it gets if it occurs inside itself.
    Open(Place, Option<TypeId>),
    Built(Type, ExactGuard),
}

impl Lowering<'_, '_> {
    /// Whether a reference is combined with another schema.
    pub(super) fn is_merged(&self, conjunction: &Conjunction) -> bool {
        self.reaches_reference(conjunction, false)
    }

    /// Whether the branches of a union combine a reference with another schema: with another branch or with the
    /// assertions next to the union.
    pub(super) fn is_combined_in_a_union(&mut self, conjunction: &Conjunction) -> bool {
        if !self.reaches_reference(conjunction, true) {
            return false;
        }
        let facets = self.facets(conjunction);
        let Some(union) = facets.unions.first().filter(|_| facets.values.is_none()) else { return false };
        union.branches.iter().any(|branch| {
            let combined = conjunction.distribute(&facets, union, *branch);
            let is_alias = matches!(alias_of(self.schema, &combined), Some(Alias::Ref(_) | Alias::Anything));
            !is_alias && self.reaches_reference(&combined, true)
        })
    }

    /// Whether a reference applies to the value of the conjunction, through `allOf` and, if asked for, through unions.
    fn reaches_reference(&self, conjunction: &Conjunction, through_unions: bool) -> bool {
        let mut stack: Vec<Term> = conjunction.terms.clone();
        let mut seen: HashSet<NodeId> = HashSet::new();
        while let Some(term) = stack.pop() {
            if !seen.insert(term.node) {
                continue;
            }
            match &self.schema.node(term.node).kind {
                Kind::Ref(_) => return true,
                Kind::Assertions(group) => {
                    let one_of = group.one_of.iter().filter(|_| through_unions && !term.without_one_of);
                    let any_of = group.any_of.iter().filter(|_| through_unions && !term.without_any_of);
                    let applied = group.all_of.iter().chain(one_of).chain(any_of).flatten();
                    stack.extend(applied.copied().map(Term::new));
                }
                Kind::Bool(_) => {}
            }
        }
        false
    }

    /// The type of a reference that is combined with another schema: built once, from the queue.
    pub(super) fn merge(&mut self, conjunction: &Conjunction, place: &Place) -> (Type, ExactGuard) {
        let key = conjunction.key(self.schema);
        if let Some(reused) = self.reuse(&key, conjunction) {
            return reused;
        }
        if self.long_list(conjunction).is_some() {
            return self.build_later(key, conjunction, place);
        }
        let facets = self.facets(conjunction);
        if facets.is_never() {
            return (Type::Never, Some(Guard::None));
        }
        // A scalar contains no other place and needs no definition.
        if facets.unions.is_empty()
            && facets.values.is_none()
            && let Some(scalar) = scalar(&facets)
            && self.size.take(&facets)
        {
            let guard = guard::scalar(&facets, &scalar);
            return (scalar, guard);
        }
        self.build_later(key, conjunction, place)
    }

    /// The type of a place for which [`is_combined_in_a_union`](Self::is_combined_in_a_union) is true.
    pub(super) fn build_once(&mut self, conjunction: &Conjunction, place: &Place) -> (Type, ExactGuard) {
        let key = conjunction.key(self.schema);
        if let Some(reused) = self.reuse(&key, conjunction) {
            return reused;
        }
        if self.depth >= MAX_DEPTH {
            return self.build_later(key, conjunction, place);
        }
        self.reused.insert(key.clone(), Reuse::Open(place.clone(), None));
        let (built, guard) = self.build_inside(conjunction, place);
        let (ty, guard) = match self.reused.remove(&key) {
            Some(Reuse::Open(_, Some(id))) => {
                self.complete(id, conjunction, built, guard);
                reference(id)
            }
            _ => self.name(built, guard, conjunction, place),
        };
        self.reused.insert(key, Reuse::Built(ty.clone(), guard.clone()));
        (ty, guard)
    }

    fn build_later(&mut self, key: ConjunctionKey, conjunction: &Conjunction, place: &Place) -> (Type, ExactGuard) {
        let (ty, guard) = reference(self.define(place.clone(), Origin::Place, conjunction.clone()));
        self.reused.insert(key, Reuse::Built(ty.clone(), guard.clone()));
        (ty, guard)
    }

    /// The type of a conjunction that occurred before, or of one that contains this place.
    fn reuse(&mut self, key: &ConjunctionKey, conjunction: &Conjunction) -> Option<(Type, ExactGuard)> {
        let place = match self.reused.get(key)? {
            Reuse::Built(ty, guard) => return Some((ty.clone(), guard.clone())),
            Reuse::Open(_, Some(id)) => return Some(reference(*id)),
            Reuse::Open(place, None) => place.clone(),
        };
        let coverage = guard::coverage(self.schema, conjunction, true);
        let shape = alias_shape(Type::Unknown, Guard::None);
        let id = self.push(place.clone(), Origin::Place, None, shape, coverage);
        self.reused.insert(key.clone(), Reuse::Open(place, Some(id)));
        Some(reference(id))
    }
}

/// A type by its definition, which checks everything itself.
fn reference(id: TypeId) -> (Type, ExactGuard) {
    (scalar::named(id, false), Some(Guard::None))
}
