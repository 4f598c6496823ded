//! Decides whether a value conforms to a subschema, with an explicit stack. Slower than `verdict`, but its depth is
//! unlimited.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde_json::Value;

use super::check::{allows_name, check};
use super::compile::Program;
use super::program::{ArrayChecks, Checks, Condition, InPlace, ObjectChecks, Property, Subschema, SubschemaId};
use crate::exact::Digits;

/// Evaluates subschemas on the values of one payload, and caches the verdicts of shared subschemas.
pub(super) struct Evaluator<'p, 'v> {
    program: &'p Program,
    digits: Digits<'v>,
    stack: Vec<Frame<'p, 'v>>,
    /// Verdicts by subschema and address of the value. The address identifies a location, because the payload does not
    /// move.
    known: HashMap<(SubschemaId, usize), bool>,
}

/// The evaluation of a subschema on a value, waiting for the verdict of a subschema.
struct Frame<'p, 'v> {
    id: SubschemaId,
    checks: &'p Checks,
    value: &'v Value,
    stage: Stage<'p, 'v>,
}

/// The subschemas that are being evaluated. The stages follow in the order of the variants; `Members` excludes
/// `Contains` and `Items`.
enum Stage<'p, 'v> {
    AllOf(std::slice::Iter<'p, SubschemaId>),
    /// With the subschemas that are left for the last member.
    Members(&'p ObjectChecks, serde_json::map::Iter<'v>, Vec<(SubschemaId, &'v Value)>),
    Contains(&'p ArrayChecks, SubschemaId, std::slice::Iter<'v, Value>),
    Items(&'p ArrayChecks, std::iter::Enumerate<std::slice::Iter<'v, Value>>),
    AnyOf(std::slice::Iter<'p, SubschemaId>),
    OneOf(std::slice::Iter<'p, SubschemaId>, bool),
    Not(Option<SubschemaId>),
    If(Condition),
    /// `then` or `else`.
    Consequence(Option<SubschemaId>),
}

/// How an evaluation continues.
enum Step<'v> {
    Evaluate(SubschemaId, &'v Value),
    Done(bool),
}

impl<'p, 'v> Evaluator<'p, 'v> {
    pub(super) fn new(program: &'p Program, digits: Digits<'v>) -> Self {
        Self { program, digits, stack: Vec::new(), known: HashMap::new() }
    }

    /// Whether `value` conforms to the subschema. Its depth has been checked.
    pub(super) fn verdict(&mut self, subschema: SubschemaId, value: &'v Value) -> bool {
        let mut result = self.enter(subschema, value);
        loop {
            let Some(frame) = self.stack.last_mut() else { return result.unwrap_or(true) };
            result = match frame.advance(result) {
                Step::Evaluate(subschema, value) => self.enter(subschema, value),
                Step::Done(verdict) => {
                    self.leave(verdict);
                    Some(verdict)
                }
            };
        }
    }

    /// Starts the evaluation of a subschema. Returns the verdict if no subschema is needed.
    fn enter(&mut self, id: SubschemaId, value: &'v Value) -> Option<bool> {
        let checks = match self.program.subschema(id) {
            Subschema::Bool(verdict) => return Some(*verdict),
            Subschema::Checks(checks) => checks,
        };
        if !checks.needs_others(value) {
            return Some(self.passes(checks, value));
        }
        if checks.is_shared
            && let Some(&verdict) = self.known.get(&place(id, value))
        {
            return Some(verdict);
        }
        if !self.passes(checks, value) {
            return Some(false);
        }
        self.stack.push(Frame { id, checks, value, stage: Stage::AllOf(checks.all_of().iter()) });
        None
    }

    fn passes(&self, checks: &Checks, value: &Value) -> bool {
        let names = checks.objects.as_deref().and_then(ObjectChecks::names);
        check(checks, value, self.digits, &mut |_| ControlFlow::Break(())).is_continue()
            && names
                .zip(value.as_object())
                .is_none_or(|(names, members)| members.keys().all(|name| allows_name(names, name)))
    }

    fn leave(&mut self, verdict: bool) {
        if let Some(Frame { id, checks, value, .. }) = self.stack.pop()
            && checks.is_shared
        {
            self.known.insert(place(id, value), verdict);
        }
    }
}

fn place(subschema: SubschemaId, value: &Value) -> (SubschemaId, usize) {
    (subschema, std::ptr::from_ref(value).addr())
}

impl Checks {
    /// Whether a subschema applies to the value, or to its properties or items.
    fn needs_others(&self, value: &Value) -> bool {
        let below = match value {
            // `contains` rejects an array without items.
            Value::Array(items) => {
                let contains = self.arrays.as_ref().is_some_and(|arrays| arrays.contains.is_some());
                contains || self.items().is_some() && !items.is_empty()
            }
            Value::Object(members) => self.members().is_some() && !members.is_empty(),
            _ => false,
        };
        below || self.in_place.is_some()
    }
}

impl<'p, 'v> Frame<'p, 'v> {
    /// Takes the verdict of the last subschema, if there was one, and returns the next subschema or the final verdict.
    fn advance(&mut self, result: Option<bool>) -> Step<'v> {
        if let Some(result) = result
            && let ControlFlow::Break(verdict) = self.take(result)
        {
            return Step::Done(verdict);
        }
        loop {
            if let Some(step) = self.next() {
                return step;
            }
        }
    }

    /// Combines the verdict of a subschema with the current stage. Breaks with the verdict of the subschema if that is
    /// decided.
    fn take(&mut self, result: bool) -> ControlFlow<bool> {
        match &mut self.stage {
            Stage::AllOf(_) | Stage::Members(..) | Stage::Items(..) | Stage::Consequence(_) if !result => {
                ControlFlow::Break(false)
            }
            Stage::Contains(arrays, ..) if result => {
                let arrays = *arrays;
                self.stage = self.items(arrays);
                ControlFlow::Continue(())
            }
            Stage::If(condition) => {
                self.stage = Stage::Consequence(condition.consequence(result));
                ControlFlow::Continue(())
            }
            Stage::Not(_) if result => ControlFlow::Break(false),
            Stage::OneOf(_, matched) if result && *matched => ControlFlow::Break(false),
            Stage::OneOf(_, matched) => {
                *matched |= result;
                ControlFlow::Continue(())
            }
            Stage::AnyOf(_) if result => {
                self.stage = self.one_of();
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    /// The next subschema of the current stage; `None` if the stage is complete and the next one has begun.
    fn next(&mut self) -> Option<Step<'v>> {
        let value = self.value;
        let evaluate = |subschema: &SubschemaId| Step::Evaluate(*subschema, value);
        match &mut self.stage {
            Stage::AllOf(subschemas) => match subschemas.next() {
                Some(subschema) => return Some(evaluate(subschema)),
                None => self.stage = self.below(),
            },
            Stage::Members(objects, members, left) => {
                if let Some((subschema, value)) = left.pop() {
                    return Some(Step::Evaluate(subschema, value));
                }
                match members.next() {
                    Some((name, value)) => {
                        let Ok(matching) = objects.matching(name) else { return Some(Step::Done(false)) };
                        let own = match objects.property(name, !matching.is_empty()) {
                            Property::Declared(subschema) | Property::Additional(subschema) => Some(subschema),
                            Property::Free => None,
                        };
                        left.extend(matching.into_iter().chain(own).map(|subschema| (subschema, value)));
                    }
                    None => self.stage = self.any_of(),
                }
            }
            Stage::Contains(_, subschema, items) => {
                return Some(items.next().map_or(Step::Done(false), |item| Step::Evaluate(*subschema, item)));
            }
            Stage::Items(arrays, items) => match items.next() {
                Some((index, item)) => {
                    return arrays.item(index).map(|subschema| Step::Evaluate(subschema, item));
                }
                None => self.stage = self.any_of(),
            },
            Stage::AnyOf(subschemas) => return Some(subschemas.next().map_or(Step::Done(false), evaluate)),
            Stage::OneOf(subschemas, matched) => match subschemas.next() {
                Some(subschema) => return Some(evaluate(subschema)),
                None if *matched => self.stage = self.not(),
                None => return Some(Step::Done(false)),
            },
            Stage::Not(subschema) => match subschema.take() {
                Some(subschema) => return Some(evaluate(&subschema)),
                None => self.stage = self.condition(),
            },
            Stage::If(condition) => return Some(evaluate(&condition.condition)),
            Stage::Consequence(subschema) => return Some(subschema.take().as_ref().map_or(Step::Done(true), evaluate)),
        }
        None
    }

    fn below(&self) -> Stage<'p, 'v> {
        match (self.value, self.checks.members()) {
            (Value::Object(members), Some(objects)) => Stage::Members(objects, members.iter(), Vec::new()),
            (Value::Array(items), ..) => match self.checks.arrays.as_deref() {
                Some(arrays) => match arrays.contains {
                    Some(subschema) => Stage::Contains(arrays, subschema, items.iter()),
                    None => self.items(arrays),
                },
                None => self.any_of(),
            },
            _ => self.any_of(),
        }
    }

    fn items(&self, arrays: &'p ArrayChecks) -> Stage<'p, 'v> {
        match self.value {
            Value::Array(items) if arrays.has_items() => Stage::Items(arrays, items.iter().enumerate()),
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

    fn condition(&self) -> Stage<'p, 'v> {
        let condition = self.in_place().and_then(|in_place| in_place.condition);
        condition.map_or(Stage::Consequence(None), Stage::If)
    }

    fn in_place(&self) -> Option<&'p InPlace> {
        self.checks.in_place.as_deref()
    }
}
