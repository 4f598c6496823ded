//! Findings as SARIF, for code scanning services.

use std::fmt::Write;
use std::ops::Range;

use super::json::{array, braced, string};
use super::{Base, Region, paragraphs, presentable};
use crate::{Code, Diagnostic, Explanation, Explanations, Label, Source, Suggestion};

/// One [SARIF 2.1.0](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html) log with one run.
///
/// The primary place of a finding is its `location`, its other labels are `relatedLocations`, and its suggestions are
/// one of its `fixes`.
///
/// The version of the tool is that of this crate. A finding without a place is located in the working directory,
/// because some services reject results without a location.
pub fn sarif(findings: &[Diagnostic]) -> String {
    sarif_in(findings, &Base::default(), &Explanations::default())
}

/// Like [`sarif`], with paths relative to the root of the repository, and with the title and the page of each code as
/// the description and the help of its rule.
pub fn sarif_in(findings: &[Diagnostic], base: &Base, explanations: &Explanations) -> String {
    let mut codes: Vec<_> = findings.iter().map(|d| d.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes.iter().map(|code| rule(*code, explanations.get(code.as_str()))).collect();
    let driver = braced(vec![
        ("name", string("capgen")),
        ("version", string(env!("CARGO_PKG_VERSION"))),
        ("semanticVersion", string(env!("CARGO_PKG_VERSION"))),
        ("informationUri", string(env!("CARGO_PKG_REPOSITORY"))),
        ("rules", array(rules)),
    ]);
    let rule_of = |code: Code| codes.binary_search(&code).unwrap_or_default();
    let results = presentable(findings).map(|d| Log(base).result(&d, rule_of(d.code))).collect();
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

fn rule(code: Code, explanation: Option<&Explanation>) -> String {
    let mut members = vec![("id", string(code.as_str()))];
    if let Some(explanation) = explanation {
        let help = vec![("text", string(explanation.text())), ("markdown", string(explanation.text()))];
        members.extend([("shortDescription", message(explanation.title())), ("help", braced(help))]);
    }
    members.push(("defaultConfiguration", braced(vec![("level", string(code.severity().name()))])));
    braced(members)
}

/// The results of a log whose paths are relative to a base.
struct Log<'a>(&'a Base);

impl Log<'_> {
    fn result(&self, finding: &Diagnostic, rule: usize) -> String {
        let mut members = vec![
            ("ruleId", string(finding.code.as_str())),
            ("ruleIndex", rule.to_string()),
            ("level", string(finding.severity().name())),
            ("message", message(&paragraphs(finding).join("\n"))),
        ];
        let mut labels = finding.labels.iter();
        let mut location = vec![match labels.next() {
            Some(label) => ("physicalLocation", self.physical(&label.source, &label.span)),
            None => {
                let file = self.artifact(finding.file.as_deref().unwrap_or("."));
                ("physicalLocation", braced(vec![("artifactLocation", file)]))
            }
        }];
        if let Some(pointer) = &finding.pointer {
            let logical = braced(vec![("fullyQualifiedName", string(pointer))]);
            location.push(("logicalLocations", array(vec![logical])));
        }
        members.push(("locations", array(vec![braced(location)])));
        let related: Vec<_> = labels.map(|label| self.related(label)).collect();
        if !related.is_empty() {
            members.push(("relatedLocations", array(related)));
        }
        if let Some(fingerprint) = &finding.fingerprint {
            members.push(("partialFingerprints", braced(vec![("capgen/v2", string(fingerprint))])));
        }
        if !finding.suggestions.is_empty() {
            members.push(("fixes", array(vec![self.fix(finding)])));
        }
        braced(members)
    }

    fn related(&self, label: &Label) -> String {
        let place = ("physicalLocation", self.physical(&label.source, &label.span));
        braced(vec![place, ("message", message(&label.text))])
    }

    /// One fix that applies all suggestions, because they belong together.
    fn fix(&self, finding: &Diagnostic) -> String {
        let mut members = Vec::new();
        members.extend(finding.help.as_ref().map(|help| ("description", message(help))));
        let changes = finding.suggestions.iter().map(|suggestion| self.change(suggestion));
        members.push(("artifactChanges", array(changes.collect())));
        braced(members)
    }

    fn change(&self, suggestion: &Suggestion) -> String {
        let replacement = braced(vec![
            ("deletedRegion", region(&suggestion.source, &suggestion.span)),
            ("insertedContent", message(&suggestion.replacement)),
        ]);
        let file = self.artifact(suggestion.source.path());
        braced(vec![("artifactLocation", file), ("replacements", array(vec![replacement]))])
    }

    fn physical(&self, source: &Source, span: &Range<usize>) -> String {
        braced(vec![("artifactLocation", self.artifact(source.path())), ("region", region(source, span))])
    }

    fn artifact(&self, path: &str) -> String {
        let path = self.0.path(path);
        braced(vec![("uri", string(&uri(if path.is_empty() { "." } else { &path })))])
    }
}

fn message(text: &str) -> String {
    braced(vec![("text", string(text))])
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
