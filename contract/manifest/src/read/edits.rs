//! Edits of a text that change values of its tree, in the notation and the style around them.
//!
//! An edit that would need more than a few characters of new text, such as one of a block of several lines, is not
//! offered. Nothing around an edit changes, comments included.

use std::ops::Range;

use capgen_diagnostic::Source;
use capgen_schema::{Anchor, Edit, Fix, Json, pointer};

use super::schema::Index;
use crate::document::is_json;
use crate::tree::follow;
use crate::{Data, Member, Node};

/// A span of the source, and its new text.
pub(crate) type TextEdit = (Range<usize>, String);

/// The edits of a fix in the schema that is the value of `root`; `None` if one of them cannot be written.
pub(crate) fn of_schema<'n>(
    source: &Source,
    root: &'n Member,
    index: &mut Index<'n>,
    fix: &Fix,
) -> Option<Vec<TextEdit>> {
    let mut at = |pointer: &str| {
        let place = follow(&root.value, pointer, |node, key| index.member(node, key));
        place.is_complete.then_some((place.key, place.node))
    };
    let text = Text { source };
    fix.edits
        .iter()
        .map(|edit| match edit {
            Edit::Rename { pointer, anchor: Anchor::Key, from, to } => text.rename(at(pointer)?.0?, from, to),
            Edit::Rename { pointer, from, to, .. } => text.rename(&at(pointer)?.1.span, from, to),
            Edit::Replace { pointer, value } => text.replace(at(pointer)?.1, value),
            Edit::Quote { pointer } => text.quote(at(pointer)?.1),
            Edit::Wrap { pointer } => text.wrap(at(pointer)?.1),
            Edit::Remove { pointer } => {
                let (parent, name) = pointer.rsplit_once('/')?;
                text.remove(at(parent)?.1, &pointer::tokens(&format!("/{name}")).next()?)
            }
            _ => None,
        })
        .collect()
}

/// Writes edits of a source.
pub(crate) struct Text<'s> {
    pub(crate) source: &'s Source,
}

impl Text<'_> {
    fn text(&self, span: &Range<usize>) -> Option<&str> {
        self.source.text().get(span.clone())
    }

    /// The edit of the name `from` at `span`, in the same quotes; `None` if the source has other text there, such as
    /// one with escapes.
    pub(crate) fn rename(&self, span: &Range<usize>, from: &str, to: &str) -> Option<TextEdit> {
        let quote = quote(self.text(span)?, from)?;
        let needs_quotes = quote.is_empty() && !is_json(self.source) && !is_plain(to) && !is_plain_path(to);
        let new = if needs_quotes { Json::String(to.to_owned()).canonical() } else { format!("{quote}{to}{quote}") };
        Some((span.clone(), new))
    }

    /// The edit that writes a value in place of a scalar or a short list.
    pub(crate) fn replace(&self, node: &Node, value: &Json) -> Option<TextEdit> {
        let new = self.written(value);
        // A missing value: the text ends with the colon of its key.
        let space = if node.span.is_empty() { " " } else { "" };
        self.is_short(node).then(|| (node.span.clone(), format!("{space}{new}")))
    }

    /// The edit that puts a number or boolean in quotes.
    pub(crate) fn quote(&self, node: &Node) -> Option<TextEdit> {
        let text = self.text(&node.span)?;
        let is_quotable = matches!(node.data, Data::Number(..) | Data::Bool(_)) && quote(text, text).is_some();
        is_quotable.then(|| (node.span.clone(), format!("\"{text}\"")))
    }

    /// The edit that makes a value the one element of a list.
    pub(crate) fn wrap(&self, node: &Node) -> Option<TextEdit> {
        let text = self.text(&node.span)?;
        // In brackets, these characters would end a text without quotes.
        let ends = matches!(node.data, Data::String(_))
            && !text.starts_with(['"', '\''])
            && text.contains([',', '[', ']', '{', '}']);
        (self.is_short(node) && !node.span.is_empty() && !ends).then(|| (node.span.clone(), format!("[{text}]")))
    }

    /// The edit that inserts a member before the first one of a mapping.
    pub(crate) fn insert_first(&self, map: &Node, key: &str, value: &str) -> Option<TextEdit> {
        let Data::Object(members) = &map.data else { return None };
        let at = members.first()?.key_span.start;
        let text = self.source.text();
        let line = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let indentation = text.get(line..at).filter(|before| before.chars().all(|c| c == ' ' || c == '\t'));
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let is_flow = self.text(&map.span)?.starts_with('{');
        let key = if is_json(self.source) { format!("\"{key}\"") } else { key.to_owned() };
        let new = match (indentation, is_flow) {
            (Some(indentation), true) => format!("{key}: {value},{end}{indentation}"),
            (None, true) => format!("{key}: {value}, "),
            // The first key may follow a byte order mark.
            (_, false) => format!("{key}: {value}{end}{}", indentation.unwrap_or_default()),
        };
        Some((at..at, new))
    }

    /// The edit that removes the member or element `name` of a list or mapping.
    pub(crate) fn remove(&self, parent: &Node, name: &str) -> Option<TextEdit> {
        let spans: Vec<Range<usize>> = match &parent.data {
            Data::Object(members) => {
                members.iter().map(|m| m.key_span.start..m.value.span.end.max(m.key_span.end)).collect()
            }
            Data::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            _ => return None,
        };
        let index = match &parent.data {
            Data::Object(members) => members.iter().position(|member| member.key == name)?,
            _ => name.parse().ok()?,
        };
        let here = spans.get(index)?.clone();
        if self.text(&parent.span)?.starts_with(['{', '[']) {
            let before = index.checked_sub(1).and_then(|index| spans.get(index));
            let span = match (spans.get(index + 1), before) {
                (Some(next), _) => here.start..next.start,
                (None, Some(before)) => before.end..here.end,
                (None, None) => here,
            };
            // Neither a comment nor anything else is lost.
            let keeps_comments = is_json(self.source) || !self.text(&span)?.contains('#');
            return keeps_comments.then(|| (span, String::new()));
        }
        // A block must keep one element; without any it would be null.
        let lines = self.lines(&here, matches!(parent.data, Data::Array(_))).filter(|_| spans.len() > 1);
        lines
            .or_else(|| {
                // The first member follows the dash of a list. A comment after it would be lost.
                let next = spans.get(index + 1).filter(|_| matches!(parent.data, Data::Object(_)))?;
                let is_plain =
                    !self.text(&here)?.contains('\n') && self.text(&(here.end..next.start))?.trim().is_empty();
                is_plain.then_some(here.start..next.start)
            })
            .map(|span| (span, String::new()))
    }

    /// The whole lines of a member or an element, if nothing else is on them.
    fn lines(&self, span: &Range<usize>, is_element: bool) -> Option<Range<usize>> {
        let text = self.source.text();
        let start = text.get(..span.start)?.rfind('\n').map_or(0, |end| end + 1);
        let before = text.get(start..span.start)?.trim();
        let end = text.get(span.end..)?.find('\n').map_or(text.len(), |at| span.end + at + 1);
        let after = text.get(span.end..end)?.trim();
        let is_alone = before == if is_element { "-" } else { "" } && (after.is_empty() || after.starts_with('#'));
        is_alone.then_some(start..end)
    }

    /// Whether the value is a scalar, or a list or mapping in brackets, on one line.
    fn is_short(&self, node: &Node) -> bool {
        let Some(text) = self.text(&node.span) else { return false };
        let is_container = matches!(node.data, Data::Array(_) | Data::Object(_));
        !text.contains('\n')
            && !text.starts_with(['|', '>', '&', '!', '*'])
            && is_container == text.starts_with(['[', '{'])
    }

    /// A value in the notation of the source, on one line.
    pub(crate) fn written(&self, value: &Json) -> String {
        let is_json = is_json(self.source);
        match value {
            Json::String(text) if !is_json && is_plain(text) => text.clone(),
            Json::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.written(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Json::Object(members) if members.iter().next().is_none() => "{}".to_owned(),
            Json::Object(members) => {
                let member = |(name, value): &(String, Json)| {
                    format!("{}: {}", self.written(&Json::String(name.clone())), self.written(value))
                };
                let members: Vec<_> = members.iter().map(member).collect();
                let space = if is_json { "" } else { " " };
                format!("{{{space}{}{space}}}", members.join(", "))
            }
            scalar => scalar.canonical(),
        }
    }
}

/// The quotes of the scalar `text` that is written as `source`; `None` if it is written with escapes.
pub(crate) fn quote(source: &str, text: &str) -> Option<&'static str> {
    ["", "\"", "'"].into_iter().find(|quote| source == format!("{quote}{text}{quote}"))
}

/// Whether a text needs no quotes in YAML, in any place and for any reader.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    is_name && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// Whether a text with the characters of paths and URIs needs no quotes in YAML.
fn is_plain_path(text: &str) -> bool {
    text.contains(['/', '$', '.'])
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '$'))
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '$' | '+'))
        || text.strip_prefix("agent://").is_some_and(is_plain)
}
