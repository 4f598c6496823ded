//! Conjunctions whose type needs no definition: the type of one reference, any value, or no value.

use std::collections::HashSet;

use capgen_schema::analysis::conjunction::{Conjunction, Term};
use capgen_schema::analysis::facets::single_assertion;
use capgen_schema::{Assertions, Kind, NodeId, Schema, TypeSet};

/// The type of a conjunction that adds nothing to a type that exists.
pub(super) enum Alias {
    /// No assertion changes the type.
    Anything,
    /// Some schema is `false`.
    Nothing,
    /// The type of the definition that a `$ref` points to.
    Ref(NodeId),
}

/// The existing type that fits a conjunction, if there is one.
///
/// Assertions that do not change a type, such as `minLength`, are ignored; [`is_only_alias`] reports whether there are
/// any.
pub(super) fn alias_of(schema: &Schema, conjunction: &Conjunction) -> Option<Alias> {
    if !conjunction.forbidden.is_empty() {
        return None;
    }
    let mut types = TypeSet::ALL;
    let mut target: Option<NodeId> = None;
    let mut stack = conjunction.terms.clone();
    let mut seen = HashSet::new();
    while let Some(term) = stack.pop() {
        if !seen.insert(term.node) {
            continue;
        }
        match &schema.node(term.node).kind {
            Kind::Bool(true) => {}
            Kind::Bool(false) => return Some(Alias::Nothing),
            Kind::Ref(to) => {
                // Two definitions at one place make a new type.
                if target.is_some_and(|target| target != *to) {
                    return None;
                }
                target = Some(*to);
            }
            Kind::Assertions(group) => {
                if shapes_type(schema, group, &term) {
                    return None;
                }
                stack.extend(group.all_of.iter().flatten().copied().map(Term::new));
                types = types.intersection(group.types.unwrap_or(TypeSet::ALL));
            }
        }
    }
    match target {
        Some(target) => {
            // A `type` next to the reference is harmless if the definition allows no other types anyway.
            let own = Conjunction::of([target]).facets(schema).types;
            (own.intersection(types) == own).then_some(Alias::Ref(target))
        }
        None => (types == TypeSet::ALL).then_some(Alias::Anything),
    }
}

/// Whether a schema object changes the type by other keywords than `type` and `allOf`.
fn shapes_type(schema: &Schema, group: &Assertions, term: &Term) -> bool {
    // A `not` of one type, value or property becomes part of the type; any other `not` is left to the validator.
    let excludes = group.not.is_some_and(|not| match &schema.node(not).kind {
        Kind::Bool(accepts) => *accepts,
        Kind::Ref(_) => false,
        Kind::Assertions(group) => single_assertion(group).is_some(),
    });
    let shapes = |keyword: &str| match keyword {
        "enum" | "const" | "properties" | "required" | "additionalProperties" | "items" | "additionalItems" => true,
        // A value that is written must have the undeclared properties that count.
        "minProperties" | "dependentRequired" | "patternProperties" => true,
        "oneOf" => !term.without_one_of,
        "anyOf" => !term.without_any_of,
        "not" => excludes,
        _ => false,
    };
    group.keywords().any(shapes)
}

/// Whether a conjunction that has an [`Alias`] asserts nothing beyond the type of that alias.
pub(super) fn is_only_alias(schema: &Schema, conjunction: &Conjunction) -> bool {
    let mut stack = conjunction.terms.clone();
    let mut seen = HashSet::new();
    while let Some(term) = stack.pop() {
        if !seen.insert(term.node) {
            continue;
        }
        let Kind::Assertions(group) = &schema.node(term.node).kind else { continue };
        let is_in_type = |keyword: &str| match keyword {
            "type" | "allOf" => true,
            "oneOf" => term.without_one_of,
            "anyOf" => term.without_any_of,
            _ => false,
        };
        if !group.keywords().all(is_in_type) {
            return false;
        }
        stack.extend(group.all_of.iter().flatten().copied().map(Term::new));
    }
    true
}

/// Whether a conjunction is one reference, so that a value has the same violations under it as under the definition. At
/// most it repeats the `type` of the definition.
pub(super) fn is_reference(schema: &Schema, conjunction: &Conjunction) -> bool {
    let Some(Alias::Ref(target)) = alias_of(schema, conjunction) else { return false };
    let types = schema.assertions(target).and_then(|group| group.types);
    let mut stack = conjunction.terms.clone();
    let mut seen = HashSet::new();
    while let Some(term) = stack.pop() {
        if !seen.insert(term.node) {
            continue;
        }
        let Kind::Assertions(group) = &schema.node(term.node).kind else { continue };
        let is_repeated = |keyword: &str| keyword == "allOf" || (keyword == "type" && group.types == types);
        if !group.keywords().all(is_repeated) {
            return false;
        }
        stack.extend(group.all_of.iter().flatten().copied().map(Term::new));
    }
    true
}
