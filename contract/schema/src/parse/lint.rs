//! The warnings of a schema that loads: definitions, contradictions and examples that are probably mistakes.
//!
//! Every check here looks at one schema object or at the graph of references. A check that needs to combine several
//! schemas (`allOf`, `$ref`) is out of scope, apart from [`undeclared`]: a warning must always be right and must stay
//! cheap.

use std::collections::HashSet;

use capgen_diagnostic::Applicability;

use super::{Reports, advice, undeclared};
use crate::analysis::graph::reachable;
use crate::containment::has_no_multiple;
use crate::{Assertions, Json, Kind, Node, NodeId, Number, Problem, Schema, Type, TypeSet, Validator, codes, pointer};

pub(super) fn run(schema: &Schema, reports: &mut Reports) {
    unused_definitions(schema).for_each(|problem| reports.add(problem));
    for (_, node) in schema.nodes() {
        if let Kind::Assertions(assertions) = &node.kind {
            contradictions(schema, node, assertions).into_iter().for_each(|problem| reports.add(problem));
            never_applies(node, assertions).for_each(|problem| reports.add(problem));
            rounded_literals(node, assertions).for_each(|problem| reports.add(problem));
        }
    }
    undeclared::run(schema, reports);
    bad_examples(schema, reports);
}

/// Definitions that are not reachable from the root.
fn unused_definitions(schema: &Schema) -> impl Iterator<Item = Problem> {
    let reached = reachable(schema);
    let unused = schema.definitions().iter().filter(move |(_, id)| reached.get(id.0 as usize) == Some(&false));
    let problem = |name: &str| {
        let at = pointer::join("/definitions", name);
        let problem = Problem::new(codes::UNUSED_DEFINITION, at, "this definition is never used");
        let problem = problem.at_key().label("not referenced").help("remove it, or refer to it");
        problem.fix_removal(Applicability::NeedsReview)
    };
    unused.map(move |(name, _)| problem(name))
}

/// Keywords of one schema object that no value, or no value of one type, can satisfy together.
fn contradictions(schema: &Schema, node: &Node, a: &Assertions) -> Vec<Problem> {
    let mut problems = Vec::new();
    // `at` is a keyword, or the pointer to an element of a keyword's array.
    let mut warn = |at: &str, message: String| {
        problems.push(Problem::new(codes::ACCEPTS_NOTHING, format!("{}/{at}", node.pointer), message));
    };
    for (low_name, high_name, noun) in crossed_bounds(a) {
        warn(low_name, format!("no {noun} satisfies both `{low_name}` and `{high_name}`"));
    }
    for (low_name, high_name, _) in a.property_names.iter().flat_map(|names| crossed_bounds(names)) {
        let message = format!("no property name satisfies both `{low_name}` and `{high_name}`");
        warn(&format!("propertyNames/{low_name}"), message);
    }
    if let Some((index, name)) = forbidden_name(a) {
        let message =
            format!("no object is valid: `propertyNames` does not allow the required property `{}`", advice::cut(name));
        warn(&format!("required/{index}"), message);
    }
    if has_no_multiple(a) {
        warn("multipleOf", "no multiple of `multipleOf` is between the bounds".to_owned());
    }
    if let Some(message) = mistyped_literals(a) {
        warn(if a.enum_values.is_some() { "enum" } else { "const" }, message);
    }
    let is_false = |id: NodeId| matches!(schema.node(id).kind, Kind::Bool(false));
    if a.items.is_some_and(is_false) && a.min_items.is_some_and(|least| least > 0) {
        warn("items", "no array is valid: `minItems` requires items, but `items` is `false`".to_owned());
    }
    if a.contains.is_some_and(is_false) {
        warn("contains", "no array is valid: `contains` is `false`".to_owned());
    }
    if a.contains.is_some() && a.max_items == Some(0) {
        warn("maxItems", "no array is valid: `contains` requires an item, but `maxItems` is 0".to_owned());
    }
    if let Some((at, message)) = missing_items(a, is_false) {
        warn(&at, message);
    }
    if let Some((index, name)) = impossible_property(a, is_false) {
        let message = format!("no object is valid: the required property `{}` is `false`", advice::cut(name));
        warn(&format!("required/{index}"), message);
    }
    if let Some(message) = wrong_number_of_properties(a, is_false) {
        warn(message.0, message.1);
    }
    let lists = [("allOf", &a.all_of), ("anyOf", &a.any_of), ("oneOf", &a.one_of)];
    for (keyword, branches) in lists.into_iter().filter_map(|(keyword, branches)| Some((keyword, branches.as_ref()?))) {
        let mut rejecting = branches.iter().map(|&id| is_false(id));
        let rejects = if keyword == "allOf" { rejecting.any(|f| f) } else { rejecting.all(|f| f) };
        if rejects {
            warn(keyword, format!("`{keyword}` rejects every value"));
        }
    }
    if a.not.is_some_and(|id| accepts_everything(&schema.node(id).kind)) {
        warn("not", "`not` rejects every value".to_owned());
    }
    problems
}

/// Pairs of bounds that exclude each other: the name of the lower one, of the upper one, and of the values they limit.
fn crossed_bounds(a: &Assertions) -> Vec<(&'static str, &'static str, &'static str)> {
    let lows = [("minimum", &a.minimum, false), ("exclusiveMinimum", &a.exclusive_minimum, true)];
    let highs = [("maximum", &a.maximum, false), ("exclusiveMaximum", &a.exclusive_maximum, true)];
    let mut crossed = Vec::new();
    for (low_name, low, low_open) in lows {
        for (high_name, high, high_open) in highs {
            if let (Some(low), Some(high)) = (low, high)
                && (low > high || (low == high && (low_open || high_open)))
            {
                crossed.push((low_name, high_name, "number"));
            }
        }
    }
    let is_crossed = |low: Option<u64>, high: Option<u64>| low.zip(high).is_some_and(|(low, high)| low > high);
    if is_crossed(a.min_length, a.max_length) {
        crossed.push(("minLength", "maxLength", "string"));
    }
    if is_crossed(a.min_items, a.max_items) {
        crossed.push(("minItems", "maxItems", "array"));
    }
    if is_crossed(a.min_properties, a.max_properties) {
        crossed.push(("minProperties", "maxProperties", "object"));
    }
    crossed
}

/// `enum` and `const` that exclude each other, or values that `type` excludes. An empty `enum` has its own warning.
fn mistyped_literals(a: &Assertions) -> Option<String> {
    let types = a.types.unwrap_or(TypeSet::ALL);
    let is_typed = |value: &Json| types.contains(value.type_of());
    // With both keywords, only their combination is checked, so that one mistake gives one warning.
    match (&a.enum_values, &a.const_value) {
        (Some(values), None) if !values.is_empty() && !values.iter().any(is_typed) => {
            Some("no value of `enum` has the `type`".to_owned())
        }
        (None, Some(value)) if !is_typed(value) => Some("the `const` does not have the `type`".to_owned()),
        (Some(values), Some(value)) if !values.contains(value) => Some("the `const` is not in `enum`".to_owned()),
        _ => None,
    }
}

/// The first required property whose name `propertyNames` does not allow, and its index in `required`.
fn forbidden_name(a: &Assertions) -> Option<(usize, &str)> {
    a.property_names.as_ref()?;
    a.required.iter().map(String::as_str).enumerate().find(|(_, name)| !a.allows_name(name))
}

/// `minItems` that requires more items than the list in `items` and `additionalItems` allow: the place, and a message.
fn missing_items(a: &Assertions, is_false: impl Fn(NodeId) -> bool) -> Option<(String, String)> {
    let least = a.min_items.filter(|least| *least > 0 && !a.tuple.is_empty())?;
    let position = a.tuple.iter().position(|id| is_false(*id));
    if let Some(index) = position.filter(|index| least > *index as u64) {
        let message = format!("no array is valid: `minItems` requires an item {index}, but its schema is `false`");
        return Some((format!("items/{index}"), message));
    }
    (least > a.tuple.len() as u64 && a.additional_items.is_some_and(is_false)).then(|| {
        let message =
            "no array is valid: `minItems` requires more items than `items` lists, but `additionalItems` is `false`";
        ("minItems".to_owned(), message.to_owned())
    })
}

/// The first required property whose schema is `false`, and its index in `required`. [`undeclared`] reports those that
/// are not declared at all.
fn impossible_property(a: &Assertions, is_false: impl Fn(NodeId) -> bool) -> Option<(usize, &str)> {
    // A set, because `required` and `properties` may both be long.
    let impossible: HashSet<&str> =
        a.properties.iter().filter(|(_, id)| is_false(*id)).map(|(name, _)| name.as_str()).collect();
    a.required.iter().map(String::as_str).enumerate().find(|(_, name)| impossible.contains(name))
}

/// `maxProperties` that is less than the number of required properties, and `minProperties` that is greater than the
/// number of properties that a closed object may have.
fn wrong_number_of_properties(a: &Assertions, is_false: impl Fn(NodeId) -> bool) -> Option<(&'static str, String)> {
    let distinct: HashSet<&str> = a.required.iter().map(String::as_str).collect();
    if a.max_properties.is_some_and(|most| most < distinct.len() as u64) {
        let message = "no object is valid: `required` lists more properties than `maxProperties` allows";
        return Some(("maxProperties", message.to_owned()));
    }
    let is_closed = a.pattern_properties.is_empty() && a.additional_properties.is_some_and(&is_false);
    let declared = a.properties.iter().filter(|(_, id)| !is_false(*id)).count() as u64;
    (is_closed && a.min_properties.is_some_and(|least| least > declared)).then(|| {
        let message = "no object is valid: `minProperties` requires more properties than the object may have";
        ("minProperties", message.to_owned())
    })
}

fn accepts_everything(kind: &Kind) -> bool {
    match kind {
        Kind::Bool(verdict) => *verdict,
        Kind::Ref(_) => false,
        Kind::Assertions(assertions) => assertions.is_empty(),
    }
}

/// Keywords that assert something about values that `type` rules out.
fn never_applies(node: &Node, a: &Assertions) -> impl Iterator<Item = Problem> {
    let types = a.types.unwrap_or(TypeSet::ALL);
    let about = |keyword: &'static str| Some((keyword, subject(keyword)?));
    let idle = a.keywords().filter_map(about).filter(move |(_, about)| !types.contains(*about));
    idle.map(move |(keyword, about)| {
        let about = if about == Type::Integer { Type::Number } else { about };
        let message = format!("`{keyword}` applies to {}s only, which `type` rules out", about.name());
        let problem = Problem::new(codes::NEVER_APPLIES, pointer::join(&node.pointer, keyword), message);
        let problem = problem.at_key().label("never applies").help("remove it, or fix the `type`");
        problem.fix_removal(Applicability::NeedsReview)
    })
}

/// The type of the values that a keyword applies to. It is `Integer` for numeric keywords, because a `type` that allows
/// only integers does not rule them out.
fn subject(keyword: &str) -> Option<Type> {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Some(Type::Integer),
        "minLength" | "maxLength" | "pattern" | "format" => Some(Type::String),
        "items" | "additionalItems" | "contains" | "minItems" | "maxItems" | "uniqueItems" => Some(Type::Array),
        "properties"
        | "required"
        | "additionalProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "patternProperties" => Some(Type::Object),
        _ => None,
    }
}

/// Numbers in `enum` and `const` that a program in JavaScript cannot receive: one finding for each keyword.
fn rounded_literals(node: &Node, a: &Assertions) -> impl Iterator<Item = Problem> {
    let listed = a.enum_values.iter().flatten().enumerate();
    let in_enum = listed.map(|(index, value)| (value, pointer::join("/enum", &index.to_string())));
    let in_enum = rounded(in_enum);
    let in_const = rounded(a.const_value.iter().map(|value| (value, "/const".to_owned())));
    [in_enum, in_const].into_iter().flatten().map(|(number, at)| {
        let message = format!("no JavaScript number equals {number}: generated TypeScript rejects this value");
        let problem = Problem::new(codes::ROUNDED_LITERAL, format!("{}{at}", node.pointer), message);
        let label = match Number::from_f64(number.as_f64()) {
            Some(nearest) => format!("`JSON.parse` returns {nearest}"),
            None => "rounded".to_owned(),
        };
        problem.label(label).help("write a number of at most 15 digits, or a string")
    })
}

/// The first number in some values that no binary64 equals, and its pointer.
fn rounded<'j>(values: impl Iterator<Item = (&'j Json, String)>) -> Option<(&'j Number, String)> {
    let mut stack = Vec::new();
    for value in values {
        stack.push(value);
        while let Some((value, at)) = stack.pop() {
            match value {
                Json::Number(number) if !number.is_representable() => return Some((number, at)),
                Json::Array(items) => stack.extend(
                    items.iter().enumerate().rev().map(|(index, item)| (item, pointer::join(&at, &index.to_string()))),
                ),
                Json::Object(members) => {
                    stack.extend(members.iter().rev().map(|(name, member)| (member, pointer::join(&at, name))));
                }
                _ => {}
            }
        }
    }
    None
}

/// `default` and `examples` that their own schema rejects.
fn bad_examples(schema: &Schema, reports: &mut Reports) {
    let has_examples = |node: &Node| node.annotations.default.is_some() || !node.annotations.examples.is_empty();
    let annotated: Vec<NodeId> = schema.nodes().filter(|(_, node)| has_examples(node)).map(|(id, _)| id).collect();
    // Compiling a validator of the whole schema costs more than the rest of the lint.
    if annotated.is_empty() {
        return;
    }
    let validator = Validator::of_nodes(schema, annotated.clone());
    for id in annotated {
        let node = schema.node(id);
        let mut check = |value: &Json, keyword: &str, at: String| {
            if !validator.accepts(id, value) {
                let message = format!("{keyword} is rejected by its own schema");
                reports.add(Problem::new(codes::BAD_EXAMPLE, at, message).label("rejected"));
            }
        };
        if let Some(value) = &node.annotations.default {
            check(value, "`default`", pointer::join(&node.pointer, "default"));
        }
        for (index, value) in node.annotations.examples.iter().enumerate() {
            let at = pointer::join(&pointer::join(&node.pointer, "examples"), &index.to_string());
            check(value, "an example", at);
        }
    }
}
