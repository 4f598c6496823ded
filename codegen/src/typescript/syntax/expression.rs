//! Expressions.

use super::types::{Literal, Number, Type};

/// An expression. The printer adds parentheses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::typescript) enum Expression {
    Literal(Literal),
    Undefined,
    /// `/pattern/u`; the pattern is valid inside the slashes.
    Pattern(String),
    Name(Name),
    /// `object.name`, or `object["name"]`.
    Member(Box<Expression>, String),
    /// `object?.name`.
    OptionalMember(Box<Expression>, &'static str),
    /// `object[index]`.
    Index(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Vec<Expression>),
    /// `new Set<unknown>(...)`: a built-in class, its type arguments in TypeScript, the arguments.
    New(&'static str, &'static [&'static str], Vec<Expression>),
    Not(Box<Expression>),
    /// `+operand`, which counts `true` as 1.
    Plus(Box<Expression>),
    TypeOf(Box<Expression>),
    /// `operand as Type` in TypeScript, the operand in JavaScript.
    As(Box<Expression>, Type),
    /// `++local`.
    Increment(Local),
    Binary(Box<Expression>, BinaryOperator, Box<Expression>),
    /// At least two operands.
    And(Vec<Expression>),
    /// At least two operands.
    Or(Vec<Expression>),
    /// `(condition ? then : otherwise)`.
    Conditional(Box<[Expression; 3]>),
    Assign(Local, Box<Expression>),
    /// `((counter = start), true)`: sets a counter within a condition.
    Count(Local, usize),
    Array(Vec<Expression>),
    Spread(Box<Expression>),
    Object(Vec<(String, Expression)>),
    /// `get name() { return value; }`, as a member of an object.
    Getter(Box<Expression>),
    /// `(parameters) => value`.
    Arrow(Vec<Local>, Box<Expression>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::typescript) enum BinaryOperator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Plus,
    Minus,
}

/// The target of an identifier.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::typescript) enum Name {
    Local(Local),
    /// A function or constant that is not exported.
    Internal(String),
    /// A function or constant whose text is written by hand.
    HandWritten(&'static str),
    /// An exported function.
    Exported(String),
    /// A name of the language's library.
    Global(&'static str),
}

/// A parameter or variable of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::typescript) enum Local {
    /// The value that a function checks.
    Value,
    /// A value at this level below [`Local::Value`].
    Inner(usize),
    /// The number of declared members of an object at this level.
    Size(usize),
    /// The value of a union's tag at this level.
    Tag(usize),
    Options,
    /// The start of the references to definitions in a JSON Schema.
    References,
    /// An item or member in a loop, and the member's name.
    Item,
    Key,
    /// The number of arrays and objects that enclose the value; the second is the name of the parameter if it is
    /// unused.
    Depth,
    UnusedDepth,
    Verdict,
    /// A Standard Schema, and the members of a form.
    Schema,
    Members,
    /// The transport of a client.
    Transport,
    /// The text of a message.
    Text,
    /// The implementation of an agent.
    Handlers,
}

impl From<Local> for Expression {
    fn from(local: Local) -> Self {
        Expression::Name(Name::Local(local))
    }
}

/// Whether the name of a property can follow a dot. Other names are written in brackets.
pub(in crate::typescript) fn follows_dot(name: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$');
    name.starts_with(starts) && name.chars().all(|c| starts(c) || c.is_ascii_digit())
}

impl Expression {
    pub(in crate::typescript) const TRUE: Expression = Expression::Literal(Literal::Boolean(true));
    pub(in crate::typescript) const FALSE: Expression = Expression::Literal(Literal::Boolean(false));

    pub(in crate::typescript) fn number(float: f64) -> Self {
        Expression::Literal(Literal::Number(Number::new(float)))
    }

    /// A count. Beyond 2^53 it is rounded, like every number in JavaScript.
    #[expect(clippy::cast_precision_loss, reason = "no array or string is so long that it matters")]
    pub(in crate::typescript) fn count(count: u64) -> Self {
        Expression::number(count as f64)
    }

    pub(in crate::typescript) fn string(text: &str) -> Self {
        Expression::Literal(Literal::String(text.to_owned()))
    }

    pub(in crate::typescript) fn member(self, name: &str) -> Self {
        Expression::Member(Box::new(self), name.to_owned())
    }

    pub(in crate::typescript) fn call(name: Name, arguments: Vec<Expression>) -> Self {
        Expression::Call(Box::new(Expression::Name(name)), arguments)
    }

    /// A call of a method of a library object, such as `Array.isArray(value)`.
    pub(in crate::typescript) fn library(object: &'static str, method: &str, arguments: Vec<Expression>) -> Self {
        Expression::Name(Name::Global(object)).method(method, arguments)
    }

    pub(in crate::typescript) fn method(self, name: &str, arguments: Vec<Expression>) -> Self {
        Expression::Call(Box::new(self.member(name)), arguments)
    }

    pub(in crate::typescript) fn binary(self, operator: BinaryOperator, right: Expression) -> Self {
        Expression::Binary(Box::new(self), operator, Box::new(right))
    }

    /// The expression with another type.
    pub(in crate::typescript) fn typed(self, ty: Type) -> Self {
        Expression::As(Box::new(self), ty)
    }

    pub(in crate::typescript) fn equals(self, right: Expression) -> Self {
        self.binary(BinaryOperator::Equal, right)
    }

    pub(in crate::typescript) fn differs(self, right: Expression) -> Self {
        self.binary(BinaryOperator::NotEqual, right)
    }

    pub(in crate::typescript) fn not(self) -> Self {
        Expression::Not(Box::new(self))
    }

    pub(in crate::typescript) fn type_of(self) -> Self {
        Expression::TypeOf(Box::new(self))
    }

    /// The expressions directly in this one, in the order in which they are evaluated.
    pub(in crate::typescript) fn children(&self) -> impl Iterator<Item = &Expression> {
        let (mut first, mut second, mut items, mut members): (Option<&Expression>, _, &[Expression], &[_]) =
            (None, None, &[], &[]);
        match self {
            Expression::Literal(_)
            | Expression::Undefined
            | Expression::Pattern(_)
            | Expression::Name(_)
            | Expression::Increment(_)
            | Expression::Count(..) => {}
            Expression::Member(inner, _)
            | Expression::OptionalMember(inner, _)
            | Expression::Not(inner)
            | Expression::Plus(inner)
            | Expression::TypeOf(inner)
            | Expression::As(inner, _)
            | Expression::Assign(_, inner)
            | Expression::Spread(inner)
            | Expression::Getter(inner)
            | Expression::Arrow(_, inner) => first = Some(inner),
            Expression::Index(a, b) | Expression::Binary(a, _, b) => (first, second) = (Some(&**a), Some(&**b)),
            Expression::Call(callee, arguments) => (first, items) = (Some(&**callee), arguments),
            Expression::New(_, _, list) | Expression::And(list) | Expression::Or(list) | Expression::Array(list) => {
                items = list
            }
            Expression::Conditional(parts) => items = &**parts,
            Expression::Object(list) => members = list,
        }
        first.into_iter().chain(second).chain(items).chain(members.iter().map(|(_, value)| value))
    }

    /// The direct children, for changes.
    pub(in crate::typescript) fn children_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Expression::Literal(_)
            | Expression::Undefined
            | Expression::Pattern(_)
            | Expression::Name(_)
            | Expression::Increment(_)
            | Expression::Count(..) => Vec::new(),
            Expression::Member(inner, _)
            | Expression::OptionalMember(inner, _)
            | Expression::Not(inner)
            | Expression::Plus(inner)
            | Expression::TypeOf(inner)
            | Expression::As(inner, _)
            | Expression::Assign(_, inner)
            | Expression::Spread(inner)
            | Expression::Getter(inner)
            | Expression::Arrow(_, inner) => vec![inner],
            Expression::Index(a, b) | Expression::Binary(a, _, b) => vec![a, b],
            Expression::Call(callee, arguments) => std::iter::once(&mut **callee).chain(arguments).collect(),
            Expression::Conditional(parts) => parts.iter_mut().collect(),
            Expression::New(_, _, items)
            | Expression::And(items)
            | Expression::Or(items)
            | Expression::Array(items) => items.iter_mut().collect(),
            Expression::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        }
    }

    /// Calls `f` with this expression and every expression in it, outer ones first.
    pub(in crate::typescript) fn each<'e>(&'e self, f: &mut impl FnMut(&'e Expression)) {
        f(self);
        self.children().for_each(|child| child.each(f));
    }

    /// Whether `f` returns true for this expression or one in it.
    pub(in crate::typescript) fn contains(&self, f: &mut impl FnMut(&Expression) -> bool) -> bool {
        f(self) || self.children().any(|child| child.contains(f))
    }

    /// How often a variable is read.
    pub(in crate::typescript) fn uses(&self, local: Local) -> usize {
        let mut uses = 0;
        self.each(&mut |e| uses += usize::from(*e == Expression::Name(Name::Local(local))));
        uses
    }

    /// Whether a variable occurs in it, also if it is only set.
    pub(in crate::typescript) fn mentions(&self, local: Local) -> bool {
        self.contains(&mut |e| match e {
            Expression::Name(Name::Local(l))
            | Expression::Increment(l)
            | Expression::Count(l, _)
            | Expression::Assign(l, _) => *l == local,
            _ => false,
        })
    }

    /// Replaces the first read of a variable, in the order of evaluation. Returns whether there is one.
    pub(in crate::typescript) fn replace_first_use(&mut self, local: Local, replacement: &Expression) -> bool {
        if *self == Expression::Name(Name::Local(local)) {
            self.clone_from(replacement);
            return true;
        }
        self.children_mut().into_iter().any(|child| child.replace_first_use(local, replacement))
    }

    /// Replaces the expression that is evaluated first if it equals `old`. Returns whether it did. The first expression
    /// of an assignment is its value; starts of counters are skipped.
    pub(in crate::typescript) fn replace_at_start(&mut self, old: &Expression, new: &Expression) -> bool {
        if self == old {
            self.clone_from(new);
            return true;
        }
        match self {
            Expression::Binary(first, ..) | Expression::Assign(_, first) => first.replace_at_start(old, new),
            Expression::And(terms) | Expression::Or(terms) => {
                terms.iter_mut().any(|term| term.replace_at_start(old, new))
            }
            _ => false,
        }
    }
}
