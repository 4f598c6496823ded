//! Diagnostics as SARIF, for code scanning services.

use std::fmt::Write;
use std::ops::Range;

use super::json::{array, braced, string};
use super::{Region, paragraphs, presentable, severity_name};
use crate::{Diagnostic, Label, Source, Suggestion};

/// One [SARIF 2.1.0](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html) log with one run.
///
/// The primary place of a finding is its `location`, its other labels are `relatedLocations`, and its suggestions are one
/// of its `fixes`.
pub fn sarif(diagnostics: &[Diagnostic]) -> String {
    let mut codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes.iter().map(|code| braced(vec![("id", string(code.as_str()))])).collect();
    let driver = braced(vec![
        ("name", string("capgen")),
        ("informationUri", string(env!("CARGO_PKG_REPOSITORY"))),
        ("rules", array(rules)),
    ]);
    let results =
        presentable(diagnostics).map(|d| result(&d, codes.binary_search(&d.code).unwrap_or_default())).collect();
    let run = braced(vec![
        ("tool", braced(vec![("driver", driver)])),
        ("columnKind", string("unicodeCodePoints")),
        ("results", array(results)),
    ]);
    let log = braced(vec![
        ("$schema", string("https://json.schemastore.org/sarif-2.1.0.json")),
        ("version", string("2.1.0")),
        ("runs", array(vec![run])),
    ]);
    log + "\n"
}

fn result(diagnostic: &Diagnostic, rule: usize) -> String {
    let mut members = vec![
        ("ruleId", string(diagnostic.code.as_str())),
        ("ruleIndex", rule.to_string()),
        ("level", string(severity_name(diagnostic))),
        ("message", message(&paragraphs(diagnostic).join("\n"))),
    ];
    let mut labels = diagnostic.labels.iter();
    if let Some(Label { source, span, .. }) = labels.next() {
        let mut location = vec![("physicalLocation", physical(source, span))];
        if let Some(pointer) = &diagnostic.pointer {
            let logical = braced(vec![("fullyQualifiedName", string(pointer))]);
            location.push(("logicalLocations", array(vec![logical])));
        }
        members.push(("locations", array(vec![braced(location)])));
    }
    let related: Vec<_> = labels.map(related).collect();
    if !related.is_empty() {
        members.push(("relatedLocations", array(related)));
    }
    if !diagnostic.suggestions.is_empty() {
        members.push(("fixes", array(vec![fix(diagnostic)])));
    }
    braced(members)
}

fn related(label: &Label) -> String {
    let place = ("physicalLocation", physical(&label.source, &label.span));
    braced(vec![place, ("message", message(&label.text))])
}

/// One fix that applies all suggestions, because they belong together.
fn fix(diagnostic: &Diagnostic) -> String {
    let mut members = Vec::new();
    members.extend(diagnostic.help.as_ref().map(|help| ("description", message(help))));
    members.push(("artifactChanges", array(diagnostic.suggestions.iter().map(change).collect())));
    braced(members)
}

fn change(suggestion: &Suggestion) -> String {
    let replacement = braced(vec![
        ("deletedRegion", region(&suggestion.source, &suggestion.span)),
        ("insertedContent", message(&suggestion.replacement)),
    ]);
    braced(vec![("artifactLocation", artifact(&suggestion.source)), ("replacements", array(vec![replacement]))])
}

fn message(text: &str) -> String {
    braced(vec![("text", string(text))])
}

fn physical(source: &Source, span: &Range<usize>) -> String {
    braced(vec![("artifactLocation", artifact(source)), ("region", region(source, span))])
}

fn artifact(source: &Source) -> String {
    braced(vec![("uri", string(&uri(source.path())))])
}

fn region(source: &Source, span: &Range<usize>) -> String {
    let Region { start, end } = Region::new(source, span);
    braced(vec![
        ("startLine", start.line.to_string()),
        ("startColumn", start.column.to_string()),
        ("endLine", end.line.to_string()),
        ("endColumn", end.column.to_string()),
    ])
}

/// A path as a URI reference ([RFC 3986](https://www.rfc-editor.org/rfc/rfc3986)).
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            b'\\' if cfg!(windows) => out.push('/'),
            byte => {
                // Writing to a string does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
