//! The text that is neither a key nor a value of the tree: punctuation, comments, anchors, tags, and everything after
//! an error.

use std::ops::Range;

use super::public;

/// Spaces, and the punctuation of YAML and JSON that has no text of its own.
const STRUCTURE: &str = " \t\r\n-:,{}[]?|>\u{feff}";

/// The parts of `range` that are hidden. After a comment, or anything else that is not known, the line is hidden to its
/// end.
pub(super) fn hidden(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut at = range.start;
    let mut spans = Vec::new();
    for line in text.get(range).unwrap_or_default().split_inclusive('\n') {
        let end = at + line.len();
        while let Some(start) = next(text, at..end) {
            let rest = text.get(start..end).unwrap_or_default();
            // Anchors, aliases and tags end at a space, and structure follows them.
            let length = if rest.starts_with(['&', '*', '!']) { rest.find([' ', '\t', '\n']) } else { None };
            at = start + length.unwrap_or(rest.len());
            spans.push(start..at);
        }
        at = end;
    }
    spans
}

/// The first position in `range` whose character is not structure.
fn next(text: &str, range: Range<usize>) -> Option<usize> {
    let rest = text.get(range.clone())?;
    rest.find(|c| !STRUCTURE.contains(c)).map(|at| range.start + at)
}

/// The hidden parts from `from`, the place of an error, to the end of the text: everything except known keys at the
/// start of a line.
pub(super) fn hidden_lines(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut at = from;
    let mut spans = Vec::new();
    // The line with the error may start with parts that were understood.
    let mut is_start = text.get(..from).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
    for line in text.get(from..).unwrap_or_default().split_inclusive('\n') {
        let key = if is_start { known_key(line) } else { 0 };
        spans.extend(hidden(text, at + key..at + line.len()));
        at += line.len();
        is_start = true;
    }
    spans
}

/// The length of the start of a line that consists of punctuation and a key of the format; 0 if there is no such key.
fn known_key(line: &str) -> usize {
    let start = line.find(|c| !STRUCTURE.contains(c)).unwrap_or(line.len());
    let content = line.get(start..).unwrap_or_default();
    let quote =
        content.chars().next().filter(|c| matches!(c, '"' | '\'')).map_or("", |c| if c == '"' { "\"" } else { "'" });
    let name = content.get(quote.len()..).unwrap_or_default();
    let length = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '$').unwrap_or(name.len());
    let after = name.get(length..).and_then(|rest| rest.strip_prefix(quote)).unwrap_or_default();
    let is_key = after
        .trim_start()
        .strip_prefix(':')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    let is_known = name.get(..length).is_some_and(public::is_known);
    if is_key && is_known { line.len() - after.len() } else { 0 }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn masked(text: &str, spans: Vec<Range<usize>>) -> String {
        let mut out = String::new();
        let mut at = 0;
        for span in spans {
            out += &text[at..span.start];
            out += if text[span.clone()].ends_with('\n') { "***\n" } else { "***" };
            at = span.end;
        }
        out + &text[at..]
    }

    #[test]
    fn comments_anchors_and_tags_are_hidden_and_punctuation_is_not() {
        let text = " - {} # p: w\n: &a [\n? !t | *b, x: y";
        assert_eq!(masked(text, hidden(text, 0..text.len())), " - {} ***\n: *** [\n? *** | *** ***");
    }

    #[test]
    fn only_known_keys_are_shown_after_an_error() {
        let text = "x pass: word\n- kind: word\n\"url\": word\npassphrase: word\n url:word\n  'kind' : a";
        assert_eq!(masked(text, hidden_lines(text, 2)), "x ***\n- kind: ***\n\"url\": ***\n***\n ***\n  'kind' : ***");
    }
}
