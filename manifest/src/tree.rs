//! A document as a tree whose every key and value knows where it stands.

use std::ops::Range;

use capgen_schema::{Anchor, Json, Number, pointer};

/// A value with its place, in bytes of the source.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands. What an alias stands for keeps the place where it is written.
    pub span: Range<usize>,
    /// What it is.
    pub data: Data,
}

/// A value of JSON's data model. Numbers keep their exact value.
#[derive(Clone, Debug)]
pub enum Data {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number and the text it was written as.
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
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The tree without places.
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

    /// The member with that key, where this is a mapping that has it.
    pub fn member(&self, key: &str) -> Option<&Member> {
        if let Data::Object(members) = &self.data { members.iter().find(|m| m.key == key) } else { None }
    }

    /// Where the key or the value at a JSON Pointer below this node stands. A pointer to nothing gives the place of the
    /// nearest value above it; what has no key gives that of its value.
    pub fn span_at(&self, pointer: &str, anchor: Anchor) -> Range<usize> {
        let mut node = self;
        let mut key_span = None;
        for token in pointer::tokens(pointer) {
            let next = match &node.data {
                Data::Object(_) => node.member(&token).map(|m| (&m.value, Some(m.key_span.clone()))),
                Data::Array(items) => token.parse().ok().and_then(|i: usize| items.get(i)).map(|item| (item, None)),
                _ => None,
            };
            let Some(next) = next else { return node.span.clone() };
            (node, key_span) = next;
        }
        key_span.filter(|_| anchor == Anchor::Key).unwrap_or_else(|| node.span.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_leads_to_the_span_of_a_key_or_a_value() {
        let leaf = Node { span: 3..4, data: Data::Null };
        let list = Node { span: 2..9, data: Data::Array(vec![leaf]) };
        let root =
            Node { span: 0..9, data: Data::Object(vec![Member { key: "a/b".into(), key_span: 0..1, value: list }]) };
        for (pointer, key, value) in [
            ("", 0..9, 0..9),
            ("/a~1b", 0..1, 2..9),
            ("/a~1b/0", 3..4, 3..4),
            ("/a~1b/1", 2..9, 2..9),
            ("/x/y", 0..9, 0..9),
        ] {
            assert_eq!(root.span_at(pointer, Anchor::Key), key, "{pointer}");
            assert_eq!(root.span_at(pointer, Anchor::Value), value, "{pointer}");
        }
    }
}
