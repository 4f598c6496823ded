//! Diagnostics for code scanning.

use std::fmt::Write;

use super::json::{array, braced, string};
use super::{Region, regions, severity_name};
use crate::{Diagnostic, Source};

/// One [SARIF 2.1.0](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html) log with one run.
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
    let results = diagnostics.iter().map(|d| result(d, codes.binary_search(&d.code).unwrap_or_default())).collect();
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
    let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
    let text: Vec<_> =
        std::iter::once(diagnostic.message.clone()).chain(diagnostic.notes.iter().cloned()).chain(help).collect();
    let mut members = vec![
        ("ruleId", string(diagnostic.code.as_str())),
        ("ruleIndex", rule.to_string()),
        ("level", string(severity_name(diagnostic))),
        ("message", message(&text.join("\n"))),
    ];
    let mut places = regions(diagnostic).into_iter();
    if let Some((source, region, _)) = places.next() {
        let mut location = vec![("physicalLocation", physical(source, &region))];
        if let Some(pointer) = &diagnostic.pointer {
            let logical = braced(vec![("fullyQualifiedName", string(pointer))]);
            location.push(("logicalLocations", array(vec![logical])));
        }
        members.push(("locations", array(vec![braced(location)])));
    }
    let related: Vec<_> = places
        .map(|(source, region, label)| {
            braced(vec![("physicalLocation", physical(source, &region)), ("message", message(&label.text))])
        })
        .collect();
    if !related.is_empty() {
        members.push(("relatedLocations", array(related)));
    }
    braced(members)
}

fn message(text: &str) -> String {
    braced(vec![("text", string(text))])
}

fn physical(source: &Source, region: &Region) -> String {
    let place = braced(vec![
        ("startLine", region.start.line.to_string()),
        ("startColumn", region.start.column.to_string()),
        ("endLine", region.end.line.to_string()),
        ("endColumn", region.end.column.to_string()),
    ]);
    let artifact = braced(vec![("uri", string(&uri(source.path())))]);
    braced(vec![("artifactLocation", artifact), ("region", place)])
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
