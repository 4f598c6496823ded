//! The doc comments of a struct as a description.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, Lit, Meta};

/// The description: all lines of the doc comments, without their common indentation and without blank lines at both
/// ends. `None` if nothing is left.
///
/// Only the compiler knows the text of `#[doc = include_str!("review.md")]`. The description is then an unchanged
/// concatenation by `concat!`.
pub(crate) fn description(attributes: &[Attribute]) -> Option<TokenStream> {
    let values: Vec<&Expr> = attributes.iter().filter_map(value).collect();
    let texts: Option<Vec<String>> = values.iter().map(|value| text(value)).collect();
    let Some(texts) = texts else {
        let values = values.iter().map(|value| match text(value) {
            Some(text) => plain(&[text]).to_token_stream(),
            None => value.to_token_stream(),
        });
        let lines = values.enumerate().map(|(index, value)| if index == 0 { value } else { quote!("\n", #value) });
        return Some(quote!(::core::concat!(#(#lines),*)));
    };
    let text = plain(&texts);
    (!text.is_empty()).then(|| text.to_token_stream())
}

/// The value of `#[doc = ...]`; `None` for attributes such as `#[doc(hidden)]`.
fn value(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => Some(&meta.value),
        _ => None,
    }
}

fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        // A literal that was passed through `macro_rules`.
        Expr::Group(group) => text(&group.expr),
        _ => None,
    }
}

fn plain(texts: &[String]) -> String {
    let lines: Vec<String> = texts.iter().flat_map(|text| starless(text)).collect();
    let indentation = |line: &String| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or_default().trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// The lines of one doc comment. In `/** */`, the lines after the first may start with a star that is not part of the
/// text.
fn starless(text: &str) -> Vec<String> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let rest: Vec<&str> = rest.lines().collect();
    let star = |line: &&str| {
        let content = line.trim_start();
        content.len() < line.len() && (content == "*" || content.starts_with("* ")) || content.is_empty()
    };
    let starred = rest.iter().any(|line| !line.trim().is_empty()) && rest.iter().all(star);
    let bare = |line: &&str| match line.trim_start().strip_prefix('*') {
        Some(content) if starred => content.to_owned(),
        _ => (*line).to_owned(),
    };
    std::iter::once(first.to_owned()).chain(rest.iter().map(bare)).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn doc_comments_become_descriptions() {
        for (comments, expected) in [
            (&[" Review."][..], "Review."),
            (&[" Review.", "", "   - a", "   - b "], "Review.\n\n  - a\n  - b"),
            (&["", "  "], ""),
            (&[" Review\n * a *pull*\n *\n * request. "], "Review\na *pull*\n\nrequest."),
            (&["\n Review\n   a\n "], "Review\n  a"),
            (&["list:\n* a\n* b"], "list:\n* a\n* b"),
            (&["\u{3000}é", " \u{e9}"], "\u{3000}é\n \u{e9}"),
        ] {
            let comments: Vec<String> = comments.iter().map(|&text| text.to_owned()).collect();
            let text = plain(&comments);
            assert_eq!(text, expected);
        }
    }
}
