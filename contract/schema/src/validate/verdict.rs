//! Whether a payload is valid: one walk over the payload that stops at the first failure. It allocates nothing unless
//! the cost of shared definitions grows so large that results must be remembered.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::candidates::Union;
use super::check::{
    Failure, allows_name, check_array, check_count, check_dependent, check_literals, check_number, check_size,
    check_string,
};
use super::compile::Program;
use super::program::{ArrayChecks, Checks, InPlace, ObjectChecks, Subschema, SubschemaId};
use super::stack;
use super::value::{has_type, is_shallow};
use crate::exact::Digits;

/// How many evaluations may be active on the call stack: two for each level of the deepest payload, and some more.
/// Their frames take less than 512 KiB without optimization and a fraction of that with it. Deeper evaluations use
/// [`stack`].
const MAX_FRAMES: u32 = 320;

/// The same for a value inside the payload: the caller, which collects violations, has descended to it and uses the
/// rest of the stack.
const MAX_FRAMES_INSIDE: u32 = MAX_FRAMES / 2;

/// After this many evaluations of shared subschemas, results are remembered. Below it, evaluating again is faster than
/// the hash map.
const MAX_REPEATED: u32 = 1 << 14;

/// Evaluates subschemas on the values of one payload.
pub(super) struct Evaluator<'p, 'v> {
    program: &'p Program,
    payload: &'v Value,
    digits: Digits<'v>,
    max_depth: usize,
    shallow: Option<bool>,
    /// Evaluations of shared subschemas.
    repeated: u32,
    /// The results, by subschema and address of the value. The payload does not move, so the address identifies the
    /// place.
    known: HashMap<(SubschemaId, usize), bool>,
    /// Whether the call stack would have become too deep. From then on results are meaningless, and [`stack`] starts
    /// over.
    gave_up: bool,
    fallback: stack::Evaluator<'p, 'v>,
}

/// The limits that remain for a value.
///
/// Of the subschemas that apply to one value, one evaluation also checks that the value has no more levels than
/// allowed; for the others, levels are unlimited. So a payload that is nested too deeply is never valid, and checking
/// its depth does not take a walk of its own.
#[derive(Clone, Copy)]
struct Room {
    /// Levels of arrays and objects; [`Room::UNLIMITED`] if another evaluation checks them.
    levels: u32,
    frames: u32,
}

impl Room {
    /// More levels than any payload has.
    const UNLIMITED: u32 = u32::MAX;

    /// For another evaluation of the same value.
    fn unlimited(self) -> Self {
        Room { levels: Room::UNLIMITED, ..self }
    }

    /// For the items of an array or the properties of an object; `None` if that is too deep.
    fn inside(self) -> Option<Self> {
        match self.levels {
            0 => None,
            Room::UNLIMITED => Some(self),
            levels => Some(Room { levels: levels - 1, ..self }),
        }
    }

    /// Whether a value into which no subschema descends is shallow enough.
    fn allows(self, value: &Value) -> bool {
        self.levels == Room::UNLIMITED || is_shallow(value, self.levels as usize)
    }
}

fn stop(_: Failure<'_>) -> ControlFlow<()> {
    ControlFlow::Break(())
}

impl<'p, 'v> Evaluator<'p, 'v> {
    pub(super) fn new(program: &'p Program, payload: &'v Value, digits: Digits<'v>, max_depth: usize) -> Self {
        Self {
            program,
            payload,
            digits,
            max_depth,
            shallow: None,
            repeated: 0,
            known: HashMap::new(),
            gave_up: false,
            fallback: stack::Evaluator::new(program, digits),
        }
    }

    /// Whether the payload is valid and shallow enough.
    pub(super) fn accepts(&mut self, subschema: SubschemaId) -> bool {
        let levels = u32::try_from(self.max_depth).unwrap_or(Room::UNLIMITED - 1);
        let verdict = self.matches(subschema, self.payload, Room { levels, frames: MAX_FRAMES });
        if self.gave_up { self.is_shallow() && self.fallback.verdict(subschema, self.payload) } else { verdict }
    }

    /// Whether a value of the payload matches. The payload must be shallow enough. Results of shared subschemas are
    /// remembered from one call to the next.
    pub(super) fn verdict(&mut self, subschema: SubschemaId, value: &'v Value) -> bool {
        self.shallow = Some(true);
        self.repeated = MAX_REPEATED;
        let verdict = self.matches(subschema, value, Room { levels: Room::UNLIMITED, frames: MAX_FRAMES_INSIDE });
        if std::mem::take(&mut self.gave_up) { self.fallback.verdict(subschema, value) } else { verdict }
    }

    fn is_shallow(&mut self) -> bool {
        *self.shallow.get_or_insert_with(|| is_shallow(self.payload, self.max_depth))
    }

    fn matches(&mut self, id: SubschemaId, value: &'v Value, room: Room) -> bool {
        let checks = match self.program.subschema(id) {
            Subschema::Bool(verdict) => return *verdict && room.allows(value),
            Subschema::Checks(checks) => checks,
        };
        if !has_type(value, checks.types, self.digits)
            || check_literals(checks, value, self.digits, &mut stop).is_break()
        {
            return false;
        }
        let own = match value {
            Value::Null | Value::Bool(_) => true,
            Value::Number(number) => check_number(checks, number, self.digits, &mut stop).is_continue(),
            Value::String(text) => {
                checks.strings.as_ref().is_none_or(|strings| check_string(strings, text, &mut stop).is_continue())
            }
            Value::Array(_) | Value::Object(_) => return self.matches_nested(id, checks, value, room),
        };
        match &checks.in_place {
            Some(_) if own => self.matches_nested(id, checks, value, room),
            _ => own,
        }
    }

    /// The part that may evaluate other subschemas.
    fn matches_nested(&mut self, id: SubschemaId, checks: &'p Checks, value: &'v Value, room: Room) -> bool {
        let Some(frames) = room.frames.checked_sub(1) else {
            self.gave_up = true;
            return false;
        };
        let room = Room { frames, ..room };
        if !checks.is_shared {
            return self.matches_inside(checks, value, room);
        }
        if self.repeated < MAX_REPEATED {
            self.repeated += 1;
            return self.matches_inside(checks, value, room);
        }
        // A remembered result does not include the check of depth.
        if !self.is_shallow() {
            return false;
        }
        let place = (id, std::ptr::from_ref(value).addr());
        if let Some(verdict) = self.known.get(&place) {
            return *verdict;
        }
        let verdict = self.matches_inside(checks, value, room.unlimited());
        if !self.gave_up {
            self.known.insert(place, verdict);
        }
        verdict
    }

    fn matches_inside(&mut self, checks: &'p Checks, value: &'v Value, room: Room) -> bool {
        let is_visited = match value {
            Value::Array(items) => match (&checks.arrays, room.inside()) {
                (_, None) => return false,
                (Some(arrays), Some(inside)) if !self.matches_array(arrays, items, inside) => return false,
                (arrays, _) => arrays.as_ref().is_some_and(|arrays| arrays.has_items()),
            },
            Value::Object(members) => match (&checks.objects, room.inside()) {
                (_, None) => return false,
                (Some(objects), Some(inside)) if !self.matches_object(objects, members, inside) => return false,
                (objects, _) => objects.as_ref().is_some_and(|objects| objects.has_members()),
            },
            _ => true,
        };
        let room = if is_visited { room.unlimited() } else { room };
        match &checks.in_place {
            Some(in_place) => self.matches_in_place(in_place, value, room),
            None => room.allows(value),
        }
    }

    fn matches_array(&mut self, checks: &'p ArrayChecks, items: &'v [Value], inside: Room) -> bool {
        if !checks.unique_items {
            if check_size(checks, items, &mut stop).is_break() {
                return false;
            }
        } else {
            // Comparing items recurses into them, so they must be shallow.
            let is_flat = !items.iter().any(|item| item.is_array() || item.is_object());
            if !(is_flat || self.is_shallow()) || check_array(checks, items, self.digits, &mut stop).is_break() {
                return false;
            }
        }
        if let Some(subschema) = checks.contains
            && !self.has_match(subschema, items, inside)
        {
            return false;
        }
        if let Some(subschema) = checks.every_item() {
            return items.iter().all(|item| self.matches(subschema, item, inside));
        }
        // Items without a subschema may be nested too deeply. Without any subschema, the caller finds out.
        let mut of_positions = items.iter().enumerate();
        !checks.has_items()
            || of_positions.all(|(index, item)| match checks.item(index) {
                Some(subschema) => self.matches(subschema, item, inside),
                None => inside.allows(item),
            })
    }

    /// Whether an item matches `contains`. Its depth is checked elsewhere, together with that of the others.
    fn has_match(&mut self, subschema: SubschemaId, items: &'v [Value], inside: Room) -> bool {
        let mut items = items.iter();
        items.any(|item| self.gave_up || self.matches(subschema, item, inside.unlimited())) && !self.gave_up
    }

    /// Visits each member once. Required properties that are declared are counted on the way, which saves looking them
    /// up.
    fn matches_object(&mut self, checks: &'p ObjectChecks, members: &'v Map<String, Value>, inside: Room) -> bool {
        if check_count(checks, members.len(), &mut stop).is_break()
            || check_dependent(checks, members, &mut stop).is_break()
        {
            return false;
        }
        let is_missing = |name: &String| !members.contains_key(name.as_str());
        if checks.undeclared().iter().any(is_missing) {
            return false;
        }
        if !checks.has_members() {
            return true;
        }
        if checks.names().is_some_and(|names| !members.keys().all(|name| allows_name(names, name))) {
            return false;
        }
        let (mut next, mut found) = (0, 0);
        for (name, member) in members {
            let mut is_matched = false;
            for (pattern, subschema) in checks.patterns() {
                match pattern.is_match(name) {
                    Ok(true) if self.matches(*subschema, member, inside) => is_matched = true,
                    Ok(false) => {}
                    _ => return false,
                }
            }
            let subschema = match checks.find(name, next) {
                Some((index, declared)) => {
                    next = index + 1;
                    found += usize::from(declared.is_required);
                    Some(declared.subschema)
                }
                None if is_matched => continue,
                None => checks.additional(),
            };
            if !subschema.map_or_else(|| inside.allows(member), |subschema| self.matches(subschema, member, inside)) {
                return false;
            }
        }
        found == checks.declared()
    }

    /// The first subschema that visits the whole value also checks its depth.
    fn matches_in_place(&mut self, in_place: &'p InPlace, value: &'v Value, mut room: Room) -> bool {
        for subschema in &in_place.all_of {
            if !self.matches(*subschema, value, room) {
                return false;
            }
            room = room.unlimited();
        }
        if let Some(union) = &in_place.any_of {
            if !self.matches_any(union, value, room) {
                return false;
            }
            room = room.unlimited();
        }
        if let Some(union) = &in_place.one_of {
            if !self.matches_one(union, value, room) {
                return false;
            }
            room = room.unlimited();
        }
        if in_place.not.is_some_and(|subschema| self.matches(subschema, value, room.unlimited())) || self.gave_up {
            return false;
        }
        if let Some(condition) = &in_place.condition {
            let is_met = self.matches(condition.condition, value, room.unlimited());
            if let Some(subschema) = condition.consequence(is_met).filter(|_| !self.gave_up) {
                return self.matches(subschema, value, room);
            }
        }
        !self.gave_up && room.allows(value)
    }

    fn matches_any(&mut self, union: &'p Union, value: &'v Value, room: Room) -> bool {
        let mut candidates = union.candidates(value).iter();
        candidates.any(|subschema| self.gave_up || self.matches(*subschema, value, room)) && !self.gave_up
    }

    fn matches_one(&mut self, union: &'p Union, value: &'v Value, mut room: Room) -> bool {
        let mut matched = false;
        for subschema in union.candidates(value) {
            if self.matches(*subschema, value, room) {
                if matched {
                    return false;
                }
                matched = true;
                room = room.unlimited();
            }
            if self.gave_up {
                return false;
            }
        }
        matched
    }
}
