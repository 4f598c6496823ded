//! The syntax of TypeScript's types as a tree that knows how wide it is.

use std::collections::HashSet;

/// Lines are no longer, where they can be broken.
pub(super) const WIDTH: usize = 100;

/// A type.
#[derive(Clone, Debug)]
pub(super) struct Ts {
    pub(super) kind: Kind,
    /// In characters, on one line.
    pub(super) width: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A keyword, a literal or a name.
    Text(String),
    /// At least two types.
    Union(Vec<Ts>),
    Array(Box<Ts>),
    Tuple(Vec<Ts>),
    /// An element of a tuple that may be missing.
    Optional(Box<Ts>),
    /// The elements of a tuple from here on; an array.
    Rest(Box<Ts>),
    /// At least one member.
    Object(Vec<Property>),
}

/// A member of an object type.
#[derive(Clone, Debug)]
pub(super) struct Property {
    /// As it is written, with `?` where it is optional; or an index signature.
    pub(super) name: String,
    pub(super) ty: Ts,
    /// The lines of its comment.
    pub(super) doc: Vec<String>,
}

/// Collects output and knows where it is in the line.
pub(super) struct Writer {
    pub(super) out: String,
    pub(super) column: usize,
    pub(super) indent: usize,
}

pub(super) fn text(text: impl Into<String>) -> Ts {
    let text = text.into();
    Ts { width: text.chars().count(), kind: Kind::Text(text) }
}

pub(super) fn array(item: Ts) -> Ts {
    Ts { width: item.in_parens() + 2, kind: Kind::Array(Box::new(item)) }
}

pub(super) fn tuple(elements: Vec<Ts>) -> Ts {
    Ts { width: 2 + separated(elements.iter().map(|e| e.width), 2), kind: Kind::Tuple(elements) }
}

pub(super) fn optional(element: Ts) -> Ts {
    Ts { width: element.in_parens() + 1, kind: Kind::Optional(Box::new(element)) }
}

pub(super) fn rest(array: Ts) -> Ts {
    Ts { width: array.width + 3, kind: Kind::Rest(Box::new(array)) }
}

/// An object with these members and no others.
pub(super) fn object(members: Vec<Property>) -> Ts {
    if members.is_empty() {
        return text("Record<string, never>");
    }
    let widths = members.iter().map(|member| member.name.chars().count() + 2 + member.ty.width);
    Ts { width: 4 + separated(widths, 2), kind: Kind::Object(members) }
}

/// An object with any names.
pub(super) fn map(value: Ts) -> Ts {
    object(vec![Property::index(value)])
}

/// The union of types, without those that others contain.
pub(super) fn union(members: impl IntoIterator<Item = Ts>) -> Ts {
    let mut flat = Vec::new();
    for member in members {
        match member.kind {
            Kind::Union(members) => flat.extend(members),
            _ => flat.push(member),
        }
    }
    let mut seen = HashSet::new();
    flat.retain(|member| !member.is("never") && seen.insert(member.one_line()));
    if seen.contains("unknown") {
        return text("unknown");
    }
    flat.retain(|member| !member.wider().is_some_and(|wider| seen.contains(wider)));
    if flat.len() < 2 {
        return flat.pop().unwrap_or_else(|| text("never"));
    }
    Ts { width: separated(flat.iter().map(|member| member.width), 3), kind: Kind::Union(flat) }
}

fn separated(widths: impl Iterator<Item = usize>, separator: usize) -> usize {
    widths.fold((0, 0), |(sum, between), width| (sum + between + width, separator)).0
}

impl Ts {
    pub(super) fn is(&self, name: &str) -> bool {
        matches!(&self.kind, Kind::Text(text) if text == name)
    }

    pub(super) fn is_union(&self) -> bool {
        matches!(self.kind, Kind::Union(_))
    }

    fn in_parens(&self) -> usize {
        if self.is_union() { self.width + 2 } else { self.width }
    }

    /// The keyword whose type contains this literal.
    fn wider(&self) -> Option<&'static str> {
        let Kind::Text(text) = &self.kind else { return None };
        match text.chars().next()? {
            '"' => Some("string"),
            '-' | '0'..='9' => Some("number"),
            _ if text == "true" || text == "false" => Some("boolean"),
            _ => None,
        }
    }
}

impl Property {
    pub(super) fn new(name: &str, ty: Ts) -> Self {
        Self { name: name.to_owned(), ty, doc: Vec::new() }
    }

    pub(super) fn index(ty: Ts) -> Self {
        Self::new("[key: string]", ty)
    }

    pub(super) fn doc(mut self, doc: Vec<String>) -> Self {
        self.doc = doc;
        self
    }
}
