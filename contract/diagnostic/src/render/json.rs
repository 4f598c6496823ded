//! Findings as JSON, for programs.

use std::ops::Range;

use super::{Region, presentable};
use crate::{Diagnostic, Label, Source, Suggestion, is_unsafe, push_json_escape};

/// One JSON object per line. Its members, of which those that are not known are left out:
///
/// - `code`, `severity`, `message`
/// - `path`: the file that the finding is about as a whole, if the place in it is not known
/// - `path`, `line`, `column`, `endLine`, `endColumn`, `label`: the primary place. Lines and columns count from 1,
///   columns in code points; the end is exclusive
/// - `related`: the other places, each with the same members as the primary place
/// - `pointer`, `notes`, `help`
/// - `suggestions`: edits, each with the members of a place, `replacement` and `applicability`: `certain` or
///   `needs-review`
pub fn json_lines(findings: &[Diagnostic]) -> String {
    presentable(findings).fold(String::new(), |mut out, finding| {
        out.push_str(&object(&finding));
        out.push('\n');
        out
    })
}

fn object(finding: &Diagnostic) -> String {
    let mut members = vec![
        ("code", string(finding.code.as_str())),
        ("severity", string(finding.severity().name())),
        ("message", string(&finding.message)),
    ];
    let mut labels = finding.labels.iter();
    if let Some(Label { source, span, text }) = labels.next() {
        members.extend(place(source, span));
        members.extend((!text.is_empty()).then(|| ("label", string(text))));
    }
    if let Some(file) = finding.file.as_ref().filter(|_| finding.labels.is_empty()) {
        members.push(("path", string(file)));
    }
    members.extend(list("related", labels.map(related)));
    members.extend(finding.pointer.as_ref().map(|pointer| ("pointer", string(pointer))));
    members.extend(list("notes", finding.notes.iter().map(|note| string(note))));
    members.extend(finding.help.as_ref().map(|help| ("help", string(help))));
    members.extend(list("suggestions", finding.suggestions.iter().map(suggestion)));
    braced(members)
}

fn related(label: &Label) -> String {
    let mut members = place(&label.source, &label.span);
    members.push(("label", string(&label.text)));
    braced(members)
}

fn suggestion(suggestion: &Suggestion) -> String {
    let mut members = place(&suggestion.source, &suggestion.span);
    members.push(("replacement", string(&suggestion.replacement)));
    members.push(("applicability", string(suggestion.applicability.name())));
    braced(members)
}

fn place(source: &Source, span: &Range<usize>) -> Vec<(&'static str, String)> {
    let Region { start, end } = Region::new(source, span);
    vec![
        ("path", string(source.path())),
        ("line", start.line.to_string()),
        ("column", start.column.to_string()),
        ("endLine", end.line.to_string()),
        ("endColumn", end.column.to_string()),
    ]
}

/// A member whose value is an array, unless the array would be empty.
fn list(name: &'static str, items: impl Iterator<Item = String>) -> Option<(&'static str, String)> {
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then(|| (name, array(items)))
}

/// A JSON object. The values of the members are JSON texts.
pub(super) fn braced(members: Vec<(&str, String)>) -> String {
    let members: Vec<_> = members.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// A JSON array. The items are JSON texts.
pub(super) fn array(items: Vec<String>) -> String {
    format!("[{}]", items.join(","))
}

/// A JSON string. Unsafe characters are escaped, so the text can be printed on a terminal.
pub(super) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in crate::public_text(text).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if is_unsafe(c) => push_json_escape(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
