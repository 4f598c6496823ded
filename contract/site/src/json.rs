//! JSON values as HTML: on several lines, with classes for colours.

use capgen_diagnostic::{cut_short, visible_json};
use capgen_schema::Json;

use crate::html::{Html, class};

/// The longest text of a value, in bytes of its JSON. Usual examples and defaults have less than 1 KB; a page has many
/// of them, and must load in little time.
const MAX_VALUE: usize = 32 << 10;
/// Values with a longer text take several lines. It is about the width of the column of text.
const WIDTH: usize = 72;

/// Writes a value within `pre`. A value that is too long is cut, and a line after it states this.
pub(crate) fn block(html: &mut Html, value: &Json) {
    let mut printer = Printer { html, left: MAX_VALUE, is_cut: false };
    printer.value(value, 0);
    if printer.is_cut {
        html.line_end();
        html.leaf("span", &[class("muted")], "… the rest is too long to be shown here");
    }
}

/// A value on one line, of at most `longest` characters.
pub(crate) fn one_line(value: &Json, longest: usize) -> String {
    visible_json(&cut_short(&value.canonical(), longest))
}

struct Printer<'h> {
    html: &'h mut Html,
    left: usize,
    is_cut: bool,
}

impl Printer<'_> {
    /// The depth of values is limited: by the reader of manifests, and by the search for examples.
    fn value(&mut self, value: &Json, indent: usize) {
        if self.is_cut {
            return;
        }
        match value {
            Json::Object(members) if !members.is_empty() => {
                let is_long = is_long(value, indent);
                self.punctuation("{");
                for (index, (name, member)) in members.iter().enumerate() {
                    self.separator(index, is_long, indent + 1);
                    self.leaf("k", &Json::String(name.clone()));
                    self.punctuation(": ");
                    self.value(member, indent + 1);
                }
                self.end(is_long, indent);
                self.punctuation("}");
            }
            Json::Array(items) if !items.is_empty() => {
                let is_long = is_long(value, indent);
                self.punctuation("[");
                for (index, item) in items.iter().enumerate() {
                    self.separator(index, is_long, indent + 1);
                    self.value(item, indent + 1);
                }
                self.end(is_long, indent);
                self.punctuation("]");
            }
            Json::Object(_) | Json::Array(_) => self.leaf("p", value),
            Json::String(_) => self.leaf("s", value),
            Json::Number(_) => self.leaf("n", value),
            Json::Bool(_) | Json::Null => self.leaf("b", value),
        }
    }

    fn separator(&mut self, index: usize, is_long: bool, indent: usize) {
        if index > 0 {
            self.punctuation(if is_long { "," } else { ", " });
        }
        self.end(is_long, indent);
    }

    fn end(&mut self, is_long: bool, indent: usize) {
        if is_long && !self.is_cut {
            self.html.line_end();
            self.html.text(&"  ".repeat(indent));
        }
    }

    fn leaf(&mut self, name: &'static str, value: &Json) {
        let text = visible_json(&value.canonical());
        if self.take(text.len()) {
            let name = match name {
                "k" => "j-key",
                "s" => "j-text",
                "n" => "j-number",
                "b" => "j-word",
                _ => return self.html.text(&text),
            };
            self.html.leaf("span", &[class(name)], &text);
        }
    }

    fn punctuation(&mut self, text: &str) {
        if self.take(text.len()) {
            self.html.text(text);
        }
    }

    fn take(&mut self, bytes: usize) -> bool {
        self.is_cut |= self.left < bytes;
        self.left = self.left.saturating_sub(bytes);
        !self.is_cut
    }
}

/// Whether a value does not fit on one line. Stops as soon as it is clear.
fn is_long(value: &Json, indent: usize) -> bool {
    fn width(value: &Json, left: usize) -> Option<usize> {
        match value {
            Json::Object(members) => members.iter().try_fold(left.checked_sub(2)?, |left, (name, member)| {
                width(member, left.checked_sub(name.len() + 6)?)
            }),
            Json::Array(items) => {
                items.iter().try_fold(left.checked_sub(2)?, |left, item| width(item, left.checked_sub(2)?))
            }
            Json::String(text) => left.checked_sub(text.len() + 2),
            Json::Number(_) => left.checked_sub(value.canonical().len()),
            Json::Bool(_) | Json::Null => left.checked_sub(5),
        }
    }
    width(value, WIDTH.saturating_sub(2 * indent)).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let mut html = Html::default();
        let schema = capgen_schema::Schema::parse_text(&format!("{{\"const\": {text}}}")).unwrap();
        block(&mut html, schema.source().get("const").unwrap());
        let html = html.finish("");
        ["j-key", "j-text", "j-number", "j-word"]
            .iter()
            .fold(html, |text, name| text.replace(&format!("<span class=\"{name}\">"), ""))
            .replace("</span>", "")
            .replace("&quot;", "'")
    }

    #[test]
    fn short_values_take_one_line_and_long_ones_several() {
        assert_eq!(html(r#"{"a":[1,"<\u2028"],"b":{}}"#), r"{'a': [1, '&lt;\u2028'], 'b': {}}");
        let long = format!(r#"{{"a": "{}", "b": [true]}}"#, "x".repeat(80));
        assert_eq!(html(&long), format!("{{\n  'a': '{}',\n  'b': [true]\n}}", "x".repeat(80)));
    }

    #[test]
    fn huge_values_are_cut() {
        let text = html(&format!("[{}1]", "1,".repeat(100_000)));
        assert!(text.len() < 4 * MAX_VALUE && text.ends_with("too long to be shown here"), "{}", text.len());
    }
}
