//! Violations of unions: the closest branch, and why the value does not match it.

use serde_json::Value;

use super::collect::Collector;
use super::message::any_of;
use super::path::to_pointer;
use super::program::{Checks, SubschemaId};
use super::report::Summary;
use super::value::{equal, exact_type_of};
use crate::pointer::by_utf16;
use crate::{Json, Type, TypeSet};

/// The distance of a value from a branch. The order of the fields is the order of their importance.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    has_wrong_type: bool,
    tag: Tag,
    findings: usize,
}

/// Whether the value has the constants that the branch requires for some properties.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tag {
    /// All that are present are equal.
    Same,
    /// None is present.
    None,
    /// One differs.
    Other,
}

impl<'a> Collector<'a> {
    pub(super) fn any_of(&mut self, branches: &'a [SubschemaId], value: &'a Value) -> Option<String> {
        let matches = branches.iter().any(|&branch| self.evaluator.verdict(branch, value));
        (!matches).then(|| self.no_branch("anyOf", branches, value))
    }

    pub(super) fn one_of(&mut self, branches: &'a [SubschemaId], value: &'a Value) -> Option<String> {
        let numbered = branches.iter().enumerate();
        let mut matching =
            numbered.filter(|(_, branch)| self.evaluator.verdict(**branch, value)).map(|(index, _)| index);
        match (matching.next(), matching.next()) {
            (None, _) => Some(self.no_branch("oneOf", branches, value)),
            (Some(_), None) => None,
            (Some(a), Some(b)) => Some(format!("matches more than one branch of oneOf: {a} and {b}")),
        }
    }

    pub(super) fn not(&mut self, subschema: SubschemaId, value: &'a Value) -> Option<String> {
        self.evaluator.verdict(subschema, value).then(|| "matches the schema in not".to_owned())
    }

    fn no_branch(&mut self, keyword: &str, branches: &'a [SubschemaId], value: &'a Value) -> String {
        let plain = format!("matches no branch of {keyword}");
        if !self.explains {
            return plain;
        }
        if let Some(types) = self.types_of_all(branches)
            && !types.iter().copied().collect::<TypeSet>().contains(exact_type_of(value, self.wording.digits))
        {
            return format!(
                "{plain}: expected {}, got {}",
                any_of(types),
                exact_type_of(value, self.wording.digits).name()
            );
        }
        // Inside a branch, a failed union is one failure without an explanation; explaining each level would take exponential time.
        self.explains = false;
        let candidates = branches.iter().enumerate().map(|(index, &branch)| {
            let mut summary = Summary::new(self.wording);
            let _ = self.collect(branch, value, &mut summary);
            (self.distance(branch, value, &summary), index, branch, summary)
        });
        let closest = candidates.min_by(|a, b| a.0.cmp(&b.0));
        self.explains = true;
        match closest {
            Some((_, index, branch, summary)) => {
                format!("{plain}; closest is branch {index}{}: {}", self.label(branch), self.lack(&summary))
            }
            None => plain,
        }
    }

    /// The types that the branches allow together, each once, in the order of the branches; `None` if some branch is a boolean
    /// schema.
    fn types_of_all(&self, branches: &[SubschemaId]) -> Option<Vec<Type>> {
        let mut all = Vec::new();
        for &branch in branches {
            let is_new = |t: &Type| !all.contains(t);
            let new: Vec<Type> = self.program.checks(branch)?.types.iter().filter(is_new).collect();
            all.extend(new);
        }
        Some(all)
    }

    fn distance(&self, branch: SubschemaId, value: &Value, summary: &Summary<'_>) -> Distance {
        let tags =
            self.tags(branch).filter_map(|(name, literal)| Some(equal(value.get(name)?, literal, self.wording.digits)));
        let tag = tags.fold(Tag::None, |tag, same| match (tag, same) {
            (Tag::Other, _) | (_, false) => Tag::Other,
            _ => Tag::Same,
        });
        Distance { has_wrong_type: summary.has_wrong_type, tag, findings: summary.count }
    }

    /// The properties for which a branch, or a member of its `allOf`, requires a constant. Such a property identifies the branch, even
    /// if it is not a tag of the whole union.
    fn tags(&self, branch: SubschemaId) -> impl Iterator<Item = (&'a str, &'a Json)> {
        let program = self.program;
        let parts = program.checks(branch).into_iter().flat_map(move |checks| {
            std::iter::once(checks).chain(checks.all_of().iter().filter_map(move |&part| program.checks(part)))
        });
        let properties = parts.flat_map(Checks::properties);
        properties
            .filter_map(move |declared| Some((declared.name.as_ref(), program.checks(declared.subschema)?.constant()?)))
    }

    fn label(&self, branch: SubschemaId) -> String {
        let tag = |(name, literal)| format!("{} {}", self.wording.quote(name), self.wording.literal(literal));
        let label = match self.program.definition(branch) {
            Some(name) => Some(self.wording.quote(name)),
            None => self.tags(branch).map(tag).min_by(|a, b| by_utf16(a, b)),
        };
        label.map(|label| format!(" ({label})")).unwrap_or_default()
    }

    /// The first failure of a value in a branch, with its path and the number of further failures.
    fn lack(&self, summary: &Summary<'_>) -> String {
        let Some((tokens, first)) = &summary.first else { return String::new() };
        let message = first.message(self.wording);
        let path = to_pointer(tokens);
        // A path may contain property names that only the payload has.
        let is_shown = !path.is_empty() && !self.wording.redact;
        let place = if is_shown { format!(" at {}", self.wording.cut(path)) } else { String::new() };
        let others = summary.count - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} more)") };
        format!("{message}{place}{more}")
    }
}
