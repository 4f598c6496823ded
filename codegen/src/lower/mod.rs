//! Contract to type model.
//!
//! A [`Conjunction`] describes each place of a payload: the schemas that apply there together. It becomes a type. A type that
//! needs a name gets a definition; a definition that is reached through a `$ref` is lowered later, from a queue, so the depth
//! of recursion is bounded by the nesting of the schema and not by the length of its chains of references.

mod alias;
mod branch;
mod check;
mod depth;
mod finish;
mod finite;
mod guard;
mod record;
mod reuse;
mod scalar;
#[cfg(test)]
mod tests;
mod union_type;

use std::collections::{HashMap, HashSet};

use capgen_manifest::{Manifest, Side};
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::effort::Effort;
use capgen_schema::analysis::facets::{Facets, Limits};
use capgen_schema::analysis::profile::Profiler;
use capgen_schema::{Kind, NodeId, Schema, Type as SchemaType};

use crate::model::{CapabilityModel, Coverage, Guard, Model, Origin, Shape, SideModel, Type, TypeDef, TypeId};
use crate::name;
use alias::{Alias, alias_of, is_only_alias};
use guard::ExactGuard;
use reuse::Reused;
use scalar::{named, nullable_if, scalar};

/// Lowers a contract. The time is linear in the size of the contract, except for conjunctions that contain one another, for
/// which a budget limits it. The model has no validators yet; see [`add_validators`].
pub(crate) fn lower(manifest: &Manifest) -> Model<'_> {
    let mut types = Vec::new();
    let mut capabilities = Vec::with_capacity(manifest.capabilities.len());
    for capability in &manifest.capabilities {
        let marker = name::type_name(&capability.name, "Capability");
        let mut side = |side: Side| {
            let root = name::nested(&marker, &name::camel(side.name()));
            match capability.schema(side) {
                None => SideModel::Loose(root),
                Some(schema) => SideModel::Typed(Lowering::run(&mut types, schema, &capability.name, side, root)),
            }
        };
        let (request, response) = (side(Side::Request), side(Side::Response));
        capabilities.push(CapabilityModel { source: capability, marker, request, response });
    }
    let mut model = Model { manifest, hash: manifest.hash(), capabilities, types, validators: Vec::new() };
    finish::finish(&mut model);
    model
}

/// Adds the validators, which only TypeScript and JavaScript need: Rust types check themselves.
pub(crate) fn add_validators(model: &mut Model<'_>) {
    model.validators = check::validators(&model.capabilities);
}

/// One side of one capability.
struct Lowering<'a, 'm> {
    schema: &'a Schema,
    capability: &'a str,
    side: Side,
    types: &'m mut Vec<TypeDef>,
    /// The type of each member of `definitions` that is referred to.
    definitions: HashMap<NodeId, TypeId>,
    /// The names of the members of `definitions`.
    definition_names: HashMap<NodeId, &'a str>,
    /// The names of their types.
    definition_types: HashSet<String>,
    /// The types of conjunctions that contain references. They must be found again, or a recursive definition would be
    /// combined with other schemas without end.
    reused: Reused,
    /// How many places contain the current one and are being built too.
    depth: usize,
    /// Definitions without a shape yet.
    queue: Vec<(TypeId, Conjunction)>,
    profiler: Profiler<'a>,
    root: String,
    /// How many more schemas may be visited; at zero every type is `Unknown`. Without it, n definitions that are combined with
    /// one another would take exponential time.
    budget: usize,
}

/// The most bytes of a place's pointer: combined references lead to more levels than a schema has.
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
    fn run(types: &mut Vec<TypeDef>, schema: &'a Schema, capability: &'a str, side: Side, root: String) -> TypeId {
        let mut lowering = Lowering {
            schema,
            capability,
            side,
            types,
            definitions: HashMap::new(),
            definition_names: schema.definitions().iter().map(|(name, id)| (*id, name.as_str())).collect(),
            definition_types: schema.definitions().iter().map(|(name, _)| definition_type(&root, name)).collect(),
            reused: Reused::default(),
            depth: 0,
            queue: Vec::new(),
            profiler: Profiler::new(schema, Effort::FULL),
            root: root.clone(),
            budget: 100 * schema.nodes().count() + 10_000,
        };
        let place = Place { name: root, pointer: String::new() };
        let id = lowering.define(place, Origin::Root, Conjunction::of([schema.root()]));
        while let Some((id, conjunction)) = lowering.queue.pop() {
            lowering.lower_definition(id, &conjunction);
        }
        id
    }

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
            capability: self.capability.to_owned(),
            side: self.side,
            pointer: place.pointer,
            description,
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
        let description = self.facets(conjunction).description.map(str::to_owned);
        let is_exact = guard.is_some();
        let shape = match built {
            Built::Type(target) => alias_shape(target, guard.unwrap_or_default()),
            Built::Shape { shape, nullable: false } => shape,
            Built::Shape { shape, nullable: true } => {
                // The definition becomes an alias of `T | null`, so `T` needs a definition of its own.
                let Some(def) = self.types.get(id.0) else { return };
                let place = Place { name: name::nested(&def.name, "Value"), pointer: def.pointer.clone() };
                let value =
                    self.push(place, Origin::Place, None, shape, guard::coverage(self.schema, conjunction, true));
                alias_shape(named(value, true), Guard::None)
            }
        };
        let coverage = guard::coverage(self.schema, conjunction, is_exact);
        if let Some(def) = self.types.get_mut(id.0) {
            def.description = description;
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

    /// The type of a conjunction that needs no definition of its own.
    fn alias_type(&mut self, conjunction: &Conjunction) -> Option<Type> {
        Some(match alias_of(self.schema, conjunction)? {
            Alias::Anything => Type::Unknown,
            Alias::Nothing => Type::Never,
            Alias::Ref(target) => {
                if let Kind::Bool(accepts) = self.schema.node(target).kind {
                    return Some(if accepts { Type::Unknown } else { Type::Never });
                }
                Type::Named { id: self.definition(target), boxed: false }
            }
        })
    }

    /// The type of a member of `definitions`.
    fn definition(&mut self, node: NodeId) -> TypeId {
        if let Some(id) = self.definitions.get(&node) {
            return *id;
        }
        let name = self.definition_names.get(&node).copied().unwrap_or_default();
        let place =
            Place { name: definition_type(&self.root, name), pointer: limited(self.schema.node(node).pointer.clone()) };
        let id = self.define(place, Origin::Definition, Conjunction::of([node]));
        self.definitions.insert(node, id);
        id
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
                let description = self.facets(conjunction).description.map(str::to_owned);
                // The definition does not contain `null`, so an assertion about it must stay at the place.
                let is_exact = guard.is_some() || nullable;
                let coverage = guard::coverage(self.schema, conjunction, is_exact);
                let id = self.push(place.clone(), Origin::Place, description, shape, coverage);
                (named(id, nullable), if nullable { guard } else { Some(Guard::None) })
            }
        }
    }

    /// The type of a conjunction, without its name, and the guard that it needs.
    fn build(&mut self, conjunction: &Conjunction, place: &Place) -> (Built, ExactGuard) {
        let facets = self.facets(conjunction);
        if facets.is_never() {
            return (Built::Type(Type::Never), Some(Guard::None));
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
        match (types.next(), types.next()) {
            (Some(SchemaType::Object), None) => match self.object(facets, place) {
                (Built::Type(ty), guard) => or_null(facets, ty, guard),
                (Built::Shape { shape, .. }, guard) => (Built::Shape { shape, nullable }, guard),
            },
            (Some(SchemaType::Array), None) => {
                let (ty, guard) = self.array(facets, place);
                or_null(facets, ty, guard)
            }
            _ => self.union_of_types(conjunction, facets, place),
        }
    }

    fn array(&mut self, facets: &Facets<'a>, place: &Place) -> (Type, ExactGuard) {
        let (item, guard) = self.place(&facets.items(), &place.child("Item", "items", None));
        let guard = guard.and_then(|item_guard| guard::array(facets, self.types, &item, item_guard));
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

/// The name of the type of a definition.
fn definition_type(root: &str, name: &str) -> String {
    name::nested(root, &name::camel_or(name, "Type"))
}

/// A definition that names a type.
fn alias_shape(target: Type, guard: Guard) -> Shape {
    Shape::Alias { target, guard, distinct: false }
}
