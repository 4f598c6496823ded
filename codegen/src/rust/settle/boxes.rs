//! Boxes: a type that contains itself directly would have no size in Rust.

use std::collections::HashSet;

use super::set;
use crate::model::{Shape, Type, TypeDef, TypeId};

/// The indexes of types in an order that does not depend on the file, and the rank of each type in it.
fn by_identity(types: &[TypeDef]) -> (Vec<usize>, Vec<usize>) {
    let mut sorted: Vec<(Vec<u8>, usize)> =
        types.iter().enumerate().map(|(at, def)| (def.identity(&def.name), at)).collect();
    sorted.sort_unstable();
    let mut ranks = vec![0; types.len()];
    sorted.iter().enumerate().for_each(|(rank, (_, at))| set(&mut ranks, *at, rank));
    (sorted.into_iter().map(|(_, at)| at).collect(), ranks)
}

/// Boxes the fields that close a cycle of types that contain one another directly. Depth first in the order of the
/// identities of types: boxes are part of the types of fields, so they must not move if the file is sorted.
pub(super) fn mark(types: &mut [TypeDef]) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let (sorted, ranks) = by_identity(types);
    let inline: Vec<Vec<usize>> = types
        .iter()
        .map(|def| {
            let mut targets = inline_targets(&def.shape);
            targets.sort_unstable_by_key(|to| ranks.get(*to));
            targets
        })
        .collect();
    let mut state = vec![State::New; types.len()];
    let mut boxed: HashSet<(usize, usize)> = HashSet::new();
    for start in sorted {
        let mut stack = vec![(start, 0)];
        while let Some((at, edge)) = stack.pop() {
            if edge == 0 {
                if state.get(at) != Some(&State::New) {
                    continue;
                }
                set(&mut state, at, State::Open);
            }
            let Some(&to) = inline.get(at).and_then(|edges| edges.get(edge)) else {
                set(&mut state, at, State::Done);
                continue;
            };
            stack.push((at, edge + 1));
            match state.get(to) {
                Some(State::Open) => {
                    boxed.insert((at, to));
                }
                Some(State::New) => stack.push((to, 0)),
                _ => {}
            }
        }
    }
    for (from, def) in types.iter_mut().enumerate() {
        each_inline_mut(&mut def.shape, &mut |id, is_boxed| *is_boxed = boxed.contains(&(from, id.0)));
    }
}

fn inline_targets(shape: &Shape) -> Vec<usize> {
    let mut targets = Vec::new();
    shape.each_part(&mut |ty| add_inline(ty, &mut targets));
    targets
}

fn add_inline(ty: &Type, targets: &mut Vec<usize>) {
    match ty {
        Type::Named { id, .. } => targets.push(id.0),
        Type::Nullable(inner) => add_inline(inner, targets),
        Type::Tuple(tuple) => tuple.items.iter().for_each(|item| add_inline(item, targets)),
        _ => {}
    }
}

fn each_inline_mut(shape: &mut Shape, f: &mut impl FnMut(TypeId, &mut bool)) {
    shape.each_part_mut(&mut |ty| inline_mut(ty, f));
}

fn inline_mut(ty: &mut Type, f: &mut impl FnMut(TypeId, &mut bool)) {
    match ty {
        Type::Named { id, boxed } => f(*id, boxed),
        Type::Nullable(inner) => inline_mut(inner, f),
        Type::Tuple(tuple) => tuple.items.iter_mut().for_each(|item| inline_mut(item, f)),
        _ => {}
    }
}
