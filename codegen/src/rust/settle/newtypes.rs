//! Aliases that must be new types: Rust resolves a `type`, so it can neither lead back to itself nor have other traits
//! than its target.

use capgen_schema::analysis::components::components;

use super::set;
use crate::model::{Origin, Shape, Type, TypeDef};

/// The most parts of a Rust `type` once the aliases in it are resolved. An alias in two places of a tuple doubles them,
/// so that a chain of such aliases would have more parts than rustc can compare.
const MAX_PARTS: usize = 64;

/// Marks aliases that refer to themselves through aliases only, which Rust does not allow, and aliases of tuples that
/// would have too many parts.
pub(super) fn mark_recursive_aliases(types: &mut [TypeDef]) {
    let edges: Vec<Vec<usize>> = types
        .iter()
        .map(|def| match &def.shape {
            Shape::Alias { target, .. } => target.named().into_iter().map(|id| id.0).collect(),
            _ => Vec::new(),
        })
        .collect();
    let numbers = components(&edges);
    let mut sizes = vec![0; numbers.len()];
    numbers.iter().for_each(|number| sizes.get_mut(*number).into_iter().for_each(|size| *size += 1));
    // A component comes after those that it leads to.
    let mut order: Vec<usize> = (0..types.len()).collect();
    order.sort_by_key(|at| numbers.get(*at));
    let mut parts = vec![1; types.len()];
    for at in order {
        let Some(TypeDef { shape: Shape::Alias { target, distinct, .. }, .. }) = types.get_mut(at) else { continue };
        let is_shared = numbers.get(at).and_then(|number| sizes.get(*number)).is_some_and(|size| *size > 1);
        let is_recursive = is_shared || edges.get(at).is_some_and(|edges| edges.contains(&at));
        let own = parts_of(target, &parts);
        if is_recursive || own > MAX_PARTS {
            *distinct = true;
        }
        set(&mut parts, at, if *distinct { 1 } else { own });
    }
}

/// The parts of a type; `parts` are those of the definitions in it.
fn parts_of(ty: &Type, parts: &[usize]) -> usize {
    let mut all = 0_usize;
    ty.each_innermost(&mut |ty| {
        let own = if let Type::Named { id, .. } = ty { parts.get(id.0).copied() } else { None };
        all = all.saturating_add(own.unwrap_or(1));
    });
    all
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
