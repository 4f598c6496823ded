//! The details of an error, for humans.

use capgen_amp::cbor::Value;
use capgen_diagnostic::shortened;

/// The most lines: a provider may send as many violations as fit into a message, and the first ones are enough to
/// correct a request.
const MAX_LINES: usize = 100;

/// The longest line, in code points: a path may be as long as a message.
const MAX_LENGTH: usize = 1000;

/// The keys of the lists in the details of capgen's providers.
const LISTS: [&str; 2] = ["violations", "errors"];

/// One line for each violation of a schema or error of a body; the whole as JSON if it has another form. They come from
/// the provider, so they may have any form.
pub(super) fn lines(details: &Value) -> Vec<String> {
    let list = LISTS.iter().find_map(|key| details.get(key)?.as_array());
    let entries: Option<Vec<String>> = list.and_then(|list| list.iter().take(MAX_LINES).map(entry).collect());
    let (mut lines, left_out) = match (entries, list) {
        (Some(lines), Some(list)) if !lines.is_empty() => (lines, list.len() > MAX_LINES),
        _ => (vec![format!("  {}", details.to_diagnostic())], false),
    };
    lines.iter_mut().for_each(|line| *line = shortened(line, MAX_LENGTH));
    if left_out || details.get("truncated").and_then(Value::as_bool) == Some(true) {
        lines.push("  and more".to_owned());
    }
    lines
}

/// `  /code: expected a string (type)`.
fn entry(entry: &Value) -> Option<String> {
    let text = |key: &str| entry.get(key)?.as_text();
    let (path, message) = (text("path")?, text("message")?);
    let place = if path.is_empty() { "(root)" } else { path };
    let keyword = text("keyword").map(|keyword| format!(" ({keyword})")).unwrap_or_default();
    Some(format!("  {place}: {message}{keyword}"))
}
