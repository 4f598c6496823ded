//! A document as a tree. Every key and value has its span.

use std::ops::Range;

use capgen_diagnostic::Source;
use capgen_schema::{Json, Number, pointer};

/// A value with its span.
#[derive(Clone, Debug)]
pub struct Node {
    /// In bytes of the source. The copy that a YAML alias makes has the span of the original.
    pub span: Range<usize>,
    /// The value.
    pub data: Data,
}

/// A value of JSON's data model. Numbers are exact.
#[derive(Clone, Debug)]
pub enum Data {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number and its text in the source.
    Number(Number, String),
    /// A string.
    String(String),
    /// A sequence.
    Array(Vec<Node>),
    /// A mapping in source order; keys are unique.
    Object(Vec<Member>),
}

/// One member of a mapping.
#[derive(Clone, Debug)]
pub struct Member {
    /// The key.
    pub key: String,
    /// The span of the key, quotes included.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The tree without spans.
    pub fn to_json(&self) -> Json {
        match &self.data {
            Data::Null => Json::Null,
            Data::Bool(b) => Json::Bool(*b),
            Data::Number(number, _) => Json::Number(number.clone()),
            Data::String(text) => Json::String(text.clone()),
            Data::Array(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            Data::Object(members) => Json::Object(members.iter().map(|m| (m.key.clone(), m.value.to_json())).collect()),
        }
    }

    /// The member with that key; `None` if there is none or this is not a mapping.
    pub fn member(&self, key: &str) -> Option<&Member> {
        if let Data::Object(members) = &self.data { members.iter().find(|m| m.key == key) } else { None }
    }
}

/// A part of a member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Key,
    Value,
}

/// The place that a JSON Pointer leads to.
pub(crate) struct Place<'n> {
    /// The key of the value, if it is the value of a member.
    pub(crate) key: Option<&'n Range<usize>>,
    pub(crate) node: &'n Node,
    /// Whether the tree has a value at the pointer. If not, this is the last value on the way to it.
    pub(crate) is_complete: bool,
}

/// Follows a JSON Pointer as far as the tree goes. `member` finds a member of a mapping; a caller with many pointers
/// passes one that uses an index.
pub(crate) fn follow<'n>(
    root: &'n Node,
    pointer: &str,
    mut member: impl FnMut(&'n Node, &str) -> Option<&'n Member>,
) -> Place<'n> {
    let mut place = Place { key: None, node: root, is_complete: true };
    for token in pointer::tokens(pointer) {
        let next = match &place.node.data {
            Data::Object(_) => member(place.node, &token).map(|m| (Some(&m.key_span), &m.value)),
            Data::Array(items) => token.parse().ok().and_then(|i: usize| items.get(i)).map(|item| (None, item)),
            _ => None,
        };
        let Some((key, node)) = next else {
            place.is_complete = false;
            break;
        };
        (place.key, place.node) = (key, node);
    }
    place
}

impl Place<'_> {
    /// The span to underline: the key if it is in question or if the value takes several lines, otherwise the value.
    pub(crate) fn span(&self, source: &Source, part: Part) -> Range<usize> {
        match self.key {
            Some(key) if part == Part::Key || self.node.is_block(source) => key.clone(),
            _ => self.node.span.clone(),
        }
    }
}

impl Node {
    /// Whether the value is a list or mapping that takes several lines or a very long one. Underlining all of it would
    /// show less than underlining its key.
    fn is_block(&self, source: &Source) -> bool {
        // Lists on one line are usually shorter than this, and a terminal shows it on two or three lines.
        const LONG_LINE: usize = 200;
        let text = source.text().get(self.span.clone()).unwrap_or_default();
        let is_long = || text.len() > LONG_LINE || text.trim_end().contains('\n');
        matches!(self.data, Data::Array(_) | Data::Object(_)) && is_long()
    }
}
