//! A change of a schema at one place.

use capgen_schema::{Json, NodeId};

/// A change between two versions of a schema, at one place.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) kind: Kind,
    /// The subschema of the old version that changed.
    pub(super) old: NodeId,
    /// The subschema of the new version at the same place.
    pub(super) new: NodeId,
    /// The end of the pointers of the change: the keyword, and for `properties` the name.
    pub(super) path: Vec<String>,
    /// The property, if the change is one of its presence.
    pub(super) property: Option<String>,
    /// One clause, such as "`maxLength` changed from 10 to 5".
    pub(super) text: String,
    /// What to do, in words.
    pub(super) help: Option<String>,
    /// The edits that make this change alone in the old version. They identify it.
    pub(super) edits: Vec<Edit>,
}

/// An edit of the subschema: the path of a keyword, or of a member of it, and its new value.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) path: Vec<String>,
    pub(super) value: Value,
}

/// The new value of a keyword. An edit of a list contains one element, so that the changes of a long list take linear
/// space.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Set(Json),
    Remove,
    /// The list with one more element.
    Insert(Json),
    /// The list without the element at an index.
    Delete(usize),
    /// The `properties` with more names, whose values may be anything.
    Declare(Vec<String>),
}

/// The kinds of changes that rules distinguish.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// A side with a schema that had none.
    SideTyped,
    /// A side without a schema that had one.
    SideUntyped,
    /// Another subschema, of which only the whole is compared.
    Replaced,
    Type,
    /// `integer` became `number`.
    Widened,
    /// Members of `enum`, or `const`.
    Members,
    /// A bound of numbers, lengths or items, or `uniqueItems`.
    Bound,
    /// `pattern`, `format`, or an assertion about the names of properties.
    Text,
    PropertyRemoved,
    PropertyAdded,
    Required,
    Optional,
    /// `additionalProperties`.
    Rest,
    Branches,
    Default,
    /// `title`, `description`, `examples`.
    Annotation,
}

impl Kind {
    /// Whether the change is one of annotations, which no payload can show.
    pub(super) fn is_annotation(self) -> bool {
        matches!(self, Kind::Default | Kind::Annotation)
    }
}

impl Change {
    /// A change of a keyword.
    pub(super) fn of(kind: Kind, (old, new): (NodeId, NodeId), keyword: &str, text: String) -> Self {
        Self { kind, old, new, path: vec![keyword.to_owned()], property: None, text, help: None, edits: Vec::new() }
    }

    /// Adds an edit that sets a value, or removes it.
    pub(super) fn edit(self, path: &[&str], value: Option<Json>) -> Self {
        self.edit_with(path, value.map_or(Value::Remove, Value::Set))
    }

    /// Adds an edit.
    pub(super) fn edit_with(mut self, path: &[&str], value: Value) -> Self {
        let path = path.iter().map(|&part| part.to_owned()).collect();
        self.edits.push(Edit { path, value });
        self
    }

    /// Sets the property.
    pub(super) fn of_property(mut self, name: &str) -> Self {
        self.property = Some(name.to_owned());
        self
    }

    /// Sets the rest of the path.
    pub(super) fn below(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }

    pub(super) fn help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }
}
