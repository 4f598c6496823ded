//! TypeScript as a tree, limited to the syntax that this generator uses.
//!
//! Names that the generator chooses are ids, not text, so that uses can be counted and replaced in the tree. Only
//! [`printer`](super::printer) turns a tree into text.

mod expression;
mod hand_written;
mod types;

pub(super) use expression::{BinaryOperator, Expression, Local, Name, follows_dot};
pub(super) use hand_written::HandWritten;
pub(super) use types::{Keyword, Literal, Number, Property, Type, union};

/// A file: its top-level items in order.
#[derive(Default)]
pub(super) struct Module {
    /// The names from the shared module, if the file imports it.
    pub(super) import: Option<Import>,
    pub(super) items: Vec<Item>,
}

/// The names that a file imports from the shared module.
pub(super) struct Import {
    /// The specifier of the module.
    pub(super) from: String,
    /// Functions that are called a few times for a payload.
    pub(super) functions: Vec<&'static str>,
    /// Functions that verdicts call for many values of a payload. The file has a constant for each.
    pub(super) tests: Vec<&'static str>,
    /// The classes of errors, and other values, that the file exports.
    pub(super) classes: Vec<Renamed>,
    pub(super) types: Vec<Renamed>,
}

/// A name in the shared module, and the name in the file, which exports it.
pub(super) struct Renamed {
    pub(super) shared: String,
    pub(super) own: String,
}

/// A declaration at the top level of a file.
pub(super) enum Item {
    Type(TypeDeclaration),
    Function(Function),
    /// `const name: ty = value`.
    Constant {
        name: Name,
        ty: Option<Type>,
        value: Expression,
    },
    /// An exported constant.
    Exported(Constant),
    /// An exported class of errors.
    Error(ErrorClass),
    /// A hand-written function or constant.
    HandWritten(HandWritten),
    /// The same in the shared module, which exports it by this name.
    SharedHandWritten(&'static str, HandWritten),
    /// A hand-written type.
    HandWrittenType(HandWritten),
    /// The exports of the names that the file [imports](Import), apart from functions.
    Reexports,
    /// `export * as name from "from"`: all exports of another file under a name.
    Namespace {
        name: String,
        from: String,
    },
}

/// `export const name = value as const`, or `export const name: declared = value`.
#[derive(Clone)]
pub(super) struct Constant {
    pub(super) doc: Vec<String>,
    pub(super) name: String,
    pub(super) value: Expression,
    pub(super) declared: Type,
    /// Whether the type is only in a declaration file, because the compiler finds it by itself in TypeScript.
    pub(super) is_inferred: bool,
}

/// A subclass of `Error`.
pub(super) struct ErrorClass {
    pub(super) doc: Vec<String>,
    pub(super) name: String,
    pub(super) kind: ErrorKind,
}

/// The data in the errors of a class.
pub(super) enum ErrorKind {
    /// A list of violations, whose type has this name.
    Violations(String),
    /// The result of a call that failed, whose type has this name.
    Call(String),
    /// The same for a capability that declares errors: the class that it extends, and the type of their details.
    Declared { extends: String, details: String },
}

/// `export type` or `export interface`.
pub(super) struct TypeDeclaration {
    pub(super) doc: Vec<String>,
    pub(super) name: String,
    /// The name of its only type parameter.
    pub(super) parameter: Option<&'static str>,
    pub(super) body: Type,
    pub(super) kind: DeclarationKind,
}

/// How a type is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationKind {
    /// As an interface, whose body is an object type.
    Interface,
    /// As an alias; an object type has each member on its own line.
    Expanded,
    /// As an alias, on one line if it fits.
    Compact,
}

/// A function at the top level.
pub(super) struct Function {
    pub(super) doc: Vec<String>,
    pub(super) name: Name,
    pub(super) parameters: Vec<Parameter>,
    pub(super) returns: Returns,
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Parameter {
    pub(super) local: Local,
    pub(super) ty: Type,
    /// The type in a declaration file, if it differs: a body may need `any` although callers pass `unknown`.
    pub(super) declared: Option<Type>,
    pub(super) is_optional: bool,
}

/// The return type of a function.
pub(super) enum Returns {
    Type(Type),
    /// `value is Type`.
    Predicate(Type),
    /// `asserts value is Type`.
    Assertion(Type),
}

/// A statement in the body of a function.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Statement {
    Return(Expression),
    /// `const verdict = ...`.
    Const(Local, Expression),
    /// `let a: ty = 1, b: ty`; not empty.
    Let(Vec<(Local, Option<Expression>)>, Option<Type>),
    Expression(Expression),
    /// `if (condition) statement`.
    If(Expression, Box<Statement>),
    /// `for (const item of items) { ... }`.
    ForOf(Local, Expression, Vec<Statement>),
    /// The same for an array, by index, which is a tenth faster.
    ForIndex(Local, Expression, Vec<Statement>),
}

impl Parameter {
    pub(super) fn new(local: Local, ty: Type) -> Self {
        Self { local, ty, declared: None, is_optional: false }
    }
}

impl Function {
    /// The text of its name; empty if the printer decides it.
    pub(super) fn name_text(&self) -> &str {
        match &self.name {
            Name::Internal(name) | Name::Exported(name) => name,
            Name::HandWritten(name) | Name::Global(name) => name,
            Name::Local(_) => "",
        }
    }

    /// Whether other files can use it.
    pub(super) fn is_exported(&self) -> bool {
        matches!(self.name, Name::Exported(_))
    }
}

impl Statement {
    /// Calls `f` with every expression that is not part of another one.
    pub(super) fn each_expression<'e>(&'e self, f: &mut impl FnMut(&'e Expression)) {
        match self {
            Statement::Return(value) | Statement::Const(_, value) | Statement::Expression(value) => f(value),
            Statement::Let(locals, _) => locals.iter().filter_map(|(_, value)| value.as_ref()).for_each(f),
            Statement::If(condition, then) => {
                f(condition);
                then.each_expression(f);
            }
            Statement::ForOf(_, items, body) | Statement::ForIndex(_, items, body) => {
                f(items);
                body.iter().for_each(|statement| statement.each_expression(f));
            }
        }
    }
    /// Calls `f` with every expression that is not part of another one, for changes.
    pub(super) fn each_expression_mut(&mut self, f: &mut impl FnMut(&mut Expression)) {
        match self {
            Statement::Return(value) | Statement::Const(_, value) | Statement::Expression(value) => f(value),
            Statement::Let(locals, _) => locals.iter_mut().filter_map(|(_, value)| value.as_mut()).for_each(f),
            Statement::If(condition, then) => {
                f(condition);
                then.each_expression_mut(f);
            }
            Statement::ForOf(_, items, body) | Statement::ForIndex(_, items, body) => {
                f(items);
                body.iter_mut().for_each(|statement| statement.each_expression_mut(f));
            }
        }
    }
}
