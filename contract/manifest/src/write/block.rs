//! JSON values as YAML in block style.

use capgen_schema::Json;

use super::scalar;

/// The maximum length, in bytes, of a list of scalars on one line. It is a usual width of terminals.
const MAX_LIST: usize = 80;

/// A longer key is written after a `?`: the colon of a key must follow within 1024 characters.
const MAX_KEY: usize = 1000;

/// A mapping or sequence that is being written.
struct Frame<'j> {
    indent: usize,
    /// Whether the next child is on the line with the dash of this collection.
    is_behind_dash: bool,
    rest: Rest<'j>,
}

enum Rest<'j> {
    Members(std::slice::Iter<'j, (String, Json)>),
    Items(std::slice::Iter<'j, Json>),
}

/// Appends `key: value` and a line break. The caller has written the indentation of the line.
pub(super) fn push_member(out: &mut String, key: &str, value: &Json, indent: usize) {
    let mut open = Vec::new();
    push_key(out, key, indent);
    open.extend(push_value(out, value, indent, false));
    // An explicit stack instead of recursion: a program can nest the settings of a transport to any depth.
    while let Some(frame) = open.last_mut() {
        let (indent, is_behind_dash) = (frame.indent, std::mem::take(&mut frame.is_behind_dash));
        let child = match &mut frame.rest {
            Rest::Members(rest) => rest.next().map(|(key, value)| (Some(key), value)),
            Rest::Items(rest) => rest.next().map(|value| (None, value)),
        };
        let Some((key, value)) = child else {
            open.pop();
            continue;
        };
        if !is_behind_dash {
            push_spaces(out, indent);
        }
        match key {
            Some(key) => push_key(out, key, indent),
            None => out.push('-'),
        }
        open.extend(push_value(out, value, indent, key.is_none()));
    }
}

fn push_key(out: &mut String, key: &str, indent: usize) {
    let start = out.len();
    scalar::push_text(out, key, scalar::Context::Block);
    if out.len() - start > MAX_KEY {
        out.insert_str(start, "? ");
        out.push('\n');
        push_spaces(out, indent);
    }
    out.push(':');
}

/// Appends a value after a colon or a dash, and a line break. Of a collection in block style, appends only the start,
/// and returns the rest.
fn push_value<'j>(out: &mut String, value: &'j Json, indent: usize, is_behind_dash: bool) -> Option<Frame<'j>> {
    let rest = match value {
        Json::Object(members) if !members.is_empty() => Rest::Members(members.iter()),
        Json::Array(items) => match list(items) {
            Some(list) => {
                out.push(' ');
                out.push_str(&list);
                out.push('\n');
                return None;
            }
            None => Rest::Items(items.iter()),
        },
        Json::String(text) if scalar::is_literal(text) => {
            push_literal(out, text, indent + 2);
            return None;
        }
        scalar => {
            out.push(' ');
            push_scalar(out, scalar, scalar::Context::Block);
            out.push('\n');
            return None;
        }
    };
    out.push(if is_behind_dash { ' ' } else { '\n' });
    Some(Frame { indent: indent + 2, is_behind_dash, rest })
}

/// A short list of scalars as `[a, b]`.
fn list(items: &[Json]) -> Option<String> {
    let mut out = "[".to_owned();
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        match item {
            Json::Array(_) | Json::Object(_) => return None,
            // Checked before the text is copied: it may be megabytes.
            Json::String(text) if text.len() > MAX_LIST => return None,
            item => push_scalar(&mut out, item, scalar::Context::Flow),
        }
        if out.len() >= MAX_LIST {
            return None;
        }
    }
    out.push(']');
    Some(out)
}

/// Appends a value on one line. The only collections here are empty ones.
fn push_scalar(out: &mut String, value: &Json, context: scalar::Context) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&scalar::number(number)),
        Json::String(text) => scalar::push_text(out, text, context),
        Json::Array(_) => out.push_str("[]"),
        Json::Object(_) => out.push_str("{}"),
    }
}

fn push_literal(out: &mut String, text: &str, indent: usize) {
    out.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
    for line in text.lines() {
        if !line.is_empty() {
            push_spaces(out, indent);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn push_spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}
