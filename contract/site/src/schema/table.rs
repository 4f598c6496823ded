//! The tables of one side of a capability.

use capgen_schema::{NodeId, Schema};

use super::rows::{Name, Row, rows};
use super::words::{Phrase, Piece, facts, type_of};
use super::{Anchors, View};
use crate::html::Attribute::{Fixed, Href, Id};
use crate::html::{Html, class};
use crate::json::{block, one_line};
use crate::place::{Anchor, Page};
use crate::prose;

/// The most examples of a place that a table shows. They show the form of a value; the manifest contains all.
const MAX_EXAMPLES: usize = 10;
/// The longest default or example, in characters. Usual values fit on a line, and the cell of a table stays readable.
const MAX_VALUE: usize = 300;

/// Classes of rows by their depth. Deeper rows are not indented further.
const DEPTHS: [&str; 7] = ["d0", "d1", "d2", "d3", "d4", "d5", "d6"];

/// Writes a schema: the payload, `examples` of it, then each definition with a heading of this level, then the schema
/// as JSON.
pub(crate) fn part(
    html: &mut Html,
    page: Page<'_>,
    (anchors, level): (&Anchors, &'static str),
    schema: &Schema,
    examples: impl FnOnce(&mut Html),
) {
    let view = View::new(schema);
    let writer = Writer { page, anchors, view: &view };
    writer.place(html, schema.root());
    writer.table(html, schema.root(), &anchors.root);
    examples(html);
    for (name, id) in schema.definitions() {
        let anchor = anchors.definition(name);
        html.element("section", &[class("definition")], |html| {
            html.element(level, &[Id(&anchor)], |html| {
                html.element("a", &[Href(&page.to_place(page, &anchor)), class("self")], |html| {
                    html.leaf("code", &[], capgen_diagnostic::cut(name, MAX_VALUE).0);
                });
            });
            writer.place(html, *id);
            writer.table(html, *id, &anchor);
        });
    }
    html.element("details", &[class("source")], |html| {
        html.leaf("summary", &[], "JSON Schema");
        html.element("pre", &[Fixed("tabindex", "0")], |html| {
            html.element("code", &[], |html| block(html, schema.source()))
        });
    });
}

struct Writer<'v> {
    page: Page<'v>,
    anchors: &'v Anchors,
    view: &'v View<'v>,
}

impl Writer<'_> {
    /// The type of the root of a table with its facts, and its description.
    fn place(&self, html: &mut Html, id: NodeId) {
        let annotations = &self.view.node(id).annotations;
        if let Some(text) = &annotations.description {
            prose::paragraphs(html, text);
        }
        html.element("p", &[class("type")], |html| {
            self.phrase(html, &type_of(self.view, id));
            for fact in facts(self.view, id) {
                html.text(" · ");
                self.phrase(html, &fact);
            }
        });
        // The examples of the payload are shown in full.
        self.default(html, id);
        if id != self.view.schema.root() {
            self.examples(html, id);
        }
    }

    fn table(&self, html: &mut Html, id: NodeId, anchor: &Anchor) {
        let rows = rows(self.view, id, anchor, "");
        if rows.is_empty() {
            return;
        }
        html.element("table", &[class("places")], |html| {
            html.element("thead", &[], |html| {
                html.element("tr", &[], |html| {
                    for name in ["Property", "Type", "Details"] {
                        html.leaf("th", &[Fixed("scope", "col")], name);
                    }
                });
            });
            html.element("tbody", &[], |html| rows.iter().for_each(|row| self.row(html, row)));
        });
    }

    fn row(&self, html: &mut Html, row: &Row<'_>) {
        let depth = DEPTHS.get(row.depth).or(DEPTHS.last()).copied().unwrap_or_default();
        html.element("tr", &[class(depth)], |html| {
            html.element("th", &[Fixed("scope", "row"), Id(&row.anchor)], |html| {
                html.element("a", &[Href(&self.page.to_place(self.page, &row.anchor)), class("self")], |html| {
                    name(html, &row.name)
                });
                match row.is_required {
                    Some(true) => html.leaf("span", &[class("required")], "required"),
                    Some(false) => html.leaf("span", &[class("optional")], "optional"),
                    None => {}
                }
            });
            html.element("td", &[class("type")], |html| self.phrase(html, &type_of(self.view, row.node)));
            html.element("td", &[], |html| self.details(html, row.node));
        });
    }

    fn details(&self, html: &mut Html, id: NodeId) {
        if let Some(text) = &self.view.node(id).annotations.description {
            prose::paragraphs(html, text);
        }
        let facts = facts(self.view, id);
        if !facts.is_empty() {
            html.element("ul", &[class("facts")], |html| {
                for fact in &facts {
                    html.element("li", &[], |html| self.phrase(html, fact));
                }
            });
        }
        self.default(html, id);
        self.examples(html, id);
    }

    /// The default that the schema lists.
    fn default(&self, html: &mut Html, id: NodeId) {
        if let Some(value) = &self.view.node(id).annotations.default {
            html.element("p", &[class("values")], |html| {
                html.text("Default: ");
                html.leaf("code", &[], &one_line(value, MAX_VALUE));
            });
        }
    }

    /// The examples that the schema lists.
    fn examples(&self, html: &mut Html, id: NodeId) {
        let examples = &self.view.node(id).annotations.examples;
        if !examples.is_empty() {
            html.element("p", &[class("values")], |html| {
                html.text(if examples.len() == 1 { "Example: " } else { "Examples: " });
                for (index, value) in examples.iter().take(MAX_EXAMPLES).enumerate() {
                    html.text(if index > 0 { ", " } else { "" });
                    html.leaf("code", &[], &one_line(value, MAX_VALUE));
                }
            });
        }
    }

    fn phrase(&self, html: &mut Html, phrase: &Phrase) {
        for piece in phrase {
            match piece {
                Piece::Words(text) => html.text(text),
                Piece::Code(text) => html.leaf("code", &[], text),
                Piece::Definition(name) => {
                    let link = self.page.to_place(self.page, &self.anchors.definition(name));
                    html.leaf("a", &[Href(&link)], capgen_diagnostic::cut(name, MAX_VALUE).0);
                }
            }
        }
    }
}

fn name(html: &mut Html, name: &Name<'_>) {
    let titled = |html: &mut Html, text: String, title: Option<&str>| {
        html.leaf("span", &[class("branch")], &text);
        if let Some(title) = title {
            html.text(": ");
            html.text(&prose::summary(title));
        }
    };
    match *name {
        Name::Property("") => html.leaf("span", &[class("branch")], "the empty name"),
        Name::Property(name) => html.leaf("code", &[], capgen_diagnostic::cut(name, MAX_VALUE).0),
        Name::Matching(pattern) => {
            html.leaf("span", &[class("branch")], "names that match ");
            html.leaf("code", &[], capgen_diagnostic::cut(pattern, MAX_VALUE).0);
        }
        Name::OtherProperties => html.leaf("span", &[class("branch")], "other properties"),
        Name::Position(index) => html.leaf("span", &[class("branch")], &format!("item {index}")),
        Name::OtherItems => html.leaf("span", &[class("branch")], "other items"),
        Name::Contained => html.leaf("span", &[class("branch")], "at least one item"),
        Name::Items => html.leaf("span", &[class("branch")], "each item"),
        Name::Option(_, title, Some(ref tag)) => {
            html.leaf("code", &[], &capgen_diagnostic::cut_short(tag, MAX_VALUE));
            if let Some(title) = title {
                html.text(": ");
                html.text(&prose::summary(title));
            }
        }
        Name::Option(number, title, None) => titled(html, format!("option {number}"), title),
        Name::Part(number, title) => titled(html, format!("part {number}"), title),
        Name::Not => html.leaf("span", &[class("branch")], "not"),
        Name::Condition(keyword) => html.leaf("span", &[class("branch")], keyword),
    }
}
