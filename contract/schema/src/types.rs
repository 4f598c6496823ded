//! The types of JSON Schema.

/// The types of JSON Schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the type of its name")]
pub enum Type {
    Null,
    Boolean,
    /// A number without a fractional part, such as `1.0`.
    Integer,
    /// Any number.
    Number,
    String,
    Array,
    Object,
}

/// A set of [`Type`]s. `number` contains `integer`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeSet(u8);

impl Type {
    /// Every type, `null` first.
    pub const ALL: [Type; 7] =
        [Type::Null, Type::Boolean, Type::Integer, Type::Number, Type::String, Type::Array, Type::Object];

    /// Its name in a schema.
    pub const fn name(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::String => "string",
            Type::Array => "array",
            Type::Object => "object",
        }
    }

    /// The type with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }

    /// The bits of the type in a [`TypeSet`]. `number` has two: integers, and numbers with a fraction.
    pub(crate) const fn bits(self) -> u8 {
        match self {
            Type::Null => 1,
            Type::Boolean => 2,
            Type::Integer => 4,
            Type::Number => 4 | 8,
            Type::String => 16,
            Type::Array => 32,
            Type::Object => 64,
        }
    }
}

impl TypeSet {
    /// No type.
    pub const EMPTY: TypeSet = TypeSet(0);
    /// Every type.
    pub const ALL: TypeSet = TypeSet(127);

    /// The [bits](Type::bits) of its types.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Whether the set contains the type; `number` contains `integer`.
    pub const fn contains(self, t: Type) -> bool {
        self.0 & t.bits() == t.bits()
    }

    /// The set with `t` added.
    #[must_use]
    pub const fn with(self, t: Type) -> Self {
        TypeSet(self.0 | t.bits())
    }

    /// The types in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        TypeSet(self.0 & other.0)
    }

    /// The types in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        TypeSet(self.0 | other.0)
    }

    /// The set without `t`; without `number`, no `integer` is left either.
    #[must_use]
    pub fn without(self, t: Type) -> Self {
        self.iter().filter(|other| *other != t).collect()
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The types in the set, `null` first. `integer` is omitted if the set contains `number`.
    pub fn iter(self) -> impl Iterator<Item = Type> {
        Type::ALL.into_iter().filter(move |&t| self.contains(t) && !(t == Type::Integer && self.contains(Type::Number)))
    }
}

impl FromIterator<Type> for TypeSet {
    fn from_iter<I: IntoIterator<Item = Type>>(types: I) -> Self {
        types.into_iter().fold(TypeSet::EMPTY, TypeSet::with)
    }
}

impl std::fmt::Debug for TypeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
