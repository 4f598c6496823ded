//! Conditional keywords: `if`, and dependencies, which become `if` or `not`.

use super::lossy::Reading;
use super::tree::{Body, Node, Value};
use super::walk::{Draft, Walk, distinct};
use crate::{Json, Object};

impl<'a> Walk<'a> {
    /// `if`, `then` and `else`, of which `if` and one of the others need each other.
    pub(super) fn condition(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        let lacks = match name {
            "if" if draft.get("then").or(draft.get("else")).is_none() => "`then` and `else`",
            "then" | "else" if draft.get("if").is_none() => "`if`",
            _ => {
                let node = self.child(draft, name, value);
                return draft.push(name, Value::Node(Box::new(node)));
            }
        };
        let reason = format!("`{name}` without {lacks} is ignored, as JSON Schema says");
        self.note(Reading::Ignored, draft.at(name), reason, name);
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

/// Adds "`condition` implies `consequence`" as `if` and `then`. If the consequence is `required` only, `not` expresses
/// it in a form that more formats have: not (condition and not consequence).
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
        _ => {
            let members = [("if", condition), ("then", consequence)];
            let members = members.map(|(name, node)| (name.to_owned(), Value::Node(Box::new(node))));
            let has = |name: &str| draft.object.get(name).is_some() || draft.out.iter().any(|(other, _)| other == name);
            // The search of `has` takes time, so only the first of many dependencies is written beside the others.
            if draft.conjuncts.is_empty() && !["if", "then", "else"].into_iter().any(has) {
                draft.out.extend(members);
            } else {
                draft.conjuncts.push(Node::members(draft.origin.clone(), members.into()));
            }
        }
    }
}
