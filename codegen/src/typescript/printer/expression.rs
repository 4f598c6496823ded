//! Expressions.

use std::borrow::Cow;

use super::Form;
use super::layout::{Doc, concat, group, if_broken, indent, line, separated, soft_line, text};
use super::literal;
use super::types::{self, list};
use crate::typescript::syntax::{BinaryOperator, Expression, Local, Name, follows_dot};

/// How tightly the parts of an expression belong together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    /// An arrow function.
    Lowest,
    Logical,
    Equality,
    Relation,
    Sum,
    Unary,
    Call,
}

/// An expression that is not an operand.
pub(super) fn plain(expression: &Expression, form: Form) -> Doc {
    match expression {
        Expression::Literal(value) => text(literal::literal(value)),
        Expression::Undefined => text("undefined"),
        Expression::Pattern(pattern) => text(format!("/{pattern}/u")),
        Expression::Name(name) => text(name_text(name)),
        Expression::Member(object, name) => {
            let access = if follows_dot(name) { format!(".{name}") } else { format!("[{}]", literal::string(name)) };
            concat(vec![operand(object, Precedence::Call, form), text(access)])
        }
        Expression::OptionalMember(object, name) => {
            concat(vec![operand(object, Precedence::Call, form), text(format!("?.{name}"))])
        }
        Expression::Index(object, index) => {
            concat(vec![operand(object, Precedence::Call, form), text("["), plain(index, form), text("]")])
        }
        Expression::Call(callee, items) => {
            concat(vec![operand(callee, Precedence::Call, form), arguments(items, form)])
        }
        Expression::New(class, types, items) => {
            let types = if form == Form::Typed && !types.is_empty() {
                format!("<{}>", types.join(", "))
            } else {
                String::new()
            };
            concat(vec![text(format!("new {class}{types}")), arguments(items, form)])
        }
        Expression::Not(inner) => concat(vec![text("!"), operand(inner, Precedence::Call, form)]),
        Expression::Plus(inner) => concat(vec![text("+"), operand(inner, Precedence::Call, form)]),
        Expression::TypeOf(inner) => concat(vec![text("typeof "), operand(inner, Precedence::Unary, form)]),
        Expression::As(inner, ty) if form == Form::Typed => {
            concat(vec![operand(inner, Precedence::Relation, form), text(" as "), types::plain(ty)])
        }
        Expression::As(inner, _) => plain(inner, form),
        Expression::Increment(local) => text(format!("++{}", local_text(*local))),
        Expression::Binary(..) => chain(expression, form),
        Expression::And(_) | Expression::Or(_) => {
            let mut inner = vec![soft_line()];
            inner.extend(terms(expression, form));
            group(vec![if_broken("("), indent(inner), soft_line(), if_broken(")")])
        }
        Expression::Conditional(parts) => {
            let [condition, then, otherwise] = &**parts;
            let part = |start, part| concat(vec![text(start), operand(part, Precedence::Equality, form)]);
            let condition = operand(condition, Precedence::Equality, form);
            let parts = vec![soft_line(), condition, line(), part("? ", then), line(), part(": ", otherwise)];
            group(vec![text("("), indent(parts), soft_line(), text(")")])
        }
        Expression::Assign(local, value) => {
            concat(vec![text(format!("({} = ", local_text(*local))), plain(value, form), text(")")])
        }
        Expression::Count(local, start) => text(format!("(({} = {start}), true)", local_text(*local))),
        Expression::Array(items) => list("[", items.iter().map(|item| plain(item, form)), "]"),
        Expression::Spread(inner) => concat(vec![text("..."), plain(inner, form)]),
        Expression::Object(members) => object(members, form),
        Expression::Getter(value) => plain(value, form),
        Expression::Arrow(parameters, value) => arrow(parameters, value, form),
    }
}

/// An arrow function. The types of its parameters follow from its place.
fn arrow(parameters: &[Local], value: &Expression, form: Form) -> Doc {
    let parameters: Vec<_> = parameters.iter().map(|local| local_text(*local)).collect();
    let head = text(format!("({}) => ", parameters.join(", ")));
    match value {
        // Without parentheses, an object would be a block.
        Expression::Object(_) => concat(vec![head, text("("), plain(value, form), text(")")]),
        _ => concat(vec![head, plain(value, form)]),
    }
}

/// A binary operator and its operands. A sum can have thousands of terms, so a left operand that needs no parentheses
/// is printed without recursion.
fn chain(expression: &Expression, form: Form) -> Doc {
    let mut docs = Vec::new();
    let mut at = expression;
    while let Expression::Binary(left, operator, right) = at {
        let (symbol, around) = binary(*operator);
        let right_precedence = if around == Precedence::Sum { Precedence::Unary } else { around };
        docs.extend([operand(right, right_precedence, form), text(symbol)]);
        if precedence(left, form) < around || !matches!(**left, Expression::Binary(..)) {
            docs.push(operand(left, around, form));
            break;
        }
        at = left;
    }
    docs.reverse();
    concat(docs)
}

/// An operand of an operator of this precedence, in parentheses if they are needed.
fn operand(expression: &Expression, around: Precedence, form: Form) -> Doc {
    if precedence(expression, form) >= around {
        return plain(expression, form);
    }
    let mut inner = vec![soft_line()];
    match expression {
        Expression::And(_) | Expression::Or(_) => inner.extend(terms(expression, form)),
        _ => return concat(vec![text("("), plain(expression, form), text(")")]),
    }
    group(vec![text("("), indent(inner), soft_line(), text(")")])
}

/// The operands of `&&` or `||`. If one of the operators is inside the other, it gets parentheses, for clarity.
fn terms(expression: &Expression, form: Form) -> Vec<Doc> {
    let (operands, separator) = match expression {
        Expression::And(operands) => (operands, " &&"),
        Expression::Or(operands) => (operands, " ||"),
        _ => return vec![plain(expression, form)],
    };
    separated(operands.iter().map(|term| operand(term, Precedence::Equality, form)), separator)
}

fn arguments(items: &[Expression], form: Form) -> Doc {
    let mut docs = vec![text("(")];
    for (index, item) in items.iter().enumerate() {
        docs.extend((index > 0).then(|| text(", ")));
        docs.push(plain(item, form));
    }
    docs.push(text(")"));
    concat(docs)
}

fn object(members: &[(String, Expression)], form: Form) -> Doc {
    if members.is_empty() {
        return text("{}");
    }
    let member = |(name, value): &(String, Expression)| match value {
        Expression::Getter(value) => {
            let body = indent(vec![line(), text("return "), plain(value, form), text(";")]);
            concat(vec![
                text(format!("get {}() ", literal::key(name))),
                group(vec![text("{"), body, line(), text("}")]),
            ])
        }
        _ => concat(vec![text(format!("{}: ", literal::key(name))), plain(value, form)]),
    };
    let mut inner = vec![line()];
    inner.extend(separated(members.iter().map(member), ","));
    inner.push(if_broken(","));
    group(vec![text("{"), indent(inner), line(), text("}")])
}

fn precedence(expression: &Expression, form: Form) -> Precedence {
    match expression {
        Expression::As(inner, _) if form != Form::Typed => precedence(inner, form),
        Expression::As(..) => Precedence::Relation,
        Expression::Arrow(..) | Expression::Spread(_) => Precedence::Lowest,
        Expression::And(_) | Expression::Or(_) => Precedence::Logical,
        Expression::Binary(_, operator, _) => binary(*operator).1,
        Expression::Not(_) | Expression::Plus(_) | Expression::TypeOf(_) | Expression::Increment(_) => {
            Precedence::Unary
        }
        // An assignment and a conditional expression bring their own parentheses.
        _ => Precedence::Call,
    }
}

/// The operator with a space on both sides, and its precedence.
fn binary(operator: BinaryOperator) -> (&'static str, Precedence) {
    match operator {
        BinaryOperator::Equal => (" === ", Precedence::Equality),
        BinaryOperator::NotEqual => (" !== ", Precedence::Equality),
        BinaryOperator::Less => (" < ", Precedence::Relation),
        BinaryOperator::LessOrEqual => (" <= ", Precedence::Relation),
        BinaryOperator::Greater => (" > ", Precedence::Relation),
        BinaryOperator::GreaterOrEqual => (" >= ", Precedence::Relation),
        BinaryOperator::In => (" in ", Precedence::Relation),
        BinaryOperator::Plus => (" + ", Precedence::Sum),
        BinaryOperator::Minus => (" - ", Precedence::Sum),
    }
}

pub(super) fn name_text(name: &Name) -> Cow<'static, str> {
    match name {
        Name::Local(local) => local_text(*local),
        Name::HandWritten(name) => (*name).into(),
        Name::Internal(name) | Name::Exported(name) => name.clone().into(),
        Name::Global(name) => (*name).into(),
    }
}

pub(super) fn local_text(local: Local) -> Cow<'static, str> {
    match local {
        Local::Value => "value".into(),
        Local::Inner(level) => format!("value{level}").into(),
        Local::Size(level) => format!("size{level}").into(),
        Local::Tag(level) => format!("tag{level}").into(),
        Local::Options => "options".into(),
        Local::References => "references".into(),
        Local::Item => "item".into(),
        Local::Key => "name".into(),
        Local::Depth => "depth".into(),
        Local::UnusedDepth => "_depth".into(),
        Local::Verdict => "verdict".into(),
        Local::Schema => "schema".into(),
        Local::Members => "members".into(),
        Local::Transport => "transport".into(),
        Local::Text => "text".into(),
        Local::Handlers => "handlers".into(),
    }
}
