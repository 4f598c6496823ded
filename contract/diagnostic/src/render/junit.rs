//! Findings as JUnit XML, for services that show the results of tests.
//!
//! There is no official schema. The document is valid against that of
//! [Jenkins](https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd),
//! and a test case has at most one `failure`, which other readers expect.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{paragraphs, presentable};
use crate::{Diagnostic, Severity, public_text, visible, xml_attribute, xml_text};

/// One JUnit document: a test suite for each of the `files`, in their order, then for each other file of a finding. A
/// finding is a test case, which fails if the finding is an error or, if `strict`, a warning. A file without findings
/// has one test case, which passes.
pub fn junit(name: &str, files: &[String], findings: &[Diagnostic], strict: bool) -> String {
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let (mut tests, mut failures) = (0, BTreeMap::<String, usize>::new());
    for file in files {
        if by_file.insert(file.clone(), Vec::new()).is_none() {
            order.push(file.clone());
        }
    }
    for finding in presentable(findings) {
        let path =
            finding.primary().map(|label| label.source.path()).or(finding.file.as_deref()).unwrap_or(".").to_owned();
        let fails = finding.severity() == Severity::Error || (strict && finding.severity() == Severity::Warning);
        *failures.entry(path.clone()).or_default() += usize::from(fails);
        let cases = by_file.entry(path.clone()).or_insert_with(|| {
            order.push(path.clone());
            Vec::new()
        });
        cases.push(case(&finding, &path, fails));
    }
    let mut suites = String::new();
    for path in &order {
        let mut cases = by_file.remove(path).unwrap_or_default();
        let class = xml_attribute(&public_text(path));
        if cases.is_empty() {
            cases.push(format!("    <testcase name=\"no findings\" classname=\"{class}\"/>\n"));
        }
        tests += cases.len();
        let (count, failed) = (cases.len(), failures.get(path).copied().unwrap_or_default());
        // Writing to a string does not fail.
        let _ = writeln!(suites, "  <testsuite name=\"{class}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\">");
        suites.push_str(&cases.concat());
        suites.push_str("  </testsuite>\n");
    }
    let failed: usize = failures.values().sum();
    let name = xml_attribute(name);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\">\n{suites}</testsuites>\n"
    )
}

/// The test case of a finding in a file.
fn case(finding: &Diagnostic, path: &str, fails: bool) -> String {
    let place = finding.primary().map(|label| label.source.position(label.span.start));
    let place = place.map(|at| format!("{}:{}", at.line, at.column));
    let name = match &place {
        Some(place) => format!("{} at {place}", finding.code.as_str()),
        None => finding.code.as_str().to_owned(),
    };
    let (name, class) = (xml_attribute(&name), xml_attribute(&public_text(path)));
    let shown = |text: &str| public_text(&visible(text)).into_owned();
    let mut lines: Vec<String> = paragraphs(finding).iter().map(|line| shown(line)).collect();
    if let Some(first) = lines.first_mut() {
        *first = format!("{}: {first}", finding.severity().name());
    }
    lines.extend(place.map(|place| shown(&format!("{path}:{place}"))));
    let text = xml_text(&lines.join("\n"));
    let content = match fails {
        true => {
            let message = xml_attribute(&shown(&finding.message));
            format!("      <failure message=\"{message}\" type=\"{}\">{text}</failure>\n", finding.code.as_str())
        }
        false => format!("      <system-out>{text}</system-out>\n"),
    };
    format!("    <testcase name=\"{name}\" classname=\"{class}\">\n{content}    </testcase>\n")
}
