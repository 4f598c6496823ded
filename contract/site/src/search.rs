//! The data of the search: a script that calls a function of `site.js` with one JSON value.

use std::fmt::Write;

use capgen_diagnostic::{is_unsafe, push_json_escape};
use capgen_manifest::{About, Capability, ContractPart, Side};

use crate::fleet::Fleet;
use crate::place::Page;
use crate::prose::summary;
use crate::schema::{Anchors, Row, View};
use capgen_diagnostic::cut;

/// After this many bytes, no more properties are added, so that browsers read the data in little time.
const MAX_BYTES: usize = 12 << 20;
/// The longest description, in characters. A result shows it on a line or two.
const MAX_DESCRIPTION: usize = 140;

/// The script: `[[id, page, text, [[name, page, description, words, properties]]]]`, and whether properties are
/// missing.
///
/// A property is `[part, path, anchor, description, values]`. The part is `request`, `response`, or an error's code.
pub(crate) fn data(fleet: &Fleet<'_>) -> String {
    let mut data = Data { text: format!("/* {} */\ncapgenSearch([", crate::MARK), is_cut: false };
    for (index, agent) in fleet.agents.iter().enumerate() {
        let manifest = &agent.contract.manifest;
        data.next(index);
        data.text.push('[');
        data.string(manifest.agent.as_str());
        data.text.push(',');
        data.string(&Page::Agent(&manifest.agent).path());
        data.text.push(',');
        data.string(&about(&manifest.about));
        data.text.push_str(",[");
        for (index, (capability, label)) in manifest.capabilities.iter().zip(manifest.labels()).enumerate() {
            data.next(index);
            let page = Page::Capability(&manifest.agent, &label).path();
            data.capability(&page, (capability, &label));
        }
        data.text.push_str("]]");
    }
    let _ = writeln!(data.text, "],{});", data.is_cut);
    data.text
}

/// The description and the owner of an agent.
fn about(about: &About) -> String {
    let description = about.description.as_deref().map(summary);
    let texts: Vec<String> = description.into_iter().chain(about.owner.clone()).collect();
    cut(&texts.join(" · "), MAX_DESCRIPTION).0.to_owned()
}

/// The values of an `enum` or a `const`, as far as they fit on a line.
fn values(view: &View<'_>, row: &Row<'_>) -> String {
    let mut texts = String::new();
    for value in view.values(row) {
        let text = value.as_str().map_or_else(|| value.canonical(), str::to_owned);
        if texts.len() + text.len() > MAX_DESCRIPTION {
            break;
        }
        texts.push_str(if texts.is_empty() { "" } else { " " });
        texts.push_str(&text);
    }
    texts
}

struct Data {
    text: String,
    is_cut: bool,
}

impl Data {
    fn next(&mut self, index: usize) {
        self.text.push_str(if index > 0 { ",\n" } else { "" });
    }

    fn capability(&mut self, page: &str, (capability, label): (&Capability, &str)) {
        let description = capability.description.as_deref().unwrap_or_default();
        let rights = capability.required_roles.iter().chain(&capability.required_scopes);
        let codes = capability.errors.iter().map(|error| &error.code);
        let words = capability.tags.iter().chain(&capability.id).chain(rights).chain(codes);
        let words = words.cloned().collect::<Vec<_>>().join(" ");
        self.text.push('[');
        for value in [label, page, cut(description, MAX_DESCRIPTION).0, cut(&words, MAX_DESCRIPTION).0] {
            self.string(value);
            self.text.push(',');
        }
        self.text.push('[');
        let mut number = 0;
        for part in capability.parts() {
            let Some(schema) = capability.schema(part) else { continue };
            let (name, anchors) = match part {
                ContractPart::Request => (Side::Request.name(), Anchors::of_side(Side::Request)),
                ContractPart::Response => (Side::Response.name(), Anchors::of_side(Side::Response)),
                ContractPart::Details(index) => {
                    let code = capability.errors.get(index).map(|error| error.code.as_str()).unwrap_or_default();
                    (code, Anchors::of_error(code))
                }
            };
            let view = View::new(schema);
            for row in view.all_rows(&anchors).filter(Row::is_property) {
                if self.text.len() > MAX_BYTES {
                    self.is_cut = true;
                    break;
                }
                self.next(number);
                number += 1;
                let description = view.description(&row).map(summary).unwrap_or_default();
                self.text.push('[');
                for value in [name, &row.path, row.anchor.as_str(), cut(&description, MAX_DESCRIPTION).0] {
                    self.string(value);
                    self.text.push(',');
                }
                self.string(&values(&view, &row));
                self.text.push(']');
            }
        }
        self.text.push_str("]]");
    }

    /// A JSON string that is also a string of JavaScript and contains nothing that ends a script.
    fn string(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '<' | '>' | '&' | '\'' | '`' => push_json_escape(&mut self.text, c),
                c if is_unsafe(c) => push_json_escape(&mut self.text, c),
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_neither_the_script_nor_themselves() {
        let mut data = Data { text: String::new(), is_cut: false };
        data.string("</script>\"\\\u{2028}\n\u{202e}ü𝄞");
        assert_eq!(data.text, r#""\u003c/script\u003e\"\\\u2028\u000a\u202eü𝄞""#);
    }
}
