//! The parts of a document that findings never display.
//!
//! Nothing here tries to recognise a secret. A value is displayed only if the format makes it public, such as a schema.
//! The values of `transports`, of unknown keys and of keys in the wrong place are not displayed, and neither are
//! comments. Keys and punctuation remain, so that a finding still shows the structure.
//!
//! If the text is not valid, the same rule applies to the part before the error. After it, only known keys are
//! displayed.

mod gap;
mod http;
mod public;

use std::ops::Range;

use capgen_diagnostic::{Hidden, Source};

use crate::document::{Start, parse_document, parse_start};
use crate::json::parse_json;
use public::{MIN_TOKENS, Public, Walk};

/// The hidden parts of a `capabilities.yaml`.
pub(crate) fn in_contract(source: &Source) -> Hidden {
    hidden(source, Public::Contract)
}

/// The hidden parts of a `fleet.yaml`.
pub(crate) fn in_fleet(source: &Source) -> Hidden {
    hidden(source, Public::Fleet)
}

/// The hidden parts of an `rpc-peers.yaml`.
pub(crate) fn in_peers(source: &Source) -> Hidden {
    hidden(source, Public::PeerTable)
}

/// From now on, findings in a text of another format, such as a list of MCP tools or an OpenAPI document, display the
/// keywords of its schemas, with the names and descriptions around them. They are the contract that is imported.
///
/// Every other value stays hidden: URLs of servers, headers, environment variables, and the members that only the
/// format has. Values of `default` and `examples` stay hidden too, because a contract does not contain them, and
/// servers fill them from their configuration. `const` and `enum` are displayed: generated code contains them.
///
/// Call it before the text is parsed.
pub fn show_schemas(source: &Source) {
    source.hide_with(in_foreign);
}

/// The hidden parts of a text of another format: one document, or one JSON text per line. JSON may have any path, such
/// as that of standard input. In an invalid text, a quote may be missing, so that a value seems to belong to another
/// key: every value is hidden.
fn in_foreign(source: &Source) -> Hidden {
    let text = source.text();
    let whole = |source: &Source, root| {
        let start = Start { root: Some(root), end: source.text().len(), is_valid: true };
        parts(source, &start, Public::Foreign)
    };
    if let Some(spans) = in_events(source) {
        return Hidden::new(text, spans, Vec::new());
    }
    if let Ok(root) = parse_json(source).or_else(|_| parse_document(source)) {
        let (spans, words) = whole(source, root);
        return Hidden::new(text, spans, words);
    }
    let (mut spans, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let one = Source::new(source.path(), line);
        match parse_json(&one) {
            Ok(root) => spans.extend(whole(&one, root).0.into_iter().map(|span| span.start + at..span.end + at)),
            Err(_) if line.trim().is_empty() => {}
            Err(_) => return in_any(source),
        }
        at += line.len();
    }
    Hidden::new(text, spans, Vec::new())
}

/// The hidden parts of an event stream with one JSON text in each event; `None` for another text.
fn in_events(source: &Source) -> Option<Vec<Range<usize>>> {
    let (mut spans, mut at, mut has_data) = (Vec::new(), 0, false);
    for line in source.text().split_inclusive('\n') {
        let end = line.trim_end().len();
        let (name, value) = line.get(..end)?.split_once(':').unwrap_or((line.get(..end)?, ""));
        let start = at + end - value.len();
        match name {
            "data" => {
                let one = Source::new(source.path(), value);
                let root = Start { root: Some(parse_json(&one).ok()?), end: value.len(), is_valid: true };
                let (hidden, _) = parts(&one, &root, Public::Foreign);
                spans.extend(hidden.into_iter().map(|span| span.start + start..span.end + start));
                has_data = true;
            }
            // An id can be that of a session.
            "event" | "id" | "retry" => spans.push(start..at + end),
            // A comment, or the end of an event.
            "" => spans.push(start..at + end),
            _ => return None,
        }
        at += line.len();
    }
    spans.retain(|span| !span.is_empty());
    has_data.then_some(spans)
}

/// The hidden parts of a text whose format is not known: every value.
pub(crate) fn in_any(source: &Source) -> Hidden {
    hidden(source, Public::Nothing)
}

/// Whether a colon follows a key. `{ a, b }` is a mapping of two keys, but more likely meant as two values.
pub(crate) fn has_colon(text: &str, key: &Range<usize>) -> bool {
    text.get(key.end..).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// A key or scalar in the text. The copies that aliases make are tokens at the same place.
struct Token<'n> {
    span: Range<usize>,
    /// The part that may be displayed; empty if nothing may be.
    shown: Range<usize>,
    text: &'n str,
    is_key: bool,
}

fn hidden(source: &Source, root: Public) -> Hidden {
    let (spans, words) = parts(source, &parse_start(source), root);
    Hidden::new(source.text(), spans, words)
}

/// The hidden spans, and the words that messages must not quote.
fn parts(source: &Source, start: &Start, root: Public) -> (Vec<Range<usize>>, Vec<String>) {
    let text = source.text();
    let Start { root: tree, end, is_valid } = start;
    let (end, is_valid) = (*end, *is_valid);
    let mut walk = Walk { text, is_valid, tokens: Vec::new(), limit: MIN_TOKENS };
    if let Some(tree) = tree {
        walk.tree(tree, root);
    }
    walk.remove_copies();
    let tokens = walk.tokens;
    let (mut spans, mut words) = (Vec::new(), Vec::new());
    let mut at = 0;
    for same in tokens.chunk_by(|a, b| a.span.start == b.span.start) {
        let Some(first) = same.first().filter(|token| token.span.start >= at && token.span.end <= end) else {
            continue;
        };
        spans.extend(gap::hidden(text, at..first.span.start));
        // If one alias puts a value into `transports`, it is hidden wherever it appears, in messages too.
        let is_hidden = same.iter().any(|token| token.shown.is_empty());
        if is_hidden {
            // A key of another format is a name, such as that of an example, and messages quote their own words.
            let is_word = |token: &&Token<'_>| !token.shown.is_empty() || (token.is_key && root != Public::Foreign);
            words.extend(same.iter().filter(is_word).map(|token| token.text.to_owned()));
            spans.push(first.span.clone());
        } else {
            spans.extend([first.span.start..first.shown.start, first.shown.end..first.span.end]);
        }
        at = first.span.end;
    }
    spans.extend(gap::hidden(text, at..end.max(at)));
    spans.extend(gap::hidden_lines(text, end.max(at)));
    words.sort_unstable();
    words.dedup();
    (spans, words)
}
