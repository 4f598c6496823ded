//! JSON texts as trees that keep the spelling of every number and string.

use std::fmt;

use capgen_manifest::{Data, Node};
use capgen_schema::Json;

use crate::Failure;
use crate::corpus::Document;

/// A JSON text. `1.0` and `1` are different, and the order of members matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tree {
    /// A scalar in its original spelling.
    Leaf(String),
    /// An array.
    Array(Vec<Tree>),
    /// An object; its names are not escaped.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Reads a text without duplicate names.
    ///
    /// # Errors
    ///
    /// If it is not JSON.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let document = Document::parse(text)?;
        Ok(Self::of(&document, document.root()))
    }

    fn of(document: &Document, node: &Node) -> Self {
        match &node.data {
            Data::Array(items) => Tree::Array(items.iter().map(|item| Self::of(document, item)).collect()),
            Data::Object(members) => Tree::Object(
                members.iter().map(|member| (member.key.clone(), Self::of(document, &member.value))).collect(),
            ),
            _ => Tree::Leaf(document.text(node).to_owned()),
        }
    }

    /// A string.
    pub fn string(text: &str) -> Self {
        Tree::Leaf(serde_json::Value::from(text).to_string())
    }

    /// A measure of the number of values and names, and of their lengths.
    pub fn size(&self) -> usize {
        match self {
            Tree::Leaf(text) => 1 + text.len(),
            Tree::Array(items) => 2 + items.iter().map(Tree::size).sum::<usize>(),
            Tree::Object(members) => {
                2 + members.iter().map(|(name, value)| 2 + name.len() + value.size()).sum::<usize>()
            }
        }
    }
}

impl From<&Json> for Tree {
    fn from(value: &Json) -> Self {
        match value {
            Json::Array(items) => Tree::Array(items.iter().map(Tree::from).collect()),
            Json::Object(members) => {
                Tree::Object(members.iter().map(|(name, value)| (name.clone(), value.into())).collect())
            }
            scalar => Tree::Leaf(scalar.canonical()),
        }
    }
}

impl fmt::Display for Tree {
    /// On one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Leaf(text) => f.write_str(text),
            Tree::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Tree::Object(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}: {value}", serde_json::Value::from(name.as_str()))?;
                }
                f.write_str("}")
            }
        }
    }
}
