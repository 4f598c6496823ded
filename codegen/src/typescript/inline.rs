//! Determines the types that have no name in the output, because they are written where they are used.

use crate::model::{Model, Origin, Shape, Type, TypeId};

/// Types inside types that have no name are at most this deep.
const MAX_DEPTH: usize = 16;

/// Whether each type is written where it is used: enums, and unions and arrays of them and of scalars, that are used
/// once. This way, the output is never larger than the model, and recursion always goes through a name.
pub(super) fn inlined(model: &Model<'_>) -> Vec<bool> {
    let uses = uses(model);
    let candidates: Vec<bool> = model
        .types
        .iter()
        .zip(uses)
        .map(|(def, uses)| uses == 1 && def.origin == Origin::Place && !matches!(def.shape, Shape::Record(_)))
        .collect();
    let mut inline = Inline { model, candidates, verdicts: vec![None; model.types.len()] };
    (0..model.types.len()).map(|index| inline.verdict(TypeId(index), 0)).collect()
}

struct Inline<'m> {
    model: &'m Model<'m>,
    candidates: Vec<bool>,
    verdicts: Vec<Option<bool>>,
}

impl Inline<'_> {
    fn verdict(&mut self, id: TypeId, depth: usize) -> bool {
        if let Some(verdict) = self.verdicts.get(id.0).copied().flatten() {
            return verdict;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        // A type that is reached again before it has a verdict is recursive and needs a name.
        self.set(id, false);
        let candidate = self.candidates.get(id.0).copied().unwrap_or(false);
        let model = self.model;
        let verdict = candidate
            && match &model[id].shape {
                Shape::Record(_) => false,
                Shape::Enum(_) => true,
                Shape::Union(union) => union.variants.iter().all(|variant| self.is_simple(&variant.ty, depth)),
                Shape::Alias { target, distinct, .. } => !distinct && self.is_simple(target, depth),
            };
        self.set(id, verdict);
        verdict
    }

    fn set(&mut self, id: TypeId, verdict: bool) {
        if let Some(slot) = self.verdicts.get_mut(id.0) {
            *slot = Some(verdict);
        }
    }

    fn is_simple(&mut self, ty: &Type, depth: usize) -> bool {
        match ty {
            Type::Array { item, .. } | Type::Map(item) | Type::Nullable(item) => self.is_simple(item, depth),
            Type::Tuple(tuple) => tuple.items.iter().chain(&tuple.rest).all(|item| self.is_simple(item, depth)),
            Type::Named { id, .. } => self.verdict(*id, depth + 1),
            _ => true,
        }
    }
}

/// How often each type would be written if it had no name.
pub(super) fn uses(model: &Model<'_>) -> Vec<usize> {
    let mut uses = vec![0usize; model.types.len()];
    for capability in &model.capabilities {
        capability.roots().for_each(|(_, id)| add(&mut uses, id, 1));
    }
    for def in &model.types {
        def.shape.each_type(&mut |ty| add_uses(&mut uses, ty, 1));
    }
    uses
}

fn add_uses(uses: &mut [usize], ty: &Type, times: usize) {
    let repeated = |min: u64, max: Option<u64>| times + usize::from(super::types::copies(min, max) > 1);
    match ty {
        Type::Array { item, min, max } => add_uses(uses, item, repeated(*min, *max)),
        Type::Tuple(tuple) => {
            tuple.items.iter().for_each(|item| add_uses(uses, item, times));
            let (min, max) = tuple.rest_bounds();
            tuple.rest.iter().for_each(|rest| add_uses(uses, rest, repeated(min, max)));
        }
        Type::Map(item) | Type::Nullable(item) => add_uses(uses, item, times),
        Type::Named { id, .. } => add(uses, *id, times),
        _ => {}
    }
}

fn add(uses: &mut [usize], id: TypeId, times: usize) {
    if let Some(slot) = uses.get_mut(id.0) {
        *slot += times;
    }
}
