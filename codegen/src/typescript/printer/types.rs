//! Types.

use super::comment::comment;
use super::layout::{Doc, concat, group, hard_line, if_broken, indent, line, separated, soft_line, text};
use super::literal;
use crate::typescript::syntax::{Keyword, Property, Type};

/// A type after `=` or `:`, with the space before it. A union that does not fit starts on the next line.
pub(super) fn after(ty: &Type) -> Doc {
    match ty {
        Type::Union(members) => group(vec![indent(concat_members(members, line()))]),
        ty => concat(vec![text(" "), plain(ty)]),
    }
}

/// An object type with each member on its own line, with a space before it.
pub(super) fn expanded(ty: &Type) -> Doc {
    match ty {
        Type::Object(members) => concat(vec![text(" "), object(members, true)]),
        ty => concat(vec![text(" "), plain(ty)]),
    }
}

pub(super) fn plain(ty: &Type) -> Doc {
    match ty {
        Type::Keyword(keyword) => text(keyword_text(*keyword)),
        Type::Literal(literal) => text(literal::literal(literal)),
        Type::Name(name, arguments) if arguments.is_empty() => text(name.clone()),
        Type::Name(name, arguments) => {
            let mut docs = vec![text(format!("{name}<"))];
            for (index, argument) in arguments.iter().enumerate() {
                docs.extend((index > 0).then(|| text(", ")));
                docs.push(plain(argument));
            }
            docs.push(text(">"));
            concat(docs)
        }
        Type::Union(members) => group(vec![indent(concat_members(members, concat(Vec::new())))]),
        Type::Array(item) => enclosed(item, "[]"),
        Type::Readonly(array) => concat(vec![text("readonly "), plain(array)]),
        Type::Optional(item) => enclosed(item, "?"),
        Type::Rest(array) => concat(vec![text("..."), plain(array)]),
        Type::Tuple(elements) => list("[", elements.iter().map(plain), "]"),
        Type::Object(members) => object(members, false),
        // The parentheses are needed only next to a suffix, but show which operator binds more tightly in a union.
        Type::Intersection(ty, members) => {
            concat(vec![text("("), plain(ty), text(" & "), object(members, false), text(")")])
        }
        Type::Of(name) => text(format!("typeof {name}")),
        Type::Inherited(name) => text(format!("Object[{}]", literal::string(name))),
    }
}

fn keyword_text(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Any => "any",
        Keyword::Unknown => "unknown",
        Keyword::Never => "never",
        Keyword::Null => "null",
        Keyword::Undefined => "undefined",
        Keyword::Boolean => "boolean",
        Keyword::Number => "number",
        Keyword::String => "string",
    }
}

/// `first` and then the members of a union; if they break, each is on its own line after a bar.
fn concat_members(members: &[Type], first: Doc) -> Vec<Doc> {
    let mut docs = vec![first, if_broken("| ")];
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            docs.extend([line(), text("| ")]);
        }
        docs.push(indent(vec![plain(member)]));
    }
    docs
}

/// The operand of a suffix. A union gets parentheses.
fn enclosed(ty: &Type, suffix: &'static str) -> Doc {
    match ty {
        Type::Union(members) => {
            group(vec![text("("), indent(concat_members(members, soft_line())), soft_line(), text(")"), text(suffix)])
        }
        ty => concat(vec![plain(ty), text(suffix)]),
    }
}

/// Elements in brackets; if they break, each is on its own line and followed by a comma.
pub(super) fn list(open: &'static str, items: impl Iterator<Item = Doc>, close: &'static str) -> Doc {
    let items = separated(items, ",");
    if items.is_empty() {
        return text(format!("{open}{close}"));
    }
    let mut inner = vec![soft_line()];
    inner.extend(items);
    inner.push(if_broken(","));
    group(vec![text(open), indent(inner), soft_line(), text(close)])
}

fn object(members: &[Property], is_expanded: bool) -> Doc {
    let break_or_space = || if is_expanded { hard_line() } else { line() };
    let mut inner = vec![break_or_space()];
    inner.extend(separated(members.iter().map(property), ";"));
    inner.push(if_broken(";"));
    group(vec![text("{"), indent(inner), break_or_space(), text("}")])
}

fn property(property: &Property) -> Doc {
    let name = match &property.name {
        None => "[key: string]".to_owned(),
        Some(name) if property.is_quoted => literal::string(name),
        Some(name) => literal::property(name),
    };
    let mark = if property.is_optional { "?:" } else { ":" };
    let modifier = if property.is_readonly { "readonly " } else { "" };
    concat(vec![comment(&property.doc), text(modifier), text(name), text(mark), after(&property.ty)])
}
