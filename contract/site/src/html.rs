//! The one writer of HTML. Texts are escaped because there is no other way to write them.

use capgen_diagnostic::push_visible;

use crate::place::{Anchor, Link};

/// HTML that is being written.
#[derive(Default)]
pub(crate) struct Html {
    text: String,
}

/// An attribute. Names are those of this crate, and values cannot end the attribute.
pub(crate) enum Attribute<'a> {
    /// An attribute whose value is part of this program.
    Fixed(&'static str, &'static str),
    /// `id`.
    Id(&'a Anchor),
    /// `href`: the only attribute with a link.
    Href(&'a Link),
    /// `src` of a script of the site.
    Source(&'a Link),
    /// `aria-label`, whose value may be any text.
    Label(&'a str),
    /// The attribute `data-<name>`, whose value may be any text.
    Data(&'static str, &'a str),
    /// A number, such as a coordinate of a drawing.
    Number(&'static str, u64),
    /// `viewBox` of a drawing from 0, 0: its width and height.
    Size(u64, u64),
}

use Attribute::{Data, Fixed, Href, Id, Label, Number, Size, Source};

/// `class`, with a value of this program.
pub(crate) const fn class(value: &'static str) -> Attribute<'static> {
    Fixed("class", value)
}

impl Html {
    /// An element with its content.
    pub(crate) fn element(
        &mut self,
        name: &'static str,
        attributes: &[Attribute<'_>],
        content: impl FnOnce(&mut Self),
    ) {
        self.void(name, attributes);
        content(self);
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
        if is_block(name) {
            self.text.push('\n');
        }
    }

    /// An element that contains only a text.
    pub(crate) fn leaf(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: &str) {
        self.element(name, attributes, |html| html.text(text));
    }

    /// The start of an element, or an element that never has content.
    pub(crate) fn void(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.text.push('<');
        self.text.push_str(name);
        for attribute in attributes {
            self.text.push(' ');
            match attribute {
                Fixed(name, value) => self.pair(name, value),
                Id(anchor) => self.pair("id", anchor.as_str()),
                Href(link) => self.pair("href", link.as_str()),
                Source(link) => self.pair("src", link.as_str()),
                Label(value) => self.pair("aria-label", value),
                Data(name, value) => {
                    self.text.push_str("data-");
                    self.pair(name, value);
                }
                Number(name, value) => self.pair(name, &value.to_string()),
                Size(width, height) => self.pair("viewBox", &format!("0 0 {width} {height}")),
            }
        }
        self.text.push('>');
    }

    fn pair(&mut self, name: &str, value: &str) {
        self.text.push_str(name);
        self.text.push_str("=\"");
        self.text(value);
        self.text.push('"');
    }

    /// Text, whatever it contains. Characters that move or hide text are shown as escapes.
    pub(crate) fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                c => push_visible(&mut self.text, c),
            }
        }
    }

    /// An element with styles of this program.
    pub(crate) fn style(&mut self, css: &'static str) {
        self.text.push_str("<style>");
        self.text.push_str(css);
        self.text.push_str("</style>\n");
    }

    /// The end of a line within `pre`.
    pub(crate) fn line_end(&mut self) {
        self.text.push('\n');
    }

    /// The HTML. `head` comes before it.
    pub(crate) fn finish(self, head: &'static str) -> String {
        let mut text = String::with_capacity(head.len() + self.text.len());
        text.push_str(head);
        text.push_str(&self.text);
        text
    }
}

/// Whether a line end after the element is not visible.
fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 20] = [
        "article", "body", "dd", "details", "div", "dl", "footer", "head", "header", "html", "li", "main", "nav", "p",
        "section", "table", "title", "tr", "ul", "script",
    ];
    BLOCKS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_values_end_neither_elements_nor_attributes() {
        let mut html = Html::default();
        html.leaf("span", &[Label("\"><script>'&")], "</span><!--\u{202e}\0");
        assert_eq!(
            html.finish(""),
            "<span aria-label=\"&quot;&gt;&lt;script&gt;&#39;&amp;\">&lt;/span&gt;&lt;!--\\u{202e}\\u{0}</span>"
        );
    }
}
