//! Aliases that must be new types: Rust resolves a `type`, so it can neither lead back to itself nor have other traits
//! than its target.

use super::set;
use crate::model::{Origin, Shape, Type, TypeDef};

/// Marks aliases that refer to themselves through aliases only, which Rust does not allow.
pub(super) fn mark_recursive_aliases(types: &mut [TypeDef]) {
    let edges: Vec<Vec<usize>> = types
        .iter()
        .map(|def| match &def.shape {
            Shape::Alias { target, .. } => target.named().into_iter().map(|id| id.0).collect(),
            _ => Vec::new(),
        })
        .collect();
    // Every alias refers to at most one type, so following them leads into at most one cycle.
    let next = |i: usize| edges.get(i).and_then(|to| to.first()).copied();
    let mut state = vec![0usize; types.len()];
    for start in 0..types.len() {
        let mut at = Some(start);
        while let Some(i) = at.filter(|i| state.get(*i) == Some(&0)) {
            set(&mut state, i, start + 1);
            at = next(i);
        }
        let Some(entry) = at.filter(|i| state.get(*i) == Some(&(start + 1))) else { continue };
        let mut i = entry;
        loop {
            if let Some(TypeDef { shape: Shape::Alias { distinct, .. }, .. }) = types.get_mut(i) {
                *distinct = true;
            }
            match next(i) {
                Some(to) if to != entry => i = to,
                _ => break,
            }
        }
    }
}

/// Marks the roots that cannot share the type that they name. The traits of a request or a response are implemented for
/// the type with the schema of one place, which must accept the same values as the root and report the same violations.
pub(super) fn mark_distinct_roots(types: &mut [TypeDef]) {
    let distinct: Vec<bool> =
        types.iter().map(|def| def.origin == Origin::Root && !shares_payload(types, def)).collect();
    for (def, root_is_distinct) in types.iter_mut().zip(distinct) {
        if let (Shape::Alias { distinct, .. }, true) = (&mut def.shape, root_is_distinct) {
            *distinct = true;
        }
    }
}

/// Whether a chain of references leads to a type that is a payload.
fn shares_payload<'t>(types: &'t [TypeDef], mut def: &'t TypeDef) -> bool {
    while let Shape::Alias { target, is_reference, distinct: false, .. } = &def.shape {
        let Type::Named { id, .. } = target else { return false };
        match types.get(id.0) {
            Some(target) if *is_reference && def.coverage.is_exact => def = target,
            _ => return false,
        }
    }
    def.coverage.equivalent().is_some()
}
