//! Collects the violations of a payload, in order. Runs only after the verdict is negative, so it may be slower than `verdict`.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::check::{Failure, check};
use super::compile::Program;
use super::message::Wording;
use super::path::Token;
use super::program::{Checks, Property, Subschema, SubschemaId};
use super::report::Report;
use super::verdict::Evaluator;
use super::violation::Keyword;
use crate::pointer::by_utf16;

/// Visits each location of the payload once, in the order of the resulting list, with all subschemas that apply there. A caller that
/// needs only the first few violations can therefore stop early. Unions are decided by their verdicts.
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
pub(super) struct Finding<'a> {
    pub(super) cause: Cause<'a>,
    pub(super) value: &'a Value,
}

pub(super) enum Cause<'a> {
    Failure(Failure<'a>),
    False,
    Unexpected(&'a str),
    /// `anyOf`, `oneOf` or `not`, with the message.
    Union(Keyword, String),
}

/// A subschema that applies at a location.
#[derive(Clone, Copy)]
struct Demand {
    subschema: SubschemaId,
    /// Whether it comes from `additionalProperties`. If it is `false`, the violation is "unexpected property".
    is_additional: bool,
}

/// The subschemas that apply at one location, and their failures.
struct Place<'a> {
    checks: Vec<&'a Checks>,
    findings: Vec<Finding<'a>>,
    missing: Vec<&'a str>,
}

impl<'a> Collector<'a> {
    /// Reports the failures of `value` until `report` breaks.
    pub(super) fn collect(
        &mut self,
        subschema: SubschemaId,
        value: &'a Value,
        report: &mut impl Report<'a>,
    ) -> ControlFlow<()> {
        let demand = Demand { subschema, is_additional: false };
        self.visit(&[demand], value, &mut Vec::new(), report)
    }

    fn visit(
        &mut self,
        demands: &[Demand],
        value: &'a Value,
        path: &mut Vec<Token<'a>>,
        report: &mut impl Report<'a>,
    ) -> ControlFlow<()> {
        let is_scalar = !value.is_array() && !value.is_object();
        if is_scalar && demands.iter().all(|demand| self.evaluator.verdict(demand.subschema, value)) {
            return ControlFlow::Continue(());
        }
        let mut place = self.gather(demands, value, path);
        let is_mistyped = place.findings.iter().any(Finding::is_type);
        if is_mistyped {
            // A value of the wrong type gets no other violation, and neither do its properties or items.
            place.findings.retain(Finding::is_type);
        } else {
            for checks in &place.checks {
                place.findings.extend(self.unions(checks, value));
            }
        }
        report.add(path, place.findings)?;
        match value {
            _ if is_mistyped => ControlFlow::Continue(()),
            Value::Array(items) => self.visit_items(&place.checks, items, path, report),
            Value::Object(members) => self.visit_members(&place.checks, place.missing, value, members, path, report),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Gathers all subschemas that apply at one location, through `allOf`, and their failures without unions.
    fn gather(&self, demands: &[Demand], value: &'a Value, path: &[Token<'a>]) -> Place<'a> {
        let mut place = Place { checks: Vec::new(), findings: Vec::new(), missing: Vec::new() };
        let mut seen = HashSet::new();
        let mut open: Vec<Demand> = demands.iter().rev().copied().collect();
        while let Some(Demand { subschema, is_additional }) = open.pop() {
            let checks = match self.program.subschema(subschema) {
                Subschema::Bool(true) => continue,
                Subschema::Bool(false) => {
                    let cause = match path.last() {
                        Some(Token::Name(name)) if is_additional => Cause::Unexpected(name),
                        _ => Cause::False,
                    };
                    place.findings.push(Finding { cause, value });
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
                    Failure::Required(name) => place.missing.push(name),
                    _ => place.findings.push(Finding { cause: Cause::Failure(failure), value }),
                }
                ControlFlow::Continue(())
            });
            if result.is_continue() {
                let all_of = checks.all_of().iter();
                open.extend(all_of.map(|&subschema| Demand { subschema, is_additional: false }));
                place.checks.push(checks);
            }
        }
        place
    }

    /// The failures of `anyOf`, `oneOf` and `not`.
    fn unions(&mut self, checks: &'a Checks, value: &'a Value) -> Vec<Finding<'a>> {
        let Some(in_place) = &checks.in_place else { return Vec::new() };
        let any_of = in_place.any_of.as_ref().and_then(|union| self.any_of(&union.branches, value));
        let one_of = in_place.one_of.as_ref().and_then(|union| self.one_of(&union.branches, value));
        let not = in_place.not.and_then(|subschema| self.not(subschema, value));
        let failed = [(Keyword::AnyOf, any_of), (Keyword::OneOf, one_of), (Keyword::Not, not)];
        let failed = failed.into_iter().filter_map(|(keyword, message)| Some(Cause::Union(keyword, message?)));
        failed.map(|cause| Finding { cause, value }).collect()
    }

    fn visit_items(
        &mut self,
        checks: &[&'a Checks],
        items: &'a [Value],
        path: &mut Vec<Token<'a>>,
        report: &mut impl Report<'a>,
    ) -> ControlFlow<()> {
        let subschemas = checks.iter().filter_map(|checks| checks.items());
        let demands: Vec<Demand> = subschemas.map(|subschema| Demand { subschema, is_additional: false }).collect();
        if demands.is_empty() {
            return ControlFlow::Continue(());
        }
        for (index, item) in items.iter().enumerate() {
            path.push(Token::Index(index));
            self.visit(&demands, item, path, report)?;
            path.pop();
        }
        ControlFlow::Continue(())
    }

    /// Visits the members of an object. Missing properties are reported between them, so that all paths are in order.
    fn visit_members(
        &mut self,
        checks: &[&'a Checks],
        mut missing: Vec<&'a str>,
        value: &'a Value,
        members: &'a Map<String, Value>,
        path: &mut Vec<Token<'a>>,
        report: &mut impl Report<'a>,
    ) -> ControlFlow<()> {
        if missing.is_empty() && !checks.iter().any(|checks| checks.members().is_some()) {
            return ControlFlow::Continue(());
        }
        missing.sort_by(|a, b| by_utf16(a, b));
        // Several subschemas may require the same property, but it is reported once.
        missing.dedup();
        let mut missing = missing.into_iter().peekable();
        let mut names: Vec<(&str, &Value)> = members.iter().map(|(name, member)| (name.as_str(), member)).collect();
        names.sort_by(|a, b| by_utf16(a.0, b.0));
        let mut demands = Vec::new();
        for (name, member) in names {
            while let Some(missing) = missing.next_if(|missing| by_utf16(missing, name) == Ordering::Less) {
                report_missing(missing, value, path, report)?;
            }
            demands.clear();
            demands.extend(checks.iter().filter_map(|checks| demand(checks, name)));
            if !demands.is_empty() {
                path.push(Token::Name(name));
                self.visit(&demands, member, path, report)?;
                path.pop();
            }
        }
        missing.try_for_each(|missing| report_missing(missing, value, path, report))
    }
}

/// The subschema that the checks of an object apply to its member `name`.
fn demand(checks: &Checks, name: &str) -> Option<Demand> {
    match checks.members()?.property(name) {
        Property::Free => None,
        Property::Declared(subschema) => Some(Demand { subschema, is_additional: false }),
        Property::Additional(subschema) => Some(Demand { subschema, is_additional: true }),
    }
}

fn report_missing<'a>(
    name: &'a str,
    value: &'a Value,
    path: &mut Vec<Token<'a>>,
    report: &mut impl Report<'a>,
) -> ControlFlow<()> {
    path.push(Token::Name(name));
    let finding = Finding { cause: Cause::Failure(Failure::Required(name)), value };
    report.add(path, vec![finding])?;
    path.pop();
    ControlFlow::Continue(())
}

impl Cause<'_> {
    pub(super) fn keyword(&self) -> Keyword {
        match self {
            Cause::Failure(failure) => failure.keyword(),
            Cause::False => Keyword::False,
            Cause::Unexpected(_) => Keyword::AdditionalProperties,
            Cause::Union(keyword, _) => *keyword,
        }
    }
}

impl Finding<'_> {
    pub(super) fn is_type(&self) -> bool {
        matches!(self.cause, Cause::Failure(Failure::Type(_)))
    }

    pub(super) fn message(&self, wording: Wording<'_>) -> String {
        match &self.cause {
            Cause::Failure(failure) => wording.failure(*failure, self.value),
            Cause::False => "no value is allowed here".to_owned(),
            Cause::Unexpected(_) if wording.redact => "unexpected property".to_owned(),
            Cause::Unexpected(name) => format!("unexpected property {}", wording.quote(name)),
            Cause::Union(_, message) => message.clone(),
        }
    }
}
