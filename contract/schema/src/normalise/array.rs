//! Keywords about the items of arrays.

use super::lossy::Reading;
use super::tree::{Node, Value};
use super::walk::{Draft, Walk};
use crate::{Json, Number};

/// A tuple: an array with one schema per position. Depending on the draft, it is `prefixItems` or an array in `items`.
struct Tuple<'a> {
    keyword: &'static str,
    items: &'a [Json],
    /// The schema of further items, with its keyword.
    rest: Option<(&'static str, &'a Json)>,
    /// `maxItems`, or the greatest number.
    most: u64,
}

impl Tuple<'_> {
    fn count(&self) -> u64 {
        u64::try_from(self.items.len()).unwrap_or(u64::MAX)
    }

    /// Whether there are no items after those of the positions.
    fn nothing_follows(&self) -> bool {
        self.most <= self.count() || self.rest.is_some_and(|(_, rest)| *rest == Json::Bool(false))
    }
}

/// Whether all items have the same schema: those at the positions, at least one, and those that follow.
fn is_list(positions: &[Node<'_>], rest: Option<&Node<'_>>, tuple: &Tuple<'_>) -> bool {
    let Some((first, others)) = positions.split_first() else { return false };
    let follows_alike = || rest.map_or_else(|| first.is_trivial(), |rest| rest.is_like(first));
    others.iter().all(|other| other.is_like(first)) && (tuple.nothing_follows() || follows_alike())
}

/// The keywords of a tuple, which only have a meaning together.
fn tuple<'a>(draft: &Draft<'a>) -> Option<Tuple<'a>> {
    let keyword = ["prefixItems", "items"].into_iter().find(|name| matches!(draft.get(name), Some(Json::Array(_))))?;
    let own = if keyword == "prefixItems" { "items" } else { "additionalItems" };
    let name = if draft.get(own).is_some() { own } else { "unevaluatedItems" };
    Some(Tuple {
        keyword,
        items: draft.get(keyword)?.as_array()?,
        rest: draft.get(name).map(|rest| (name, rest)),
        most: draft.get("maxItems").and_then(Json::as_number).and_then(Number::as_u64).unwrap_or(u64::MAX),
    })
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
                self.note_form(draft, name, value);
                self.tuple(draft, &tuple);
            }
            return;
        }
        match name {
            "items" => {
                let node = self.child(draft, name, value);
                draft.push(name, Value::Node(Box::new(node)));
            }
            "additionalItems" => {
                let reason = "`additionalItems` without a list in `items` is ignored, as JSON Schema says";
                self.note(Reading::Ignored, draft.at(name), reason.to_owned(), name);
            }
            "unevaluatedItems" if draft.get("items").is_some() || is_trivial(value) => {}
            "unevaluatedItems" if !applies_in_place(draft) && draft.get("contains").is_none() => {
                let node = self.child(draft, name, value);
                draft.push("items", Value::Node(Box::new(node)));
            }
            _ => self.reject(draft, name),
        }
    }

    /// A tuple becomes a list of schemas in `items` and `additionalItems`, or a single schema in `items` if that of all
    /// positions and further items is the same.
    fn tuple(&mut self, draft: &mut Draft<'a>, tuple: &Tuple<'a>) {
        let rest = tuple.rest.and_then(|(name, rest)| self.rest_of_tuple(draft, name, rest));
        let mut nodes = self.list(draft, tuple.keyword, tuple.items);
        if nodes.is_empty() {
            rest.into_iter().for_each(|rest| draft.push("items", Value::Node(Box::new(rest))));
        } else if is_list(&nodes, rest.as_ref(), tuple) {
            draft.push("items", Value::Node(Box::new(nodes.swap_remove(0))));
            if tuple.nothing_follows() && tuple.most > tuple.count() {
                draft.push_or_conjoin("maxItems", Value::Plain(Json::Number(Number::from(tuple.count()))));
            }
        } else {
            draft.push("items", Value::List(nodes));
            rest.into_iter().for_each(|rest| draft.push("additionalItems", Value::Node(Box::new(rest))));
        }
    }

    /// The schema of the items that follow a tuple.
    fn rest_of_tuple(&mut self, draft: &mut Draft<'a>, name: &str, rest: &'a Json) -> Option<Node<'a>> {
        // Other schemas at the same place may evaluate items, so the effect of `unevaluatedItems` depends on the
        // payload.
        let evaluates = applies_in_place(draft) || draft.get("contains").is_some();
        if name == "unevaluatedItems" && evaluates {
            if !is_trivial(rest) {
                self.reject(draft, name);
            }
            return None;
        }
        Some(self.child(draft, name, rest))
    }

    /// `contains`. `minContains: 0` makes it a no-op; other counts are rejected.
    pub(super) fn contains(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        let is = |name, n: u64| draft.get(name).and_then(Json::as_number) == Some(&Number::from(n));
        let Some(_) = draft.get("contains") else { return };
        let has_most = draft.get("maxContains").is_some();
        match name {
            "contains" if !has_most && is("minContains", 0) => {}
            "contains" if !has_most && (draft.get("minContains").is_none() || is("minContains", 1)) => {
                let node = self.child(draft, name, value);
                draft.push(name, Value::Node(Box::new(node)));
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
