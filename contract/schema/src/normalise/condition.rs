//! Translates conditional keywords (`if`, dependencies) to `not` and `anyOf`.

use super::tree::{Body, Node, Value};
use super::walk::{Draft, Walk, distinct};
use crate::{Json, Object};

/// `if` with both `then` and `else` copies its condition, if it has at most this many subschemas. Usual conditions have
/// a few; conditions within conditions multiply the copies.
const MAX_CONDITION: usize = 32;

impl<'a> Walk<'a> {
    /// `if A then B else C` is "A implies B" and "A or C".
    pub(super) fn condition(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        let ("if", Some(_)) = (name, draft.get("then").or(draft.get("else"))) else { return };
        let condition = self.child(draft, name, value);
        let mut branch = |keyword| draft.get(keyword).map(|schema| self.child(draft, keyword, schema));
        match (branch("then"), branch("else")) {
            (Some(then), Some(otherwise)) => {
                let size = condition.size();
                if size > MAX_CONDITION || size > self.copies {
                    return self.reject(draft, name);
                }
                self.copies -= size;
                implies(draft, condition.clone(), then);
                draft.conjuncts.push(either(condition, otherwise));
            }
            (Some(then), None) => implies(draft, condition, then),
            (None, Some(otherwise)) => draft.conjuncts.push(either(condition, otherwise)),
            (None, None) => {}
        }
    }

    /// `dependencies` and its successors: if a property is present, other properties are required, or a schema applies.
    /// Lists of names stay.
    pub(super) fn dependencies(&mut self, draft: &mut Draft<'a>, keyword: &str, value: &'a Json) {
        let Some(members) = value.as_object() else { return self.malformed(draft, keyword, "an object") };
        let origin = draft.origin.join(keyword);
        let mut lists = Object::new();
        let is_object = draft.get("type").and_then(Json::as_str) == Some("object");
        for (name, dependency) in members {
            let origin = origin.join(name);
            let schema = match dependency {
                Json::Array(names) if keyword != "dependentSchemas" => {
                    let names =
                        if names.iter().all(|name| name.as_str().is_some()) { distinct(names) } else { names.to_vec() };
                    lists.push(name.clone(), Json::Array(names));
                    continue;
                }
                schema => schema,
            };
            let names = Json::Array(vec![Json::String(name.clone())]);
            let mut present = Node::keyword(&origin, "required", Value::Plain(names));
            let consequence = self.node(schema, origin.clone(), draft.depth + 1);
            // `required` alone accepts every value that is not an object, so the condition must also check the type. If
            // the consequence is `required` too, it accepts those values anyway.
            if let (Body::Members(members), false) = (&mut present.body, is_object || is_required_only(&consequence)) {
                members.insert(0, ("type".to_owned(), Value::Plain(Json::String("object".to_owned()))));
            }
            implies(draft, present, consequence);
        }
        if !lists.is_empty() {
            // The output is draft-07, which has this spelling.
            let value = Value::Plain(Json::Object(lists));
            match draft.out.iter().any(|(name, _)| name == "dependencies") {
                true => draft.conjuncts.push(Node::keyword(&draft.origin, "dependencies", value)),
                false => draft.push("dependencies", value),
            }
        }
    }
}

/// Whether a schema has no keyword other than `required`.
fn is_required_only(node: &Node<'_>) -> bool {
    matches!(&node.body, Body::Members(members) if members.iter().all(|(name, _)| name == "required"))
}

/// Adds "`condition` implies `consequence`". `anyOf` would become a union in generated code. If the consequence is
/// `required` only, the type does not depend on the condition, so `not` expresses it without a union: not (condition
/// and not consequence).
fn implies<'a>(draft: &mut Draft<'a>, mut condition: Node<'a>, consequence: Node<'a>) {
    let is_free = |members: &[(String, Value<'_>)]| !members.iter().any(|(name, _)| name == "not" || name == "$ref");
    match &mut condition.body {
        Body::Members(members) if is_required_only(&consequence) && is_free(members) => {
            members.push(("not".to_owned(), Value::Node(Box::new(consequence))));
            match draft.conjuncts.is_empty() {
                true => draft.push_or_conjoin("not", Value::Node(Box::new(condition))),
                // `push_or_conjoin` searches the whole object, which would take quadratic time for many dependencies.
                false => draft.conjuncts.push(condition.negated()),
            }
        }
        _ => draft.conjuncts.push(either(consequence, condition.negated())),
    }
}

fn either<'a>(one: Node<'a>, other: Node<'a>) -> Node<'a> {
    let origin = one.origin.clone();
    Node::keyword(&origin, "anyOf", Value::List(vec![one, other]))
}
