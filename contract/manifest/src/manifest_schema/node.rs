//! Building schemas.

use capgen_schema::{Json, Number, Object};

/// A schema that is being built; its keywords have the order in which they are set.
#[derive(Default)]
pub(super) struct Node(Object);

impl Node {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// A schema of one type.
    pub(super) fn of(name: &str) -> Self {
        Self::new().text("type", name)
    }

    /// A reference to a definition.
    pub(super) fn reference(name: &str) -> Self {
        Self::new().text("$ref", &format!("#/definitions/{name}"))
    }

    /// Strings of which the whole matches a regular expression. Editors show the rule for others.
    pub(super) fn matching(pattern: &str, rule: &str) -> Self {
        Self::containing(&format!("^{pattern}$"), rule)
    }

    /// Strings with a part that matches a regular expression. Editors show the rule for others: the keyword is one of
    /// the language servers for JSON and YAML, and others ignore it.
    pub(super) fn containing(pattern: &str, rule: &str) -> Self {
        Self::of("string").text("pattern", pattern).text("patternErrorMessage", rule)
    }

    pub(super) fn set(mut self, keyword: &str, value: Json) -> Self {
        self.0.set(keyword, Some(value));
        self
    }

    pub(super) fn text(self, keyword: &str, value: &str) -> Self {
        self.set(keyword, value.into())
    }

    pub(super) fn number(self, keyword: &str, value: u64) -> Self {
        self.set(keyword, Json::Number(Number::from(value)))
    }

    /// Sets the keywords of another schema.
    pub(super) fn with_all(self, other: Self) -> Self {
        other.0.iter().fold(self, |node, (keyword, value)| node.set(keyword, value.clone()))
    }
}

impl From<Node> for Json {
    fn from(node: Node) -> Self {
        Json::Object(node.0)
    }
}

/// An object with these members.
pub(super) fn object<'k>(members: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// An array of strings.
pub(super) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Json {
    Json::Array(texts.into_iter().map(Json::from).collect())
}
