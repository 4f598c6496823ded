//! Contract to type model.
//!
//! A [`Conjunction`] describes each place of a payload: the schemas that apply there together. It becomes a type. A
//! type that needs a name gets a definition; a definition that is reached through a `$ref` is lowered later, from a
//! queue, so the depth of recursion is bounded by the nesting of the schema and not by the length of its chains of
//! references.

mod alias;
mod branch;
mod check;
mod compared;
mod definitions;
mod details;
mod exclusion;
mod finish;
mod finite;
mod guard;
mod parts;
mod reach;
mod record;
mod reuse;
mod scalar;
mod size;
#[cfg(test)]
mod tests;
mod tuple;
mod union_type;
pub(crate) mod widened;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use capgen_manifest::{Capability, ContractPart, DefinitionPlace, Manifest, Options, Side};
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::effort::Effort;
use capgen_schema::analysis::facets::{Facets, Limits};
use capgen_schema::analysis::profile::Profiler;
use capgen_schema::{Kind, NodeId, Schema, Type as SchemaType};

use crate::history::Verdicts;
use crate::model::capability_name::CapabilityName;
use crate::model::note::Note;
use crate::model::{
    CapabilityModel, Coverage, ErrorCode, ErrorModel, Guard, Model, Origin, Shape, SideModel, Type, TypeDef, TypeId,
};
use crate::{Language, name};
use alias::{Alias, alias_of, is_only_alias, is_reference};
use definitions::Definitions;
use details::Details;
use guard::ExactGuard;
use parts::Parts;
use reuse::Reused;
use scalar::{named, nullable_if, scalar};
use size::Size;
use widened::Widened;

pub(crate) use finish::arrange;

/// The limits that the types of a contract exceed in these languages. Lowers only the parts that may exceed one.
pub(crate) fn exceeded_limits(manifest: &Manifest, languages: &[Language]) -> Widened {
    let targets = Language::targets(languages);
    let may_exceed = |capability: &Capability, part: ContractPart| {
        capability.schema(part).is_some_and(|schema| {
            reach::may_reach_a_limit(schema) || targets.iter().any(|target| target.may_widen(schema))
        })
    };
    let mut selected: HashSet<(usize, ContractPart)> = HashSet::new();
    for (index, capability) in manifest.capabilities.iter().enumerate() {
        selected.extend(capability.parts().filter(|part| may_exceed(capability, *part)).map(|part| (index, part)));
    }
    if selected.is_empty() {
        return Widened::new();
    }
    let model = lower_parts(manifest, |index, part| selected.contains(&(index, part)));
    let mut widened = model.widened.clone();
    for target in targets {
        let mut settled = model.clone();
        target.settle(&mut settled);
        widened.extend(settled.widened);
    }
    widened
}

/// Lowers a contract. The time is linear in the size of the contract, except for conjunctions that contain one another,
/// for which a budget limits it. The model has no validators yet; see [`add_validators`].
pub(crate) fn lower(manifest: &Manifest) -> Model<'_> {
    let mut model = lower_parts(manifest, |_, _| true);
    finish::settle_names(&mut model);
    model
}

/// Lowers the selected parts, as if the others had no schema. The types have no final names yet.
fn lower_parts(manifest: &Manifest, is_selected: impl Fn(usize, ContractPart) -> bool) -> Model<'_> {
    let names = Rc::new(CapabilityName::of(manifest));
    let mut parts = Parts::of(manifest, &names);
    let mut capabilities = Vec::with_capacity(manifest.capabilities.len());
    for (index, (capability, name)) in manifest.capabilities.iter().zip(names.iter()).enumerate() {
        let mut lower = |part: ContractPart| is_selected(index, part).then(|| parts.lower(index, part)).flatten();
        let mut side = |side: Side| match lower(side.into()) {
            Some(id) => SideModel::Typed(id),
            None => SideModel::Loose(root_type(&name.title, side)),
        };
        let (request, response) = (side(Side::Request), side(Side::Response));
        let error = |(at, source)| {
            let (ident, details) = (details::ident(source), lower(ContractPart::Details(at)));
            ErrorModel { source, ident, details }
        };
        let errors: Vec<ErrorModel<'_>> = capability.errors.iter().enumerate().map(error).collect();
        let error_names = (!errors.is_empty()).then(|| details::error_names(&name.title));
        let (name, marker) = (name.clone(), marker_type(&name.title));
        capabilities.push(CapabilityModel { source: capability, name, marker, request, response, errors, error_names });
    }
    let (options, verdicts) = (Options::default(), Verdicts::default());
    let widened = parts.widened();
    let mut types = parts.types;
    compared::keep_undeclared(&mut types, &parts.compared);
    let (hashes, validators) = (OnceCell::new(), Vec::new());
    let mut model = Model { manifest, hashes, capabilities, types, validators, widened, options, verdicts };
    arrange(&mut model);
    model
}

/// Adds the validators, which only TypeScript and JavaScript need: Rust types check themselves.
pub(crate) fn add_validators(model: &mut Model<'_>) {
    model.validators = check::validators(model);
}

/// The root or a definition of one part. Each definition is lowered on its own, so that the names of the types inside
/// it do not depend on the places that refer to it.
struct Lowering<'a, 'm> {
    schema: &'a Schema,
    /// An index into the capabilities of the manifest.
    index: usize,
    capability: &'m CapabilityName,
    part: ContractPart,
    /// The error to which the part belongs.
    error: Option<ErrorCode>,
    /// The name of the definition, if it is shared.
    shared: Option<String>,
    types: &'m mut Vec<TypeDef>,
    definitions: &'m mut Definitions<'a>,
    /// The types of conjunctions that contain references. They must be found again, or a recursive definition would be
    /// combined with other schemas without end.
    reused: Reused,
    /// How many places contain the current one and are being built too.
    depth: usize,
    /// The types whose values an assertion outside compares as a whole.
    compared: &'m mut Vec<Type>,
    /// The limits that were found to be exceeded, except those that [`Size`] and the budget count.
    widened: &'m mut Widened,
    /// Types without a shape yet.
    queue: Vec<(TypeId, Conjunction)>,
    profiler: &'m mut Profiler<'a>,
    size: &'m mut Size<'a>,
    /// How many more schemas may be visited; at zero every type is `Unknown`. Without it, n definitions that are
    /// combined with one another would take exponential time.
    budget: usize,
}

/// The most bytes of a place's pointer: combined references lead to more levels than a schema has, and the
/// documentation of each type may contain one.
const MAX_POINTER: usize = 1024;

/// A place that needs a type: the name that a definition would get, and the JSON Pointer.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    pointer: String,
}

/// The type of a conjunction before it has a name.
enum Built {
    /// A type that needs no definition.
    Type(Type),
    /// The shape of a definition, and whether the place allows `null` next to it.
    Shape { shape: Shape, nullable: bool },
}

impl Place {
    fn child(&self, name: &str, keyword: &str, token: Option<&str>) -> Place {
        let mut pointer = capgen_schema::pointer::join(&self.pointer, keyword);
        if let Some(token) = token {
            capgen_schema::pointer::push(&mut pointer, token);
        }
        Place { name: name::nested(&self.name, name), pointer: limited(pointer) }
    }
}

impl<'a> Lowering<'a, '_> {
    /// Adds a definition whose shape is determined later, from the queue.
    fn define(&mut self, place: Place, origin: Origin, conjunction: Conjunction) -> TypeId {
        let id = self.push(
            place,
            origin,
            None,
            alias_shape(Type::Unknown, Guard::None),
            guard::coverage(self.schema, &conjunction, true),
        );
        self.queue.push((id, conjunction));
        id
    }

    fn push(
        &mut self,
        place: Place,
        origin: Origin,
        description: Option<String>,
        shape: Shape,
        coverage: Coverage,
    ) -> TypeId {
        let id = TypeId(self.types.len());
        self.types.push(TypeDef {
            name: place.name,
            origin,
            definition: self.shared.clone(),
            capability: self.capability.label.clone(),
            part: self.part,
            error: self.error.clone(),
            pointer: place.pointer,
            description,
            note: Note::default(),
            shape,
            coverage,
        });
        id
    }

    fn lower_definition(&mut self, id: TypeId, conjunction: &Conjunction) {
        let Some(def) = self.types.get(id.0) else { return };
        let place = Place { name: def.name.clone(), pointer: def.pointer.clone() };
        match self.alias_type(conjunction) {
            Some(ty) => {
                let guard = is_only_alias(self.schema, conjunction).then_some(Guard::None);
                self.complete(id, conjunction, Built::Type(ty), guard);
            }
            None => {
                let (built, guard) = self.build(conjunction, &place);
                self.complete(id, conjunction, built, guard);
            }
        }
    }

    /// Gives a definition its shape.
    fn complete(&mut self, id: TypeId, conjunction: &Conjunction, built: Built, guard: ExactGuard) {
        let description = conjunction.description(self.schema).map(str::to_owned);
        let is_exact = guard.is_some();
        let note = match &built {
            Built::Type(target) => Note::of(self.schema, conjunction, target),
            Built::Shape { .. } => Note::of(self.schema, conjunction, &Type::Unknown),
        };
        let shape = match built {
            Built::Type(target) => {
                let is_reference = is_reference(self.schema, conjunction);
                Shape::Alias { target, guard: guard.unwrap_or_default(), is_reference, distinct: false }
            }
            Built::Shape { shape, nullable: false } => shape,
            Built::Shape { shape, nullable: true } => {
                // The definition becomes an alias of `T | null`, so `T` needs a definition of its own.
                let Some(def) = self.types.get(id.0) else { return };
                let place = Place { name: name::nested(&def.name, "Value"), pointer: def.pointer.clone() };
                let coverage = guard::coverage(self.schema, conjunction, true).partial();
                let value = self.push(place, Origin::Place, None, shape, coverage);
                alias_shape(named(value, true), Guard::None)
            }
        };
        let coverage = guard::coverage(self.schema, conjunction, is_exact);
        if let Some(def) = self.types.get_mut(id.0) {
            def.description = description;
            def.note = note;
            def.shape = shape;
            def.coverage = coverage;
        }
    }

    /// The facets of a conjunction, at the expense of the budget.
    fn facets(&mut self, conjunction: &Conjunction) -> Facets<'a> {
        let facets = conjunction.facets(self.schema);
        self.budget = self.budget.saturating_sub(facets.cost);
        facets
    }

    /// The facets of a conjunction without its values, if it has a long list of them.
    fn long_list(&mut self, conjunction: &Conjunction) -> Option<Facets<'a>> {
        if !self.size.has_long_lists() {
            return None;
        }
        let facets = conjunction.facets_within(self.schema, Effort::WITHOUT_VALUES);
        self.budget = self.budget.saturating_sub(facets.cost);
        Some(facets).filter(size::has_long_list)
    }

    /// Whether a conjunction lists so many values again that its type must be widened. This takes no time for each
    /// value, so that n places may combine a list of n values.
    fn lists_too_much(&mut self, conjunction: &Conjunction) -> bool {
        self.long_list(conjunction).is_some_and(|facets| !self.size.has_room(&facets))
    }

    /// The type of a conjunction that needs no definition of its own.
    fn alias_type(&mut self, conjunction: &Conjunction) -> Option<Type> {
        Some(match alias_of(self.schema, conjunction)? {
            Alias::Anything => Type::Unknown,
            Alias::Nothing => Type::Never,
            Alias::Ref(target) => {
                if let Kind::Bool(accepts) = self.schema.node(target).kind {
                    return Some(if accepts { Type::Unknown } else { Type::Never });
                }
                let ty = self.definition(target);
                if !is_only_alias(self.schema, conjunction)
                    && compared::compares_values(self.schema, &conjunction.facets(self.schema))
                {
                    self.compared.push(ty.clone());
                }
                ty
            }
        })
    }

    /// The place of a definition of this part.
    fn definition_place(&self, node: NodeId) -> DefinitionPlace {
        DefinitionPlace { capability: self.index, part: self.part, node }
    }

    /// The type of a member of `definitions`, which gets its shape later.
    fn definition(&mut self, node: NodeId) -> Type {
        let place = self.definition_place(node);
        let is_shared = self.shared.is_some() || self.error.as_ref().is_some_and(|error| error.is_shared);
        let id = self.definitions.type_of(place, is_shared, self.types);
        // Every target of a reference is a definition.
        id.map_or(Type::Unknown, |id| Type::Named { id, boxed: false })
    }

    /// The type of a place and the guard that it needs; `None` if only a type around this place can be checked.
    fn place(&mut self, conjunction: &Conjunction, place: &Place) -> (Type, ExactGuard) {
        if self.budget == 0 {
            return (Type::Unknown, guard::or_interpreted(self.schema, conjunction, None));
        }
        self.budget -= 1;
        let (ty, guard) = if let Some(ty) = self.alias_type(conjunction) {
            let is_exact = ty == Type::Never || is_only_alias(self.schema, conjunction);
            (ty, is_exact.then_some(Guard::None))
        } else if self.is_merged(conjunction) {
            self.merge(conjunction, place)
        } else if self.is_combined_in_a_union(conjunction) {
            self.build_once(conjunction, place)
        } else {
            let (built, guard) = self.build_inside(conjunction, place);
            self.name(built, guard, conjunction, place)
        };
        (ty, guard::or_interpreted(self.schema, conjunction, guard))
    }

    /// [`build`](Self::build) for a place inside another.
    fn build_inside(&mut self, conjunction: &Conjunction, place: &Place) -> (Built, ExactGuard) {
        self.depth += 1;
        let built = self.build(conjunction, place);
        self.depth -= 1;
        built
    }

    /// The type of a place, with a definition if it needs one.
    fn name(
        &mut self,
        built: Built,
        guard: ExactGuard,
        conjunction: &Conjunction,
        place: &Place,
    ) -> (Type, ExactGuard) {
        match built {
            Built::Type(ty) => (ty, guard),
            Built::Shape { shape, nullable } => {
                let description = conjunction.description(self.schema).map(str::to_owned);
                // The definition does not contain `null`, so an assertion about it must stay at the place.
                let is_exact = guard.is_some() || nullable;
                let coverage = guard::coverage(self.schema, conjunction, is_exact);
                let coverage = if nullable { coverage.partial() } else { coverage };
                let id = self.push(place.clone(), Origin::Place, description, shape, coverage);
                (named(id, nullable), if nullable { guard } else { Some(Guard::None) })
            }
        }
    }

    /// The type of a conjunction, without its name, and the guard that it needs.
    fn build(&mut self, conjunction: &Conjunction, place: &Place) -> (Built, ExactGuard) {
        if self.lists_too_much(conjunction) {
            return (Built::Type(Type::Unknown), None);
        }
        let facets = self.facets(conjunction);
        if facets.is_never() {
            return (Built::Type(Type::Never), Some(Guard::None));
        }
        if (facets.unions.is_empty() || facets.values.is_some()) && !self.size.take(&facets) {
            return (Built::Type(Type::Unknown), None);
        }
        // A list of values is more precise than anything else that the schemas assert.
        if let Some(values) = &facets.values {
            let is_exact = guard::asserts_only_values(&facets);
            return (finite::build(values.iter().map(|value| (*value, None))), is_exact.then_some(Guard::None));
        }
        if !facets.unions.is_empty() {
            return self.union(conjunction, &facets, place);
        }
        match scalar(&facets) {
            Some(scalar) => {
                let guard = guard::scalar(&facets, &scalar);
                (Built::Type(scalar), guard)
            }
            None => self.structured(conjunction, &facets, place),
        }
    }

    /// The type of a place without unions and listed values whose type is not scalar.
    fn structured(&mut self, conjunction: &Conjunction, facets: &Facets<'a>, place: &Place) -> (Built, ExactGuard) {
        let nullable = facets.types.contains(SchemaType::Null);
        let mut types = facets.types.iter().filter(|t| *t != SchemaType::Null);
        let (mut built, guard) = match (types.next(), types.next()) {
            (Some(SchemaType::Object), None) => match self.object(facets, place) {
                (Built::Type(ty), guard) => or_null(facets, ty, guard),
                (Built::Shape { shape, .. }, guard) => (Built::Shape { shape, nullable }, guard),
            },
            (Some(SchemaType::Array), None) => {
                let (ty, guard) = self.array(facets, place);
                or_null(facets, ty, guard)
            }
            _ => self.union_of_types(conjunction, facets, place),
        };
        if compared::compares_values(self.schema, facets) {
            self.compare(&mut built);
        }
        (built, guard)
    }

    fn array(&mut self, facets: &Facets<'a>, place: &Place) -> (Type, ExactGuard) {
        if let Some(positions) = self.positions(facets) {
            return self.tuple(facets, positions, place);
        }
        let (item, guard) = self.place(&facets.items(), &place.child("Item", "items", None));
        let guard = guard.and_then(|item_guard| guard::array(facets, self.types, &item, item_guard));
        if guard.is_none() && facets.has_unique_items() {
            self.compared.push(item.clone());
        }
        let Limits { min, max, .. } = facets.item_counts();
        if max.is_some_and(|max| max < min) {
            return (Type::Never, Some(Guard::None));
        }
        (Type::Array { item: Box::new(item), min, max }, guard)
    }
}

/// A type, or `null` if the place allows it.
fn or_null(facets: &Facets<'_>, ty: Type, guard: ExactGuard) -> (Built, ExactGuard) {
    match nullable_if(ty, facets.types.contains(SchemaType::Null)) {
        // Only `null` is left, for which nothing has been checked yet.
        Type::Null => (Built::Type(Type::Null), guard::scalar(facets, &Type::Null)),
        ty => (Built::Type(ty), guard),
    }
}

/// The pointer of a place, or its beginning and a hash if it is too long. It then still identifies the place.
fn limited(pointer: String) -> String {
    if pointer.len() <= MAX_POINTER {
        return pointer;
    }
    let digest = name::hash(pointer.as_bytes(), 16);
    pointer.chars().take(MAX_POINTER / 8).chain(['…']).chain(digest.chars()).collect()
}

/// The name of the marker type of a capability.
pub(crate) fn marker_type(capability: &str) -> String {
    name::type_name(capability, "Capability")
}

/// The name of the type of a side.
fn root_type(capability: &str, side: Side) -> String {
    name::nested(&marker_type(capability), &name::camel(side.name()))
}

/// The name of the root type of a part.
fn root_name(capability: &CapabilityName, details: &Details, index: usize, part: ContractPart) -> String {
    let root_type = |side| root_type(&capability.title, side);
    match part {
        ContractPart::Request => root_type(Side::Request),
        ContractPart::Response => root_type(Side::Response),
        ContractPart::Details(_) => details.get(index, part).map(|details| details.name.clone()).unwrap_or_default(),
    }
}

/// A definition that names a type.
fn alias_shape(target: Type, guard: Guard) -> Shape {
    Shape::Alias { target, guard, is_reference: false, distinct: false }
}
