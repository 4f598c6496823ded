//! From schemas to terms.

use std::collections::{BTreeMap, HashMap};

use super::formats;
use super::term::{Term, TermId, Terms};
use crate::{Assertions, Json, Kind, NodeId, Schema};

/// A subschema of one of the schemas.
type Place = (usize, NodeId);

/// Adds both schemas to the terms and returns the terms of their roots.
///
/// Two subschemas are in one class if their keywords are equal and their subschemas are in the same classes. Starting with one class,
/// classes are split by this rule until their number no longer grows. This also finds recursive subschemas that are equal. Takes time
/// proportional to the size of the schemas times the length of the longest path that distinguishes two subschemas.
pub(super) fn add(terms: &mut Terms, schemas: [&Schema; 2]) -> [TermId; 2] {
    let places: Vec<Place> = schemas
        .iter()
        .enumerate()
        .flat_map(|(index, schema)| schema.nodes().map(move |(id, _)| (index, id)))
        .filter(|(index, id)| schemas.get(*index).is_some_and(|schema| schema.resolve(*id) == *id))
        .collect();
    let shapes: Vec<Shape> =
        places.iter().filter_map(|(index, id)| Some(Shape::of(*index, schemas.get(*index)?, *id))).collect();
    let classes = classify(&places, &shapes);
    let mut ids: BTreeMap<u32, TermId> = BTreeMap::new();
    for place in &places {
        let class = classes.get(place).copied().unwrap_or_default();
        ids.entry(class).or_insert_with(|| terms.reserve());
    }
    let id_of = |place: Place| classes.get(&place).and_then(|class| ids.get(class)).copied();
    let mut is_defined = std::collections::HashSet::new();
    for place @ (index, node) in &places {
        let (Some(id), Some(schema)) = (id_of(*place), schemas.get(*index)) else { continue };
        if is_defined.insert(id) {
            let term = define(terms, schema, *node, &|child| id_of((*index, schema.resolve(child))));
            terms.define(id, term);
        }
    }
    let nothing = terms.nothing();
    [0, 1].map(|index| {
        schemas.get(index).and_then(|schema| id_of((index, schema.resolve(schema.root())))).unwrap_or(nothing)
    })
}

/// A subschema without its subschemas, and those.
struct Shape {
    own: String,
    children: Vec<Place>,
}

impl Shape {
    fn of(index: usize, schema: &Schema, id: NodeId) -> Self {
        let node = schema.node(id);
        let own = match &node.kind {
            Kind::Bool(accepts) => accepts.to_string(),
            Kind::Ref(_) => String::new(),
            Kind::Assertions(group) => own_keywords(group),
        };
        let mut children: Vec<Place> = Vec::new();
        if let Kind::Assertions(group) = &node.kind {
            let mut properties: Vec<_> = group.properties.iter().collect();
            properties.sort_by(|a, b| a.0.cmp(&b.0));
            let below = properties.into_iter().map(|(_, id)| *id).chain(group.additional_properties).chain(group.items);
            children.extend(below.chain(node.kind.in_place()).map(|child| (index, schema.resolve(child))));
        }
        Self { own, children }
    }
}

/// The keywords of a group apart from its subschemas, of which only the numbers and the names count.
fn own_keywords(group: &Assertions) -> String {
    let sorted = |mut values: Vec<String>| {
        values.sort();
        values.dedup();
        values
    };
    let values = |values: &Vec<Json>| sorted(values.iter().map(Json::canonical).collect());
    let names = sorted(group.properties.iter().map(|(name, _)| name.clone()).collect());
    let count = |ids: &Option<Vec<NodeId>>| ids.as_ref().map(Vec::len);
    format!(
        "{:?}",
        (
            (group.types, group.enum_values.as_ref().map(values), group.const_value.as_ref().map(Json::canonical)),
            (&group.minimum, &group.maximum, &group.exclusive_minimum, &group.exclusive_maximum),
            (group.min_length, group.max_length, group.pattern.as_ref().map(crate::Pattern::source), group.format),
            (group.min_items, group.max_items, group.unique_items, group.items.is_some()),
            (names, sorted(group.required.clone()), group.additional_properties.is_some()),
            (count(&group.one_of), count(&group.any_of), count(&group.all_of), group.not.is_some()),
        )
    )
}

/// The class of each subschema: the coarsest partition in which equal classes have equal keywords and children of equal classes.
fn classify(places: &[Place], shapes: &[Shape]) -> HashMap<Place, u32> {
    let mut classes: HashMap<Place, u32> = places.iter().map(|place| (*place, 0)).collect();
    let mut count = 1;
    loop {
        let mut known: HashMap<(u32, &str, Vec<u32>), u32> = HashMap::new();
        let mut next = HashMap::with_capacity(classes.len());
        for (place, shape) in places.iter().zip(shapes) {
            let children = shape.children.iter().filter_map(|child| classes.get(child)).copied().collect();
            let key = (classes.get(place).copied().unwrap_or_default(), shape.own.as_str(), children);
            let new = u32::try_from(known.len()).unwrap_or(u32::MAX);
            next.insert(*place, *known.entry(key).or_insert(new));
        }
        let grown = known.len();
        classes = next;
        if grown == count {
            return classes;
        }
        count = grown;
    }
}

fn define(terms: &mut Terms, schema: &Schema, id: NodeId, term_of: &dyn Fn(NodeId) -> Option<TermId>) -> Term {
    let group = match &schema.node(id).kind {
        Kind::Bool(true) | Kind::Ref(_) => return Term::All(Vec::new()),
        Kind::Bool(false) => return Term::AnyOf(Vec::new()),
        Kind::Assertions(group) => group,
    };
    let mut parts = Vec::new();
    parts.extend(group.types.map(|types| terms.add(Term::Types(types.bits()))));
    parts.extend(group.enum_values.as_ref().map(|values| terms.one_of_values(values)));
    parts.extend(group.const_value.as_ref().map(|value| terms.one_of_values([value])));
    let minimum = group.minimum.iter().map(|limit| (limit, false));
    for (limit, exclusive) in minimum.chain(group.exclusive_minimum.iter().map(|limit| (limit, true))) {
        parts.push(terms.add(Term::Minimum { limit: limit.clone(), exclusive }));
    }
    let maximum = group.maximum.iter().map(|limit| (limit, false));
    for (limit, exclusive) in maximum.chain(group.exclusive_maximum.iter().map(|limit| (limit, true))) {
        parts.push(terms.add(Term::Maximum { limit: limit.clone(), exclusive }));
    }
    // A minimum of zero asserts nothing.
    parts.extend(group.min_length.filter(|n| *n > 0).map(|n| terms.add(Term::MinLength(n))));
    parts.extend(group.max_length.map(|n| terms.add(Term::MaxLength(n))));
    parts.extend(group.pattern.as_ref().map(|pattern| terms.add(Term::Pattern(pattern.source().to_owned()))));
    parts.extend(group.format.map(|format| formats::term(terms, format)));
    parts.extend(group.min_items.filter(|n| *n > 0).map(|n| terms.add(Term::MinItems(n))));
    parts.extend(group.max_items.map(|n| terms.add(Term::MaxItems(n))));
    parts.extend(group.unique_items.then(|| terms.add(Term::UniqueItems)));
    parts.extend(group.items.and_then(term_of).map(|items| terms.add(Term::Items(items))));
    parts.extend(group.required.iter().map(|name| terms.add(Term::Required(name.clone()))).collect::<Vec<_>>());
    if !group.properties.is_empty() || group.additional_properties.is_some() {
        let properties = group.properties.iter();
        let mut declared: Vec<(String, TermId)> =
            properties.filter_map(|(name, id)| Some((name.clone(), term_of(*id)?))).collect();
        declared.sort();
        let rest = group.additional_properties.and_then(term_of).unwrap_or_else(|| terms.anything());
        parts.push(terms.add(Term::Members { declared, rest }));
    }
    let several = |ids: &Vec<NodeId>| ids.iter().filter_map(|id| term_of(*id)).collect::<Vec<_>>();
    parts.extend(group.all_of.iter().flat_map(several));
    parts.extend(group.any_of.as_ref().map(|ids| terms.add(Term::AnyOf(several(ids)))));
    parts.extend(group.one_of.as_ref().map(|ids| terms.add(Term::OneOf(several(ids)))));
    parts.extend(group.not.and_then(term_of).map(|id| terms.add(Term::Not(id))));
    Term::All(parts)
}
