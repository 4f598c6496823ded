//! Keywords that hold on a condition, said without one.

use super::tree::{Body, Node, Value};
use super::walk::{Draft, Walk, distinct};
use crate::Json;

/// A condition with more subschemas than this is not written twice.
const MAX_CONDITION: usize = 32;

impl<'a> Walk<'a> {
    /// `if A then B else C`: A implies B; and A, or C.
    pub(super) fn condition(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        let ("if", Some(_)) = (name, draft.get("then").or(draft.get("else"))) else { return };
        let condition = self.child(draft, name, value);
        let mut branch = |keyword| draft.get(keyword).map(|schema| self.child(draft, keyword, schema));
        match (branch("then"), branch("else")) {
            (Some(then), Some(otherwise)) => {
                let size = condition.size();
                if size > MAX_CONDITION || size > self.copies {
                    return self.refuse(draft, name);
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

    /// A property that is there brings other names, or a schema: it is not there, or that holds.
    pub(super) fn dependencies(&mut self, draft: &mut Draft<'a>, keyword: &str, value: &'a Json) {
        let Some(members) = value.as_object() else { return self.malformed(draft, keyword, "an object") };
        let origin = draft.origin.join(keyword);
        let is_object = draft.get("type").and_then(Json::as_str) == Some("object");
        for (name, dependency) in members {
            let origin = origin.join(name);
            let required = |names| Node::keyword(&origin, "required", Value::Plain(Json::Array(names)));
            let mut present = required(vec![Json::String(name.clone())]);
            let holds = match dependency {
                Json::Array(names) if keyword != "dependentSchemas" => {
                    if names.iter().all(|other| other.as_str() == Some(name)) {
                        continue;
                    }
                    required(distinct(names))
                }
                schema => self.node(schema, origin.clone(), draft.depth + 1),
            };
            // What is no object has no properties, but everything that is required of objects.
            if let (Body::Members(members), false) = (&mut present.body, is_object || asks_for_names(&holds)) {
                members.insert(0, ("type".to_owned(), Value::Plain(Json::String("object".to_owned()))));
            }
            implies(draft, present, holds);
        }
    }
}

/// Whether a schema asks for properties and for nothing else.
fn asks_for_names(node: &Node<'_>) -> bool {
    matches!(&node.body, Body::Members(members) if members.iter().all(|(name, _)| name == "required"))
}

/// Where `condition` holds, so does `holds`. Alternatives would make a union of a type; where names alone are asked for,
/// the type is the same in all of them, so it is said with `not`.
fn implies<'a>(draft: &mut Draft<'a>, mut condition: Node<'a>, holds: Node<'a>) {
    let is_free = |members: &[(String, Value<'_>)]| !members.iter().any(|(name, _)| name == "not" || name == "$ref");
    match &mut condition.body {
        Body::Members(members) if asks_for_names(&holds) && is_free(members) => {
            members.push(("not".to_owned(), Value::Node(Box::new(holds))));
            match draft.conjuncts.is_empty() {
                true => draft.also("not", Value::Node(Box::new(condition))),
                // Not to look through the whole object for each of many.
                false => draft.conjuncts.push(condition.negated()),
            }
        }
        _ => draft.conjuncts.push(either(holds, condition.negated())),
    }
}

fn either<'a>(one: Node<'a>, other: Node<'a>) -> Node<'a> {
    let origin = one.origin.clone();
    Node::keyword(&origin, "anyOf", Value::List(vec![one, other]))
}
