//! Collects the violations of a payload, in order. Runs only after the verdict is negative, so it may be slower than
//! `verdict`.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::candidates::{Listed, Union};
use super::check::{Failure, allows_name, check, check_string};
use super::compile::Program;
use super::message::Wording;
use super::path::Token;
use super::program::{ArrayChecks, Checks, Property, StringChecks, Subschema, SubschemaId};
use super::report::FailureReport;
use super::union_violation::UnionOutcome;
use super::verdict::Evaluator;
use super::violation::Keyword;
use crate::Pattern;
use crate::pointer::by_utf16;

/// Visits each location of the payload once, in the order of the resulting list, with all subschemas that apply there.
/// A caller that needs only the first few violations can therefore stop early. Unions are decided by their verdicts; if
/// only one branch of a failed union could match, it applies like a member of `allOf`.
///
/// The payload's depth has been checked, and it bounds the recursion.
pub(super) struct Collector<'a> {
    pub(super) program: &'a Program,
    pub(super) wording: Wording<'a>,
    pub(super) evaluator: Evaluator<'a, 'a>,
    /// Whether the message of a failed union explains it; inside the branches of a union it does not.
    pub(super) explains: bool,
}

/// One failure at a location, before its message is written.
pub(super) struct FailedCheck<'a> {
    pub(super) cause: Cause<'a>,
    pub(super) value: &'a Value,
}

pub(super) enum Cause<'a> {
    Failure(Failure<'a>),
    False,
    Unexpected(&'a str),
    /// The name of a property fails an assertion of `propertyNames`.
    Name(&'a str, Failure<'a>),
    /// `anyOf`, `oneOf`, `not` or `contains`, with the message.
    Applied(Keyword, String),
}

/// A requirement for the value at a location.
#[derive(Clone, Copy)]
enum Demand<'a> {
    Subschema(SubschemaId),
    /// A subschema from `additionalProperties`. If it is `false`, the violation is "unexpected property".
    Additional(SubschemaId),
    /// The values of a tag.
    Tag(&'a Listed),
    /// The assertions about the names of an object's members, which the name of the value fails.
    Name(&'a StringChecks),
    /// A pattern of `patternProperties` that takes too long to match the name of the value.
    SlowName(&'a Pattern),
}

/// The subschemas that apply at one location, and their failures.
#[derive(Default)]
struct Place<'a> {
    checks: Vec<&'a Checks>,
    failed_checks: Vec<FailedCheck<'a>>,
    /// Required properties that are missing.
    missing: Vec<Failure<'a>>,
    /// Tags with a value that no branch allows.
    tags: Vec<&'a Listed>,
    /// Failed unions of which several branches could match.
    open: Vec<(Keyword, &'a Union)>,
}

impl<'a> Collector<'a> {
    /// Reports the failures of `value` until `report` breaks.
    pub(super) fn collect(
        &mut self,
        subschema: SubschemaId,
        value: &'a Value,
        report: &mut impl FailureReport<'a>,
    ) -> ControlFlow<()> {
        self.visit(&[Demand::Subschema(subschema)], value, &mut Vec::new(), report)
    }

    fn visit(
        &mut self,
        demands: &[Demand<'a>],
        value: &'a Value,
        path: &mut Vec<Token<'a>>,
        report: &mut impl FailureReport<'a>,
    ) -> ControlFlow<()> {
        let is_scalar = !value.is_array() && !value.is_object();
        if is_scalar && demands.iter().all(|demand| self.is_met(demand, value)) {
            return ControlFlow::Continue(());
        }
        let mut place = self.gather(demands, value, path);
        let is_mistyped = place.failed_checks.iter().any(FailedCheck::is_type);
        if is_mistyped {
            // A value of the wrong type gets no other violation, and neither do its properties or items. Its name is
            // not a part of it.
            place.failed_checks.retain(|failed_check| failed_check.is_type() || failed_check.is_name());
        } else {
            self.negated(&mut place, value);
            for (keyword, union) in std::mem::take(&mut place.open) {
                let cause = Cause::Applied(keyword, self.no_branch(keyword, union, value));
                place.failed_checks.push(FailedCheck { cause, value });
            }
        }
        report.add(path, std::mem::take(&mut place.failed_checks))?;
        match value {
            _ if is_mistyped => ControlFlow::Continue(()),
            Value::Array(items) => self.visit_items(&place.checks, items, path, report),
            Value::Object(members) => self.visit_members(place, value, members, path, report),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Adds the failures of `not` and `contains`.
    fn negated(&mut self, place: &mut Place<'a>, value: &'a Value) {
        for checks in &place.checks {
            let not = checks.in_place.as_ref().and_then(|in_place| in_place.not);
            if not.is_some_and(|subschema| self.evaluator.verdict(subschema, value)) {
                let cause = Cause::Applied(Keyword::Not, "matches the schema in not".to_owned());
                place.failed_checks.push(FailedCheck { cause, value });
            }
            let contains = checks.arrays.as_ref().and_then(|arrays| arrays.contains).zip(value.as_array());
            if contains.is_some_and(|(id, items)| !items.iter().any(|item| self.evaluator.verdict(id, item))) {
                let cause = Cause::Applied(Keyword::Contains, "no item matches the schema in contains".to_owned());
                place.failed_checks.push(FailedCheck { cause, value });
            }
        }
    }

    fn is_met(&mut self, demand: &Demand<'a>, value: &'a Value) -> bool {
        match demand {
            Demand::Subschema(subschema) | Demand::Additional(subschema) => self.evaluator.verdict(*subschema, value),
            Demand::Tag(tag) => tag.values.contain(value, self.wording.digits),
            Demand::Name(_) | Demand::SlowName(_) => false,
        }
    }

    /// Gathers all subschemas that apply at one location, through `allOf`, conditions, and unions of which one branch
    /// could match, and their failures without `not` and `contains`.
    fn gather(&mut self, demands: &[Demand<'a>], value: &'a Value, path: &[Token<'a>]) -> Place<'a> {
        let program = self.program;
        let mut place = Place::default();
        let mut seen = HashSet::new();
        let mut open: Vec<Demand<'a>> = demands.iter().rev().copied().collect();
        while let Some(demand) = open.pop() {
            let (subschema, is_additional) = match demand {
                Demand::Subschema(subschema) => (subschema, false),
                Demand::Additional(subschema) => (subschema, true),
                Demand::Tag(tag) => {
                    if !tag.values.contain(value, self.wording.digits) {
                        place
                            .failed_checks
                            .push(FailedCheck { cause: Cause::Failure(Failure::Enum(&tag.values)), value });
                    }
                    continue;
                }
                Demand::SlowName(pattern) => {
                    if let Some(Token::Name(name)) = path.last() {
                        let cause = Cause::Name(name, Failure::StepLimit(pattern));
                        place.failed_checks.push(FailedCheck { cause, value });
                    }
                    continue;
                }
                Demand::Name(names) => {
                    let Some(Token::Name(name)) = path.last() else { continue };
                    let _ = check_string(names, name, &mut |failure| {
                        place.failed_checks.push(FailedCheck { cause: Cause::Name(name, failure), value });
                        ControlFlow::Continue(())
                    });
                    continue;
                }
            };
            let checks = match program.subschema(subschema) {
                Subschema::Bool(true) => continue,
                Subschema::Bool(false) => {
                    let cause = match path.last() {
                        Some(Token::Name(name)) if is_additional => Cause::Unexpected(name),
                        _ => Cause::False,
                    };
                    place.failed_checks.push(FailedCheck { cause, value });
                    continue;
                }
                Subschema::Checks(checks) => checks,
            };
            // Only a shared subschema can be reached twice.
            if checks.is_shared && !seen.insert(subschema) {
                continue;
            }
            let result = check(checks, value, self.wording.digits, &mut |failure| {
                match failure {
                    Failure::Required(_) | Failure::DependentRequired(..) => place.missing.push(failure),
                    _ => place.failed_checks.push(FailedCheck { cause: Cause::Failure(failure), value }),
                }
                ControlFlow::Continue(())
            });
            if result.is_continue() {
                open.extend(checks.all_of().iter().copied().map(Demand::Subschema));
                let selected = checks.in_place.iter().flat_map(|in_place| {
                    let unions = [(Keyword::AnyOf, &in_place.any_of), (Keyword::OneOf, &in_place.one_of)];
                    unions.into_iter().filter_map(|(keyword, union)| Some((keyword, union.as_ref()?)))
                });
                let selected = selected.filter_map(|(keyword, union)| self.select(keyword, union, value, &mut place));
                open.extend(selected.map(Demand::Subschema));
                if let Some(condition) = checks.in_place.as_ref().and_then(|in_place| in_place.condition) {
                    let is_met = self.evaluator.verdict(condition.condition, value);
                    open.extend(condition.consequence(is_met).map(Demand::Subschema));
                }
                place.checks.push(checks);
            }
        }
        place
    }

    /// The only branch of a failed union that could match. Any other failure of the union is added to `place`.
    fn select(
        &mut self,
        keyword: Keyword,
        union: &'a Union,
        value: &'a Value,
        place: &mut Place<'a>,
    ) -> Option<SubschemaId> {
        let failed = |cause| FailedCheck { cause, value };
        match self.decide(keyword, union, value) {
            UnionOutcome::Match => {}
            UnionOutcome::Several(first, second) => {
                let message = format!("matches more than one branch of oneOf: {first} and {second}");
                place.failed_checks.push(failed(Cause::Applied(keyword, message)));
            }
            UnionOutcome::Type(types) => place.failed_checks.push(failed(Cause::Failure(Failure::Type(types)))),
            UnionOutcome::MissingTag(tag) => place.missing.push(Failure::RequiredTag(&tag.name, &tag.values)),
            UnionOutcome::UnknownTag(tag) => place.tags.push(tag),
            UnionOutcome::Branch(branch) => return Some(branch),
            UnionOutcome::Open => place.open.push((keyword, union)),
        }
        None
    }

    fn visit_items(
        &mut self,
        checks: &[&'a Checks],
        items: &'a [Value],
        path: &mut Vec<Token<'a>>,
        report: &mut impl FailureReport<'a>,
    ) -> ControlFlow<()> {
        let checks: Vec<&ArrayChecks> = checks.iter().filter_map(|checks| checks.items()).collect();
        if checks.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut demands: Vec<Demand<'a>> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            demands.clear();
            demands.extend(checks.iter().filter_map(|arrays| arrays.item(index)).map(Demand::Subschema));
            path.push(Token::Index(index));
            self.visit(&demands, item, path, report)?;
            path.pop();
        }
        ControlFlow::Continue(())
    }

    /// Visits the members of an object. Missing properties are reported between them, so that all paths are in order.
    fn visit_members(
        &mut self,
        place: Place<'a>,
        value: &'a Value,
        members: &'a Map<String, Value>,
        path: &mut Vec<Token<'a>>,
        report: &mut impl FailureReport<'a>,
    ) -> ControlFlow<()> {
        let Place { checks, missing, tags, .. } = place;
        if missing.is_empty() && tags.is_empty() && !checks.iter().any(|checks| checks.members().is_some()) {
            return ControlFlow::Continue(());
        }
        let missing = self.distinct_missing(missing, value);
        let mut missing = missing.into_iter().peekable();
        let mut names: Vec<(&str, &Value)> = members.iter().map(|(name, member)| (name.as_str(), member)).collect();
        names.sort_by(|a, b| by_utf16(a.0, b.0));
        let mut demands = Vec::new();
        for (name, member) in names {
            while let Some(missing) = missing.next_if(|missing| by_utf16(missing.0, name) == Ordering::Less) {
                report_missing(missing, value, path, report)?;
            }
            demands.clear();
            checks.iter().for_each(|checks| demand(checks, name, &mut demands));
            demands.extend(tags.iter().filter(|tag| *tag.name == *name).map(|tag| Demand::Tag(tag)));
            let names = checks.iter().filter_map(|checks| checks.members()?.names());
            demands.extend(names.filter(|names| !allows_name(names, name)).map(Demand::Name));
            if !demands.is_empty() {
                path.push(Token::Name(name));
                self.visit(&demands, member, path, report)?;
                path.pop();
            }
        }
        missing.try_for_each(|missing| report_missing(missing, value, path, report))
    }

    /// The missing properties with their names, sorted. Several subschemas may require the same property, but
    /// `required` reports it once: with the values that a union allows, if there is one.
    fn distinct_missing(&self, missing: Vec<Failure<'a>>, value: &Value) -> Vec<(&'a str, Vec<Failure<'a>>)> {
        let is_dependent = |failure: &Failure<'_>| matches!(failure, Failure::DependentRequired(..));
        let mut named: Vec<(&str, Failure<'a>)> = missing.into_iter().filter_map(|f| Some((f.missing()?, f))).collect();
        named.sort_by(|a, b| by_utf16(a.0, b.0).then_with(|| is_dependent(&a.1).cmp(&is_dependent(&b.1))));
        let message = |failure| self.wording.failure(failure, value);
        named.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0 && !is_dependent(&next.1);
            // The message with values is the longer one.
            if is_same && by_utf16(&message(next.1), &message(kept.1)) == Ordering::Greater {
                *kept = *next;
            }
            is_same
        });
        let mut grouped: Vec<(&str, Vec<Failure<'a>>)> = Vec::new();
        for (name, failure) in named {
            match grouped.last_mut().filter(|(last, _)| *last == name) {
                Some((_, failures)) => failures.push(failure),
                None => grouped.push((name, vec![failure])),
            }
        }
        grouped
    }
}

/// Adds the subschemas that the checks of an object apply to its member `name`.
fn demand<'a>(checks: &'a Checks, name: &str, demands: &mut Vec<Demand<'a>>) {
    let Some(members) = checks.members() else { return };
    let matching = match members.matching(name) {
        Ok(matching) => matching,
        Err(pattern) => return demands.push(Demand::SlowName(pattern)),
    };
    match members.property(name, !matching.is_empty()) {
        Property::Free => {}
        Property::Declared(subschema) => demands.push(Demand::Subschema(subschema)),
        Property::Additional(subschema) => demands.push(Demand::Additional(subschema)),
    }
    demands.extend(matching.into_iter().map(Demand::Subschema));
}

fn report_missing<'a>(
    (name, failures): (&'a str, Vec<Failure<'a>>),
    value: &'a Value,
    path: &mut Vec<Token<'a>>,
    report: &mut impl FailureReport<'a>,
) -> ControlFlow<()> {
    path.push(Token::Name(name));
    let failed = failures.into_iter().map(|failure| FailedCheck { cause: Cause::Failure(failure), value });
    report.add(path, failed.collect())?;
    path.pop();
    ControlFlow::Continue(())
}

impl Cause<'_> {
    pub(super) fn keyword(&self) -> Keyword {
        match self {
            Cause::Failure(failure) => failure.keyword(),
            Cause::False => Keyword::False,
            Cause::Unexpected(_) => Keyword::AdditionalProperties,
            Cause::Name(..) => Keyword::PropertyNames,
            Cause::Applied(keyword, _) => *keyword,
        }
    }
}

impl FailedCheck<'_> {
    pub(super) fn is_type(&self) -> bool {
        matches!(self.cause, Cause::Failure(Failure::Type(_)))
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self.cause, Cause::Name(..))
    }

    pub(super) fn message(&self, wording: Wording<'_>) -> String {
        match &self.cause {
            Cause::Failure(failure) => wording.failure(*failure, self.value),
            Cause::False => "no value is allowed here".to_owned(),
            Cause::Unexpected(_) if wording.redact => "unexpected property".to_owned(),
            Cause::Unexpected(name) => format!("unexpected property {}", wording.name(name)),
            Cause::Name(name, failure) => wording.failure_of_name(*failure, name),
            Cause::Applied(_, message) => message.clone(),
        }
    }
}
