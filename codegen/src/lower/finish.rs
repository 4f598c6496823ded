//! Steps that need the whole model: order, coverage, unique names.

use std::collections::HashSet;

use crate::model::{
    CapabilityModel, ErrorModel, ErrorNames, Field, Member, Model, Origin, Shape, SideModel, TypeDef, TypeId, Variant,
};
use crate::name;

/// Everything that depends on which types refer to one another. A target that removes references does it again.
pub(crate) fn arrange(model: &mut Model<'_>) {
    cover(&mut model.types);
    order(model);
}

/// Makes every name unique.
pub(super) fn settle_names(model: &mut Model<'_>) {
    settle_types(model);
    for def in &mut model.types {
        settle_parts(def);
    }
    for capability in &mut model.capabilities {
        let identity = |error: &ErrorModel<'_>| error.source.code.as_bytes().to_vec();
        settle_idents(&mut capability.errors, "X", |error| {
            let identity = identity(error);
            (&mut error.ident, identity)
        });
    }
}

/// Sorts the types in source order, each before the types that it refers to, and drops unused ones.
fn order(model: &mut Model<'_>) {
    let roots = model.capabilities.iter().flat_map(CapabilityModel::roots);
    let mut stack: Vec<TypeId> = roots.map(|(_, id)| id).collect();
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
            ty.each_named_mut(&mut |id| renumber(id));
        });
    }
    model.capabilities.iter_mut().flat_map(CapabilityModel::roots_mut).for_each(renumber);
}

/// Marks the types that contain a type whose schemas neither it nor pointers check: they must check them.
fn cover(types: &mut [TypeDef]) {
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); types.len()];
    for (at, def) in types.iter().enumerate() {
        def.shape.each_type(&mut |ty| {
            for id in ty.named() {
                holders.get_mut(id.0).into_iter().for_each(|holders| holders.push(at));
            }
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

/// Makes the names of types and markers unique in the file. The names of capabilities and their sides have priority:
/// another type with such a name gets a suffix, so that a definition can never rename a capability. Then come the types
/// of errors and of their details.
fn settle_types(model: &mut Model<'_>) {
    let identity = |capability: &str, side: &str| [capability, side, "", ""].join("\u{0}").into_bytes();
    let mut capabilities: Vec<(&mut String, Vec<u8>)> = Vec::new();
    let mut errors: Vec<(&mut String, Vec<u8>)> = Vec::new();
    let mut others: Vec<(&mut String, Vec<u8>)> = Vec::new();
    for capability in &mut model.capabilities {
        let name = &capability.name.label;
        capabilities.push((&mut capability.marker, identity(name, "")));
        let names = capability.error_names.iter_mut().flat_map(ErrorNames::all_mut);
        errors.extend(names.zip(["error", "errors", "failure"]).map(|(error, what)| (error, identity(name, what))));
        for (side, label) in [(&mut capability.request, "request"), (&mut capability.response, "response")] {
            if let SideModel::Loose(alias) = side {
                capabilities.push((alias, identity(name, label)));
            }
        }
    }
    for def in &mut model.types {
        let identity = def.identity(&def.name);
        let names = match (def.origin, &def.error) {
            (Origin::Root, None) => &mut capabilities,
            (Origin::Root, Some(_)) => &mut errors,
            _ => &mut others,
        };
        names.push((&mut def.name, identity));
    }
    let mut taken: HashSet<String> = HashSet::new();
    for names in [&mut capabilities, &mut errors, &mut others] {
        let before = taken.clone();
        taken.extend(names.iter().map(|(name, _)| (*name).clone()));
        settle(names, &|name| before.contains(name));
        taken.extend(names.iter().map(|(name, _)| (*name).clone()));
    }
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
        Shape::Record(record) => {
            settle_idents(&mut record.fields, "_x", |field: &mut Field| (&mut field.ident, identity(&field.name)))
        }
        Shape::Enum(members) => {
            settle_idents(members, "X", |member: &mut Member| (&mut member.ident, identity(&member.value.canonical())))
        }
        Shape::Union(union) => {
            let mut variants: Vec<(usize, &mut Variant)> = union.variants.iter_mut().enumerate().collect();
            settle_idents(&mut variants, "X", |(index, variant): &mut (usize, &mut Variant)| {
                (&mut variant.ident, identity(&(*index + 1).to_string()))
            });
        }
        Shape::Alias { .. } => {}
    }
}

fn settle_idents<T>(parts: &mut [T], separator: &str, mut access: impl FnMut(&mut T) -> (&mut String, Vec<u8>)) {
    let idents: Vec<String> = parts.iter_mut().map(|part| access(part).0.clone()).collect();
    let mut seen = HashSet::new();
    let are_settled = idents.iter().all(|ident| seen.insert(ident));
    if are_settled {
        // The identities of many parts take much memory, and few types need them.
        return;
    }
    let mut names: Vec<(String, Vec<u8>)> =
        idents.into_iter().zip(parts.iter_mut().map(|part| access(part).1)).collect();
    name::make_unique(&mut names, separator, |_| false);
    for (part, (name, _)) in parts.iter_mut().zip(names) {
        *access(part).0 = name;
    }
}
