//! The language-neutral type model: what a contract's schemas say as types, every name settled.
//!
//! A type in it never refuses a payload that its schema accepts; where types cannot say what a schema says, they widen.

use std::ops::Index;

use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{Format, Hash, Json, TypeSet};

/// A contract as types.
#[derive(Debug)]
pub(crate) struct Model<'a> {
    pub(crate) manifest: &'a Manifest,
    /// The manifest's hash, which takes its time.
    pub(crate) hash: Hash,
    /// In source order.
    pub(crate) capabilities: Vec<CapabilityModel<'a>>,
    /// The types of every side, in source order; a type comes before those that only it needs.
    pub(crate) types: Vec<TypeDef>,
}

/// One capability.
#[derive(Debug)]
pub(crate) struct CapabilityModel<'a> {
    pub(crate) source: &'a Capability,
    /// The name of the Rust marker type, such as `ReviewPr`.
    pub(crate) marker: String,
    pub(crate) request: SideModel,
    pub(crate) response: SideModel,
}

/// One side of a capability.
#[derive(Debug)]
pub(crate) enum SideModel {
    /// No schema: any JSON value, nothing is validated. The alias's name.
    Loose(String),
    /// The root type; its definition bears the side's name, such as `ReviewPrRequest`.
    Typed(TypeId),
}

/// An index into [`Model::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TypeId(pub(crate) usize);

/// What a place of a payload holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    /// Any JSON value.
    Unknown,
    /// No value at all.
    Never,
    Null,
    Boolean,
    /// An integer; `unsigned` where the schema has no room for negative ones.
    Integer {
        unsigned: bool,
    },
    Number,
    String,
    /// `min` and `max` are `minItems` and `maxItems`.
    Array {
        item: Box<Type>,
        min: u64,
        max: Option<u64>,
    },
    /// An object with any names and values of one type.
    Map(Box<Type>),
    /// The type or `null`; never nested, and never around `Unknown`, `Never` or `Null`.
    Nullable(Box<Type>),
    /// A type with a definition. `boxed` where a Rust value would otherwise contain itself.
    Named {
        id: TypeId,
        boxed: bool,
    },
}

/// A type that has a name.
#[derive(Debug)]
pub(crate) struct TypeDef {
    /// Unique in the file, in UpperCamelCase, an identifier in every language.
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) capability: String,
    pub(crate) side: Side,
    /// JSON Pointer to its place in the side's schema.
    pub(crate) pointer: String,
    /// The schema's `description`: untrusted text.
    pub(crate) description: Option<String>,
    pub(crate) shape: Shape,
    pub(crate) coverage: Coverage,
}

/// Whether a type says all that the schema of its place asserts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Coverage {
    /// Whatever the type and the guards in it accept fits the schema.
    pub(crate) is_exact: bool,
    /// JSON Pointers to the schemas that say the rest; `None` where pointers cannot tell, as of a branch with what stands
    /// beside its union: then whoever holds the type has to make up for it.
    pub(crate) pointers: Option<Vec<String>>,
}

impl Coverage {
    /// The pointers to schemas that have to be checked beside the type.
    pub(crate) fn whole(&self) -> Option<&[String]> {
        self.pointers.as_deref().filter(|_| !self.is_exact)
    }
}

/// What a place's schema asserts beyond its type; for a named type, beyond what the type's own definition does.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum Guard {
    #[default]
    None,
    /// `min` and `max` are `minLength` and `maxLength`.
    Text { min: u64, max: Option<u64>, pattern: Option<String>, format: Option<Format> },
    /// Both inclusive.
    Integer { min: Option<i128>, max: Option<i128> },
    /// Both inclusive.
    Number { min: f64, max: f64 },
    /// `unique` is `uniqueItems`.
    Items { unique: bool, item: Box<Guard> },
    /// Of each value of a map.
    Values(Box<Guard>),
    /// The schemas at these JSON Pointers, which types and guards do not say.
    Interpreted(Vec<String>),
}

/// Why a type has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// It is the root of a side.
    Root,
    /// It is a member of `definitions`.
    Definition,
    /// It stands at a place inside another type.
    Place,
}

/// What a named type is.
#[derive(Debug)]
pub(crate) enum Shape {
    Record(Record),
    Enum(Vec<Member>),
    Union(Union),
    Alias {
        target: Type,
        guard: Guard,
        /// A Rust `type` will not do: the chain of aliases leads back here, or the root of a side would be no type of its
        /// own.
        distinct: bool,
    },
}

/// An object with declared properties.
#[derive(Debug)]
pub(crate) struct Record {
    /// In source order.
    pub(crate) fields: Vec<Field>,
    pub(crate) rest: Rest,
    /// Of each property that is kept.
    pub(crate) rest_guard: Guard,
}

/// A declared property.
#[derive(Debug)]
pub(crate) struct Field {
    /// The property's name: untrusted text.
    pub(crate) name: String,
    /// snake_case and unique in the record; a keyword is not yet escaped. Never `additional_properties`.
    pub(crate) ident: String,
    pub(crate) ty: Type,
    pub(crate) guard: Guard,
    pub(crate) required: bool,
    /// Untrusted text.
    pub(crate) description: Option<String>,
}

/// The properties of an object that are not declared.
#[derive(Debug)]
pub(crate) enum Rest {
    /// Refused.
    Closed,
    /// Accepted, not kept.
    Ignored,
    /// Accepted and kept.
    Kept(Type),
}

/// A member of a closed set of values.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) value: Json,
    /// UpperCamelCase and unique in the enum; a keyword (`Self`) is not yet escaped.
    pub(crate) ident: String,
    /// Untrusted text.
    pub(crate) description: Option<String>,
}

/// One of several types.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) variants: Vec<Variant>,
    /// Whether a look at the value's type and, for objects, at its tag or at which key it has tells which variant it is:
    /// at most one applies.
    pub(crate) disjoint: bool,
    /// The property whose value tells object variants apart, where there is more than one. With a tag, no variant has a
    /// key.
    pub(crate) tag: Option<String>,
}

/// A branch of a union.
#[derive(Debug)]
pub(crate) struct Variant {
    /// UpperCamelCase and unique in the union; a keyword (`Self`) is not yet escaped.
    pub(crate) ident: String,
    pub(crate) ty: Type,
    pub(crate) guard: Guard,
    /// The JSON types that a value of it may have; `null` only where a definition that it refers to allows it.
    pub(crate) types: TypeSet,
    /// The values of the tag that select it; empty where the union has no tag or the variant is no object.
    pub(crate) tag_values: Vec<Json>,
    /// The property whose presence selects it: required here, and forbidden in every other variant for objects.
    pub(crate) key: Option<String>,
}

impl Variant {
    /// Whether nothing but the type of a value selects it.
    pub(crate) fn is_plain(&self) -> bool {
        self.tag_values.is_empty() && self.key.is_none()
    }
}

impl Index<TypeId> for Model<'_> {
    type Output = TypeDef;

    fn index(&self, id: TypeId) -> &TypeDef {
        #[expect(clippy::indexing_slicing, reason = "ids are made with their type and never outlive the model")]
        &self.types[id.0]
    }
}

impl TypeDef {
    /// The single value that the type allows, where that is so.
    pub(crate) fn constant(&self) -> Option<&Member> {
        match &self.shape {
            Shape::Enum(members) => match members.as_slice() {
                [member] => Some(member),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Type {
    /// The named type in it, if any.
    pub(crate) fn named(&self) -> Option<TypeId> {
        match self {
            Type::Array { item, .. } | Type::Map(item) | Type::Nullable(item) => item.named(),
            Type::Named { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// The named type in it, if any.
    pub(crate) fn named_mut(&mut self) -> Option<&mut TypeId> {
        match self {
            Type::Array { item, .. } | Type::Map(item) | Type::Nullable(item) => item.named_mut(),
            Type::Named { id, .. } => Some(id),
            _ => None,
        }
    }
}

impl Shape {
    /// Calls `f` with each type that it is made of, in source order.
    pub(crate) fn each_type(&self, f: &mut impl FnMut(&Type)) {
        self.each_held(f);
        if let Shape::Record(Record { rest: Rest::Kept(ty), .. }) = self {
            f(ty);
        }
    }

    /// The same, to change them.
    pub(crate) fn each_type_mut(&mut self, f: &mut impl FnMut(&mut Type)) {
        self.each_held_mut(f);
        if let Shape::Record(Record { rest: Rest::Kept(ty), .. }) = self {
            f(ty);
        }
    }

    /// Calls `f` with each type that a value holds as its part; what a record keeps of undeclared properties stands in a
    /// map instead.
    pub(crate) fn each_held(&self, f: &mut impl FnMut(&Type)) {
        match self {
            Shape::Record(record) => record.fields.iter().for_each(|field| f(&field.ty)),
            Shape::Enum(_) => {}
            Shape::Union(union) => union.variants.iter().for_each(|variant| f(&variant.ty)),
            Shape::Alias { target, .. } => f(target),
        }
    }

    /// The same, to change them.
    pub(crate) fn each_held_mut(&mut self, f: &mut impl FnMut(&mut Type)) {
        match self {
            Shape::Record(record) => record.fields.iter_mut().for_each(|field| f(&mut field.ty)),
            Shape::Enum(_) => {}
            Shape::Union(union) => union.variants.iter_mut().for_each(|variant| f(&mut variant.ty)),
            Shape::Alias { target, .. } => f(target),
        }
    }
}
