//! Functions and constants that the exported functions of a file share.

use std::collections::{BTreeSet, HashMap, HashSet};

use capgen_schema::Json;

use super::helper::Used;
use super::repeated::{self, Equal};
use super::style::internal_name;
use super::test::Tests;
use super::{Helper, narrowing};
use crate::plan::{self, Namer, Shared};
use crate::typescript::syntax::{Constant, Expression, Function, Item, Literal, Module, Name, Statement, Type};
use crate::typescript::syntax::{Keyword, Parameter, Returns};

/// The exports of a file that use its internal functions and constants.
pub(super) struct Exported {
    pub(super) functions: Vec<Function>,
    pub(super) constants: Vec<Constant>,
}

/// The internal functions and constants of a file, in the order of its plan.
pub(super) struct Internals {
    functions: Vec<Function>,
    constants: Vec<(Name, Option<Type>, Expression)>,
    /// The functions that return JSON Schemas, by their statements: equal ones are shared.
    schemas: HashMap<Vec<Statement>, Name>,
    /// Assigns the names of these functions.
    namer: Namer,
    /// The keywords of all rules.
    pub(super) keywords: BTreeSet<&'static str>,
}

impl Internals {
    /// The functions and constants of a plan.
    pub(super) fn of(shared: &Shared<'_>) -> Self {
        let tests = Tests::new(shared);
        let functions = shared.functions().iter();
        let functions = functions.map(|function| tests.function(shared.function_name(function.id), function)).collect();
        let constants = shared.constants().map(|(name, constant)| self::constant(name, constant)).collect();
        let (schemas, namer) = (HashMap::new(), Namer::default());
        Self { functions, constants, schemas, namer, keywords: BTreeSet::new() }
    }

    /// Adds a function that returns the JSON Schema of a type; returns its name, which equal schemas share.
    pub(super) fn schema(&mut self, ty: &str, parameters: Vec<Parameter>, body: Vec<Statement>) -> Name {
        if let Some(name) = self.schemas.get(&body) {
            return name.clone();
        }
        let name = Name::Internal(self.namer.fresh(internal_name("schema", ty)));
        let returns = Returns::Type(Type::ANY);
        self.functions.push(Function { doc: Vec::new(), name: name.clone(), parameters, returns, body: body.clone() });
        self.schemas.insert(body, name.clone());
        name
    }

    /// Adds exported functions and constants to a module, before the functions and constants that they use. Returns the
    /// helpers that they use. Similar parts are adjacent, because this compresses well.
    pub(super) fn finish(mut self, module: &mut Module, exported: Exported) -> Used {
        let Exported { functions: mut exported, constants } = exported;
        for function in self.functions.iter_mut().chain(&mut exported) {
            narrowing::widen(&mut function.body);
        }
        let mut equal = Equal::default();
        equal.merge(&mut self.functions);
        equal.delegate(&mut exported);
        let mut made = Vec::new();
        repeated::share(&mut [&mut exported, &mut self.functions], &mut made, &mut self.namer);
        self.functions.extend(made);
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
        Used { named: named.collect(), keywords }
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

/// A constant of a plan: its name, its type if the compiler would find another one, and its value.
fn constant(name: &str, constant: &plan::Constant<'_>) -> (Name, Option<Type>, Expression) {
    let set = |ty, items| Expression::New("Set", ty, vec![Expression::Array(items)]);
    let (ty, value): (_, Expression) = match constant {
        plan::Constant::Pattern(pattern) => (None, Expression::Pattern(pattern.escaped_for_js_literal())),
        plan::Constant::Set(values) => (None, set(&["unknown"], values.iter().map(|json| value(json)).collect())),
        plan::Constant::Names(names) => (None, set(&[], names.iter().map(|name| Expression::string(name)).collect())),
        plan::Constant::Literals(values) => {
            let ty = Type::Readonly(Box::new(Type::array(Type::Keyword(Keyword::Unknown))));
            (Some(ty), array(values.iter().map(|json| value(json)).collect()))
        }
        plan::Constant::Memory => (None, Expression::New("Map", &["unknown", "boolean"], Vec::new())),
    };
    (Name::Internal(name.to_owned()), ty, value)
}

/// Longer arrays of different values are written so that the compiler need not compare the types of all their items.
const MANY: usize = 64;

/// An array. The compiler finds the type of its items, the union of all their types, in quadratic time, and rejects
/// unions that are too large; one item of the type `any` settles it.
pub(super) fn array(mut items: Vec<Expression>) -> Expression {
    let is_scalar = |item: &Expression| matches!(item, Expression::Literal(_));
    if items.len() > MANY
        && !items.iter().all(is_scalar)
        && let Some(first) = items.first_mut()
    {
        *first = std::mem::replace(first, Expression::Undefined).typed(Type::ANY);
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
