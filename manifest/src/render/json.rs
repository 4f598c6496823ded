//! Diagnostics for programs.

use std::fmt::Write;

use super::escape::without_user_info;
use super::{Region, regions, severity_name};
use crate::Diagnostic;
use crate::characters::is_unsafe;

/// One JSON object a line: `code`, `severity`, `message`, `path`, `line`, `column`, `endLine`, `endColumn` (all from 1,
/// columns in code points, the end exclusive), `label`, `related` (more places), `pointer`, `notes`, `help`. What is not
/// known is left out.
pub fn json_lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().fold(String::new(), |mut out, diagnostic| {
        out.push_str(&object(diagnostic));
        out.push('\n');
        out
    })
}

fn object(diagnostic: &Diagnostic) -> String {
    let mut members = vec![
        ("code", string(diagnostic.code.as_str())),
        ("severity", string(severity_name(diagnostic))),
        ("message", string(&diagnostic.message)),
    ];
    members.extend(diagnostic.source.as_ref().map(|source| ("path", string(source.path()))));
    let mut places = regions(diagnostic).into_iter();
    if let Some((_, region, label)) = places.next() {
        members.extend(position(&region));
        members.extend((!label.text.is_empty()).then(|| ("label", string(&label.text))));
    }
    let related: Vec<_> = places
        .map(|(_, region, label)| {
            let mut members = position(&region);
            members.push(("label", string(&label.text)));
            braced(members)
        })
        .collect();
    if !related.is_empty() {
        members.push(("related", array(related)));
    }
    members.extend(diagnostic.pointer.as_ref().map(|pointer| ("pointer", string(pointer))));
    if !diagnostic.notes.is_empty() {
        members.push(("notes", array(diagnostic.notes.iter().map(|note| string(note)).collect())));
    }
    members.extend(diagnostic.help.as_ref().map(|help| ("help", string(help))));
    braced(members)
}

fn position(region: &Region) -> Vec<(&'static str, String)> {
    vec![
        ("line", region.start.line.to_string()),
        ("column", region.start.column.to_string()),
        ("endLine", region.end.line.to_string()),
        ("endColumn", region.end.column.to_string()),
    ]
}

/// A JSON object of members whose values are JSON texts.
pub(super) fn braced(members: Vec<(&str, String)>) -> String {
    let members: Vec<_> = members.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// A JSON array of JSON texts.
pub(super) fn array(items: Vec<String>) -> String {
    format!("[{}]", items.join(","))
}

/// A JSON string in which unsafe characters are escaped, so that it may be shown as it is.
pub(super) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in without_user_info(text).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if is_unsafe(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
