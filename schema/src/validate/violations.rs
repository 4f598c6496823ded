//! Every violation of a payload.

use std::collections::HashSet;
use std::ops::ControlFlow;

use serde_json::Value;

use super::Violation;
use super::check::{Failure, check};
use super::compile::Program;
use super::message::{Keyword, Wording};
use super::places::{Place, Places, Token, to_pointer};
use super::rule::{Checks, Property, Rule, RuleId};
use super::verdict::Evaluator;
use crate::payload::MAX_PAYLOAD_DEPTH;

/// Bytes of paths and messages: a path may be as long as the payload, and there may be as many.
const BUDGET: usize = 64 << 20;

/// Walks all that must hold at once, with a list of its own in place of the call stack. Unions are asked for their verdict.
pub(super) struct Collector<'a> {
    pub(super) program: &'a Program,
    pub(super) wording: Wording,
    pub(super) evaluator: Evaluator<'a, 'a>,
    /// Whether a failed union is told about; the branches of a union are collected without.
    pub(super) explains: bool,
}

/// One thing that is wrong, not yet in words.
pub(super) struct Finding<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    /// How many tokens come before the first name that the schema does not have.
    pub(super) familiar: usize,
    pub(super) what: What<'a>,
    pub(super) value: &'a Value,
}

pub(super) enum What<'a> {
    Failure(Failure<'a>),
    False,
    Unexpected(&'a str),
    /// `anyOf`, `oneOf` or `not`.
    Union(Keyword, String),
}

/// What is left to do, and what came out.
#[derive(Default)]
struct Walk<'a> {
    open: Vec<(RuleId, &'a Value, Place)>,
    /// By rule and address of the value.
    seen: HashSet<(RuleId, usize)>,
    places: Places<'a>,
    found: Vec<(Place, What<'a>, &'a Value)>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(program: &'a Program, wording: Wording, payload: &'a Value) -> Self {
        Self { program, wording, evaluator: Evaluator::new(program, payload, MAX_PAYLOAD_DEPTH), explains: true }
    }

    pub(super) fn violations(&mut self, root: RuleId, payload: &'a Value, max: usize) -> Vec<Violation> {
        if self.evaluator.verdict(root, payload) {
            return Vec::new();
        }
        let mut budget = BUDGET;
        let mut violations = Vec::new();
        for finding in self.findings(root, payload) {
            let violation = Violation {
                path: to_pointer(&finding.tokens),
                message: finding.message(self.wording),
                keyword: finding.what.keyword().name(),
            };
            budget = budget.saturating_sub(violation.path.len() + violation.message.len());
            violations.push(violation);
            if budget == 0 {
                break;
            }
        }
        let same_place = |a: &Violation, b: &Violation| a.path == b.path && a.keyword == b.keyword;
        violations.chunk_by_mut(same_place).for_each(|run| run.sort_unstable_by(|a, b| a.message.cmp(&b.message)));
        violations.dedup();
        violations.truncate(max);
        violations
    }

    /// What is wrong with `value`, in order.
    pub(super) fn findings(&mut self, rule: RuleId, value: &'a Value) -> Vec<Finding<'a>> {
        let mut walk = Walk { open: vec![(rule, value, Places::ROOT)], ..Walk::default() };
        while let Some((rule, value, place)) = walk.open.pop() {
            self.visit(&mut walk, rule, value, place);
        }
        let Walk { places, found, .. } = walk;
        let finding = |(place, what, value)| {
            let (tokens, familiar) = places.tokens(place);
            Finding { tokens, familiar, what, value }
        };
        let mut findings: Vec<Finding<'_>> = found.into_iter().map(finding).collect();
        findings.sort_by(|a, b| a.tokens.cmp(&b.tokens).then_with(|| a.what.keyword().cmp(&b.what.keyword())));
        silence_below_wrong_types(&mut findings);
        findings
    }

    fn visit(&mut self, walk: &mut Walk<'a>, rule: RuleId, value: &'a Value, place: Place) {
        let checks = match self.program.rule(rule) {
            Rule::Bool(true) => return,
            Rule::Bool(false) => return walk.found.push((place, What::False, value)),
            Rule::Checks(checks) => checks,
        };
        if checks.is_shared && !walk.seen.insert((rule, std::ptr::from_ref(value).addr())) {
            return;
        }
        let result = check(checks, value, &mut |failure| {
            let place = match failure {
                Failure::Required(name) => walk.places.below(place, Token::Name(name)),
                _ => place,
            };
            walk.found.push((place, What::Failure(failure), value));
            ControlFlow::Continue(())
        });
        if result.is_continue() {
            walk.open.extend(checks.all_of().iter().map(|&rule| (rule, value, place)));
            self.visit_below(walk, checks, value, place);
            self.visit_unions(walk, checks, value, place);
        }
    }

    fn visit_below(&self, walk: &mut Walk<'a>, checks: &'a Checks, value: &'a Value, place: Place) {
        match (value, checks.items(), checks.members()) {
            (Value::Array(items), Some(rule), _) => {
                for (index, item) in items.iter().enumerate() {
                    let place = walk.places.below(place, Token::Index(index));
                    walk.open.push((rule, item, place));
                }
            }
            (Value::Object(members), _, Some(objects)) => {
                for (name, member) in members {
                    let (rule, place, foreign) = match objects.property(name) {
                        Property::Free => continue,
                        Property::Declared(rule) => (rule, walk.places.below(place, Token::Name(name)), false),
                        Property::Additional(rule) => (rule, walk.places.below_foreign(place, name), true),
                    };
                    if foreign && matches!(self.program.rule(rule), Rule::Bool(false)) {
                        walk.found.push((place, What::Unexpected(name), member));
                    } else {
                        walk.open.push((rule, member, place));
                    }
                }
            }
            _ => {}
        }
    }

    fn visit_unions(&mut self, walk: &mut Walk<'a>, checks: &'a Checks, value: &'a Value, place: Place) {
        let Some(in_place) = &checks.in_place else { return };
        let any_of = in_place.any_of.as_ref().and_then(|union| self.any_of(&union.branches, value));
        let one_of = in_place.one_of.as_ref().and_then(|union| self.one_of(&union.branches, value));
        let not = in_place.not.and_then(|rule| self.not(rule, value));
        let unions = [(Keyword::AnyOf, any_of), (Keyword::OneOf, one_of), (Keyword::Not, not)];
        for (keyword, message) in unions {
            walk.found.extend(message.map(|message| (place, What::Union(keyword, message), value)));
        }
    }
}

/// After a mismatch of type, nothing more is said about a value or what is in it.
fn silence_below_wrong_types(findings: &mut Vec<Finding<'_>>) {
    // What is in a value comes right behind it.
    let mut mistyped: Option<Vec<Token<'_>>> = None;
    findings.retain(|finding| {
        let is_type = finding.what.keyword() == Keyword::Type;
        if let Some(outer) = &mistyped
            && finding.tokens.starts_with(outer)
        {
            return is_type && finding.tokens.len() == outer.len();
        }
        if is_type {
            mistyped = Some(finding.tokens.clone());
        }
        true
    });
}

impl What<'_> {
    pub(super) fn keyword(&self) -> Keyword {
        match self {
            What::Failure(failure) => failure.keyword(),
            What::False => Keyword::False,
            What::Unexpected(_) => Keyword::AdditionalProperties,
            What::Union(keyword, _) => *keyword,
        }
    }
}

impl Finding<'_> {
    pub(super) fn message(&self, wording: Wording) -> String {
        match &self.what {
            What::Failure(failure) => wording.failure(*failure, self.value),
            What::False => "no value is allowed here".to_owned(),
            What::Unexpected(_) if wording.redact => "unexpected property".to_owned(),
            What::Unexpected(name) => format!("unexpected property {}", wording.quote(name)),
            What::Union(_, message) => message.clone(),
        }
    }
}
