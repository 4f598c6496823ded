//! The data of the search: a script that calls a function of `site.js` with one JSON value.

use std::fmt::Write;

use capgen_diagnostic::{is_unsafe, push_json_escape};
use capgen_manifest::{Capability, Side};

use crate::fleet::Fleet;
use crate::place::Page;
use crate::prose::summary;
use crate::schema::{Row, View};
use capgen_diagnostic::cut;

/// After this many bytes, no more properties are added, so that browsers read the data in little time.
const MAX_BYTES: usize = 12 << 20;
/// The longest description, in characters. A result shows it on a line or two.
const MAX_DESCRIPTION: usize = 140;

/// The script. `[[id, page, [[name, page, description, words, [[side, path, anchor, description]]]]]]`, and whether
/// properties are missing.
pub(crate) fn data(fleet: &Fleet<'_>) -> String {
    let mut data = Data { text: format!("/* {} */\ncapgenSearch([", crate::MARK), is_cut: false };
    for (index, agent) in fleet.agents.iter().enumerate() {
        let manifest = &agent.contract.manifest;
        data.next(index);
        data.text.push('[');
        data.string(manifest.agent.as_str());
        data.text.push(',');
        data.string(&Page::Agent(&manifest.agent).path());
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
        let words = capability.tags.iter().chain(&capability.id).cloned().collect::<Vec<_>>().join(" ");
        self.text.push('[');
        for value in [label, page, cut(description, MAX_DESCRIPTION).0, cut(&words, MAX_DESCRIPTION).0] {
            self.string(value);
            self.text.push(',');
        }
        self.text.push('[');
        let mut number = 0;
        for side in Side::ALL {
            let Some(schema) = capability.schema(side) else { continue };
            let view = View::new(schema);
            for row in view.all_rows(side).filter(Row::is_property) {
                if self.text.len() > MAX_BYTES {
                    self.is_cut = true;
                    break;
                }
                self.next(number);
                number += 1;
                let description = view.description(&row).map(summary).unwrap_or_default();
                let _ = write!(self.text, "[{},", if side == Side::Request { 0 } else { 1 });
                self.string(&row.path);
                self.text.push(',');
                self.string(row.anchor.as_str());
                self.text.push(',');
                self.string(cut(&description, MAX_DESCRIPTION).0);
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
