//! The reasons why entries are rejected, each with the number of entries.

use std::collections::{BTreeMap, BTreeSet};

use capgen_diagnostic::Severity;
use capgen_interop::import::{Document, Imported};
use capgen_schema::{Json, Object};

use super::import::Kind;

/// The rejected entries of each reason.
#[derive(Default)]
pub(super) struct Reasons {
    counts: BTreeMap<String, usize>,
}

impl Reasons {
    /// The reasons of a strict import.
    ///
    /// An import reports a finding in a component once, with the first operation that uses it. So each operation that
    /// was rejected is imported again, alone.
    pub(super) fn of(kind: Kind, document: &Document, strict: &Imported) -> Self {
        let mut reasons = Self::default();
        if strict.rejected.is_empty() && !strict.has_errors() {
            return reasons;
        }
        match (kind, operations(document.json())) {
            (Kind::OpenApi, Some(operations)) => {
                for operation in operations {
                    reasons.add(&kind.import(&Document::of_value(operation), false));
                }
            }
            _ => reasons.add(strict),
        }
        reasons
    }

    /// Counts the entries of an import once for each of their reasons.
    fn add(&mut self, imported: &Imported) {
        let errors = imported.findings.iter().filter(|finding| finding.code.severity() == Severity::Error);
        let found: BTreeSet<(&str, String)> =
            errors.map(|finding| (finding.entry.as_str(), reason(finding.code.as_str(), &finding.message))).collect();
        for (_, reason) in found {
            *self.counts.entry(reason).or_default() += 1;
        }
    }

    /// Adds the counts of another document.
    pub(super) fn merge(&mut self, other: &Self) {
        for (reason, count) in &other.counts {
            *self.counts.entry(reason.clone()).or_default() += count;
        }
    }

    /// The reasons, the most frequent first.
    pub(super) fn sorted(&self) -> Vec<(&str, usize)> {
        let mut sorted: Vec<(&str, usize)> =
            self.counts.iter().map(|(reason, count)| (reason.as_str(), *count)).collect();
        sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        sorted
    }
}

/// A message without the names of the document, which are in quotes; names of the specification are in backticks.
fn reason(code: &str, message: &str) -> String {
    let mut text = String::new();
    for (index, part) in message.split('"').enumerate() {
        text.push_str(if index % 2 == 0 { part } else { "..." });
    }
    format!("{code}: {text}")
}

/// A document for each operation, which has only that one; `None` if the document has no paths.
fn operations(document: &Json) -> Option<Vec<Json>> {
    let root = document.as_object()?;
    let mut documents = Vec::new();
    for (path, item) in root.get("paths")?.as_object()? {
        let item = item.as_object()?;
        let is_method =
            |name: &str| ["get", "put", "post", "delete", "options", "head", "patch", "trace"].contains(&name);
        for (method, operation) in item.iter().filter(|(name, _)| is_method(name)) {
            let shared = item.iter().filter(|(name, _)| !is_method(name)).cloned();
            let alone: Object = shared.chain([(method.clone(), operation.clone())]).collect();
            let paths: Object = [(path.clone(), Json::Object(alone))].into_iter().collect();
            let mut copy = root.clone();
            copy.set("paths", Some(Json::Object(paths)));
            documents.push(Json::Object(copy));
        }
    }
    Some(documents)
}
