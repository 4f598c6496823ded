//! Keywords about the items of arrays.

use super::tree::{Node, Value};
use super::walk::{Draft, Walk};
use crate::{Json, Number, Problem, codes, pointer};

/// How to write a tuple in the subset.
const TUPLE: &str =
    "write one schema for all items, or an object with a property per position (in Rust: a Vec or a struct)";

/// A tuple: an array with one schema per position. Depending on the draft, it is `prefixItems` or an array in `items`.
struct Tuple<'a> {
    keyword: &'static str,
    items: &'a [Json],
    /// The schema of further items, with its keyword.
    rest: Option<(&'static str, &'a Json)>,
}

/// The keywords of a tuple, which only have a meaning together.
fn tuple<'a>(draft: &Draft<'a>) -> Option<Tuple<'a>> {
    if let Some(Json::Array(items)) = draft.get("prefixItems") {
        let name = if draft.get("items").is_some() { "items" } else { "unevaluatedItems" };
        return Some(Tuple { keyword: "prefixItems", items, rest: draft.get(name).map(|rest| (name, rest)) });
    }
    let Some(Json::Array(items)) = draft.get("items") else { return None };
    let name = if draft.get("additionalItems").is_some() { "additionalItems" } else { "unevaluatedItems" };
    Some(Tuple { keyword: "items", items, rest: draft.get(name).map(|rest| (name, rest)) })
}

/// Whether a schema is `true` or `{}`.
pub(super) fn is_trivial(schema: &Json) -> bool {
    matches!(schema, Json::Bool(true)) || schema.as_object().is_some_and(|object| object.is_empty())
}

impl<'a> Walk<'a> {
    pub(super) fn items(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        if let Some(tuple) = tuple(draft) {
            // The other keywords of the tuple are read together with this one.
            if tuple.keyword == name {
                self.tuple(draft, &tuple);
            }
            return;
        }
        match name {
            "items" => {
                let node = self.child(draft, name, value);
                draft.push(name, Value::Node(Box::new(node)));
            }
            // Without a tuple, `additionalItems` has no effect.
            "additionalItems" => {}
            "unevaluatedItems" if draft.get("items").is_some() || is_trivial(value) => {}
            "unevaluatedItems" if !applies_in_place(draft) && draft.get("contains").is_none() => {
                let node = self.child(draft, name, value);
                draft.push("items", Value::Node(Box::new(node)));
            }
            _ => self.reject(draft, name),
        }
    }

    /// A tuple in which all positions have the same schema is a list. All other tuples are rejected.
    fn tuple(&mut self, draft: &mut Draft<'a>, tuple: &Tuple<'a>) {
        let most = draft.get("maxItems").and_then(Json::as_number).and_then(Number::as_u64).unwrap_or(u64::MAX);
        let count = u64::try_from(tuple.items.len()).unwrap_or(u64::MAX);
        let nothing_follows = most <= count || tuple.rest.is_some_and(|(_, rest)| *rest == Json::Bool(false));
        let Some((first, others)) = tuple.items.split_first() else {
            if let Some((name, rest)) = tuple.rest {
                let node = self.child(draft, name, rest);
                draft.push("items", Value::Node(Box::new(node)));
            }
            return;
        };
        let follows_alike = || match tuple.rest {
            Some((_, rest)) => rest == first,
            None => is_trivial(first),
        };
        // Other schemas at the same place may evaluate items, so the effect of `unevaluatedItems` depends on the
        // payload.
        let evaluates = applies_in_place(draft) || draft.get("contains").is_some();
        let is_known = !evaluates || tuple.rest.is_none_or(|(name, _)| name != "unevaluatedItems");
        if !is_known || others.iter().any(|other| other != first) || !(nothing_follows || follows_alike()) {
            let at = pointer::join(&draft.at(tuple.keyword), "0");
            let problem = Problem::new(codes::UNKNOWN_KEYWORD, at, "tuples are not part of the schema subset");
            return self.report(problem.label("one schema per position").help(TUPLE));
        }
        let origin = draft.origin.join(tuple.keyword).join("0");
        let node = self.node(first, origin, draft.depth + 1);
        draft.push("items", Value::Node(Box::new(node)));
        if nothing_follows && most > count {
            draft.push_or_conjoin("maxItems", Value::Plain(Json::Number(Number::from(count))));
        }
    }

    /// `contains` A: not all items are not A. `minContains: 0` makes it a no-op; other counts are rejected.
    pub(super) fn contains(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        let is = |name, n: u64| draft.get(name).and_then(Json::as_number) == Some(&Number::from(n));
        let Some(_) = draft.get("contains") else { return };
        let has_most = draft.get("maxContains").is_some();
        match name {
            "contains" if !has_most && is("minContains", 0) => {}
            "contains" if !has_most && (draft.get("minContains").is_none() || is("minContains", 1)) => {
                let node = self.child(draft, name, value);
                let origin = node.origin.clone();
                let array = ("type".to_owned(), Value::Plain(Json::String("array".to_owned())));
                let items = ("items".to_owned(), Value::Node(Box::new(node.negated())));
                draft.push_or_conjoin("not", Value::Node(Box::new(Node::members(origin, vec![array, items]))));
            }
            // `minContains` and `maxContains` are reported here, once.
            "contains" => self.reject(draft, name),
            _ => {}
        }
    }
}

/// Whether other schemas apply to the same value. They may evaluate some of its properties or items.
pub(super) fn applies_in_place(draft: &Draft<'_>) -> bool {
    let applicators = ["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
    applicators.into_iter().any(|name| draft.get(name).is_some())
}
