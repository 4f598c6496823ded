//! A schema as rows of a table: one for each place of a payload. Definitions have tables of their own, so recursion
//! ends.

use std::collections::HashSet;

use capgen_schema::{Assertions, Kind, NodeId};

use super::View;
use super::words::{are_listed, is_plain};
use crate::place::Anchor;
use capgen_diagnostic::cut_short;

/// A place of a payload.
#[derive(Clone, Debug)]
pub(crate) struct Row<'s> {
    /// The number of rows that this one is below.
    pub(crate) depth: usize,
    pub(crate) name: Name<'s>,
    /// The place in words, such as `orderBy[].field`, for the search.
    pub(crate) path: String,
    pub(crate) anchor: Anchor,
    /// Whether the property is required; `None` for other places, and for properties that are not allowed.
    pub(crate) is_required: Option<bool>,
    pub(crate) node: NodeId,
}

/// The name of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Name<'s> {
    Property(&'s str),
    /// The properties whose names match a pattern.
    Matching(&'s str),
    OtherProperties,
    Items,
    /// The item at a position, from 1.
    Position(usize),
    /// The items after those with a position.
    OtherItems,
    /// At least one item.
    Contained,
    /// A branch of a union, from 1, with its title, and the property with the values that select it, such as
    /// `kind: "card"`.
    Option(usize, Option<&'s str>, Option<String>),
    /// A schema of an `allOf`, from 1, with its title.
    Part(usize, Option<&'s str>),
    Not,
    /// `if`, `then` or `else`.
    Condition(&'static str),
}

impl Row<'_> {
    /// Whether it is about a property with a name.
    pub(crate) fn is_property(&self) -> bool {
        matches!(self.name, Name::Property(_))
    }
}

/// The longest path of a place, in characters. It fits on two or three lines of a table, and each row below repeats it.
const MAX_PATH: usize = 160;

/// The rows below a node, in the order of the schema.
pub(crate) fn rows<'s>(view: &View<'s>, node: NodeId, anchor: &Anchor, path: &str) -> Vec<Row<'s>> {
    let mut rows = Vec::new();
    let mut walk = Walk { view, rows: &mut rows };
    walk.below(node, 0, anchor, path);
    rows
}

struct Walk<'s, 'r> {
    view: &'r View<'s>,
    rows: &'r mut Vec<Row<'s>>,
}

impl<'s> Walk<'s, '_> {
    /// The depth of schemas is limited to 64 levels, so this ends on every stack.
    fn below(&mut self, id: NodeId, depth: usize, anchor: &Anchor, path: &str) {
        let view = self.view;
        let Kind::Assertions(assertions) = &view.node(id).kind else { return };
        let required: HashSet<&String> = assertions.required.iter().collect();
        for (name, node) in &assertions.properties {
            let is_forbidden = matches!(view.node(*node).kind, Kind::Bool(false));
            let is_required = Some(required.contains(name)).filter(|required| *required || !is_forbidden);
            let path = joined(path, name);
            self.add(Row {
                depth,
                name: Name::Property(name),
                path,
                anchor: anchor.join(name),
                is_required,
                node: *node,
            });
        }
        for (index, (pattern, node)) in (1..).zip(&assertions.pattern_properties) {
            let (path, anchor) = (joined(path, "*"), anchor.special("pattern", Some(index)));
            let name = Name::Matching(pattern.source());
            self.add(Row { depth, name, path, anchor, is_required: None, node: *node });
        }
        if let Some(node) = assertions.additional_properties.filter(|node| self.is_schema(*node)) {
            let (path, anchor) = (joined(path, "*"), anchor.special("others", None));
            self.add(Row { depth, name: Name::OtherProperties, path, anchor, is_required: None, node });
        }
        if let Some(node) = assertions.items.filter(|node| self.is_schema(*node) && !is_plain(view, *node)) {
            let anchor = anchor.special("items", None);
            self.add(Row { depth, name: Name::Items, path: format!("{path}[]"), anchor, is_required: None, node });
        }
        for (index, node) in (1..).zip(&assertions.tuple) {
            let (path, anchor) = (format!("{path}[{}]", index - 1), anchor.special("item", Some(index)));
            self.add(Row { depth, name: Name::Position(index), path, anchor, is_required: None, node: *node });
        }
        if let Some(node) = assertions.additional_items.filter(|node| self.is_schema(*node)) {
            let (path, anchor) = (format!("{path}[]"), anchor.special("items", None));
            self.add(Row { depth, name: Name::OtherItems, path, anchor, is_required: None, node });
        }
        if let Some(node) = assertions.contains.filter(|node| self.is_schema(*node)) {
            let (path, anchor) = (format!("{path}[]"), anchor.special("contains", None));
            self.add(Row { depth, name: Name::Contained, path, anchor, is_required: None, node });
        }
        self.branches(assertions, depth, anchor, path);
        for (keyword, id) in [("if", assertions.if_), ("then", assertions.then), ("else", assertions.else_)] {
            let Some(node) = id else { continue };
            let (name, anchor) = (Name::Condition(keyword), anchor.special(keyword, None));
            self.add(Row { depth, name, path: path.to_owned(), anchor, is_required: None, node });
        }
        if let Some(node) = assertions.not {
            let anchor = anchor.special("not", None);
            self.add(Row { depth, name: Name::Not, path: path.to_owned(), anchor, is_required: None, node });
        }
    }

    fn branches(&mut self, assertions: &'s Assertions, depth: usize, anchor: &Anchor, path: &str) {
        let view = self.view;
        let unions = [("one", &assertions.one_of), ("any", &assertions.any_of), ("all", &assertions.all_of)];
        for (kind, ids) in unions {
            let Some(ids) = ids.as_ref().filter(|ids| !are_listed(view, assertions, ids)) else { continue };
            let mut selected = if kind == "all" { Vec::new() } else { view.selectors(ids) }.into_iter();
            for (index, node) in (1..).zip(ids) {
                let title = view.node(*node).annotations.title.as_deref();
                let name = match kind {
                    "all" => Name::Part(index, title),
                    _ => Name::Option(index, title, selected.next().flatten()),
                };
                let anchor = anchor.special(kind, Some(index));
                self.add(Row { depth, name, path: path.to_owned(), anchor, is_required: None, node: *node });
            }
        }
    }

    fn add(&mut self, row: Row<'s>) {
        let (node, depth, anchor, path) = (row.node, row.depth, row.anchor.clone(), row.path.clone());
        self.rows.push(row);
        self.below(node, depth + 1, &anchor, &path);
    }

    /// Whether a row can describe the place: `true` and `false` are described with the place around it.
    fn is_schema(&self, id: NodeId) -> bool {
        !matches!(self.view.node(id).kind, Kind::Bool(_))
    }
}

fn joined(path: &str, name: &str) -> String {
    let separator = if path.is_empty() { "" } else { "." };
    let path = format!("{path}{separator}{}", cut_short(name, MAX_PATH));
    let length = path.chars().count();
    if length <= MAX_PATH {
        return path;
    }
    // The end of a long path is more useful than its start.
    let end: String = path.chars().skip(length - MAX_PATH).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let schema = capgen_schema::Schema::parse_text(text).unwrap();
        let rows = rows(&View::new(&schema), schema.root(), &Anchor::fixed("request"), "");
        rows.iter().map(|row| format!("{} {:?} {}", row.depth, row.name, row.path)).collect()
    }

    #[test]
    fn nested_places_are_rows_below_their_parents() {
        let schema = r##"{"properties": {"a": {"type": "array", "items": {"properties": {"b": {}}}}, "c": {"type": "array", "items": {"type": "string"}}},
            "additionalProperties": {"type": "string"}, "anyOf": [{"required": ["a"]}, {"title": "T", "not": {"type": "null"}}]}"##;
        let expected = [
            "0 Property(\"a\") a",
            "1 Items a[]",
            "2 Property(\"b\") a[].b",
            "0 Property(\"c\") c",
            "0 OtherProperties *",
            "0 Option(1, None, None) ",
            "0 Option(2, Some(\"T\"), None) ",
            "1 Not ",
        ];
        assert_eq!(paths(schema), expected);
    }

    #[test]
    fn conditions_and_contained_items_are_rows() {
        let schema = r#"{"if": {"required": ["a"]}, "then": {"properties": {"b": {}}}, "else": {"type": "null"},
            "properties": {"a": {"contains": {"type": "string"}}, "c": {"contains": true}}}"#;
        let expected = [
            "0 Property(\"a\") a",
            "1 Contained a[]",
            "0 Property(\"c\") c",
            "0 Condition(\"if\") ",
            "0 Condition(\"then\") ",
            "1 Property(\"b\") b",
            "0 Condition(\"else\") ",
        ];
        assert_eq!(paths(schema), expected);
    }

    #[test]
    fn the_positions_of_tuples_are_rows() {
        let schema = r#"{"properties": {"a": {"type": "array", "items": [{"type": "string"}, {"properties": {"b": {}}}], "additionalItems": {"type": "null"}}}}"#;
        let expected = [
            "0 Property(\"a\") a",
            "1 Position(1) a[0]",
            "1 Position(2) a[1]",
            "2 Property(\"b\") a[1].b",
            "1 OtherItems a[]",
        ];
        assert_eq!(paths(schema), expected);
    }

    #[test]
    fn the_options_of_a_tagged_union_have_the_values_of_the_tag() {
        let schema = r##"{"oneOf": [
            {"type": "object", "title": "Card", "properties": {"kind": {"const": "card"}}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"enum": ["iban", "bic"]}, "b": {}}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"$ref": "#/definitions/k"}}, "required": ["kind"]},
            {"type": "null"}], "definitions": {"k": {"const": 3}}}"##;
        let options: Vec<String> = paths(schema).into_iter().filter(|path| path.contains("Option")).collect();
        let expected = [
            r#"0 Option(1, Some("Card"), Some("kind: \"card\"")) "#,
            r#"0 Option(2, None, Some("kind: \"iban\", \"bic\"")) "#,
            r#"0 Option(3, None, Some("kind: 3")) "#,
            "0 Option(4, None, None) ",
        ];
        assert_eq!(options, expected);
    }

    #[test]
    fn recursion_ends_at_references() {
        let schema = r##"{"$ref": "#/definitions/a", "definitions": {"a": {"properties": {"next": {"$ref": "#/definitions/a"}}}}}"##;
        assert_eq!(paths(schema), Vec::<String>::new());
    }

    #[test]
    fn long_paths_are_shortened() {
        let name = "n".repeat(300);
        let text = format!(r#"{{"properties": {{"{name}": {{"properties": {{"end": {{}}}}}}}}}}"#);
        let last = paths(&text).pop().unwrap();
        assert!(last.ends_with("….end") && last.chars().count() < 200, "{last}");
    }
}
