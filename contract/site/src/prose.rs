//! Descriptions: paragraphs of text in which words between backticks are code.

use capgen_diagnostic::{cut, cut_short};

use crate::html::Html;

/// Longer descriptions are cut, in characters. The manifest contains the rest. Usual descriptions are a paragraph; a
/// page with many must load in little time.
const MAX_DESCRIPTION: usize = 20_000;

/// Writes a description as paragraphs, which blank lines separate.
pub(crate) fn paragraphs(html: &mut Html, text: &str) {
    let (text, is_cut) = cut(text, MAX_DESCRIPTION);
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().chain(std::iter::once("")) {
        if !line.trim().is_empty() {
            lines.push(line.trim());
        } else if !lines.is_empty() {
            html.element("p", &[], |html| inline(html, &lines.join(" ")));
            lines.clear();
        }
    }
    if is_cut {
        html.leaf("p", &[crate::html::class("muted")], "The rest is in the manifest.");
    }
}

/// Writes a text on one line.
pub(crate) fn line(html: &mut Html, text: &str) {
    let (text, is_cut) = cut(text, MAX_DESCRIPTION);
    inline(html, &text.split_whitespace().collect::<Vec<_>>().join(" "));
    if is_cut {
        html.text("…");
    }
}

/// The first sentence or line of a description, for tables.
pub(crate) fn summary(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let line = line.split_inclusive(". ").next().unwrap_or_default().trim();
    cut_short(line, 240).into_owned()
}

fn inline(html: &mut Html, text: &str) {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len().saturating_sub(1);
    for (index, part) in parts.iter().enumerate() {
        match index % 2 {
            // The last backtick has no partner.
            1 if index == last => {
                html.text("`");
                html.text(part);
            }
            1 => html.leaf("code", &[], part),
            _ => html.text(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let mut html = Html::default();
        paragraphs(&mut html, text);
        html.finish("")
    }

    #[test]
    fn blank_lines_separate_paragraphs_and_backticks_mark_code() {
        assert_eq!(html("a\nb\n\n \nc `<d>`"), "<p>a b</p>\n<p>c <code>&lt;d&gt;</code></p>\n");
        assert_eq!(html("one ` backtick"), "<p>one ` backtick</p>\n");
        assert_eq!(html("`a` ` b"), "<p><code>a</code> ` b</p>\n");
        assert_eq!(html(""), "");
    }

    #[test]
    fn a_summary_is_the_first_sentence() {
        assert_eq!(summary("Find it. Then stop."), "Find it.");
        assert_eq!(summary("\n v1.2 of it\nmore"), "v1.2 of it");
    }
}
