//! Steps that need the whole model: order, recursive aliases, unique names.

use std::collections::HashSet;

use super::widened::Limit;
use crate::model::{Field, Member, Model, Origin, Shape, SideModel, Type, TypeDef, TypeId, Variant};
use crate::name;

/// Names in Rust's prelude, and names that generated code uses without a path in Rust or TypeScript. A generated type must not
/// have one of them.
const RESERVED: &[&str] = &[
    "AGENT",
    "AsMut",
    "AsRef",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Box",
    "CAPABILITIES",
    "Capabilities",
    "Capability",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Object",
    "Ok",
    "Option",
    "Options",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "ReadonlySet",
    "Record",
    "RegExp",
    "Result",
    "Self",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Value",
    "Vec",
    "Violation",
];

/// Whether a type of a contract never has this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Orders the types, breaks cycles of types that contain themselves, and limits how deeply they are nested.
pub(super) fn finish(model: &mut Model<'_>) {
    arrange(model);
    super::boxes::mark(&mut model.types);
    // New types and boxes add to the depth. The boxes stay, since those of other references could be deeper.
    let cut = super::depth::limit(&mut model.types);
    if !cut.is_empty() {
        for (index, capability) in model.capabilities.iter().enumerate() {
            let own = cut.iter().filter(|(name, _)| *name == capability.source.name);
            model.widened.extend(own.map(|(_, side)| (index, *side, Limit::Depth)));
        }
        arrange(model);
    }
}

/// Makes every name unique.
pub(super) fn settle_names(model: &mut Model<'_>) {
    settle_types(model);
    for def in &mut model.types {
        settle_parts(def);
    }
}

/// Everything that depends on which types refer to one another, apart from boxes.
fn arrange(model: &mut Model<'_>) {
    cover(&mut model.types);
    order(model);
    mark_recursive_aliases(&mut model.types);
    mark_distinct_roots(&mut model.types);
}

/// Sorts the types in source order, each before the types that it refers to, and drops unused ones.
fn order(model: &mut Model<'_>) {
    let roots = model.capabilities.iter().flat_map(|capability| [&capability.request, &capability.response]);
    let mut stack: Vec<TypeId> = roots
        .filter_map(|side| match side {
            SideModel::Typed(id) => Some(*id),
            SideModel::Loose(_) => None,
        })
        .collect();
    stack.reverse();
    let mut new_ids: Vec<Option<TypeId>> = vec![None; model.types.len()];
    let mut sequence = Vec::with_capacity(model.types.len());
    while let Some(id) = stack.pop() {
        let (Some(slot @ None), Some(def)) = (new_ids.get_mut(id.0), model.types.get(id.0)) else { continue };
        *slot = Some(TypeId(sequence.len()));
        sequence.push(id.0);
        let mut needs = Vec::new();
        def.shape.each_type(&mut |ty| needs.extend(ty.named()));
        stack.extend(needs.into_iter().rev());
    }
    let renumber = |id: &mut TypeId| {
        if let Some(Some(new)) = new_ids.get(id.0) {
            *id = *new;
        }
    };
    let mut old: Vec<Option<TypeDef>> = model.types.drain(..).map(Some).collect();
    model.types.extend(sequence.into_iter().filter_map(|i| old.get_mut(i)?.take()));
    for def in &mut model.types {
        def.shape.each_type_mut(&mut |ty| {
            if let Some(id) = ty.named_mut() {
                renumber(id);
            }
        });
    }
    for capability in &mut model.capabilities {
        for side in [&mut capability.request, &mut capability.response] {
            if let SideModel::Typed(id) = side {
                renumber(id);
            }
        }
    }
}

/// Marks aliases that refer to themselves through aliases only, which neither language allows.
fn mark_recursive_aliases(types: &mut [TypeDef]) {
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

/// Marks the roots that cannot share the type that they name. The traits of a request or a response are implemented for the
/// type with the schema of one place, which must accept the same values as the root and report the same violations.
fn mark_distinct_roots(types: &mut [TypeDef]) {
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

/// Marks the types that contain a type whose schemas neither it nor pointers check: they must check them.
fn cover(types: &mut [TypeDef]) {
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); types.len()];
    for (at, def) in types.iter().enumerate() {
        def.shape.each_type(&mut |ty| {
            let named = ty.named().and_then(|id| holders.get_mut(id.0));
            named.into_iter().for_each(|holders| holders.push(at));
        });
    }
    let is_unchecked = |def: &TypeDef| !def.coverage.is_exact && def.coverage.pointers.is_none();
    let mut open: Vec<usize> =
        (types.iter().enumerate()).filter(|(_, def)| is_unchecked(def)).map(|(at, _)| at).collect();
    while let Some(at) = open.pop() {
        for holder in holders.get_mut(at).map(std::mem::take).unwrap_or_default() {
            let Some(def) = types.get_mut(holder).filter(|def| def.coverage.is_exact) else { continue };
            def.coverage.is_exact = false;
            if def.coverage.pointers.is_none() {
                open.push(holder);
            }
        }
    }
}

pub(super) fn set<T>(slots: &mut [T], at: usize, value: T) {
    if let Some(slot) = slots.get_mut(at) {
        *slot = value;
    }
}

/// Makes the names of types and markers unique in the file. The names of capabilities and their sides have priority: another
/// type with such a name gets a suffix, so that a definition can never rename a capability.
fn settle_types(model: &mut Model<'_>) {
    let identity = |capability: &str, side: &str| [capability, side, "", ""].join("\u{0}").into_bytes();
    let mut capabilities: Vec<(&mut String, Vec<u8>)> = Vec::new();
    for capability in &mut model.capabilities {
        let name = &capability.source.name;
        capabilities.push((&mut capability.marker, identity(name, "")));
        for (side, label) in [(&mut capability.request, "request"), (&mut capability.response, "response")] {
            if let SideModel::Loose(alias) = side {
                capabilities.push((alias, identity(name, label)));
            }
        }
    }
    let mut others: Vec<(&mut String, Vec<u8>)> = Vec::new();
    for def in &mut model.types {
        let identity = def.identity(&def.name);
        let names = if def.origin == Origin::Root { &mut capabilities } else { &mut others };
        names.push((&mut def.name, identity));
    }
    let mut taken: HashSet<String> = capabilities.iter().map(|(name, _)| (*name).clone()).collect();
    settle(&mut capabilities, &is_reserved);
    taken.extend(capabilities.iter().map(|(name, _)| (*name).clone()));
    settle(&mut others, &|name| is_reserved(name) || taken.contains(name));
}

fn settle(names: &mut [(&mut String, Vec<u8>)], reserved: &dyn Fn(&str) -> bool) {
    let mut unique: Vec<(String, Vec<u8>)> =
        names.iter_mut().map(|(name, identity)| ((*name).clone(), std::mem::take(identity))).collect();
    name::make_unique(&mut unique, "X", reserved);
    for ((slot, _), (name, _)) in names.iter_mut().zip(unique) {
        **slot = name;
    }
}

/// Makes the names inside one type unique.
fn settle_parts(def: &mut TypeDef) {
    let place = def.identity("");
    let identity = |part: &str| [place.as_slice(), part.as_bytes()].concat();
    match &mut def.shape {
        Shape::Record(record) => settle_idents(
            &mut record.fields,
            "_x",
            |field: &mut Field| (&mut field.ident, identity(&field.name)),
            |ident| ident == "additional_properties",
        ),
        Shape::Enum(members) => settle_idents(
            members,
            "X",
            |member: &mut Member| (&mut member.ident, identity(&member.value.canonical())),
            |_| false,
        ),
        Shape::Union(union) => {
            let mut variants: Vec<(usize, &mut Variant)> = union.variants.iter_mut().enumerate().collect();
            settle_idents(
                &mut variants,
                "X",
                |(index, variant): &mut (usize, &mut Variant)| {
                    (&mut variant.ident, identity(&(*index + 1).to_string()))
                },
                |_| false,
            );
        }
        Shape::Alias { .. } => {}
    }
}

fn settle_idents<T>(
    parts: &mut [T],
    separator: &str,
    mut access: impl FnMut(&mut T) -> (&mut String, Vec<u8>),
    reserved: impl Fn(&str) -> bool,
) {
    let idents: Vec<String> = parts.iter_mut().map(|part| access(part).0.clone()).collect();
    let mut seen = HashSet::new();
    let are_settled = idents.iter().all(|ident| seen.insert(ident) && !reserved(ident));
    if are_settled {
        // The identities of many parts take much memory, and few types need them.
        return;
    }
    let mut names: Vec<(String, Vec<u8>)> =
        idents.into_iter().zip(parts.iter_mut().map(|part| access(part).1)).collect();
    name::make_unique(&mut names, separator, reserved);
    for (part, (name, _)) in parts.iter_mut().zip(names) {
        *access(part).0 = name;
    }
}
