//! The output schema as a tree. Each subschema knows its place in the input.

use std::rc::Rc;

use super::target::TargetId;
use crate::{Json, Object, pointer};

/// A place in the input. It is a linked list of tokens, so extending and cloning it is cheap; the pointer is built on
/// demand, for errors.
#[derive(Clone, Default)]
pub(super) struct Origin(Option<Rc<Step>>);

struct Step {
    parent: Origin,
    /// One or more reference tokens, as part of a JSON Pointer.
    tokens: String,
}

/// A subschema of the output.
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub(super) origin: Origin,
    /// The value at that place of the input, if the subschema corresponds to one.
    pub(super) source: Option<&'a Json>,
    pub(super) body: Body<'a>,
}

#[derive(Clone)]
pub(super) enum Body<'a> {
    /// `true`, `false`, or a value that is not a schema, which the loader rejects.
    Plain(Json),
    Members(Vec<(String, Value<'a>)>),
}

/// The value of a keyword of the output.
#[derive(Clone)]
pub(super) enum Value<'a> {
    Plain(Json),
    Node(Box<Node<'a>>),
    List(Vec<Node<'a>>),
    Map(Vec<(String, Node<'a>)>),
    /// A reference, with the input's spelling if it is still correct.
    Ref(TargetId, Option<&'a str>),
    /// The position of the root's `definitions`.
    Definitions,
}

impl Value<'_> {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Plain(a), Value::Plain(b)) => a == b,
            (Value::Node(a), Value::Node(b)) => a.is_like(b),
            (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_like(b)),
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.is_like(&b.1))
            }
            (Value::Ref(a, _), Value::Ref(b, _)) => a == b,
            (Value::Definitions, Value::Definitions) => true,
            _ => false,
        }
    }
}

impl Origin {
    pub(super) fn at(pointer: String) -> Self {
        Self(Some(Rc::new(Step { parent: Self::default(), tokens: pointer })))
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn join(&self, token: &str) -> Self {
        Self(Some(Rc::new(Step { parent: self.clone(), tokens: pointer::join("", token) })))
    }

    pub(super) fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut origin = self;
        while let Some(step) = &origin.0 {
            steps.push(step.tokens.as_str());
            origin = &step.parent;
        }
        steps.reverse();
        steps.concat()
    }
}

impl<'a> Node<'a> {
    pub(super) fn members(origin: Origin, members: Vec<(String, Value<'a>)>) -> Self {
        Self { origin, source: None, body: Body::Members(members) }
    }

    /// A schema with one keyword.
    pub(super) fn keyword(origin: &Origin, name: &str, value: Value<'a>) -> Self {
        Self::members(origin.clone(), vec![(name.to_owned(), value)])
    }

    pub(super) fn plain(origin: Origin, value: Json) -> Self {
        Self { origin, source: None, body: Body::Plain(value) }
    }

    /// `{"not": self}`.
    pub(super) fn negated(self) -> Self {
        let origin = self.origin.clone();
        Self::keyword(&origin, "not", Value::Node(Box::new(self)))
    }

    /// Whether it is `true` or `{}`.
    pub(super) fn is_trivial(&self) -> bool {
        match &self.body {
            Body::Plain(value) => *value == Json::Bool(true),
            Body::Members(members) => members.is_empty(),
        }
    }

    /// Whether it is `false`.
    pub(super) fn is_false(&self) -> bool {
        matches!(self.body, Body::Plain(Json::Bool(false)))
    }

    /// Whether both are written in the same way, apart from the spelling of references.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (&self.body, &other.body) {
            (Body::Plain(a), Body::Plain(b)) => a == b,
            (Body::Members(a), Body::Members(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.is_like(&b.1))
            }
            _ => false,
        }
    }

    /// The direct subschemas, in order.
    pub(super) fn children(&self) -> impl Iterator<Item = &Node<'a>> {
        let members = if let Body::Members(members) = &self.body { members.as_slice() } else { &[] };
        members.iter().flat_map(|(_, value)| {
            // One iterator type for all kinds of values, without a box per keyword.
            let (one, list, map): (Option<&Node<'a>>, &[Node<'a>], &[(String, Node<'a>)]) = match value {
                Value::Node(node) => (Some(node), &[], &[]),
                Value::List(nodes) => (None, nodes, &[]),
                Value::Map(nodes) => (None, &[], nodes),
                Value::Plain(_) | Value::Ref(..) | Value::Definitions => (None, &[], &[]),
            };
            one.into_iter().chain(list).chain(map.iter().map(|(_, node)| node))
        })
    }

    /// The number of subschemas, including itself.
    pub(super) fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    /// Calls `found` with the target of each reference in the tree.
    pub(super) fn references(&self, found: &mut impl FnMut(TargetId)) {
        if let Body::Members(members) = &self.body {
            for (_, value) in members {
                if let Value::Ref(target, _) = value {
                    found(*target);
                }
            }
        }
        self.children().for_each(|child| child.references(found));
    }

    /// The schema as JSON. `reference` returns the text of a reference to a target; `definitions` is written at its
    /// position.
    pub(super) fn to_json(&self, reference: &impl Fn(TargetId) -> String, definitions: Option<&Json>) -> Json {
        let members = match &self.body {
            Body::Plain(value) => return value.clone(),
            Body::Members(members) => members,
        };
        let json = |node: &Node<'a>| node.to_json(reference, None);
        let member = |(name, value): &(String, Value<'a>)| {
            let value = match value {
                Value::Plain(value) => value.clone(),
                Value::Node(node) => json(node),
                Value::List(nodes) => Json::Array(nodes.iter().map(json).collect()),
                Value::Map(nodes) => {
                    Json::Object(nodes.iter().map(|(name, node)| (name.clone(), json(node))).collect())
                }
                Value::Ref(target, spelling) => {
                    Json::String(spelling.map_or_else(|| reference(*target), str::to_owned))
                }
                Value::Definitions => definitions?.clone(),
            };
            Some((name.clone(), value))
        };
        Json::Object(members.iter().filter_map(member).collect::<Object>())
    }
}
