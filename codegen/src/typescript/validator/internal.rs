//! Functions and constants that the exported functions of a file share.

use std::collections::{BTreeSet, HashMap, HashSet};

use capgen_schema::{Json, Pattern};

use super::{Helper, narrowing};
use crate::name;
use crate::typescript::names::{AgentNames, lower_first};
use crate::typescript::syntax::{Constant, Expression, Function, Item, Literal, Module, Name, Statement, Type};
use crate::typescript::syntax::{Keyword, Parameter, Returns};

/// The purpose of an internal function or constant, with which its name begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Stem {
    Check,
    Decide,
    Pattern,
    Set,
    Names,
    Literals,
    Memory,
    Schema,
}

impl Stem {
    const fn text(self) -> &'static str {
        match self {
            Stem::Check => "check",
            Stem::Decide => "decide",
            Stem::Pattern => "pattern",
            Stem::Set => "set",
            Stem::Names => "names",
            Stem::Literals => "literals",
            Stem::Memory => "memory",
            Stem::Schema => "schema",
        }
    }
}

/// Names contain at most this many characters of the subject: they occur often, and the contract limits no property's name.
const MAX_SUBJECT: usize = 40;

/// The exports of a file that use its internal functions and constants.
pub(super) struct Exported {
    pub(super) functions: Vec<Function>,
    pub(super) constants: Vec<Constant>,
}

/// The internal functions and constants of a file, in the order in which they were made.
#[derive(Default)]
pub(super) struct Internals<'m> {
    functions: Vec<Function>,
    constants: Vec<(Name, Option<Type>, Expression)>,
    /// Constants by their values, and functions by their parameters and statements: equal ones are shared.
    constant_names: HashMap<(Stem, Expression), Name>,
    function_names: HashMap<(usize, Vec<Statement>), Name>,
    /// The type, definition or property to which the next functions and constants belong. It is a part of their names, so that a
    /// change elsewhere in the contract does not rename them.
    subject: &'m str,
    /// How many names begin with a stem and subject.
    counts: HashMap<String, usize>,
    names: HashSet<String>,
    /// The keywords of all rules.
    pub(super) keywords: BTreeSet<&'static str>,
}

impl<'m> Internals<'m> {
    /// Sets the subject to the name of a type, definition or property, and returns the previous one.
    pub(super) fn enter(&mut self, subject: &'m str) -> &'m str {
        std::mem::replace(&mut self.subject, subject)
    }

    pub(super) fn subject(&self) -> &'m str {
        self.subject
    }

    /// A new name, which is unique in the file, such as `check_lineItems`. No exported name has an underscore between letters.
    pub(super) fn fresh(&mut self, stem: Stem) -> Name {
        let words: String = name::camel(self.subject).chars().take(MAX_SUBJECT).collect();
        let first = format!("{}_{}", stem.text(), lower_first(&words));
        let count = self.counts.entry(first.clone()).or_default();
        loop {
            *count += 1;
            let name = if *count == 1 { first.clone() } else { format!("{first}{count}") };
            if self.names.insert(name.clone()) {
                return Name::Internal(name);
            }
        }
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Expression {
        self.constant(Stem::Pattern, None, Expression::Pattern(pattern.escaped_for_js_literal()))
    }

    pub(super) fn set(&mut self, values: &[&Json]) -> Expression {
        let values = Expression::Array(values.iter().map(|json| value(json)).collect());
        self.constant(Stem::Set, None, Expression::New("Set", &["unknown"], vec![values]))
    }

    pub(super) fn names(&mut self, names: &[&str]) -> Expression {
        let names = Expression::Array(names.iter().map(|name| Expression::string(name)).collect());
        self.constant(Stem::Names, None, Expression::New("Set", &[], vec![names]))
    }

    pub(super) fn literals(&mut self, values: &[&Json]) -> Expression {
        let values = array(values.iter().map(|json| value(json)).collect());
        let ty = Type::Readonly(Box::new(Type::array(Type::Keyword(Keyword::Unknown))));
        self.constant(Stem::Literals, Some(ty), values)
    }

    /// Adds a map from values to verdicts, and returns its name.
    pub(super) fn memory(&mut self) -> Name {
        let name = self.fresh(Stem::Memory);
        self.constants.push((name.clone(), None, Expression::New("Map", &["unknown", "boolean"], Vec::new())));
        name
    }

    fn constant(&mut self, stem: Stem, ty: Option<Type>, value: Expression) -> Expression {
        let key = (stem, value);
        let name = match self.constant_names.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = self.fresh(stem);
                self.constants.push((name.clone(), ty, key.1.clone()));
                self.constant_names.insert(key, name.clone());
                name
            }
        };
        Expression::Name(name)
    }

    /// The name of the function with these parameters and statements, which equal checks share.
    pub(super) fn shared_function(
        &mut self,
        stem: Stem,
        parameters: Vec<Parameter>,
        returns: Type,
        body: Vec<Statement>,
    ) -> Name {
        let key = (parameters.len(), body);
        if let Some(name) = self.function_names.get(&key) {
            return name.clone();
        }
        let name = self.fresh(stem);
        self.function(name.clone(), parameters, returns, key.1.clone());
        self.function_names.insert(key, name.clone());
        name
    }

    pub(super) fn function(&mut self, name: Name, parameters: Vec<Parameter>, returns: Type, body: Vec<Statement>) {
        self.functions.push(Function { doc: Vec::new(), name, parameters, returns: Returns::Type(returns), body });
    }

    /// Adds exported functions and constants to a module, before the functions, constants and helpers that they use.
    /// Similar parts are adjacent, because this compresses well.
    pub(super) fn finish(mut self, module: &mut Module, exported: Exported, agent: &AgentNames) {
        let Exported { functions: mut exported, constants } = exported;
        for function in self.functions.iter_mut().chain(&mut exported) {
            narrowing::widen(&mut function.body);
        }
        let used = self.used(&exported, &constants);
        let keywords = self.keywords;
        let is_used = |name: &Name| used.contains(name);
        module.items.extend(exported.into_iter().map(Item::Function));
        module.items.extend(constants.into_iter().map(Item::Exported));
        let functions = self.functions.into_iter().filter(|function| is_used(&function.name));
        module.items.extend(functions.map(Item::Function));
        let constants = self.constants.into_iter().filter(|(name, ..)| is_used(name));
        module.items.extend(constants.map(|(name, ty, value)| Item::Constant { name, ty, value }));
        let named =
            used.iter().filter_map(|name| if let Name::HandWritten(name) = name { Helper::named(name) } else { None });
        let helpers = Helper::with_needed(named);
        module
            .items
            .extend(helpers.into_iter().map(|helper| Item::HandWritten(helper.text_for(&keywords, &agent.error))));
    }

    /// The names that the exported functions and constants use, directly or through others.
    fn used(&self, exported: &[Function], exported_constants: &[Constant]) -> HashSet<Name> {
        let functions: HashMap<&Name, &Function> = self.functions.iter().map(|f| (&f.name, f)).collect();
        let constants: HashMap<&Name, &Expression> =
            self.constants.iter().map(|(name, _, value)| (name, value)).collect();
        let mut used = HashSet::new();
        let mut open = Vec::new();
        let mut note = |expression: &Expression, open: &mut Vec<Name>| {
            expression.each(&mut |e| match e {
                Expression::Name(name) if !matches!(name, Name::Local(_)) && !used.contains(name) => {
                    used.insert(name.clone());
                    open.push(name.clone());
                }
                _ => {}
            });
        };
        for statement in exported.iter().flat_map(|function| &function.body) {
            statement.each_expression(&mut |e| note(e, &mut open));
        }
        exported_constants.iter().for_each(|constant| note(&constant.value, &mut open));
        while let Some(name) = open.pop() {
            for statement in functions.get(&name).into_iter().flat_map(|function| &function.body) {
                statement.each_expression(&mut |e| note(e, &mut open));
            }
            constants.get(&name).into_iter().for_each(|value| note(value, &mut open));
        }
        used
    }
}

/// Longer arrays of different values are written so that the compiler need not compare the types of all their items.
const MANY: usize = 64;

/// An array. The compiler finds the type of its items, the union of all their types, in quadratic time, and rejects unions that
/// are too large; one item of the type `any` settles it.
pub(super) fn array(mut items: Vec<Expression>) -> Expression {
    let is_scalar = |item: &Expression| matches!(item, Expression::Literal(_));
    if items.len() > MANY
        && !items.iter().all(is_scalar)
        && let Some(first) = items.first_mut()
    {
        *first = Expression::AsAny(Box::new(std::mem::replace(first, Expression::Undefined)));
    }
    Expression::Array(items)
}

/// A value of a contract as an expression. A number that JavaScript cannot represent becomes a
/// symbol, which equals no value.
pub(super) fn value(json: &Json) -> Expression {
    match json {
        Json::Array(items) => array(items.iter().map(value).collect()),
        Json::Object(members) => {
            Expression::Object(members.iter().map(|(name, member)| (name.clone(), value(member))).collect())
        }
        Json::Number(number) if !number.is_representable() => {
            let symbol = Expression::Name(Name::Global("Symbol"));
            Expression::Call(Box::new(symbol), vec![Expression::string(&number.to_string())])
        }
        scalar => Literal::of(scalar).map_or(Expression::Undefined, Expression::Literal),
    }
}
