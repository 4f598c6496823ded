//! Failed unions: the branch that the violations are about or, if several branches could match, the closest one.

use serde_json::Value;

use super::candidates::{Condition, Listed, Union};
use super::collect::Collector;
use super::path::to_pointer;
use super::program::SubschemaId;
use super::report::Summary;
use super::value::has_type;
use super::violation::Keyword;
use crate::TypeSet;

/// The result of a union for a value.
pub(super) enum UnionOutcome<'a> {
    /// The value matches.
    Match,
    /// The value matches these two branches of a `oneOf`, and perhaps more.
    Several(usize, usize),
    /// No branch allows the JSON type of the value; these are allowed.
    Type(TypeSet),
    MissingTag(&'a Listed),
    UnknownTag(&'a Listed),
    /// Only this branch could match.
    Branch(SubschemaId),
    /// Several branches could match or, as far as their keys show, none.
    Open,
}

impl<'a> Collector<'a> {
    pub(super) fn decide(&mut self, keyword: Keyword, union: &'a Union, value: &'a Value) -> UnionOutcome<'a> {
        let digits = self.wording.digits;
        let numbered = union.branches.iter().enumerate();
        let mut matching =
            numbered.filter(|(_, branch)| self.evaluator.verdict(**branch, value)).map(|(index, _)| index);
        match (matching.next(), keyword) {
            (Some(first), Keyword::OneOf) => {
                return matching.next().map_or(UnionOutcome::Match, |second| UnionOutcome::Several(first, second));
            }
            (Some(_), _) => return UnionOutcome::Match,
            (None, _) => {}
        }
        if !has_type(value, union.any.types, digits) {
            return UnionOutcome::Type(union.any.types);
        }
        if let (Some(tag), Value::Object(members)) = (union.any.tag.as_deref(), value) {
            match members.get(tag.name.as_ref()) {
                Some(value) if !tag.values.contain(value, digits) => return UnionOutcome::UnknownTag(tag),
                None if tag.is_required => return UnionOutcome::MissingTag(tag),
                _ => {}
            }
        }
        let mut possible = union.numbered().filter(|(.., condition)| condition.allows(value, digits));
        match (possible.next(), possible.next()) {
            (Some((_, branch, _)), None) => UnionOutcome::Branch(branch),
            _ => UnionOutcome::Open,
        }
    }

    /// The message for a union that remains open.
    pub(super) fn no_branch(&mut self, keyword: Keyword, union: &'a Union, value: &'a Value) -> String {
        let plain = format!("matches no branch of {keyword}");
        if !self.explains {
            return plain;
        }
        let digits = self.wording.digits;
        let is_possible = |condition: &Condition| condition.allows(value, digits);
        let is_any = union.conditions.iter().any(is_possible);
        let is_candidate = |condition: &Condition| match is_any {
            true => condition.allows(value, digits),
            false => has_type(value, condition.types, digits),
        };
        // Inside a branch, an open union is one failure without an explanation; explaining each level would take
        // exponential time.
        self.explains = false;
        let candidates = union.numbered().filter(|(.., condition)| is_candidate(condition));
        let summaries = candidates.map(|(index, branch, _)| {
            let mut summary = Summary::new(self.wording);
            let _ = self.collect(branch, value, &mut summary);
            (index, branch, summary)
        });
        let closest = summaries.min_by_key(|(.., summary)| summary.count);
        self.explains = true;
        match closest {
            Some((index, branch, summary)) => {
                format!("{plain}; closest is branch {index}{}: {}", self.label(branch), self.lack(&summary))
            }
            None => plain,
        }
    }

    fn label(&self, branch: SubschemaId) -> String {
        let name = self.program.definition(branch);
        name.map(|name| format!(" ({})", self.wording.quote(name))).unwrap_or_default()
    }

    /// The failures of a value in a branch, each with its path.
    fn lack(&self, summary: &Summary<'_>) -> String {
        let text = |(tokens, failed_check): &(Vec<_>, super::collect::FailedCheck<'_>)| {
            let path = to_pointer(tokens, self.wording.budget);
            // A path may contain property names that only the payload has.
            let is_shown = !path.is_empty() && !self.wording.redact;
            let place = if is_shown { format!(" at {}", self.wording.cut(path)) } else { String::new() };
            failed_check.message(self.wording) + &place
        };
        let shown: Vec<String> = summary.first.iter().map(text).collect();
        let others = summary.count - shown.len();
        let more = if others == 0 { String::new() } else { format!("; and {others} more") };
        shown.join("; ") + &more
    }
}

impl Union {
    /// The branches with their indexes and conditions.
    fn numbered(&self) -> impl Iterator<Item = (usize, SubschemaId, &Condition)> {
        let branches = self.branches.iter().copied().zip(&self.conditions).enumerate();
        branches.map(|(index, (branch, condition))| (index, branch, condition))
    }
}
