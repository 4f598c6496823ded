//! TypeScript's types.

use std::collections::HashSet;

use capgen_schema::Json;

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::typescript) enum Type {
    Keyword(Keyword),
    Literal(Literal),
    /// A name, with type arguments: `Result<A>`.
    Name(String, Vec<Type>),
    /// At least two types; made by [`union`].
    Union(Vec<Type>),
    /// A type with further members; made by [`Type::intersection`].
    Intersection(Box<Type>, Vec<Property>),
    Array(Box<Type>),
    /// `readonly` before an array.
    Readonly(Box<Type>),
    Tuple(Vec<Type>),
    /// An element of a tuple that may be missing.
    Optional(Box<Type>),
    /// The elements of a tuple from here on; an array.
    Rest(Box<Type>),
    /// At least one member; made by [`Type::object`].
    Object(Vec<Property>),
    /// The type of a property of every object: `Object["toString"]`.
    Inherited(String),
    /// The type of an exported function: `typeof isPing`.
    Of(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::typescript) enum Keyword {
    Any,
    Unknown,
    Never,
    Null,
    Undefined,
    Boolean,
    Number,
    String,
}

/// A value that is neither an array nor an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::typescript) enum Literal {
    Null,
    Boolean(bool),
    Number(Number),
    String(String),
}

/// A binary64, compared by its bits. `-0` and `0` are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::typescript) struct Number(u64);

/// A member of an object type.
#[derive(Clone, Debug)]
pub(in crate::typescript) struct Property {
    /// `None` for an index signature.
    pub(in crate::typescript) name: Option<String>,
    pub(in crate::typescript) is_optional: bool,
    pub(in crate::typescript) is_readonly: bool,
    /// Whether the name is always quoted.
    pub(in crate::typescript) is_quoted: bool,
    pub(in crate::typescript) ty: Type,
    /// The lines of its comment.
    pub(in crate::typescript) doc: Vec<String>,
}

/// Types that differ only in comments are equal.
impl PartialEq for Property {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.is_optional == other.is_optional && self.ty == other.ty
    }
}

impl Eq for Property {}

impl std::hash::Hash for Property {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.name, self.is_optional, &self.ty).hash(state);
    }
}

impl Type {
    pub(in crate::typescript) const ANY: Type = Type::Keyword(Keyword::Any);
    pub(in crate::typescript) const UNKNOWN: Type = Type::Keyword(Keyword::Unknown);
    pub(in crate::typescript) const NEVER: Type = Type::Keyword(Keyword::Never);
    pub(in crate::typescript) const BOOLEAN: Type = Type::Keyword(Keyword::Boolean);
    pub(in crate::typescript) const NUMBER: Type = Type::Keyword(Keyword::Number);
    pub(in crate::typescript) const STRING: Type = Type::Keyword(Keyword::String);

    pub(in crate::typescript) fn name(name: &str) -> Self {
        Type::Name(name.to_owned(), Vec::new())
    }

    pub(in crate::typescript) fn array(item: Type) -> Self {
        Type::Array(Box::new(item))
    }

    /// An object with these members and no others.
    pub(in crate::typescript) fn object(members: Vec<Property>) -> Self {
        if members.is_empty() {
            return Type::Name("Record".to_owned(), vec![Type::STRING, Type::NEVER]);
        }
        Type::Object(members)
    }

    /// A type with further members, if there are any.
    pub(in crate::typescript) fn intersection(ty: Type, members: Vec<Property>) -> Self {
        if members.is_empty() { ty } else { Type::Intersection(Box::new(ty), members) }
    }

    /// The type of one value.
    pub(in crate::typescript) fn of_value(value: &Json) -> Self {
        match value {
            Json::Array(items) => Type::Tuple(items.iter().map(Type::of_value).collect()),
            Json::Object(members) => {
                Type::object(members.iter().map(|(name, value)| Property::new(name, Type::of_value(value))).collect())
            }
            value => Literal::of(value).map_or(Type::NEVER, Type::Literal),
        }
    }

    /// The keyword whose type contains this literal.
    fn wider(&self) -> Option<Type> {
        match self {
            Type::Literal(Literal::String(_)) => Some(Type::STRING),
            Type::Literal(Literal::Number(_)) => Some(Type::NUMBER),
            Type::Literal(Literal::Boolean(_)) => Some(Type::BOOLEAN),
            _ => None,
        }
    }
}

/// The union of some types, without those that another of them contains.
pub(in crate::typescript) fn union(members: impl IntoIterator<Item = Type>) -> Type {
    let mut flat = Vec::new();
    for member in members {
        match member {
            Type::Union(members) => flat.extend(members),
            Type::Literal(Literal::Null) => flat.push(Type::Keyword(Keyword::Null)),
            member => flat.push(member),
        }
    }
    let mut seen = HashSet::new();
    flat.retain(|member| *member != Type::NEVER && seen.insert(member.clone()));
    if seen.contains(&Type::UNKNOWN) {
        return Type::UNKNOWN;
    }
    flat.retain(|member| !member.wider().is_some_and(|wider| seen.contains(&wider)));
    if flat.len() < 2 {
        return flat.pop().unwrap_or(Type::NEVER);
    }
    Type::Union(flat)
}

impl Literal {
    /// `None` for arrays and objects.
    pub(in crate::typescript) fn of(value: &Json) -> Option<Self> {
        Some(match value {
            Json::Null => Literal::Null,
            Json::Bool(value) => Literal::Boolean(*value),
            Json::Number(number) => Literal::Number(Number::new(number.as_f64())),
            Json::String(text) => Literal::String(text.clone()),
            Json::Array(_) | Json::Object(_) => return None,
        })
    }
}

impl Number {
    pub(in crate::typescript) fn new(float: f64) -> Self {
        // Adding zero makes `-0` the same as `0`.
        Self((float + 0.0).to_bits())
    }

    pub(in crate::typescript) fn float(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl Property {
    pub(in crate::typescript) fn new(name: &str, ty: Type) -> Self {
        Self {
            name: Some(name.to_owned()),
            is_optional: false,
            is_readonly: false,
            is_quoted: false,
            ty,
            doc: Vec::new(),
        }
    }

    /// An index signature.
    pub(in crate::typescript) fn index(ty: Type) -> Self {
        Self { name: None, is_optional: false, is_readonly: false, is_quoted: false, ty, doc: Vec::new() }
    }

    pub(in crate::typescript) fn optional(mut self, is_optional: bool) -> Self {
        self.is_optional = is_optional;
        self
    }

    pub(in crate::typescript) fn readonly(mut self) -> Self {
        self.is_readonly = true;
        self
    }

    pub(in crate::typescript) fn quoted(mut self) -> Self {
        self.is_quoted = true;
        self
    }

    pub(in crate::typescript) fn doc(mut self, doc: Vec<String>) -> Self {
        self.doc = doc;
        self
    }
}
