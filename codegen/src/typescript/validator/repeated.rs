//! Data that several functions make: rules, and JSON Schemas. Those that occur several times become a function of their
//! own. Tests that are the same are one function, too.
//!
//! Contracts repeat definitions in each schema that uses them. A function, instead of a constant, makes new data for
//! each call, because readers of rules remember results in them, and lets bundlers leave out the data that a program
//! does not use.

use std::collections::HashMap;

use super::style::internal_name;
use crate::plan::Namer;
use crate::typescript::printer;
use crate::typescript::syntax::{Expression, Function, Local, Name, Parameter, Returns, Statement, Type};

/// How many bytes a call takes, about.
const CALL: usize = 24;

/// How many bytes a function takes beside its data, about.
const FUNCTION: usize = 60;

/// How many bytes data have at least that become a function. Smaller ones are easier to read where they are.
const MIN_SIZE: usize = 120;

/// Members that state the place of a rule or schema, not its subject.
const STRUCTURE: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "any",
    "anyOf",
    "branches",
    "contains",
    "definitions",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "optional",
    "properties",
    "rest",
];

/// Replaces data that occur several times in the functions by calls of new functions, which are added to `shared`.
pub(super) fn share(functions: &mut [&mut Vec<Function>], shared: &mut Vec<Function>, namer: &mut Namer) {
    let mut all = Data::default();
    for data in functions.iter().flat_map(|functions| functions.iter()).filter_map(data) {
        let id = all.add(data);
        all.count(id);
    }
    let is_shared = all.repeated();
    if !is_shared.contains(&true) {
        return;
    }
    let mut sharing = Sharing { all, is_shared, made: HashMap::new(), shared, namer };
    for function in functions.iter_mut().flat_map(|functions| functions.iter_mut()) {
        let subject = function.name_text().to_owned();
        if let Some(data) = data_mut(function) {
            sharing.replace(data, &subject);
        }
    }
}

/// The data that a function makes: those of the arrow function that it gives to a reader.
fn data(function: &Function) -> Option<&Expression> {
    let [Statement::Return(Expression::Call(_, arguments))] = function.body.as_slice() else { return None };
    arguments.iter().find_map(|argument| match argument {
        Expression::Arrow(_, value) if matches!(**value, Expression::Array(_)) => Some(&**value),
        _ => None,
    })
}

fn data_mut(function: &mut Function) -> Option<&mut Expression> {
    let [Statement::Return(Expression::Call(_, arguments))] = function.body.as_mut_slice() else { return None };
    arguments.iter_mut().find_map(|argument| match argument {
        Expression::Arrow(_, value) if matches!(**value, Expression::Array(_)) => Some(&mut **value),
        _ => None,
    })
}

/// Data by their content: equal ones have one number, which is greater than those of their parts.
#[derive(Default)]
struct Data {
    ids: HashMap<Content, usize>,
    /// Of each, the sizes of its own text and its parts.
    parts: Vec<(usize, Vec<usize>)>,
    /// In how many different data, or functions, each occurs.
    uses: Vec<usize>,
}

#[derive(PartialEq, Eq, Hash)]
enum Content {
    Object(Vec<(String, usize)>),
    Array(Vec<usize>),
    /// Any other expression.
    Leaf(Expression),
}

impl Data {
    /// The number of an expression, which is added if it is new.
    fn add(&mut self, expression: &Expression) -> usize {
        match expression {
            Expression::Object(members) => {
                let content = members.iter().map(|(name, value)| (name.clone(), self.add(value))).collect();
                let names: usize = members.iter().map(|(name, _)| name.len() + 4).sum();
                self.number(Content::Object(content), names + 4)
            }
            Expression::Array(items) => {
                let content: Vec<usize> = items.iter().map(|item| self.add(item)).collect();
                self.number(Content::Array(content), 2 * items.len() + 2)
            }
            leaf => self.number(Content::Leaf(leaf.clone()), printer::width_of_expression(leaf)),
        }
    }

    fn number(&mut self, content: Content, size: usize) -> usize {
        if let Some(id) = self.ids.get(&content) {
            return *id;
        }
        let parts: Vec<usize> = match &content {
            Content::Object(members) => members.iter().map(|(_, part)| *part).collect(),
            Content::Array(items) => items.clone(),
            Content::Leaf(_) => Vec::new(),
        };
        parts.iter().for_each(|part| self.count(*part));
        let id = self.parts.len();
        self.parts.push((size, parts));
        self.uses.push(0);
        self.ids.insert(content, id);
        id
    }

    fn count(&mut self, id: usize) {
        if let Some(uses) = self.uses.get_mut(id) {
            *uses += 1;
        }
    }

    /// Which data become functions, by their numbers: those that make the file smaller.
    fn repeated(&self) -> Vec<bool> {
        let mut found: Vec<bool> = Vec::with_capacity(self.parts.len());
        let mut sizes: Vec<usize> = Vec::with_capacity(self.parts.len());
        for ((own, parts), uses) in self.parts.iter().zip(&self.uses) {
            let size_of = |part: &usize| match found.get(*part) {
                Some(true) => CALL,
                _ => sizes.get(*part).copied().unwrap_or(0),
            };
            let size = parts.iter().map(size_of).fold(*own, usize::saturating_add);
            let saved = uses.saturating_sub(1).saturating_mul(size.saturating_sub(CALL));
            found.push(!parts.is_empty() && *uses > 1 && size >= MIN_SIZE && saved > FUNCTION + CALL);
            sizes.push(size);
        }
        found
    }
}

struct Sharing<'s> {
    all: Data,
    is_shared: Vec<bool>,
    /// The calls of the functions that are made, by the numbers of their data.
    made: HashMap<usize, Expression>,
    shared: &'s mut Vec<Function>,
    namer: &'s mut Namer,
}

impl Sharing<'_> {
    /// Replaces shared data in an expression, and the expression itself, which is about the subject. Returns its
    /// number.
    fn replace(&mut self, expression: &mut Expression, subject: &str) -> Option<usize> {
        let content = match expression {
            Expression::Object(members) => {
                let mut content = Vec::with_capacity(members.len());
                for (name, value) in members.iter_mut() {
                    let inner = if STRUCTURE.contains(&name.as_str()) { subject } else { name.as_str() };
                    content.push((name.clone(), self.replace(value, inner)?));
                }
                Content::Object(content)
            }
            Expression::Array(items) => {
                let numbers: Option<Vec<usize>> = items.iter_mut().map(|item| self.replace(item, subject)).collect();
                Content::Array(numbers?)
            }
            leaf => return self.all.ids.get(&Content::Leaf(leaf.clone())).copied(),
        };
        let id = *self.all.ids.get(&content)?;
        if self.is_shared.get(id) == Some(&true) {
            if !self.made.contains_key(&id) {
                let call = self.function(std::mem::replace(expression, Expression::Undefined), subject);
                self.made.insert(id, call);
            }
            if let Some(call) = self.made.get(&id) {
                expression.clone_from(call);
            }
        }
        Some(id)
    }

    /// Makes a function that returns the data; returns the call of it.
    fn function(&mut self, data: Expression, subject: &str) -> Expression {
        let name = Name::Internal(self.namer.fresh(internal_name("data", subject)));
        let locals: Vec<Local> = data.mentions(Local::References).then_some(Local::References).into_iter().collect();
        let call = Expression::call(name.clone(), locals.iter().map(|local| (*local).into()).collect());
        self.shared.push(Function {
            doc: Vec::new(),
            name,
            parameters: locals.iter().map(|local| Parameter::new(*local, Type::ANY)).collect(),
            returns: Returns::Type(Type::ANY),
            body: vec![Statement::Return(data)],
        });
        call
    }
}

/// Functions with the same parameters and the same body, by that of the first of them.
#[derive(Default)]
pub(super) struct Equal {
    first: HashMap<(Vec<Parameter>, Vec<Statement>), Name>,
    /// The functions that were left out, each with the one that is the same.
    replaced: HashMap<Name, Name>,
}

/// How often functions are compared. Most come after those that they call, so that few rounds find all that are the
/// same; the limit bounds the time for long chains of calls.
const MAX_ROUNDS: usize = 8;

/// How many expressions the body of an exported function has at least that calls another one with the same body. The
/// call takes time, about a nanosecond.
const MIN_EXPRESSIONS: usize = 12;

impl Equal {
    /// Leaves out functions that are the same as an earlier one, also those that become the same because they call the
    /// same functions. Functions that call each other stay.
    pub(super) fn merge(&mut self, functions: &mut Vec<Function>) {
        for _ in 0..MAX_ROUNDS {
            let count = functions.len();
            self.first.clear();
            self.merge_once(functions);
            if functions.len() == count {
                break;
            }
        }
    }

    fn merge_once(&mut self, functions: &mut Vec<Function>) {
        functions.retain_mut(|function| {
            self.rename(&mut function.body);
            let key = (function.parameters.clone(), function.body.clone());
            match self.first.get(&key) {
                Some(first) => {
                    self.replaced.insert(function.name.clone(), first.clone());
                    false
                }
                None => {
                    self.first.insert(key, function.name.clone());
                    true
                }
            }
        });
        // A function may call one that comes later.
        functions.iter_mut().for_each(|function| self.rename(&mut function.body));
    }

    /// Makes an exported test call an earlier one with the same body.
    pub(super) fn delegate(&mut self, exported: &mut [Function]) {
        let mut first: HashMap<Vec<Statement>, Name> = HashMap::new();
        for function in exported.iter_mut() {
            self.rename(&mut function.body);
            let is_test = matches!(function.returns, Returns::Predicate(_)) && function.parameters.len() == 1;
            if !is_test || expressions(&function.body) < MIN_EXPRESSIONS {
                continue;
            }
            match first.get(&function.body) {
                Some(other) => {
                    let call = Expression::call(other.clone(), vec![Local::Value.into()]);
                    function.body = vec![Statement::Return(call)];
                }
                None => {
                    first.insert(function.body.clone(), function.name.clone());
                }
            }
        }
    }

    fn rename(&self, body: &mut [Statement]) {
        if self.replaced.is_empty() {
            return;
        }
        for statement in body {
            statement.each_expression_mut(&mut |expression| self.rename_in(expression));
        }
    }

    fn rename_in(&self, expression: &mut Expression) {
        if let Expression::Name(name) = expression
            && let Some(first) = self.replaced.get(name)
        {
            name.clone_from(first);
        }
        expression.children_mut().into_iter().for_each(|child| self.rename_in(child));
    }
}

fn expressions(body: &[Statement]) -> usize {
    let mut count = 0;
    for statement in body {
        statement.each_expression(&mut |expression| expression.each(&mut |_| count += 1));
    }
    count
}
