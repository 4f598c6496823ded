//! The limit on how deeply types are nested, which compilers impose.

use crate::model::{Shape, Type, TypeDef};

/// rustc follows a type into its parts 128 steps deep to find out whether it is `Send` or how it is dropped. The default
/// recursion limit of a crate is 128, and generated code must compile inside any crate.
const MAX_HEIGHT: usize = 100;

/// Steps from a `Vec` or a `BTreeMap` to its items, through types of the standard library.
const COLLECTION: usize = 5;

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done(usize),
}

/// Widens the types that are nested too deeply to [`Type::Unknown`]. The types around them then check less than their schemas.
/// A reference back to a type that is being visited adds nothing, since a recursive type is boxed.
pub(super) fn limit(types: &mut [TypeDef]) {
    let mut states = vec![State::New; types.len()];
    for start in 0..types.len() {
        let mut stack = vec![start];
        while let Some(&at) = stack.last() {
            let Some(def) = types.get_mut(at) else { break };
            let state = states.get(at).copied().unwrap_or(State::Open);
            if state == State::New {
                set(&mut states, at, State::Open);
                let needs = needs(&def.shape);
                stack.extend(needs.into_iter().rev().filter(|id| states.get(*id) == Some(&State::New)));
                continue;
            }
            if state == State::Open {
                let own = usize::from(!matches!(def.shape, Shape::Alias { .. }));
                let mut height = 0;
                let mut is_cut = false;
                def.shape.each_type_mut(&mut |ty| height = height.max(lower(ty, own, &states, &mut is_cut)));
                def.coverage.is_exact &= !is_cut;
                set(&mut states, at, State::Done(own + height));
            }
            stack.pop();
        }
    }
}

fn set(states: &mut [State], at: usize, state: State) {
    if let Some(slot) = states.get_mut(at) {
        *slot = state;
    }
}

fn needs(shape: &Shape) -> Vec<usize> {
    let mut needs = Vec::new();
    shape.each_type(&mut |ty| needs.extend(ty.named().map(|id| id.0)));
    needs
}

/// Widens a type if necessary, and returns its height. `above` is how deep it is nested inside its definition.
fn lower(ty: &mut Type, above: usize, states: &[State], is_cut: &mut bool) -> usize {
    let height = match ty {
        Type::Array { item: inner, .. } | Type::Map(inner) => {
            COLLECTION + lower(inner, above + COLLECTION, states, is_cut)
        }
        Type::Nullable(inner) => 1 + lower(inner, above + 1, states, is_cut),
        Type::Named { id, .. } => match states.get(id.0) {
            Some(State::Done(height)) => *height,
            _ => 0,
        },
        _ => 0,
    };
    let is_null_of_anything = matches!(ty, Type::Nullable(inner) if **inner == Type::Unknown);
    // An optional field adds one step.
    if is_null_of_anything || above + height + 1 > MAX_HEIGHT {
        *ty = Type::Unknown;
        *is_cut = true;
        return 0;
    }
    height
}
