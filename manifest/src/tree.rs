//! A document as a tree whose every key and value knows where it stands.

use std::ops::Range;

use capgen_schema::{Json, Number};

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
}
