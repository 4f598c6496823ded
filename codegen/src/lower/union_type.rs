//! Places whose values have one of several types: `oneOf`, `anyOf`, and lists of JSON types.
//!
//! The branches of a union are combined with the assertions next to it, and nested unions are opened. The result is a
//! union only if more than one type is left. A value of the union keeps its branch, so the union is *disjoint*, an enum
//! in Rust and a discriminated union in TypeScript, only if at most one branch can match.

use capgen_schema::analysis::branches::are_distinct;
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::facets::Facets;
use capgen_schema::{Json, Type as SchemaType, TypeSet};

use super::alias::{Alias, alias_of, is_only_alias};
use super::branch::{self, Branch};
use super::finite::{self, ListedValue};
use super::guard::{self, ExactGuard};
use super::scalar::{is_everything, nullable_if, scalar};
use super::{Built, Lowering, Place};
use crate::model::{Coverage, Guard, Origin, Shape, Type, Union, Variant};
use crate::name;

/// A variant, and the contributions of its branch to the whole union.
struct BuiltVariant {
    variant: Variant,
    /// Whether the branch allows `null`, which becomes `null` next to the union.
    nullable: bool,
    /// Whether the variant asserts everything that the branch asserts.
    is_exact: bool,
}

impl<'a> Lowering<'a, '_> {
    /// The type of a place with at least one union.
    pub(super) fn union(
        &mut self,
        conjunction: &Conjunction,
        facets: &Facets<'a>,
        place: &Place,
    ) -> (Built, ExactGuard) {
        let mut branches = Vec::new();
        let Some(is_equivalent) = self.open(conjunction, place, &mut branches) else {
            return (self.widen(conjunction, facets, place), None);
        };
        if let Some((finite, guard)) = self.finite_union(&branches) {
            return (finite, guard.filter(|_| is_equivalent));
        }
        // `T | null` is not a union: both languages have a shorter form for it.
        let (nulls, others): (Vec<Branch>, Vec<Branch>) =
            branches.into_iter().partition(|branch| is_null(branch.profile.types));
        let other_nulls = others.iter().filter(|branch| branch.profile.types.contains(SchemaType::Null)).count();
        let mut is_exact = is_equivalent && nulls.len() + other_nulls <= 1;
        is_exact &= nulls.iter().all(|branch| guard::asserts_only_values(&branch.conjunction.facets(self.schema)));
        let nullable = !nulls.is_empty();
        if let [branch] = others.as_slice() {
            let (built, guard) = self.sole_branch(branch, nullable, place);
            return (built, guard.filter(|_| is_exact));
        }
        let mut branches = self.join_strings(others);
        let tag = branch::tag(&branches);
        if tag.is_none() {
            self.find_keys(&mut branches);
        }
        is_exact &= branch::are_exclusive(&branches, tag.is_some());
        branch::name_sole_object(self.schema, &mut branches);
        if tag.is_none() {
            self.exclude_siblings(facets, &mut branches);
        }
        let mut variants = Vec::with_capacity(branches.len());
        let mut is_nullable = nullable;
        for branch in branches {
            let built = self.variant(branch, tag.as_deref(), place);
            is_nullable |= built.nullable;
            is_exact &= built.is_exact;
            variants.push(built.variant);
        }
        finish(variants, tag, is_nullable, is_exact)
    }

    /// The type of a union with one branch left, which is that of the branch.
    fn sole_branch(&mut self, branch: &Branch, nullable: bool, place: &Place) -> (Built, ExactGuard) {
        let (built, guard) = match self.alias_type(&branch.conjunction) {
            Some(ty) => {
                let is_exact = is_only_alias(self.schema, &branch.conjunction);
                (Built::Type(ty), is_exact.then_some(Guard::None))
            }
            None => self.build(&branch.conjunction, place),
        };
        let built = match built {
            Built::Type(ty) => Built::Type(nullable_if(ty, nullable)),
            Built::Shape { shape, nullable: own } => Built::Shape { shape, nullable: own || nullable },
        };
        (built, guard)
    }

    /// The values of all branches as one list, if each branch lists values and none is a definition of its own.
    fn finite_union(&mut self, branches: &[Branch]) -> Option<(Built, ExactGuard)> {
        let mut is_exact = true;
        let mut values: Vec<ListedValue<'a>> = Vec::new();
        for branch in branches {
            let facets = branch.conjunction.facets(self.schema);
            is_exact &= guard::asserts_only_values(&facets);
            if is_null(facets.types) && facets.values.is_none() {
                values.push((&Json::Null, None));
                continue;
            }
            values.extend(self.listed(&branch.conjunction, &facets)?);
        }
        // A `oneOf` rejects a value that two branches list.
        is_exact &= finite::are_distinct(&values);
        Some((finite::build(values.into_iter()), is_exact.then_some(Guard::None)))
    }

    /// The values that a branch lists. A single one is described by the branch's description.
    fn listed(&self, conjunction: &Conjunction, facets: &Facets<'a>) -> Option<Vec<ListedValue<'a>>> {
        let own = conjunction.terms.last()?;
        let values = facets.values.as_ref()?;
        let description = match values.as_slice() {
            [_] => self.schema.node(own.node).annotations.description.as_deref(),
            _ => None,
        };
        Some(values.iter().map(|value| (*value, description)).collect())
    }

    /// The type of a place as if it had no unions, for when they have too many branches.
    fn widen(&mut self, conjunction: &Conjunction, facets: &Facets<'a>, place: &Place) -> Built {
        let branchless = facets.unions.iter().fold(conjunction.clone(), |rest, union| rest.without(union));
        let facets = self.facets(&branchless);
        match scalar(&facets) {
            _ if is_everything(facets.types) && !has_structure(&facets) => Built::Type(Type::Unknown),
            Some(scalar) => Built::Type(scalar),
            None if self.size.take(&facets) => {
                let mut built = self.structured(&branchless, &facets, place).0;
                // The branches depend on properties that only they declare.
                self.compare(&mut built);
                built
            }
            None => Built::Type(Type::Unknown),
        }
    }

    /// The variant of a branch.
    fn variant(&mut self, branch: Branch, tag: Option<&str>, place: &Place) -> BuiltVariant {
        let values = tag.and_then(|tag| branch.profile.constant(tag)).unwrap_or_default();
        let ident = self.variant_ident(&branch, values);
        let mut at = Place { name: name::nested(&place.name, &ident), pointer: branch.pointer };
        if branch.has_property_name && self.definitions.has_type_named(&at.name) {
            // A branch named after its property `text` may contain the definition `Text`, whose name must not change.
            at.name = name::nested(&at.name, "Variant");
        }
        let tag_values = values.to_vec();
        let excluded = branch.excluded;
        let (ty, guard) = if branch.others.is_empty() {
            self.place(&branch.conjunction, &at)
        } else {
            self.strings(std::iter::once(&branch.conjunction).chain(&branch.others), at)
        };
        let (ty, nullable) = match ty {
            Type::Nullable(inner) => (*inner, true),
            ty => (ty, false),
        };
        let own = branch.profile.types;
        let types = if nullable { own.without(SchemaType::Null) } else { own };
        let is_exact = guard.is_some();
        let guard = guard.unwrap_or_default();
        let variant = Variant { ident, ty, guard, types, tag_values, key: branch.key, excluded };
        BuiltVariant { variant, nullable, is_exact }
    }

    /// The type of several branches that list strings.
    fn strings<'c>(&mut self, branches: impl Iterator<Item = &'c Conjunction>, place: Place) -> (Type, ExactGuard) {
        let listed = branches.filter_map(|branch| self.listed(branch, &branch.facets(self.schema)));
        let values: Vec<ListedValue<'a>> = listed.flatten().collect();
        let guard = finite::are_distinct(&values).then_some(Guard::None);
        match finite::build(values.into_iter()) {
            Built::Type(ty) => (ty, guard),
            Built::Shape { shape, .. } => {
                let coverage = Coverage { is_exact: true, pointers: None, is_partial: false };
                let id = self.push(place, Origin::Place, None, shape, coverage);
                (Type::Named { id, boxed: false }, guard)
            }
        }
    }

    /// The name of a variant, not yet unique: that of its only tag value, its definition, or its JSON type.
    fn variant_ident(&self, branch: &Branch, tag_values: &[Json]) -> String {
        if let [value] = tag_values {
            return finite::ident(value);
        }
        if let Some(Alias::Ref(target)) = alias_of(self.schema, &branch.conjunction) {
            return name::type_name(self.definitions.name(self.definition_place(target)), "Value");
        }
        if let Some(value) = tag_values.first() {
            return finite::ident(value);
        }
        let mut types = branch.profile.types.iter().filter(|t| *t != SchemaType::Null);
        match (types.next(), types.next()) {
            (Some(SchemaType::Object), None) => branch.ident.clone(),
            (Some(sole), None) => name::camel(sole.name()),
            _ => branch.ident.clone(),
        }
    }

    /// The type of a place without unions whose values have several JSON types: a variant for each.
    pub(super) fn union_of_types(
        &mut self,
        conjunction: &Conjunction,
        facets: &Facets<'a>,
        place: &Place,
    ) -> (Built, ExactGuard) {
        if is_everything(facets.types) && !has_structure(facets) {
            return (Built::Type(Type::Unknown), None);
        }
        let mut is_exact = guard::is_expressible(facets);
        let mut variants = Vec::new();
        for t in facets.types.iter().filter(|t| *t != SchemaType::Null) {
            let types = TypeSet::EMPTY.with(t);
            let ident = name::camel(t.name());
            let at = Place { name: name::nested(&place.name, &ident), pointer: place.pointer.clone() };
            let (ty, guard) = self.part(conjunction, facets, types, &at);
            if ty != Type::Never {
                is_exact &= guard.is_some();
                let guard = guard.unwrap_or_default();
                let (tag_values, excluded) = (Vec::new(), Vec::new());
                variants.push(Variant { ident, ty, guard, types, tag_values, key: None, excluded });
            }
        }
        let (mut built, mut guard) = finish(variants, None, facets.types.contains(SchemaType::Null), is_exact);
        if let (Built::Shape { shape: Shape::Union(union), .. }, true) = (&mut built, is_everything(facets.types)) {
            // Variants for every JSON type would lose more than the plain value does, for example the undeclared
            // properties of objects. A union that is not disjoint keeps the value.
            union.disjoint = false;
            guard = None;
        }
        (built, guard)
    }

    /// The type of the values of one JSON type among those of a place.
    fn part(
        &mut self,
        conjunction: &Conjunction,
        facets: &Facets<'a>,
        types: TypeSet,
        place: &Place,
    ) -> (Type, ExactGuard) {
        let part = facets.of_types(types);
        if let Some(scalar) = scalar(&part) {
            let guard = guard::scalar(&part, &scalar);
            return (scalar, guard);
        }
        match self.structured(conjunction, &part, place) {
            (Built::Type(ty), guard) => (ty, guard),
            (Built::Shape { shape, .. }, guard) => {
                let coverage = guard::coverage(self.schema, conjunction, guard.is_some()).partial();
                let id = self.push(place.clone(), Origin::Place, None, shape, coverage);
                (Type::Named { id, boxed: false }, Some(Guard::None))
            }
        }
    }
}

/// A union of the variants that are left once wider ones have absorbed narrower ones. `is_exact` means that each
/// variant asserts everything that its branch asserts and no value matches two.
fn finish(mut variants: Vec<Variant>, tag: Option<String>, nullable: bool, is_exact: bool) -> (Built, ExactGuard) {
    variants.retain(|variant| variant.ty != Type::Never);
    if variants.iter().any(|variant| variant.ty == Type::Unknown) {
        return (Built::Type(Type::Unknown), None);
    }
    let count = variants.len();
    absorb(&mut variants);
    let guard = (is_exact && variants.len() == count).then_some(Guard::None);
    if variants.len() <= 1 {
        return match variants.pop() {
            Some(variant) => (Built::Type(nullable_if(variant.ty, nullable)), guard.map(|_| variant.guard)),
            None if nullable => (Built::Type(Type::Null), guard),
            None => (Built::Type(Type::Never), Some(Guard::None)),
        };
    }
    let disjoint = is_disjoint(&variants, nullable);
    let guard = guard.filter(|_| disjoint);
    (Built::Shape { shape: Shape::Union(Union { variants, disjoint, tag }), nullable }, guard)
}

/// Drops variants that another one contains: equal types, listed strings next to any string, integers next to numbers.
fn absorb(variants: &mut Vec<Variant>) {
    let has = |ty: &Type| variants.iter().any(|variant| variant.ty == *ty);
    let (strings, numbers) = (has(&Type::String), has(&Type::Number));
    let integers = has(&Type::Integer { unsigned: false });
    let mut seen: Vec<Type> = Vec::new();
    variants.retain(|variant| {
        let is_within = |t: SchemaType| variant.types.intersection(TypeSet::EMPTY.with(t)) == variant.types;
        let is_absorbed = (strings && variant.ty != Type::String && is_within(SchemaType::String))
            || (numbers && variant.ty != Type::Number && is_within(SchemaType::Number))
            || (integers && variant.ty == Type::Integer { unsigned: true });
        let is_repeated = match &variant.ty {
            // Two branches with the same definition can still differ by their tags.
            Type::Named { .. } => false,
            ty => seen.contains(ty),
        };
        if !is_repeated {
            seen.push(variant.ty.clone());
        }
        !is_absorbed && !is_repeated
    });
}

/// Whether the type of a value, its tag or its keys select at most one variant.
fn is_disjoint(variants: &[Variant], nullable: bool) -> bool {
    let objects: Vec<&Variant> = variants.iter().filter(|variant| variant.types.contains(SchemaType::Object)).collect();
    // Absorbing can leave variants with and without a tag or key.
    if objects.len() > 1 && objects.iter().any(|variant| variant.is_plain()) {
        return false;
    }
    let null = nullable.then_some(TypeSet::EMPTY.with(SchemaType::Null));
    are_distinct(null.into_iter().chain(variants.iter().map(|variant| variant.types.without(SchemaType::Object))))
}

fn is_null(types: TypeSet) -> bool {
    types == TypeSet::EMPTY.with(SchemaType::Null)
}

/// Whether a schema of the place asserts something about arrays or objects.
fn has_structure(facets: &Facets<'_>) -> bool {
    facets.groups.iter().any(|group| {
        !group.properties.is_empty()
            || !group.required.is_empty()
            || group.additional_properties.is_some()
            || group.property_names.is_some()
            || group.items.is_some()
            || !group.tuple.is_empty()
            || group.contains.is_some()
            || group.min_items.is_some()
            || group.max_items.is_some()
            || group.min_properties.is_some()
            || group.max_properties.is_some()
            || !group.dependent_required.is_empty()
            || !group.pattern_properties.is_empty()
    })
}
