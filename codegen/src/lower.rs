//! Contract to type model.
//!
//! Every place of a payload is described by a [`Conj`]: the schemas that hold there together. A conjunction becomes a type;
//! what needs a name gets a definition, and a definition that is reached through a `$ref` is lowered later, from a queue, so
//! that recursion is never deeper than a schema nests.

mod apart;
mod conj;
mod depth;
mod finish;
mod finite;
mod guard;
mod key;
mod record;
#[cfg(test)]
mod tests;
mod union;

use std::collections::{HashMap, HashSet};

use capgen_manifest::{Manifest, Side};
use capgen_schema::{Kind, NodeId, Number, Schema, Type as SchemaType, TypeSet};

use crate::model::{CapabilityModel, Coverage, Guard, Model, Origin, Shape, SideModel, Type, TypeDef, TypeId};
use crate::name;
use conj::{Conj, Facets, Pure, flatten, pure};
use guard::Exactly;

/// Lowers a contract. Takes time linear in its size, but for conjunctions of conjunctions, which are cut off.
pub(crate) fn lower(manifest: &Manifest) -> Model<'_> {
    let mut types = Vec::new();
    let mut capabilities = Vec::with_capacity(manifest.capabilities.len());
    for capability in &manifest.capabilities {
        let marker = name::type_name(&capability.name, "Capability");
        let mut side = |side: Side| {
            let root = format!("{marker}{}", name::camel(side.name()));
            match capability.schema(side) {
                None => SideModel::Loose(root),
                Some(schema) => SideModel::Typed(Lowering::run(&mut types, schema, &capability.name, side, root)),
            }
        };
        let (request, response) = (side(Side::Request), side(Side::Response));
        capabilities.push(CapabilityModel { source: capability, marker, request, response });
    }
    let mut model = Model { manifest, hash: manifest.hash(), capabilities, types };
    finish::finish(&mut model);
    model
}

/// One side of one capability.
struct Lowering<'a, 'm> {
    schema: &'a Schema,
    capability: &'a str,
    side: Side,
    types: &'m mut Vec<TypeDef>,
    /// The type of each member of `definitions` that something refers to.
    definitions: HashMap<NodeId, TypeId>,
    /// The names of the members of `definitions`.
    definition_names: HashMap<NodeId, &'a str>,
    /// What their types are called.
    definition_types: HashSet<String>,
    /// The type of each conjunction that has a reference in it and more.
    merged: HashMap<Conj, TypeId>,
    queue: Vec<(TypeId, Conj)>,
    root: String,
    /// What may still be spent; at zero everything is `Unknown`.
    budget: usize,
}

/// Where a type is needed: what it would be called, and its JSON Pointer.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    pointer: String,
}

/// A conjunction as a type, before it has a name.
enum Built {
    Type(Type),
    Shape { shape: Shape, nullable: bool },
}

impl Place {
    fn child(&self, name: &str, keyword: &str, token: Option<&str>) -> Place {
        let mut pointer = capgen_schema::pointer::join(&self.pointer, keyword);
        if let Some(token) = token {
            capgen_schema::pointer::push(&mut pointer, token);
        }
        Place { name: format!("{}{name}", self.name), pointer }
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
            merged: HashMap::new(),
            queue: Vec::new(),
            root: root.clone(),
            budget: 100 * schema.nodes().count() + 10_000,
        };
        let place = Place { name: root, pointer: String::new() };
        let id = lowering.define(place, Origin::Root, Conj::of([schema.root()]));
        while let Some((id, conj)) = lowering.queue.pop() {
            lowering.lower_definition(id, &conj);
        }
        id
    }

    /// Makes a definition whose shape comes later, from the queue.
    fn define(&mut self, place: Place, origin: Origin, conj: Conj) -> TypeId {
        let id = self.push(
            place,
            origin,
            None,
            alias(Type::Unknown, Guard::None),
            guard::coverage(self.schema, &conj, true),
        );
        self.queue.push((id, conj));
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

    fn lower_definition(&mut self, id: TypeId, conj: &Conj) {
        let Some(def) = self.types.get(id.0) else { return };
        let place = Place { name: def.name.clone(), pointer: def.pointer.clone() };
        let description = self.flatten(conj).description.map(str::to_owned);
        let (shape, is_exact) = match self.pure(conj) {
            Some(ty) => (alias(ty, Guard::None), guard::is_plain(self.schema, conj)),
            None => match self.build(conj, &place) {
                (Built::Type(target), exactly) => {
                    let is_exact = exactly.is_some();
                    (alias(target, exactly.unwrap_or_default()), is_exact)
                }
                (Built::Shape { shape, nullable: false }, exactly) => (shape, exactly.is_some()),
                (Built::Shape { shape, nullable: true }, exactly) => {
                    let place = Place { name: format!("{}Value", place.name), ..place };
                    let id = self.push(place, Origin::Place, None, shape, guard::coverage(self.schema, conj, true));
                    (alias(named(id, true), Guard::None), exactly.is_some())
                }
            },
        };
        let coverage = guard::coverage(self.schema, conj, is_exact);
        if let Some(def) = self.types.get_mut(id.0) {
            def.description = description;
            def.shape = shape;
            def.coverage = coverage;
        }
    }

    fn flatten(&mut self, conj: &Conj) -> Facets<'a> {
        let facets = flatten(self.schema, conj);
        self.budget = self.budget.saturating_sub(facets.cost);
        facets
    }

    /// The type of a conjunction that is one reference, anything, or nothing.
    fn pure(&mut self, conj: &Conj) -> Option<Type> {
        Some(match pure(self.schema, conj)? {
            Pure::Anything => Type::Unknown,
            Pure::Nothing => Type::Never,
            Pure::Ref(target) => {
                if let Kind::Bool(accepts) = self.schema.node(target).kind {
                    return Some(if accepts { Type::Unknown } else { Type::Never });
                }
                Type::Named { id: self.definition(target), boxed: false }
            }
        })
    }

    fn definition(&mut self, node: NodeId) -> TypeId {
        if let Some(id) = self.definitions.get(&node) {
            return *id;
        }
        let name = self.definition_names.get(&node).copied().unwrap_or_default();
        let place = Place { name: definition_type(&self.root, name), pointer: self.schema.node(node).pointer.clone() };
        let id = self.define(place, Origin::Definition, Conj::of([node]));
        self.definitions.insert(node, id);
        id
    }

    /// The type of a place, and what its schemas say beyond it; `None` where only a place around it can say that.
    fn place(&mut self, conj: &Conj, place: &Place) -> (Type, Exactly) {
        if self.budget == 0 {
            return (Type::Unknown, guard::or_whole(self.schema, conj, None));
        }
        self.budget -= 1;
        let (ty, exactly) = if let Some(ty) = self.pure(conj) {
            let is_plain = ty == Type::Never || guard::is_plain(self.schema, conj);
            (ty, is_plain.then_some(Guard::None))
        } else if self.is_merged(conj) {
            self.merge(conj, place)
        } else {
            match self.build(conj, place) {
                (Built::Type(ty), exactly) => (ty, exactly),
                (Built::Shape { shape, nullable }, exactly) => {
                    let description = self.flatten(conj).description.map(str::to_owned);
                    // What is said of `null` cannot be left to a type that does not have it.
                    let is_exact = exactly.is_some() || nullable;
                    let coverage = guard::coverage(self.schema, conj, is_exact);
                    let id = self.push(place.clone(), Origin::Place, description, shape, coverage);
                    (named(id, nullable), if nullable { exactly } else { Some(Guard::None) })
                }
            }
        };
        (ty, guard::or_whole(self.schema, conj, exactly))
    }

    /// Whether a reference is merged with something else, so that the place may come back to itself.
    fn is_merged(&self, conj: &Conj) -> bool {
        let mut stack: Vec<NodeId> = conj.atoms.iter().map(|atom| atom.node).collect();
        let mut seen = HashSet::new();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &self.schema.node(id).kind {
                Kind::Ref(_) => return true,
                Kind::Assertions(group) => stack.extend(group.all_of.iter().flatten()),
                Kind::Bool(_) => {}
            }
        }
        false
    }

    fn merge(&mut self, conj: &Conj, place: &Place) -> (Type, Exactly) {
        let named = |id| (Type::Named { id, boxed: false }, Some(Guard::None));
        if let Some(id) = self.merged.get(conj) {
            return named(*id);
        }
        let facets = self.flatten(conj);
        if facets.is_never() {
            return (Type::Never, Some(Guard::None));
        }
        if facets.unions.is_empty()
            && facets.values.is_none()
            && let Some(scalar) = scalar(&facets)
        {
            let exactly = guard::scalar(self.schema, &facets, &scalar);
            return (scalar, exactly);
        }
        let id = self.define(place.clone(), Origin::Place, conj.clone());
        self.merged.insert(conj.clone(), id);
        named(id)
    }

    fn build(&mut self, conj: &Conj, place: &Place) -> (Built, Exactly) {
        let facets = self.flatten(conj);
        if facets.is_never() {
            return (Built::Type(Type::Never), Some(Guard::None));
        }
        if let Some(values) = &facets.values {
            let is_exact = guard::only_lists(self.schema, &facets);
            return (finite::build(values.iter().map(|value| (*value, None))), is_exact.then_some(Guard::None));
        }
        if !facets.unions.is_empty() {
            return self.union(conj, &facets, place);
        }
        match scalar(&facets) {
            Some(scalar) => {
                let exactly = guard::scalar(self.schema, &facets, &scalar);
                (Built::Type(scalar), exactly)
            }
            None => self.structured(conj, &facets, place),
        }
    }

    /// A place without unions and listed values whose type is not one scalar.
    fn structured(&mut self, conj: &Conj, facets: &Facets<'a>, place: &Place) -> (Built, Exactly) {
        let nullable = facets.types.contains(SchemaType::Null);
        let mut types = facets.types.iter().filter(|t| *t != SchemaType::Null);
        match (types.next(), types.next()) {
            (Some(SchemaType::Object), None) => match self.object(facets, place) {
                (Built::Type(ty), exactly) => self.or_null(facets, ty, exactly),
                (Built::Shape { shape, .. }, exactly) => (Built::Shape { shape, nullable }, exactly),
            },
            (Some(SchemaType::Array), None) => {
                let (ty, exactly) = self.array(facets, place);
                self.or_null(facets, ty, exactly)
            }
            _ => self.union_of_types(conj, facets, place),
        }
    }

    /// A type, or `null` where the place allows it.
    fn or_null(&self, facets: &Facets<'a>, ty: Type, exactly: Exactly) -> (Built, Exactly) {
        match nullable_if(ty, facets.types.contains(SchemaType::Null)) {
            // Nothing has been asked of `null` yet.
            Type::Null => (Built::Type(Type::Null), guard::scalar(self.schema, facets, &Type::Null)),
            ty => (Built::Type(ty), exactly),
        }
    }

    fn array(&mut self, facets: &Facets<'a>, place: &Place) -> (Type, Exactly) {
        let items = Conj::of(facets.groups.iter().filter_map(|group| group.items));
        let (item, exactly) = self.place(&items, &place.child("Item", "items", None));
        let exactly = exactly.and_then(|item_guard| guard::array(self.schema, facets, self.types, &item, item_guard));
        let min = facets.groups.iter().filter_map(|group| group.min_items).max().unwrap_or(0);
        let max = facets.groups.iter().filter_map(|group| group.max_items).min();
        if max.is_some_and(|max| max < min) {
            return (Type::Never, Some(Guard::None));
        }
        (Type::Array { item: Box::new(item), min, max }, exactly)
    }
}

/// What the type of a definition is called.
fn definition_type(root: &str, name: &str) -> String {
    format!("{root}{}", name::camel_or(name, "Type"))
}

/// A type by another name.
fn alias(target: Type, guard: Guard) -> Shape {
    Shape::Alias { target, guard, distinct: false }
}

/// The type of a place whose values all have one scalar type, or are `null`.
fn scalar(facets: &Facets<'_>) -> Option<Type> {
    let nullable = facets.types.contains(SchemaType::Null);
    let mut types = facets.types.iter().filter(|t| *t != SchemaType::Null);
    let scalar = match (types.next(), types.next()) {
        (None, None) => return Some(Type::Null),
        (Some(SchemaType::Boolean), None) => Type::Boolean,
        (Some(SchemaType::Integer), None) => Type::Integer { unsigned: is_unsigned(facets) },
        (Some(SchemaType::Number), None) => Type::Number,
        (Some(SchemaType::String), None) => Type::String,
        _ => return None,
    };
    Some(nullable_if(scalar, nullable))
}

/// Whether the bounds leave no room for a negative integer.
fn is_unsigned(facets: &Facets<'_>) -> bool {
    let minus_one = Number::from(-1_i64);
    facets.groups.iter().any(|group| {
        group.minimum.as_ref().is_some_and(|limit| *limit > minus_one)
            || group.exclusive_minimum.as_ref().is_some_and(|limit| *limit >= minus_one)
    })
}

/// The type or `null`.
fn nullable_if(ty: Type, nullable: bool) -> Type {
    match ty {
        Type::Never if nullable => Type::Null,
        Type::Unknown | Type::Null | Type::Nullable(_) => ty,
        ty if nullable => Type::Nullable(Box::new(ty)),
        ty => ty,
    }
}

fn named(id: TypeId, nullable: bool) -> Type {
    nullable_if(Type::Named { id, boxed: false }, nullable)
}

/// Every type, `null` included.
fn is_everything(types: TypeSet) -> bool {
    types == TypeSet::ALL
}
