//! From schemas to terms.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::term::{Term, TermId, Terms};
use super::{formats, partition};
use crate::{Assertions, Json, Kind, NodeId, Schema, Type, TypeSet};

/// A subschema of one of the schemas.
pub(super) type Place = (usize, NodeId);

/// An assertion of a subschema: a keyword that is present, or a part of its value that asserts something alone, such as
/// one name of `required`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The keyword. `items` and `additionalItems` are one part, `items`. `properties`, `patternProperties` and
    /// `additionalProperties` are one part: `additionalProperties` if there is no `properties`, and `patternProperties`
    /// if it is the only one. `then` and `else` are parts, each with the condition in `if`.
    pub(super) keyword: &'static str,
    pub(super) term: TermId,
}

/// The terms of the subschemas of some schemas.
pub(super) type Ids = HashMap<Place, TermId>;

/// Adds both schemas to the terms and returns the terms of their roots.
pub(super) fn add(terms: &mut Terms, schemas: [&Schema; 2]) -> [TermId; 2] {
    let ids = add_all(terms, &schemas);
    let nothing = terms.nothing();
    [0, 1].map(|index| {
        let root = schemas.get(index).map(|schema| schema.resolve(schema.root()));
        root.and_then(|root| ids.get(&(index, root)).copied()).unwrap_or(nothing)
    })
}

/// Adds schemas to the terms and returns the terms of all subschemas that are not references.
///
/// Two subschemas are in one class, and have the same term, if their keywords are equal and their subschemas are in the
/// same classes. This also finds recursive subschemas that are equal. Takes time about n log n in the size of the
/// schemas.
pub(super) fn add_all(terms: &mut Terms, schemas: &[&Schema]) -> Ids {
    let places: Vec<Place> = schemas
        .iter()
        .enumerate()
        .flat_map(|(index, schema)| schema.nodes().map(move |(id, _)| (index, id)))
        .filter(|(index, id)| schemas.get(*index).is_some_and(|schema| schema.resolve(*id) == *id))
        .collect();
    let shapes: Vec<Shape> =
        places.iter().filter_map(|(index, id)| Some(Shape::of(*index, schemas.get(*index)?, *id))).collect();
    let classes = classify(&places, &shapes);
    let mut ids: BTreeMap<usize, TermId> = BTreeMap::new();
    for place in &places {
        let class = classes.get(place).copied().unwrap_or_default();
        ids.entry(class).or_insert_with(|| terms.reserve());
    }
    terms.texts = texts(schemas);
    let id_of = |place: Place| classes.get(&place).and_then(|class| ids.get(class)).copied();
    let mut is_defined = std::collections::HashSet::new();
    for place @ (index, node) in &places {
        let (Some(id), Some(schema)) = (id_of(*place), schemas.get(*index)) else { continue };
        if is_defined.insert(id) {
            let term = define(terms, schema, *node, &|child| id_of((*index, schema.resolve(child))));
            terms.define(id, term);
        }
    }
    places.iter().filter_map(|place| Some((*place, id_of(*place)?))).collect()
}

/// The most strings that are collected. They are tried before a search, and each takes a match of a pattern or format.
const MAX_TEXTS: usize = 256;

/// The strings in the values and annotations of schemas with patterns or formats, without duplicates.
fn texts(schemas: &[&Schema]) -> Rc<[String]> {
    let mut found = BTreeSet::new();
    for schema in schemas {
        let mut has_pattern = false;
        let mut values: Vec<&Json> = Vec::new();
        for (_, node) in schema.nodes() {
            values.extend(node.annotations.default.iter().chain(&node.annotations.examples));
            if let Kind::Assertions(group) = &node.kind {
                has_pattern |= group.pattern.is_some() || group.format.is_some() || group.min_length.is_some();
                has_pattern |= group.property_names.is_some() || !group.pattern_properties.is_empty();
                values.extend(group.enum_values.iter().flatten().chain(&group.const_value));
            }
        }
        // Without them, each string is found in another way.
        if !has_pattern {
            continue;
        }
        while let Some(value) = values.pop() {
            match value {
                _ if found.len() >= MAX_TEXTS => break,
                Json::String(text) => _ = found.insert(text.clone()),
                Json::Array(items) => values.extend(items),
                Json::Object(members) => values.extend(members.iter().map(|(_, value)| value)),
                _ => {}
            }
        }
    }
    found.into_iter().collect()
}

fn classify(places: &[Place], shapes: &[Shape]) -> HashMap<Place, usize> {
    let indexes: HashMap<Place, usize> = places.iter().enumerate().map(|(index, place)| (*place, index)).collect();
    let labels: Vec<&str> = shapes.iter().map(|shape| shape.own.as_str()).collect();
    let below = |shape: &Shape| shape.children.iter().filter_map(|child| indexes.get(child)).copied().collect();
    let classes = partition::classes(&labels, &shapes.iter().map(below).collect::<Vec<Vec<usize>>>());
    places.iter().copied().zip(classes).collect()
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
            let mut patterns: Vec<_> = group.pattern_properties.iter().collect();
            patterns.sort_by(|a, b| a.0.source().cmp(b.0.source()));
            let named = properties.into_iter().map(|(_, id)| *id).chain(patterns.into_iter().map(|(_, id)| *id));
            let items = group.items.into_iter().chain(group.tuple.iter().copied()).chain(group.additional_items);
            let below = named.chain(group.additional_properties).chain(items).chain(group.contains);
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
            ((&group.minimum, &group.maximum, &group.exclusive_minimum, &group.exclusive_maximum), &group.multiple_of,),
            (group.min_length, group.max_length, group.pattern.as_ref().map(crate::Pattern::source), group.format),
            (group.min_items, group.max_items, group.unique_items),
            (group.items.is_some(), group.tuple.len(), group.additional_items.is_some(), group.contains.is_some()),
            (names, sorted(group.required.clone()), group.additional_properties.is_some()),
            (group.min_properties, group.max_properties, dependent(group)),
            sorted(group.pattern_properties.iter().map(|(pattern, _)| pattern.source().to_owned()).collect()),
            group.property_names.as_deref().map(own_keywords),
            (count(&group.one_of), count(&group.any_of), count(&group.all_of), group.not.is_some()),
            (group.if_.is_some(), group.then.is_some(), group.else_.is_some()),
        )
    )
}

/// The pairs of names of `dependentRequired`, sorted.
fn dependent(group: &Assertions) -> BTreeSet<(&str, &str)> {
    let all = group.dependent_required.iter();
    all.flat_map(|(name, required)| required.iter().map(move |other| (name.as_str(), other.as_str()))).collect()
}

fn define(terms: &mut Terms, schema: &Schema, id: NodeId, term_of: &dyn Fn(NodeId) -> Option<TermId>) -> Term {
    match &schema.node(id).kind {
        Kind::Bool(true) | Kind::Ref(_) => Term::All(Vec::new()),
        Kind::Bool(false) => Term::AnyOf(Vec::new()),
        Kind::Assertions(group) => {
            Term::All(assertions(terms, group, term_of).into_iter().map(|part| part.term).collect())
        }
    }
}

/// The assertions of a schema object, all of which a value has to conform to.
pub(super) fn assertions(
    terms: &mut Terms,
    group: &Assertions,
    term_of: &dyn Fn(NodeId) -> Option<TermId>,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let part = |keyword| move |term| Part { keyword, term };
    parts.extend(group.types.map(|types| terms.add(Term::Types(types.bits()))).map(part("type")));
    parts.extend(group.enum_values.as_ref().map(|values| terms.one_of_values(values)).map(part("enum")));
    parts.extend(group.const_value.as_ref().map(|value| terms.one_of_values([value])).map(part("const")));
    let minimum = group.minimum.iter().map(|limit| (limit, false));
    for (limit, exclusive) in minimum.chain(group.exclusive_minimum.iter().map(|limit| (limit, true))) {
        let keyword = if exclusive { "exclusiveMinimum" } else { "minimum" };
        parts.push(Part { keyword, term: terms.add(Term::Minimum { limit: limit.clone(), exclusive }) });
    }
    let maximum = group.maximum.iter().map(|limit| (limit, false));
    for (limit, exclusive) in maximum.chain(group.exclusive_maximum.iter().map(|limit| (limit, true))) {
        let keyword = if exclusive { "exclusiveMaximum" } else { "maximum" };
        parts.push(Part { keyword, term: terms.add(Term::Maximum { limit: limit.clone(), exclusive }) });
    }
    let divisor = group.multiple_of.as_ref().map(|divisor| terms.add(Term::MultipleOf(divisor.clone())));
    parts.extend(divisor.map(part("multipleOf")));
    // A minimum of zero asserts nothing.
    parts.extend(group.min_length.filter(|n| *n > 0).map(|n| terms.add(Term::MinLength(n))).map(part("minLength")));
    parts.extend(group.max_length.map(|n| terms.add(Term::MaxLength(n))).map(part("maxLength")));
    let pattern = group.pattern.as_ref().map(|pattern| formats::pattern(terms, pattern.source()));
    parts.extend(pattern.map(part("pattern")));
    parts.extend(group.format.map(|format| formats::term(terms, format)).map(part("format")));
    parts.extend(group.min_items.filter(|n| *n > 0).map(|n| terms.add(Term::MinItems(n))).map(part("minItems")));
    parts.extend(group.max_items.map(|n| terms.add(Term::MaxItems(n))).map(part("maxItems")));
    parts.extend(group.unique_items.then(|| terms.add(Term::UniqueItems)).map(part("uniqueItems")));
    parts.extend(group.items.and_then(term_of).map(|items| terms.add(Term::Items(items))).map(part("items")));
    if !group.tuple.is_empty() {
        let positions = group.tuple.iter().filter_map(|id| term_of(*id)).collect();
        let rest = group.additional_items.and_then(term_of).unwrap_or_else(|| terms.anything());
        parts.push(Part { keyword: "items", term: terms.add(Term::Tuple { positions, rest }) });
    }
    // An array is not one whose items all fail to match.
    if let Some(contained) = group.contains.and_then(term_of) {
        let array = terms.add(Term::Types(TypeSet::EMPTY.with(Type::Array).bits()));
        let other = terms.add(Term::Not(contained));
        let others = terms.add(Term::Items(other));
        let without = terms.add(Term::All(vec![array, others]));
        parts.push(Part { keyword: "contains", term: terms.add(Term::Not(without)) });
    }
    let least = group.min_properties.filter(|n| *n > 0).map(|n| terms.add(Term::MinProperties(n)));
    parts.extend(least.map(part("minProperties")));
    parts.extend(group.max_properties.map(|n| terms.add(Term::MaxProperties(n))).map(part("maxProperties")));
    let required = group.required.iter().map(|name| terms.add(Term::Required(name.clone())));
    parts.extend(required.map(part("required")).collect::<Vec<_>>());
    for (name, other) in dependent(group).into_iter().filter(|(name, other)| name != other) {
        let [has, requires] = [name, other].map(|name| terms.add(Term::Required(name.to_owned())));
        let lacks = terms.add(Term::Not(has));
        parts.push(Part { keyword: "dependentRequired", term: terms.add(Term::AnyOf(vec![lacks, requires])) });
    }
    let has_patterns = !group.pattern_properties.is_empty();
    if !group.properties.is_empty() || has_patterns || group.additional_properties.is_some() {
        let properties = group.properties.iter();
        let mut declared: Vec<(String, TermId)> =
            properties.filter_map(|(name, id)| Some((name.clone(), term_of(*id)?))).collect();
        declared.sort();
        let rest = group.additional_properties.and_then(term_of).unwrap_or_else(|| terms.anything());
        let mut patterns: Vec<(TermId, TermId)> = Vec::new();
        for (pattern, id) in &group.pattern_properties {
            patterns.extend(term_of(*id).map(|value| (formats::pattern(terms, pattern.source()), value)));
        }
        let keyword = match (group.properties.is_empty(), group.additional_properties.is_some()) {
            (false, _) => "properties",
            (true, true) => "additionalProperties",
            (true, false) => "patternProperties",
        };
        parts.push(Part { keyword, term: terms.add(Term::Members { declared, patterns, rest }) });
    }
    if let Some(names) = &group.property_names {
        let of_names = assertions(terms, names, term_of).into_iter();
        parts.extend(of_names.map(|part| terms.add(Term::Names(part.term))).map(part("propertyNames")));
    }
    let several = |ids: &Vec<NodeId>| ids.iter().filter_map(|id| term_of(*id)).collect::<Vec<_>>();
    parts.extend(group.all_of.iter().flat_map(several).map(part("allOf")));
    parts.extend(group.any_of.as_ref().map(|ids| terms.add(Term::AnyOf(several(ids)))).map(part("anyOf")));
    parts.extend(group.one_of.as_ref().map(|ids| terms.add(Term::OneOf(several(ids)))).map(part("oneOf")));
    parts.extend(group.not.and_then(term_of).map(|id| terms.add(Term::Not(id))).map(part("not")));
    if let Some(condition) = group.if_.and_then(term_of) {
        let fails = terms.add(Term::Not(condition));
        let then = group.then.and_then(term_of).map(|then| vec![fails, then]);
        parts.extend(then.map(|either| terms.add(Term::AnyOf(either))).map(part("then")));
        let otherwise = group.else_.and_then(term_of).map(|otherwise| vec![condition, otherwise]);
        parts.extend(otherwise.map(|either| terms.add(Term::AnyOf(either))).map(part("else")));
    }
    parts
}
