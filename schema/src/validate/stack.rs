//! Decides whether a value conforms to a rule, with an explicit stack. Slower than `verdict`, but its depth is unlimited.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde_json::Value;

use super::check::check;
use super::compile::Program;
use super::rule::{Checks, InPlace, ObjectChecks, Property, Rule, RuleId};

/// Evaluates rules on the values of one payload, and caches the verdicts of shared rules.
pub(super) struct Evaluator<'p, 'v> {
    program: &'p Program,
    stack: Vec<Frame<'p, 'v>>,
    /// Verdicts by rule and address of the value. The address identifies a location, because the payload does not move.
    known: HashMap<(RuleId, usize), bool>,
}

/// The evaluation of a rule on a value, waiting for the verdict of a subschema.
struct Frame<'p, 'v> {
    id: RuleId,
    checks: &'p Checks,
    value: &'v Value,
    stage: Stage<'p, 'v>,
}

/// The subschemas that are being evaluated. The stages follow in the order of the variants; `Members` and `Items` exclude each
/// other.
enum Stage<'p, 'v> {
    AllOf(std::slice::Iter<'p, RuleId>),
    Members(&'p ObjectChecks, serde_json::map::Iter<'v>),
    Items(RuleId, std::slice::Iter<'v, Value>),
    AnyOf(std::slice::Iter<'p, RuleId>),
    OneOf(std::slice::Iter<'p, RuleId>, bool),
    Not(Option<RuleId>),
}

enum Step<'v> {
    Ask(RuleId, &'v Value),
    Done(bool),
}

impl<'p, 'v> Evaluator<'p, 'v> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self { program, stack: Vec::new(), known: HashMap::new() }
    }

    /// Whether `value` conforms to the rule. Its depth has been checked.
    pub(super) fn verdict(&mut self, rule: RuleId, value: &'v Value) -> bool {
        let mut answer = self.enter(rule, value);
        loop {
            let Some(frame) = self.stack.last_mut() else { return answer.unwrap_or(true) };
            answer = match frame.advance(answer) {
                Step::Ask(rule, value) => self.enter(rule, value),
                Step::Done(verdict) => {
                    self.leave(verdict);
                    Some(verdict)
                }
            };
        }
    }

    /// Starts the evaluation of a rule. Returns the verdict if no subschema is needed.
    fn enter(&mut self, id: RuleId, value: &'v Value) -> Option<bool> {
        let checks = match self.program.rule(id) {
            Rule::Bool(verdict) => return Some(*verdict),
            Rule::Checks(checks) => checks,
        };
        if !checks.asks_others(value) {
            return Some(passes(checks, value));
        }
        if checks.is_shared
            && let Some(&verdict) = self.known.get(&place(id, value))
        {
            return Some(verdict);
        }
        if !passes(checks, value) {
            return Some(false);
        }
        self.stack.push(Frame { id, checks, value, stage: Stage::AllOf(checks.all_of().iter()) });
        None
    }

    fn leave(&mut self, verdict: bool) {
        if let Some(Frame { id, checks, value, .. }) = self.stack.pop()
            && checks.is_shared
        {
            self.known.insert(place(id, value), verdict);
        }
    }
}

fn place(rule: RuleId, value: &Value) -> (RuleId, usize) {
    (rule, std::ptr::from_ref(value).addr())
}

fn passes(checks: &Checks, value: &Value) -> bool {
    check(checks, value, &mut |_| ControlFlow::Break(())).is_continue()
}

impl Checks {
    /// Whether a subschema applies to the value, or to its properties or items.
    fn asks_others(&self, value: &Value) -> bool {
        let below = match value {
            Value::Array(items) => self.items().is_some() && !items.is_empty(),
            Value::Object(members) => self.members().is_some() && !members.is_empty(),
            _ => false,
        };
        below || self.in_place.is_some()
    }
}

impl<'p, 'v> Frame<'p, 'v> {
    /// Takes the verdict of the last subschema, if there was one, and returns the next subschema or the final verdict.
    fn advance(&mut self, answer: Option<bool>) -> Step<'v> {
        if let Some(answer) = answer
            && let ControlFlow::Break(verdict) = self.take(answer)
        {
            return Step::Done(verdict);
        }
        loop {
            if let Some(question) = self.question() {
                return question;
            }
        }
    }

    /// Combines the verdict of a subschema with the current stage. Breaks with the verdict of the rule if that is decided.
    fn take(&mut self, answer: bool) -> ControlFlow<bool> {
        match &mut self.stage {
            Stage::AllOf(_) | Stage::Members(..) | Stage::Items(..) if !answer => ControlFlow::Break(false),
            Stage::Not(_) if answer => ControlFlow::Break(false),
            Stage::OneOf(_, matched) if answer && *matched => ControlFlow::Break(false),
            Stage::OneOf(_, matched) => {
                *matched |= answer;
                ControlFlow::Continue(())
            }
            Stage::AnyOf(_) if answer => {
                self.stage = self.one_of();
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    /// The next subschema of the current stage; `None` if the stage is complete and the next one has begun.
    fn question(&mut self) -> Option<Step<'v>> {
        let value = self.value;
        let ask = |rule: &RuleId| Step::Ask(*rule, value);
        match &mut self.stage {
            Stage::AllOf(rules) => match rules.next() {
                Some(rule) => return Some(ask(rule)),
                None => self.stage = self.below(),
            },
            Stage::Members(objects, members) => match members.next() {
                Some((name, value)) => match objects.property(name) {
                    Property::Declared(rule) | Property::Additional(rule) => return Some(Step::Ask(rule, value)),
                    Property::Free => {}
                },
                None => self.stage = self.any_of(),
            },
            Stage::Items(rule, items) => match items.next() {
                Some(item) => return Some(Step::Ask(*rule, item)),
                None => self.stage = self.any_of(),
            },
            Stage::AnyOf(rules) => return Some(rules.next().map_or(Step::Done(false), ask)),
            Stage::OneOf(rules, matched) => match rules.next() {
                Some(rule) => return Some(ask(rule)),
                None if *matched => self.stage = self.not(),
                None => return Some(Step::Done(false)),
            },
            Stage::Not(rule) => return Some(rule.take().as_ref().map_or(Step::Done(true), ask)),
        }
        None
    }

    fn below(&self) -> Stage<'p, 'v> {
        match (self.value, self.checks.members(), self.checks.items()) {
            (Value::Object(members), Some(objects), _) => Stage::Members(objects, members.iter()),
            (Value::Array(items), _, Some(rule)) => Stage::Items(rule, items.iter()),
            _ => self.any_of(),
        }
    }

    fn any_of(&self) -> Stage<'p, 'v> {
        let union = self.in_place().and_then(|in_place| in_place.any_of.as_ref());
        union.map_or_else(|| self.one_of(), |union| Stage::AnyOf(union.candidates(self.value).iter()))
    }

    fn one_of(&self) -> Stage<'p, 'v> {
        let union = self.in_place().and_then(|in_place| in_place.one_of.as_ref());
        union.map_or_else(|| self.not(), |union| Stage::OneOf(union.candidates(self.value).iter(), false))
    }

    fn not(&self) -> Stage<'p, 'v> {
        Stage::Not(self.in_place().and_then(|in_place| in_place.not))
    }

    fn in_place(&self) -> Option<&'p InPlace> {
        self.checks.in_place.as_deref()
    }
}
