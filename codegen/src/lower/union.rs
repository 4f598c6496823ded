//! `oneOf`, `anyOf` and values of several JSON types.
//!
//! A union's branches are merged with what stands beside it, nested unions are opened, and what comes out is a union only
//! where more than one type is left.

use std::collections::HashSet;

use capgen_schema::analysis::branches::equality_key;
use capgen_schema::{Assertions, Json, Kind, NodeId, Schema, Type as SchemaType, TypeSet};

use super::apart::{Profile, is_disjoint, without};
use super::conj::{Branches, Conj, Facets, Pure, Sole, flatten, pure, sole_assertion};
use super::guard::{self, Exactly};
use super::{Built, Lowering, Place, finite, is_everything, nullable_if, scalar};
use super::{apart, key};
use crate::model::{Coverage, Guard, Origin, Shape, Type, Union, Variant};
use crate::name;

/// A union with more branches than this and than its schema has parts, after nested ones are opened, widens to what
/// stands beside it.
const MAX_LEAVES: usize = 256;

/// In a `oneOf` of more branches, what one branch asks for is not forbidden in the others: that would take the square.
const MAX_EXCLUSIVE: usize = 64;

/// A value that is listed, perhaps with its description.
type Listed<'a> = (&'a Json, Option<&'a str>);

/// A branch, merged with what stands beside the union.
struct Leaf {
    conj: Conj,
    /// Other branches that list strings, as this one does.
    others: Vec<Conj>,
    /// What its place is called, where neither a tag nor a type gives a better name.
    ident: String,
    pointer: String,
    profile: Profile,
    /// The property whose presence tells this branch from the others for objects.
    key: Option<String>,
    /// `ident` is a property's name.
    has_property_name: bool,
}

impl<'a> Lowering<'a, '_> {
    /// A place with at least one union.
    pub(super) fn union(&mut self, conj: &Conj, facets: &Facets<'a>, place: &Place) -> (Built, Exactly) {
        let mut leaves = Vec::new();
        let Some(is_told) = self.open(conj, place, &mut leaves) else {
            return (self.widen(conj, facets, place), None);
        };
        if let Some((finite, exactly)) = self.finite_union(&leaves) {
            return (finite, exactly.filter(|_| is_told));
        }
        let (nulls, others): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(|leaf| is_null(leaf.profile.types));
        let nulls_beside = others.iter().filter(|leaf| leaf.profile.types.contains(SchemaType::Null)).count();
        let mut is_exact = is_told && nulls.len() + nulls_beside <= 1;
        is_exact &= nulls.iter().all(|leaf| guard::only_lists(self.schema, &flatten(self.schema, &leaf.conj)));
        let nullable = !nulls.is_empty();
        if let [leaf] = others.as_slice() {
            let (built, exactly) = self.sole_branch(leaf, nullable, place);
            return (built, exactly.filter(|_| is_exact));
        }
        let mut leaves = self.join_strings(others);
        let tag = apart::tag(leaves.iter().map(|leaf| &leaf.profile));
        if tag.is_none() {
            self.find_keys(&mut leaves);
        }
        is_exact &= are_apart(&leaves, tag.is_some());
        name_sole_object(self.schema, &mut leaves);
        let mut variants = Vec::with_capacity(leaves.len());
        let mut hoisted = nullable;
        for leaf in leaves {
            let (variant, null, says_all) = self.variant(leaf, tag.as_deref(), place);
            hoisted |= null;
            is_exact &= says_all;
            variants.push(variant);
        }
        finish(variants, tag, hoisted, is_exact)
    }

    /// A union of which one branch is left is that branch.
    fn sole_branch(&mut self, leaf: &Leaf, nullable: bool, place: &Place) -> (Built, Exactly) {
        let (built, exactly) = match self.pure(&leaf.conj) {
            Some(ty) => (Built::Type(ty), guard::is_plain(self.schema, &leaf.conj).then_some(Guard::None)),
            None => self.build(&leaf.conj, place),
        };
        let built = match built {
            Built::Type(ty) => Built::Type(nullable_if(ty, nullable)),
            Built::Shape { shape, nullable: own } => Built::Shape { shape, nullable: own || nullable },
        };
        (built, exactly)
    }

    /// Collects the branches of a conjunction's unions; whether they are all, for a branch that stands twice counts once.
    /// `None` where there are too many.
    fn open(&mut self, conj: &Conj, place: &Place, leaves: &mut Vec<Leaf>) -> Option<bool> {
        let mut is_told = true;
        let limit = MAX_LEAVES.max(self.schema.nodes().count());
        let mut seen = HashSet::new();
        // Depth first in source order; the last one pushed is opened first.
        let mut stack = vec![(conj.clone(), String::new(), place.pointer.clone(), true)];
        while let Some((conj, ident, pointer, opens)) = stack.pop() {
            if self.budget == 0 {
                return None;
            }
            let facets = self.flatten(&conj);
            if facets.is_never() {
                continue;
            }
            if !seen.insert(conj.key(self.schema)) {
                is_told = false;
                continue;
            }
            let whole = !opens && matches!(pure(self.schema, &conj), Some(Pure::Ref(_) | Pure::Anything));
            let Some(union) = facets.unions.first().filter(|_| !whole && facets.values.is_none()) else {
                let profile = self.profile(&conj, 0);
                leaves.push(Leaf {
                    conj,
                    others: Vec::new(),
                    ident,
                    pointer,
                    profile,
                    key: None,
                    has_property_name: false,
                });
                continue;
            };
            if leaves.len() + stack.len() + union.nodes.len() > limit {
                return None;
            }
            for (index, branch) in union.nodes.iter().enumerate().rev() {
                let mut merged = conj.distribute(&facets, union, *branch);
                for name in self.excluded_by_siblings(union, index) {
                    if !merged.forbidden.contains(&name) {
                        merged.forbidden.push(name);
                    }
                }
                let place = Place { name: ident.clone(), pointer: pointer.clone() };
                let child = place.child(&format!("Variant{}", index + 1), union.keyword, Some(&index.to_string()));
                stack.push((merged, child.name, child.pointer, false));
            }
        }
        Some(is_told)
    }

    /// The properties that a branch of a `oneOf` must not have because each would make another branch match too: that
    /// of every branch that only asks for one property.
    fn excluded_by_siblings(&self, union: &Branches<'_>, index: usize) -> Vec<String> {
        if union.keyword != "oneOf" || union.nodes.len() > MAX_EXCLUSIVE {
            return Vec::new();
        }
        let asked = |node: &NodeId| match &self.schema.node(*node).kind {
            Kind::Assertions(group) => only_required(group),
            _ => None,
        };
        let others = union.nodes.iter().enumerate().filter(|(i, _)| *i != index);
        let own = union.nodes.get(index).and_then(asked);
        others.filter_map(|(_, node)| asked(node)).filter(|name| own != Some(*name)).map(str::to_owned).collect()
    }

    /// One closed set of values, where every branch is one and none is a definition of its own.
    fn finite_union(&mut self, leaves: &[Leaf]) -> Option<(Built, Exactly)> {
        let mut is_exact = true;
        let mut values: Vec<Listed<'a>> = Vec::new();
        for leaf in leaves {
            let facets = flatten(self.schema, &leaf.conj);
            is_exact &= guard::only_lists(self.schema, &facets);
            if is_null(facets.types) && facets.values.is_none() {
                values.push((&Json::Null, None));
                continue;
            }
            values.extend(self.listed(&leaf.conj, &facets)?);
        }
        is_exact &= are_distinct(&values);
        Some((finite::build(values.into_iter()), is_exact.then_some(Guard::None)))
    }

    /// The values that a branch lists; the only one has the branch's description.
    fn listed(&self, conj: &Conj, facets: &Facets<'a>) -> Option<Vec<Listed<'a>>> {
        let own = conj.atoms.last()?;
        let values = facets.values.as_ref()?;
        let description = match values.as_slice() {
            [_] => self.schema.node(own.node).annotations.description.as_deref(),
            _ => None,
        };
        Some(values.iter().map(|value| (*value, description)).collect())
    }

    /// Makes one branch of all those that list strings and are no definition of their own.
    fn join_strings(&self, leaves: Vec<Leaf>) -> Vec<Leaf> {
        let mut joined: Vec<Leaf> = Vec::with_capacity(leaves.len());
        let mut first = None;
        for leaf in leaves {
            if self.lists_strings(&leaf) {
                match first.and_then(|at: usize| joined.get_mut(at)) {
                    Some(first) => {
                        first.others.push(leaf.conj);
                        continue;
                    }
                    None => first = Some(joined.len()),
                }
            }
            joined.push(leaf);
        }
        joined
    }

    fn lists_strings(&self, leaf: &Leaf) -> bool {
        if leaf.profile.types != TypeSet::EMPTY.with(SchemaType::String) {
            return false;
        }
        let facets = flatten(self.schema, &leaf.conj);
        facets.values.is_some() && guard::only_lists(self.schema, &facets) && pure(self.schema, &leaf.conj).is_none()
    }

    /// Finds the properties that tell the branches for objects apart, and names branches after them.
    fn find_keys(&mut self, leaves: &mut [Leaf]) {
        let mut objects: Vec<&mut Leaf> = leaves.iter_mut().filter(|leaf| leaf.profile.is_object()).collect();
        if objects.len() < 2 || self.budget == 0 {
            return;
        }
        let branches: Vec<&Conj> = objects.iter().map(|leaf| &leaf.conj).collect();
        let (keys, cost) = key::keys(self.schema, &branches);
        // A name is much less than a place.
        self.budget = self.budget.saturating_sub(cost / 8);
        for (leaf, key) in objects.iter_mut().zip(keys.into_iter().flatten()) {
            if key.is_sole && leaf.is_object() {
                leaf.call_after(&key.name);
            }
            leaf.key = Some(key.name);
        }
    }

    /// What stands beside the union alone.
    fn widen(&mut self, conj: &Conj, facets: &Facets<'a>, place: &Place) -> Built {
        let mut conj = conj.clone();
        for union in &facets.unions {
            let branchless = conj.distribute(facets, union, union.holder);
            conj.atoms = branchless.atoms;
        }
        let facets = self.flatten(&conj);
        match scalar(&facets) {
            _ if is_everything(facets.types) && !says_anything(&facets) => Built::Type(Type::Unknown),
            Some(scalar) => Built::Type(scalar),
            None => self.structured(&conj, &facets, place).0,
        }
    }

    /// The variant of a branch, whether the branch allows `null` too, and whether the variant says all of the branch.
    fn variant(&mut self, leaf: Leaf, tag: Option<&str>, place: &Place) -> (Variant, bool, bool) {
        let values = tag.and_then(|tag| leaf.profile.constant(tag)).unwrap_or_default();
        let ident = self.variant_ident(&leaf, values);
        let mut at = Place { name: format!("{}{ident}", place.name), pointer: leaf.pointer };
        if leaf.has_property_name && self.definition_types.contains(&at.name) {
            // What is called `Text` may well hold a definition of that name.
            at.name.push_str("Variant");
        }
        let tag_values = values.to_vec();
        let (ty, exactly) = if leaf.others.is_empty() {
            self.place(&leaf.conj, &at)
        } else {
            self.strings(std::iter::once(&leaf.conj).chain(&leaf.others), at)
        };
        let (ty, nullable) = match ty {
            Type::Nullable(inner) => (*inner, true),
            ty => (ty, false),
        };
        let types = if nullable { without(leaf.profile.types, SchemaType::Null) } else { leaf.profile.types };
        let says_all = exactly.is_some();
        let guard = exactly.unwrap_or_default();
        (Variant { ident, ty, guard, types, tag_values, key: leaf.key }, nullable, says_all)
    }

    /// The type of several branches that list strings; exact where none stands twice.
    fn strings<'c>(&mut self, branches: impl Iterator<Item = &'c Conj>, place: Place) -> (Type, Exactly) {
        let listed = branches.filter_map(|conj| self.listed(conj, &flatten(self.schema, conj)));
        let values: Vec<Listed<'a>> = listed.flatten().collect();
        let exactly = are_distinct(&values).then_some(Guard::None);
        match finite::build(values.into_iter()) {
            Built::Type(ty) => (ty, exactly),
            Built::Shape { shape, .. } => {
                let coverage = Coverage { is_exact: true, pointers: None };
                let id = self.push(place, Origin::Place, None, shape, coverage);
                (Type::Named { id, boxed: false }, exactly)
            }
        }
    }

    fn variant_ident(&self, leaf: &Leaf, tag_values: &[Json]) -> String {
        if let [value] = tag_values {
            return finite::ident(value);
        }
        if let Some(Pure::Ref(target)) = pure(self.schema, &leaf.conj) {
            let name = self.definition_names.get(&target).copied().unwrap_or_default();
            return name::type_name(name, "Value");
        }
        if let Some(value) = tag_values.first() {
            return finite::ident(value);
        }
        let mut types = leaf.profile.types.iter().filter(|t| *t != SchemaType::Null);
        match (types.next(), types.next()) {
            (Some(SchemaType::Object), None) => leaf.ident.clone(),
            (Some(sole), None) => name::camel(sole.name()),
            _ => leaf.ident.clone(),
        }
    }

    /// A place without unions whose values have several JSON types.
    pub(super) fn union_of_types(&mut self, conj: &Conj, facets: &Facets<'a>, place: &Place) -> (Built, Exactly) {
        if is_everything(facets.types) && !says_anything(facets) {
            return (Built::Type(Type::Unknown), None);
        }
        let mut is_exact = guard::is_told(self.schema, facets);
        let mut variants = Vec::new();
        for t in facets.types.iter().filter(|t| *t != SchemaType::Null) {
            let types = TypeSet::EMPTY.with(t);
            let ident = name::camel(t.name());
            let at = Place { name: format!("{}{ident}", place.name), pointer: place.pointer.clone() };
            let (ty, exactly) = self.part(conj, facets, types, &at);
            if ty != Type::Never {
                is_exact &= exactly.is_some();
                variants.push(Variant {
                    ident,
                    ty,
                    guard: exactly.unwrap_or_default(),
                    types,
                    tag_values: Vec::new(),
                    key: None,
                });
            }
        }
        let (mut built, mut exactly) = finish(variants, None, facets.types.contains(SchemaType::Null), is_exact);
        if let (Built::Shape { shape: Shape::Union(union), .. }, true) = (&mut built, is_everything(facets.types)) {
            // A variant for every kind of value says less than the value itself.
            union.disjoint = false;
            exactly = None;
        }
        (built, exactly)
    }

    /// The values of one JSON type among those of a place.
    fn part(&mut self, conj: &Conj, facets: &Facets<'a>, types: TypeSet, place: &Place) -> (Type, Exactly) {
        let part = Facets {
            types,
            values: None,
            groups: facets.groups.clone(),
            unions: Vec::new(),
            forbidden: facets.forbidden.clone(),
            description: None,
            never: false,
            cost: 0,
        };
        if let Some(scalar) = scalar(&part) {
            let exactly = guard::scalar(self.schema, &part, &scalar);
            return (scalar, exactly);
        }
        match self.structured(conj, &part, place) {
            (Built::Type(ty), exactly) => (ty, exactly),
            (Built::Shape { shape, .. }, exactly) => {
                let coverage = guard::coverage(self.schema, conj, exactly.is_some());
                let id = self.push(place.clone(), Origin::Place, None, shape, coverage);
                (Type::Named { id, boxed: false }, Some(Guard::None))
            }
        }
    }
}

impl Leaf {
    /// Whether its values are objects, and nothing else.
    fn is_object(&self) -> bool {
        self.profile.types == TypeSet::EMPTY.with(SchemaType::Object)
    }

    fn call_after(&mut self, property: &str) {
        self.ident = finite::ident(&Json::String(property.to_owned()));
        self.has_property_name = true;
    }
}

/// Calls the only branch for objects `Object`, like the branches for other types; or after its property, where it can have
/// no other, which it would be called after beside a second one.
fn name_sole_object(schema: &Schema, leaves: &mut [Leaf]) {
    let mut objects = leaves.iter_mut().filter(|leaf| leaf.profile.is_object());
    if let (Some(leaf), None) = (objects.next(), objects.next()) {
        match key::only(schema, &leaf.conj).filter(|_| leaf.is_object()) {
            Some(property) => leaf.call_after(&property),
            None => leaf.ident = name::camel(SchemaType::Object.name()),
        }
    }
}

/// Whether no value fits two branches, as far as types, the tag and keys tell.
fn are_apart(leaves: &[Leaf], is_tagged: bool) -> bool {
    let mut types = TypeSet::EMPTY;
    leaves.iter().all(|leaf| {
        let mut shared = leaf.profile.types.intersection(types);
        if is_tagged || leaf.key.is_some() {
            shared = without(shared, SchemaType::Object);
        }
        types = types.union(leaf.profile.types);
        shared.is_empty()
    })
}

/// Whether no payload equals two of the values.
fn are_distinct(values: &[Listed<'_>]) -> bool {
    let mut seen = HashSet::new();
    values.iter().all(|(value, _)| seen.insert(equality_key(value)))
}

/// A union of what is left when wider variants have swallowed narrower ones. `is_exact` where each variant says all of its
/// branch, and no value fits two.
fn finish(mut variants: Vec<Variant>, tag: Option<String>, nullable: bool, is_exact: bool) -> (Built, Exactly) {
    variants.retain(|variant| variant.ty != Type::Never);
    if variants.iter().any(|variant| variant.ty == Type::Unknown) {
        return (Built::Type(Type::Unknown), None);
    }
    let count = variants.len();
    absorb(&mut variants);
    let exactly = (is_exact && variants.len() == count).then_some(Guard::None);
    if variants.len() <= 1 {
        return match variants.pop() {
            Some(variant) => (Built::Type(nullable_if(variant.ty, nullable)), exactly.map(|_| variant.guard)),
            None if nullable => (Built::Type(Type::Null), exactly),
            None => (Built::Type(Type::Never), Some(Guard::None)),
        };
    }
    let disjoint = is_disjoint(&variants, nullable);
    let exactly = exactly.filter(|_| disjoint);
    (Built::Shape { shape: Shape::Union(Union { variants, disjoint, tag }), nullable }, exactly)
}

/// Drops variants that another one contains: equal types, listed strings beside any string, integers beside numbers.
fn absorb(variants: &mut Vec<Variant>) {
    let of = |t| TypeSet::EMPTY.with(t);
    let wide = |variants: &[Variant], ty: &Type| variants.iter().any(|variant| variant.ty == *ty);
    let strings = wide(variants, &Type::String);
    let numbers = wide(variants, &Type::Number);
    let integers = wide(variants, &Type::Integer { unsigned: false });
    let mut seen: Vec<Type> = Vec::new();
    variants.retain(|variant| {
        let within = |t: SchemaType| variant.types.intersection(of(t)) == variant.types;
        let swallowed = (strings && variant.ty != Type::String && within(SchemaType::String))
            || (numbers && variant.ty != Type::Number && within(SchemaType::Number))
            || (integers && variant.ty == Type::Integer { unsigned: true });
        let repeated = match &variant.ty {
            Type::Named { .. } => false,
            ty => seen.contains(ty),
        };
        if !repeated {
            seen.push(variant.ty.clone());
        }
        !swallowed && !repeated
    });
}

fn is_null(types: TypeSet) -> bool {
    types == TypeSet::EMPTY.with(SchemaType::Null)
}

/// Whether any schema of a place says something of its arrays or objects.
fn says_anything(facets: &Facets<'_>) -> bool {
    facets.groups.iter().any(|group| {
        !group.properties.is_empty()
            || !group.required.is_empty()
            || group.additional_properties.is_some()
            || group.items.is_some()
            || group.min_items.is_some()
            || group.max_items.is_some()
    })
}

/// The one property that a schema asks for, where it says nothing else.
fn only_required(group: &Assertions) -> Option<&str> {
    match sole_assertion(group)? {
        Sole::Required(name) => Some(name),
        _ => None,
    }
}
