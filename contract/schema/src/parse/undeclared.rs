//! The warning about required properties that no schema of the place declares.
//!
//! A schema often requires a property in one subschema and declares it in another, such as in `oneOf: [{required: [a]},
//! ...]` next to `properties`. All subschemas that may apply to the same value therefore count together: those that are
//! connected by `allOf`, `anyOf`, `oneOf`, `not`, `if`, `then`, `else` and `$ref`, in either direction. This is more
//! than the schemas of one place if several places refer to one definition, so a warning may be missing, but none is
//! wrong.
//!
//! `additionalProperties` decides how serious an undeclared name is. If it is absent, the name is probably a mistake.
//! If it is `false` in the same schema, no object is valid. If it is `true` or a schema, such names are normal, so only
//! a name that is one typo away from a declared property is reported.

use std::collections::{HashMap, HashSet};

use capgen_diagnostic::Applicability;

use super::{Reports, advice};
use crate::{Assertions, Kind, NodeId, Problem, Schema, codes, pointer};

/// At most this many findings of a schema suggest a name, since comparing names takes time. A user corrects a few at a
/// time.
const MAX_SUGGESTIONS: usize = 64;

pub(super) fn run(schema: &Schema, reports: &mut Reports) {
    // Most schemas declare every property that they require.
    if !schema.nodes().any(|(_, node)| matches!(&node.kind, Kind::Assertions(a) if own_undeclared(a).next().is_some()))
    {
        return;
    }
    let places = Places::of(schema);
    let negated = negated(schema);
    let mut suggestions = MAX_SUGGESTIONS;
    for (id, node) in schema.nodes() {
        let Kind::Assertions(assertions) = &node.kind else { continue };
        let Some(place) = places.of_node(id) else { continue };
        let others = if rejects_others(schema, assertions) {
            Others::Rejected
        } else if negated.contains(&id) || place.declared.is_empty() {
            continue;
        } else if place.keeps_others {
            Others::Kept
        } else {
            Others::Ignored
        };
        let required: HashSet<&str> = assertions.required.iter().map(String::as_str).collect();
        // A closed schema rejects a property even if another schema of the place declares it.
        let is_declared = |name: &str| others != Others::Rejected && place.declared_names.contains(name);
        for (index, name) in own_undeclared(assertions).filter(|(_, name)| !is_declared(name)) {
            let free = place.declared.iter().copied().filter(|name| !required.contains(name));
            let near = match others {
                _ if suggestions == 0 => None,
                Others::Kept => advice::mistyped_property(name, free),
                Others::Ignored | Others::Rejected => advice::near_property(name, free),
            };
            suggestions = suggestions.saturating_sub(1);
            if others != Others::Kept || near.is_some() {
                let at = pointer::join(&pointer::join(&node.pointer, "required"), &index.to_string());
                reports.add(problem(at, name, near, others));
            }
        }
    }
}

/// The meaning of properties that are not declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// `additionalProperties` is `true` or a schema.
    Kept,
    /// There is no `additionalProperties`.
    Ignored,
    /// `additionalProperties` is `false` in the schema that requires the property.
    Rejected,
}

fn problem(at: String, name: &str, near: Option<&str>, others: Others) -> Problem {
    let (full, name) = (name, advice::cut(name));
    let problem = match others {
        Others::Rejected => {
            let message = format!("no object is valid: the required property `{name}` is not allowed");
            Problem::new(codes::ACCEPTS_NOTHING, at, message)
                .label("not declared, and `additionalProperties` is `false`")
        }
        Others::Kept | Others::Ignored => {
            let message = format!("the required property `{name}` is not declared in `properties`");
            Problem::new(codes::UNDECLARED_REQUIRED, at, message).label("not declared")
        }
    };
    // The names are the author's own, so a similar one is a guess.
    let problem = problem.rename(full, near.map(|near| (near, Applicability::NeedsReview)));
    match near {
        Some(near) if others == Others::Kept => {
            problem.help(format!("{} If not, declare `{name}` in `properties`", advice::did_you_mean(near)))
        }
        Some(near) => problem.help(advice::did_you_mean(near)),
        None => problem.help("declare it in `properties`, or remove it from `required`"),
    }
}

/// The required properties that the schema object itself does not declare, with their indexes in `required`.
fn own_undeclared(a: &Assertions) -> impl Iterator<Item = (usize, &str)> {
    // An index, because `required` and `properties` may both be long.
    let declared: HashSet<&str> = match a.required.as_slice() {
        [] => HashSet::new(),
        _ => a.properties.iter().map(|(name, _)| name.as_str()).collect(),
    };
    let required = a.required.iter().map(String::as_str).enumerate();
    required.filter(move |(_, name)| !declared.contains(name) && a.patterns_of(name).next().is_none())
}

/// Whether the schema object rejects undeclared properties.
fn rejects_others(schema: &Schema, a: &Assertions) -> bool {
    a.additional_properties.is_some_and(|id| matches!(schema.node(id).kind, Kind::Bool(false)))
}

/// The subschemas in `not` and `if`: a property that is required there may be forbidden, so it need not be declared.
fn negated(schema: &Schema) -> HashSet<NodeId> {
    let groups = schema.nodes().filter_map(|(_, node)| match &node.kind {
        Kind::Assertions(assertions) => Some(assertions),
        _ => None,
    });
    let mut open: Vec<NodeId> = groups.flat_map(|group| group.not.into_iter().chain(group.if_)).collect();
    let mut negated = HashSet::new();
    while let Some(id) = open.pop() {
        if negated.insert(id) {
            open.extend(schema.node(id).kind.in_place());
        }
    }
    negated
}

/// The declarations of schemas that may apply to the same value.
#[derive(Default)]
struct Place<'s> {
    /// The names in `properties`, in source order.
    declared: Vec<&'s str>,
    declared_names: HashSet<&'s str>,
    /// Whether `additionalProperties` describes the properties that are not declared.
    keeps_others: bool,
}

struct Places<'s> {
    by_node: HashMap<NodeId, usize>,
    places: Vec<Place<'s>>,
}

impl<'s> Places<'s> {
    fn of(schema: &'s Schema) -> Self {
        let mut neighbours: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for (id, node) in schema.nodes() {
            for other in node.kind.in_place() {
                neighbours.entry(id).or_default().push(other);
                neighbours.entry(other).or_default().push(id);
            }
        }
        let mut places = Self { by_node: HashMap::new(), places: Vec::new() };
        for (start, _) in schema.nodes() {
            if places.by_node.contains_key(&start) {
                continue;
            }
            let index = places.places.len();
            let mut place = Place::default();
            let mut open = vec![start];
            while let Some(id) = open.pop() {
                if places.by_node.insert(id, index).is_none() {
                    place.add(schema, id);
                    open.extend(
                        neighbours.get(&id).into_iter().flatten().filter(|id| !places.by_node.contains_key(id)),
                    );
                }
            }
            places.places.push(place);
        }
        places
    }

    fn of_node(&self, id: NodeId) -> Option<&Place<'s>> {
        self.places.get(*self.by_node.get(&id)?)
    }
}

impl<'s> Place<'s> {
    fn add(&mut self, schema: &'s Schema, id: NodeId) {
        let Kind::Assertions(assertions) = &schema.node(id).kind else { return };
        for (name, _) in &assertions.properties {
            if self.declared_names.insert(name) {
                self.declared.push(name);
            }
        }
        let others = assertions.additional_properties.map(|id| &schema.node(id).kind);
        self.keeps_others |= others.is_some_and(|kind| !matches!(kind, Kind::Bool(false)));
    }
}
