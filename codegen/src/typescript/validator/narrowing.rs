//! Tests after which the compiler would reject the rest of a condition.
//!
//! Variables have the type `any`, but the compiler gives them a narrower type after `typeof` and `Array.isArray`: for
//! the schema `{"type": "string", "not": {"type": "number", "minimum": 0}}`, it takes `value` for a string when it
//! reads `value >= 0`, which it rejects. This module follows the narrowing as the compiler does. If it finds a use that
//! the narrower type may not allow, it changes the tests that narrow the type: `typeof (value as any)` narrows nothing.
//!
//! Of the properties of a variable, the compiler narrows only those in brackets, such as `value["content-type"]`. Tests
//! and guards of a property that the condition uses again get `as any`.
//!
//! It need not be exact: if it finds a use that the compiler would allow, a test is written with `as any` without need.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::typescript::syntax::{BinaryOperator, Expression, Literal, Local, Name, Statement, Type, follows_dot};

/// Rewrites the tests whose narrowing the rest of a condition does not allow.
pub(super) fn widen(statements: &mut [Statement]) {
    for statement in statements {
        statement.each_expression_mut(&mut widen_expression);
    }
}

/// How often a condition is followed. If there are conflicts after that, every test is written with `as any`.
const ROUNDS: usize = 16;

fn widen_expression(condition: &mut Expression) {
    let mut uses = HashMap::new();
    count_properties(condition, &mut uses);
    uses.retain(|_, count| *count > 1);
    if !uses.is_empty() {
        let repeated = uses.into_keys().cloned().collect();
        widen_properties(condition, &repeated);
    }
    let mut wide = BTreeSet::new();
    // Without the narrowing of one test, others may narrow a type instead.
    for round in 1..=ROUNDS {
        let mut flow = Flow { next: 0, wide, sets: Vec::new(), noted: HashSet::new(), conflicts: BTreeSet::new() };
        flow.follow(condition, Types::new());
        wide = flow.wide;
        let found = wide.len();
        wide.extend(flow.conflicts);
        if wide.len() == found {
            break;
        }
        if round == ROUNDS {
            wide.extend(0..flow.next);
        }
    }
    if !wide.is_empty() {
        rewrite(condition, &mut 0, &wide);
    }
}

/// Counts the uses of each property in brackets.
fn count_properties<'e>(expression: &'e Expression, uses: &mut HashMap<&'e Expression, usize>) {
    if matches!(expression, Expression::Member(_, name) if !follows_dot(name)) {
        *uses.entry(expression).or_default() += 1;
    }
    expression.children().for_each(|child| count_properties(child, uses));
}

/// Adds `as any` to the repeated properties whose types are tested.
fn widen_properties(expression: &mut Expression, repeated: &HashSet<Expression>) {
    let tested = match expression {
        Expression::TypeOf(operand) => Some(&mut **operand),
        // `Array.isArray` and type guards narrow their argument.
        Expression::Call(_, arguments) => arguments.first_mut(),
        _ => None,
    };
    if let Some(tested) = tested.filter(|tested| repeated.contains(tested)) {
        let inner = std::mem::replace(tested, Expression::Undefined);
        *tested = inner.typed(Type::ANY);
    }
    expression.children_mut().into_iter().for_each(|child| widen_properties(child, repeated));
}

/// Adds `as any` to the operands of tests, which are numbered in the order in which they are written.
fn rewrite(expression: &mut Expression, next: &mut usize, wide: &BTreeSet<usize>) {
    if test(expression).is_some() {
        let is_wide = wide.contains(next);
        *next += 1;
        if let Some(operand) = operand_mut(expression).filter(|_| is_wide) {
            let inner = std::mem::replace(operand, Expression::Undefined);
            *operand = inner.typed(Type::ANY);
        }
    }
    expression.children_mut().into_iter().for_each(|child| rewrite(child, next, wide));
}

/// The types that a test distinguishes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Boolean,
    Number,
    String,
    Array,
}

/// The narrowed type of a variable.
#[derive(Clone)]
struct Narrowed {
    /// It is one of these, or a part of one.
    kinds: BTreeSet<Kind>,
    /// Whether it may be a part, such as a literal or `never`, which has no other value to compare with.
    is_part: bool,
    /// The tests that narrowed it.
    tests: SetId,
}

/// An index into [`Flow::sets`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SetId(usize);

/// A set of tests. In a long condition, every test adds to the set of those before it, so sets share their parts.
#[derive(Clone, Copy)]
enum Set {
    One(usize),
    Both(SetId, SetId),
}

/// The variables with a narrowed type; others have the type `any`.
type Types = BTreeMap<Local, Narrowed>;

/// The types after an expression that is true, and after one that is false.
struct After {
    yes: Types,
    no: Types,
}

impl After {
    fn both(types: Types) -> Self {
        After { yes: types.clone(), no: types }
    }
}

struct Flow {
    /// The number of the next test.
    next: usize,
    /// The tests that narrow nothing.
    wide: BTreeSet<usize>,
    sets: Vec<Set>,
    /// The sets whose tests are in `conflicts`.
    noted: HashSet<SetId>,
    /// The tests that narrow a type too far for a later use.
    conflicts: BTreeSet<usize>,
}

impl Flow {
    fn set(&mut self, set: Set) -> SetId {
        self.sets.push(set);
        SetId(self.sets.len() - 1)
    }

    fn union(&mut self, one: SetId, other: SetId) -> SetId {
        if one == other { one } else { self.set(Set::Both(one, other)) }
    }

    /// Adds the tests of a set to the conflicts.
    fn conflict(&mut self, tests: SetId) {
        let mut open = vec![tests];
        while let Some(id) = open.pop() {
            if !self.noted.insert(id) {
                continue;
            }
            match self.sets.get(id.0) {
                Some(Set::One(test)) => drop(self.conflicts.insert(*test)),
                Some(Set::Both(one, other)) => open.extend([*one, *other]),
                None => {}
            }
        }
    }

    /// The types after one of two ways.
    fn either(&mut self, mut one: Types, other: &Types) -> Types {
        one.retain(|local, narrowed| {
            let Some(other) = other.get(local) else { return false };
            narrowed.kinds.extend(&other.kinds);
            narrowed.tests = self.union(narrowed.tests, other.tests);
            narrowed.is_part |= other.is_part;
            true
        });
        one
    }

    fn follow(&mut self, expression: &Expression, types: Types) -> After {
        if let Some(test) = test(expression) {
            return self.narrow(expression, test, types);
        }
        match expression {
            Expression::Not(inner) => {
                let After { yes, no } = self.follow(inner, types);
                After { yes: no, no: yes }
            }
            Expression::And(terms) => {
                let (mut yes, mut no) = (types, None);
                for term in terms {
                    let after = self.follow(term, yes);
                    yes = after.yes;
                    no = Some(match no {
                        Some(no) => self.either(no, &after.no),
                        None => after.no,
                    });
                }
                After { no: no.unwrap_or_default(), yes }
            }
            Expression::Or(terms) => {
                let (mut no, mut yes) = (types, None);
                for term in terms {
                    let after = self.follow(term, no);
                    no = after.no;
                    yes = Some(match yes {
                        Some(yes) => self.either(yes, &after.yes),
                        None => after.yes,
                    });
                }
                After { yes: yes.unwrap_or_default(), no }
            }
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let After { yes, no } = self.follow(condition, types);
                let (then, otherwise) = (self.follow(then, yes), self.follow(otherwise, no));
                After { yes: self.either(then.yes, &otherwise.yes), no: self.either(then.no, &otherwise.no) }
            }
            Expression::Assign(local, value) => {
                let mut types = self.follow(value, types).yes;
                types.remove(local);
                After::both(types)
            }
            Expression::Binary(left, operator, right) => self.compare(left, *operator, right, types),
            _ => self.use_parts(expression, types),
        }
    }

    /// The types after a test of a variable's type.
    fn narrow(&mut self, expression: &Expression, test: Test, types: Types) -> After {
        let number = self.next;
        self.next += 1;
        let types = expression.children().fold(types, |types, child| self.follow_value(child, types));
        let mut after = After::both(types);
        if self.wide.contains(&number) {
            return after;
        }
        let Test { local, kind, .. } = test;
        let is_kind = |is_part, tests| Narrowed { kinds: [kind].into(), is_part, tests };
        let own = self.set(Set::One(number));
        match after.yes.remove(&local) {
            // A value that has not this type can still have any other.
            None => drop(after.yes.insert(local, is_kind(false, own))),
            Some(Narrowed { kinds, is_part, tests }) => {
                let tests = self.union(tests, own);
                if !kinds.contains(&kind) {
                    self.conflict(tests);
                }
                after.yes.insert(local, is_kind(is_part, tests));
                after.no.insert(local, Narrowed { kinds, is_part: true, tests });
            }
        }
        if test.is_negated { After { yes: after.no, no: after.yes } } else { after }
    }

    /// The types after a comparison.
    fn compare(&mut self, left: &Expression, operator: BinaryOperator, right: &Expression, types: Types) -> After {
        let types = self.follow_value(left, types);
        let mut after = After::both(self.follow_value(right, types));
        let Some(local) = variable(left) else { return after };
        let Some(narrowed) = after.yes.get(&local).cloned() else { return after };
        let is_equality = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
        let is_allowed = match right {
            // Every type can be compared with these.
            Expression::Undefined | Expression::Literal(Literal::Null) => true,
            Expression::Literal(literal) if is_equality => {
                kind_of(literal).is_some_and(|kind| narrowed.kinds.contains(&kind))
            }
            _ => !is_equality && narrowed.kinds.iter().all(|kind| *kind == Kind::Number),
        };
        if !is_allowed || narrowed.is_part {
            self.conflict(narrowed.tests);
        }
        if is_equality {
            let part = Narrowed { is_part: true, ..narrowed };
            let (equal, other) = match operator {
                BinaryOperator::Equal => (&mut after.yes, &mut after.no),
                _ => (&mut after.no, &mut after.yes),
            };
            // `boolean` is a union of two literals, so one comparison leaves only the other.
            if part.kinds.contains(&Kind::Boolean) {
                other.insert(local, part.clone());
            }
            equal.insert(local, part);
        }
        after
    }

    /// The types after the parts of an expression, which narrows nothing itself.
    fn use_parts(&mut self, expression: &Expression, types: Types) -> After {
        let narrowed = |part: &Expression| variable(part).and_then(|local| types.get(&local));
        let misused = match expression {
            Expression::Member(object, name) => {
                narrowed(object).filter(|it| it.is_part || name != "length" || !it.kinds.iter().all(has_length))
            }
            Expression::OptionalMember(object, _) => narrowed(object).filter(|it| it.is_part),
            Expression::Index(object, _) => narrowed(object),
            _ => None,
        };
        if let Some(misused) = misused {
            self.conflict(misused.tests);
        }
        // Of the calls of methods, only those of patterns have parameters with a type.
        if let Expression::Call(callee, arguments) = expression
            && let Expression::Member(_, name) = &**callee
            && name == "test"
        {
            for narrowed in arguments.iter().filter_map(narrowed) {
                if narrowed.is_part || narrowed.kinds.iter().any(|kind| *kind != Kind::String) {
                    self.conflict(narrowed.tests);
                }
            }
        }
        After::both(expression.children().fold(types, |types, child| self.follow_value(child, types)))
    }

    /// The types after an expression whose value is used.
    fn follow_value(&mut self, expression: &Expression, types: Types) -> Types {
        let After { yes, no } = self.follow(expression, types);
        self.either(yes, &no)
    }
}

/// The variable whose value an expression is: the variable itself or an assignment to it.
fn variable(expression: &Expression) -> Option<Local> {
    match expression {
        Expression::Name(Name::Local(local)) | Expression::Assign(local, _) => Some(*local),
        _ => None,
    }
}

/// A test of the type of a variable.
struct Test {
    local: Local,
    kind: Kind,
    /// Whether it is true for values of other types.
    is_negated: bool,
}

/// The test that an expression is.
fn test(expression: &Expression) -> Option<Test> {
    match expression {
        Expression::Binary(left, operator @ (BinaryOperator::Equal | BinaryOperator::NotEqual), right) => {
            let Expression::TypeOf(operand) = &**left else { return None };
            let is_negated = *operator == BinaryOperator::NotEqual;
            Some(Test { local: variable(operand)?, kind: kind_named(right)?, is_negated })
        }
        Expression::Call(callee, arguments) if is_array_test(callee) => {
            Some(Test { local: variable(arguments.first()?)?, kind: Kind::Array, is_negated: false })
        }
        _ => None,
    }
}

/// Whether a callee is `Array.isArray`.
fn is_array_test(callee: &Expression) -> bool {
    matches!(callee, Expression::Member(object, name) if **object == Expression::Name(Name::Global("Array")) && name == "isArray")
}

/// The operand of a [`test`].
fn operand_mut(test: &mut Expression) -> Option<&mut Expression> {
    match test {
        Expression::Binary(left, ..) => match &mut **left {
            Expression::TypeOf(operand) => Some(operand),
            _ => None,
        },
        Expression::Call(_, arguments) => arguments.first_mut(),
        _ => None,
    }
}

fn kind_named(name: &Expression) -> Option<Kind> {
    let Expression::Literal(Literal::String(name)) = name else { return None };
    match name.as_str() {
        "boolean" => Some(Kind::Boolean),
        "number" => Some(Kind::Number),
        "string" => Some(Kind::String),
        _ => None,
    }
}

fn kind_of(literal: &Literal) -> Option<Kind> {
    match literal {
        Literal::Null => None,
        Literal::Boolean(_) => Some(Kind::Boolean),
        Literal::Number(_) => Some(Kind::Number),
        Literal::String(_) => Some(Kind::String),
    }
}

fn has_length(kind: &Kind) -> bool {
    matches!(kind, Kind::Array | Kind::String)
}
