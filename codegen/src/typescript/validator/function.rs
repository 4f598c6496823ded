//! Functions of a plan as functions of TypeScript.

use super::condition::{any, take_counter};
use super::test::{Tests, length};
use crate::plan::test::{Place, Test};
use crate::plan::{self, Body, Declared};
use crate::typescript::syntax::{
    BinaryOperator, Expression, Function, Local, Name, Parameter, Returns, Statement, Type,
};

impl Tests<'_, '_> {
    pub(super) fn function(&self, name: &str, function: &plan::Function<'_>) -> Function {
        let (body, returns) = self.statements(&function.body);
        let parameters = parameters(function.has_depth, &body);
        let name = Name::Internal(name.to_owned());
        Function { doc: Vec::new(), name, parameters, returns: Returns::Type(returns), body }
    }

    /// The statements that return the result of a function, and its type.
    fn statements(&self, function: &Body<'_>) -> (Vec<Statement>, Type) {
        let statements = match function {
            Body::Test(test) => body(self.expression(test), Statement::Return),
            Body::Count(count) => return (body(self.count(count), Statement::Return), Type::NUMBER),
            Body::EachItem(test) => {
                let value = Local::Value.into();
                each(self.expression(test), |body| Statement::ForIndex(Local::Item, value, body))
            }
            Body::SomeItem(test) => {
                let value = Local::Value.into();
                some(self.expression(test), |body| Statement::ForIndex(Local::Item, value, body))
            }
            Body::Tuple { positions, rest } => self.tuple(positions, rest),
            Body::EachMember { declared, test } => self.each_member(declared, self.expression(test)),
            Body::EachName(test) => {
                let is_absent = member().equals(Expression::Undefined);
                let condition = any([self.expression(test), is_absent]);
                each(condition, |body| Statement::ForOf(Local::Key, keys(), body))
            }
            Body::Remember { memory, decide } => remembering(&self.constant_name(*memory), self.call(decide)),
        };
        (statements, Type::BOOLEAN)
    }

    /// Each item is read into one variable, and tested if the array has it.
    fn tuple(&self, positions: &[Test<'_>], rest: &Test<'_>) -> Vec<Statement> {
        let is_absent = |index: usize| length(Place::Value, BinaryOperator::LessOrEqual, index as u64);
        let (mut statements, mut is_declared) = (Vec::new(), false);
        let mut conditions = Vec::new();
        for (index, test) in positions.iter().enumerate().filter(|(_, test)| **test != Test::Always) {
            let tested = self.expression(test);
            // Some tests are about the depth alone. Compilers reject a variable that is not used.
            if tested.uses(Local::Item) > 0 {
                let position = Expression::count(index as u64);
                let item = Expression::Index(Box::new(Local::Value.into()), Box::new(position));
                statements.push(match std::mem::replace(&mut is_declared, true) {
                    false => Statement::Let(vec![(Local::Item, Some(item))], Some(Type::ANY)),
                    true => Statement::Expression(Expression::Assign(Local::Item, Box::new(item))),
                });
            }
            let condition = any([is_absent(index), tested]);
            statements.push(returns_false_unless(condition.clone()));
            conditions.push(condition);
        }
        if *rest != Test::Always {
            let tested = self.expression(rest);
            if tested.uses(Local::Item) > 0 {
                let first = Expression::count(positions.len() as u64);
                let others = Expression::from(Local::Value).method("slice", vec![first]);
                statements.push(Statement::ForOf(Local::Item, others, vec![returns_false_unless(tested.clone())]));
            } else {
                statements.push(returns_false_unless(any([is_absent(positions.len()), tested.clone()])));
            }
            conditions.push(tested);
        }
        statements.push(Statement::Return(Expression::TRUE));
        // Not `all`: beside a condition that is never met, it would leave out the variables of the others.
        declaration(&Expression::Array(conditions), None).into_iter().chain(statements).collect()
    }

    fn each_member(&self, declared: &Declared<'_>, condition: Expression) -> Vec<Statement> {
        let key = || Expression::from(Local::Key);
        let is_declared = match declared {
            Declared::Set(names) => self.constant(*names).method("has", vec![key()]),
            Declared::Few(names) => any(names.iter().map(|name| key().equals(Expression::string(name)))),
        };
        let is_absent = Expression::from(Local::Item).equals(Expression::Undefined);
        each(any([is_declared, is_absent, condition]), |mut body| {
            body.insert(0, Statement::Const(Local::Item, member()));
            Statement::ForOf(Local::Key, keys(), body)
        })
    }
}

/// `Object.keys(value)`.
fn keys() -> Expression {
    Expression::library("Object", "keys", vec![Local::Value.into()])
}

/// `value[key]`.
fn member() -> Expression {
    Expression::Index(Box::new(Local::Value.into()), Box::new(Local::Key.into()))
}

/// A statement that uses a condition, after the declarations of the condition's variables.
pub(super) fn body(condition: Expression, last: impl FnOnce(Expression) -> Statement) -> Vec<Statement> {
    let (counter, condition) = take_counter(condition);
    let mut statements: Vec<Statement> = declaration(&condition, counter).into_iter().collect();
    statements.push(last(condition));
    statements
}

/// A loop that returns `false` at the first item that violates the condition.
fn each(condition: Expression, make_loop: impl FnOnce(Vec<Statement>) -> Statement) -> Vec<Statement> {
    let mut statements: Vec<Statement> = declaration(&condition, None).into_iter().collect();
    let body = vec![returns_false_unless(condition)];
    statements.push(make_loop(body));
    statements.push(Statement::Return(Expression::TRUE));
    statements
}

/// A loop that returns `true` at the first item that meets the condition.
fn some(condition: Expression, make_loop: impl FnOnce(Vec<Statement>) -> Statement) -> Vec<Statement> {
    let mut statements: Vec<Statement> = declaration(&condition, None).into_iter().collect();
    statements.push(make_loop(vec![Statement::If(condition, Box::new(Statement::Return(Expression::TRUE)))]));
    statements.push(Statement::Return(Expression::FALSE));
    statements
}

fn returns_false_unless(condition: Expression) -> Statement {
    Statement::If(condition.not(), Box::new(Statement::Return(Expression::FALSE)))
}

/// The declaration of the variables of a condition. `counter` has an initial value.
fn declaration(condition: &Expression, counter: Option<(Local, usize)>) -> Option<Statement> {
    let mut locals: Vec<Local> = Vec::new();
    condition.each(&mut |e| {
        let local = match e {
            Expression::Name(Name::Local(local))
            | Expression::Increment(local)
            | Expression::Assign(local, _)
            | Expression::Count(local, _) => *local,
            _ => return,
        };
        if matches!(local, Local::Inner(_) | Local::Size(_) | Local::Tag(_)) {
            locals.push(local);
        }
    });
    // Always in the same order, so that similar functions stay similar when names are shortened.
    locals.sort_unstable();
    locals.dedup();
    let start = |local: Local| counter.filter(|(counter, _)| *counter == local);
    let declare = |local: Local| (local, start(local).map(|(_, start)| Expression::count(start as u64)));
    let declared: Vec<_> = locals.into_iter().map(declare).collect();
    (!declared.is_empty()).then_some(Statement::Let(declared, Some(Type::ANY)))
}

fn parameters(has_depth: bool, statements: &[Statement]) -> Vec<Parameter> {
    let mut parameters = vec![Parameter::new(Local::Value, Type::ANY)];
    if has_depth {
        let mut is_used = false;
        for statement in statements {
            statement.each_expression(&mut |e| is_used |= e.uses(Local::Depth) > 0);
        }
        // All checks have the same parameters. An underscore marks an unused one for compilers.
        let local = if is_used { Local::Depth } else { Local::UnusedDepth };
        parameters.push(Parameter::new(local, Type::NUMBER));
    }
    parameters
}

/// Statements that return the stored verdict for the value, or compute and store it.
fn remembering(memory: &Name, verdict: Expression) -> Vec<Statement> {
    let memory = Expression::Name(memory.clone());
    let known = memory.clone().method("get", vec![Local::Value.into()]);
    let decided = Expression::Assign(Local::Verdict, Box::new(verdict));
    let remember = Statement::Expression(memory.method("set", vec![Local::Value.into(), decided]));
    let is_unknown = Expression::from(Local::Verdict).equals(Expression::Undefined);
    vec![
        Statement::Let(vec![(Local::Verdict, Some(known))], None),
        Statement::If(is_unknown, Box::new(remember)),
        Statement::Return(Local::Verdict.into()),
    ]
}
