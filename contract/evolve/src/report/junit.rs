//! The result as JUnit XML.
//!
//! There is no official schema. The document is valid against that of
//! [Jenkins](https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd),
//! and a test case has at most one `failure`, which other readers expect.

use std::fmt::Write;

use capgen_diagnostic::{visible, xml_attribute, xml_text};
use capgen_manifest::Side;

use super::{ComparedContract, ComparisonReport};
use crate::{Acceptance, CapabilityComparison, Finding, TextChange};

/// A test case: a side of a capability, or its other properties.
struct Case {
    name: String,
    /// The findings that fail, one per line.
    failures: Vec<String>,
    /// The other findings, one per line.
    others: Vec<String>,
}

impl ComparisonReport {
    /// The result as JUnit XML: a test suite for each agent, and a test case for each side of each capability and for
    /// its other properties. A test case fails if one of its findings does.
    pub fn junit(&self) -> String {
        let mut suites = String::new();
        let (mut tests, mut failures) = (0, 0);
        for contract in &self.contracts {
            let cases: Vec<Case> =
                contract.comparison.capabilities.iter().flat_map(|c| self.cases(contract, c)).collect();
            let failed = cases.iter().filter(|case| !case.failures.is_empty()).count();
            tests += cases.len();
            failures += failed;
            let name = xml_attribute(contract.agent.as_str());
            // Writing to a string does not fail.
            let _ = writeln!(
                suites,
                "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\">",
                cases.len()
            );
            cases.iter().for_each(|case| case.write(&mut suites, &name));
            suites.push_str("  </testsuite>\n");
        }
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites name=\"capgen diff\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n{suites}</testsuites>\n"
        )
    }

    fn cases(&self, contract: &ComparedContract, capability: &CapabilityComparison) -> Vec<Case> {
        let sides = [Some(Side::Request), Some(Side::Response), None];
        sides.map(|side| self.case(contract, capability, side)).into()
    }

    fn case(&self, contract: &ComparedContract, capability: &CapabilityComparison, side: Option<Side>) -> Case {
        let name = format!("{} {}", capability.name, side.map_or("properties", Side::name));
        let mut case = Case { name, failures: Vec::new(), others: Vec::new() };
        let here = contract.findings().filter(|(f, _)| f.capability == capability.name && f.side == side);
        for (finding, acceptance) in here {
            let list = if self.fails(finding, acceptance) { &mut case.failures } else { &mut case.others };
            list.push(line(finding, acceptance));
        }
        case
    }
}

impl Case {
    fn write(&self, out: &mut String, class: &str) {
        let name = xml_attribute(&self.name);
        let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{class}\"");
        if self.failures.is_empty() && self.others.is_empty() {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n");
        if let Some(first) = self.failures.first() {
            let message = xml_attribute(first.lines().next().unwrap_or_default());
            let text = xml_text(&self.failures.join("\n"));
            let _ = writeln!(out, "      <failure message=\"{message}\" type=\"incompatible\">{text}</failure>");
        }
        if !self.others.is_empty() {
            let _ = writeln!(out, "      <system-out>{}</system-out>", xml_text(&self.others.join("\n")));
        }
        out.push_str("    </testcase>\n");
    }
}

/// A finding, with its payload and violations on lines of their own.
fn line(finding: &Finding, acceptance: &Acceptance) -> String {
    let mut text = format!("{} {}: {}", finding.code.as_str(), finding.level.name(), visible(&finding.message));
    let pointer = if finding.pointer().is_empty() { "(the capability)" } else { finding.pointer() };
    let _ = write!(text, "\n  at: {}", visible(pointer));
    for line in finding.texts.iter().flat_map(TextChange::lines) {
        let _ = write!(text, "\n  {}", visible(&line));
    }
    if let Some(witness) = &finding.witness {
        let _ = write!(text, "\n  payload: {}", visible(&witness.payload.canonical()));
        for violation in &witness.violations {
            let path = if violation.path.is_empty() { "(root)" } else { &violation.path };
            let _ = write!(text, "\n  violation: {}", visible(&format!("{path}: {}", violation.message)));
        }
        if witness.violations.is_truncated() {
            text.push_str("\n  and more");
        }
    }
    if let Some(help) = &finding.help {
        let _ = write!(text, "\n  help: {}", visible(help));
    }
    if let Some(note) = acceptance.note() {
        let _ = write!(text, "\n  {}", visible(&note));
    }
    let _ = write!(text, "\n  fingerprint: {}", finding.fingerprint);
    text
}
