//! Whether a payload fits: one walk that stops at the first failure, and allocates nothing where a payload of usual size
//! does not repeat itself.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::candidates::Union;
use super::check::{Failure, check_array, check_literals, check_number, check_size, check_string};
use super::compile::Program;
use super::rule::{ArrayChecks, Checks, InPlace, ObjectChecks, Rule, RuleId};
use super::stack;
use super::value::{has_type, is_shallow};

/// How many rules may wait for each other on the call stack: two for each level of the deepest payload, and some. Their
/// frames take less than 512 KiB unoptimized, and a fraction of it optimized; what nests deeper goes through [`stack`].
const MAX_FRAMES: u32 = 320;

/// So many times a shared rule is simply evaluated; if there is more to do, verdicts are remembered.
const MAX_REPEATED: u32 = 1 << 14;

/// Evaluates rules on the values of one payload.
pub(super) struct Evaluator<'p, 'v> {
    program: &'p Program,
    payload: &'v Value,
    max_depth: usize,
    shallow: Option<bool>,
    /// Evaluations of shared rules.
    repeated: u32,
    /// By rule and address of the value, which tells places of a payload apart.
    known: HashMap<(RuleId, usize), bool>,
    /// Whether the call stack would have become too deep; answers mean nothing from then on.
    gave_up: bool,
    fallback: stack::Evaluator<'p, 'v>,
}

/// What is left for a value to take.
///
/// A value is *watched* along one way of evaluation, where a positive answer says that it has no more levels than allowed.
/// So a payload that is nested too deep is never answered positively, and looking at its depth costs no walk of its own.
#[derive(Clone, Copy)]
struct Room {
    /// Levels of arrays and objects; [`Room::UNWATCHED`] where another way takes care.
    levels: u32,
    frames: u32,
}

impl Room {
    const UNWATCHED: u32 = u32::MAX;

    /// For the same value on another way.
    fn unwatched(self) -> Self {
        Room { levels: Room::UNWATCHED, ..self }
    }

    /// For what is in an array or object; `None` where that is too deep.
    fn inside(self) -> Option<Self> {
        match self.levels {
            0 => None,
            Room::UNWATCHED => Some(self),
            levels => Some(Room { levels: levels - 1, ..self }),
        }
    }

    /// Whether a value that no rule has looked into is shallow enough.
    fn holds(self, value: &Value) -> bool {
        self.levels == Room::UNWATCHED || is_shallow(value, self.levels as usize)
    }
}

fn stop(_: Failure<'_>) -> ControlFlow<()> {
    ControlFlow::Break(())
}

impl<'p, 'v> Evaluator<'p, 'v> {
    pub(super) fn new(program: &'p Program, payload: &'v Value, max_depth: usize) -> Self {
        Self {
            program,
            payload,
            max_depth,
            shallow: None,
            repeated: 0,
            known: HashMap::new(),
            gave_up: false,
            fallback: stack::Evaluator::new(program),
        }
    }

    /// Whether the payload fits and is shallow.
    pub(super) fn accepts(&mut self, rule: RuleId) -> bool {
        let levels = u32::try_from(self.max_depth).unwrap_or(Room::UNWATCHED - 1);
        let verdict = self.fits(rule, self.payload, Room { levels, frames: MAX_FRAMES });
        if self.gave_up { self.is_shallow() && self.fallback.verdict(rule, self.payload) } else { verdict }
    }

    /// Whether a value of the payload, which is shallow, fits. Verdicts on shared rules are remembered from one question
    /// to the next.
    pub(super) fn verdict(&mut self, rule: RuleId, value: &'v Value) -> bool {
        self.shallow = Some(true);
        self.repeated = MAX_REPEATED;
        let verdict = self.fits(rule, value, Room { levels: Room::UNWATCHED, frames: MAX_FRAMES });
        if std::mem::take(&mut self.gave_up) { self.fallback.verdict(rule, value) } else { verdict }
    }

    fn is_shallow(&mut self) -> bool {
        *self.shallow.get_or_insert_with(|| is_shallow(self.payload, self.max_depth))
    }

    fn fits(&mut self, id: RuleId, value: &'v Value, room: Room) -> bool {
        let checks = match self.program.rule(id) {
            Rule::Bool(verdict) => return *verdict && room.holds(value),
            Rule::Checks(checks) => checks,
        };
        if !has_type(value, checks.types) || check_literals(checks, value, &mut stop).is_break() {
            return false;
        }
        let own = match value {
            Value::Null | Value::Bool(_) => true,
            Value::Number(number) => check_number(checks, number, &mut stop).is_continue(),
            Value::String(text) => {
                checks.strings.as_ref().is_none_or(|strings| check_string(strings, text, &mut stop).is_continue())
            }
            Value::Array(_) | Value::Object(_) => return self.fits_nested(id, checks, value, room),
        };
        match &checks.in_place {
            Some(_) if own => self.fits_nested(id, checks, value, room),
            _ => own,
        }
    }

    /// The part that may ask other rules.
    fn fits_nested(&mut self, id: RuleId, checks: &'p Checks, value: &'v Value, room: Room) -> bool {
        let Some(frames) = room.frames.checked_sub(1) else {
            self.gave_up = true;
            return false;
        };
        let room = Room { frames, ..room };
        if !checks.is_shared {
            return self.fits_inside(checks, value, room);
        }
        if self.repeated < MAX_REPEATED {
            self.repeated += 1;
            return self.fits_inside(checks, value, room);
        }
        // What is remembered says nothing of depth.
        if !self.is_shallow() {
            return false;
        }
        let place = (id, std::ptr::from_ref(value).addr());
        if let Some(verdict) = self.known.get(&place) {
            return *verdict;
        }
        let verdict = self.fits_inside(checks, value, room.unwatched());
        if !self.gave_up {
            self.known.insert(place, verdict);
        }
        verdict
    }

    fn fits_inside(&mut self, checks: &'p Checks, value: &'v Value, room: Room) -> bool {
        let is_visited = match value {
            Value::Array(items) => match (&checks.arrays, room.inside()) {
                (_, None) => return false,
                (Some(arrays), Some(inside)) if !self.fits_array(arrays, items, inside) => return false,
                (arrays, _) => arrays.as_ref().is_some_and(|arrays| arrays.items.is_some()),
            },
            Value::Object(members) => match (&checks.objects, room.inside()) {
                (_, None) => return false,
                (Some(objects), Some(inside)) if !self.fits_object(objects, members, inside) => return false,
                (objects, _) => objects.as_ref().is_some_and(|objects| objects.has_members()),
            },
            _ => true,
        };
        let room = if is_visited { room.unwatched() } else { room };
        match &checks.in_place {
            Some(in_place) => self.fits_in_place(in_place, value, room),
            None => room.holds(value),
        }
    }

    fn fits_array(&mut self, checks: &'p ArrayChecks, items: &'v [Value], inside: Room) -> bool {
        if !checks.unique_items {
            if check_size(checks, items, &mut stop).is_break() {
                return false;
            }
        } else {
            // Whoever compares values walks through them.
            let is_flat = !items.iter().any(|item| item.is_array() || item.is_object());
            if !(is_flat || self.is_shallow()) || check_array(checks, items, &mut stop).is_break() {
                return false;
            }
        }
        checks.items.is_none_or(|rule| items.iter().all(|item| self.fits(rule, item, inside)))
    }

    /// Looks at each member once; a required property that is declared is counted as it passes by.
    fn fits_object(&mut self, checks: &'p ObjectChecks, members: &'v Map<String, Value>, inside: Room) -> bool {
        let is_missing = |name: &String| !members.contains_key(name.as_str());
        if checks.undeclared().iter().any(is_missing) {
            return false;
        }
        if !checks.has_members() {
            return true;
        }
        let (mut next, mut found) = (0, 0);
        for (name, member) in members {
            let rule = match checks.find(name, next) {
                Some((index, declared)) => {
                    next = index + 1;
                    found += usize::from(declared.is_required);
                    Some(declared.rule)
                }
                None => checks.additional(),
            };
            if !rule.map_or_else(|| inside.holds(member), |rule| self.fits(rule, member, inside)) {
                return false;
            }
        }
        found == checks.declared()
    }

    /// The first that goes through the whole value watches it.
    fn fits_in_place(&mut self, in_place: &'p InPlace, value: &'v Value, mut room: Room) -> bool {
        for rule in &in_place.all_of {
            if !self.fits(*rule, value, room) {
                return false;
            }
            room = room.unwatched();
        }
        if let Some(union) = &in_place.any_of {
            if !self.fits_any(union, value, room) {
                return false;
            }
            room = room.unwatched();
        }
        if let Some(union) = &in_place.one_of {
            if !self.fits_one(union, value, room) {
                return false;
            }
            room = room.unwatched();
        }
        let is_excluded = in_place.not.is_some_and(|rule| self.fits(rule, value, room.unwatched()));
        !is_excluded && !self.gave_up && room.holds(value)
    }

    fn fits_any(&mut self, union: &'p Union, value: &'v Value, room: Room) -> bool {
        let mut candidates = union.candidates(value).iter();
        candidates.any(|rule| self.gave_up || self.fits(*rule, value, room)) && !self.gave_up
    }

    fn fits_one(&mut self, union: &'p Union, value: &'v Value, mut room: Room) -> bool {
        let mut matched = false;
        for rule in union.candidates(value) {
            if self.fits(*rule, value, room) {
                if matched {
                    return false;
                }
                matched = true;
                room = room.unwatched();
            }
            if self.gave_up {
                return false;
            }
        }
        matched
    }
}
