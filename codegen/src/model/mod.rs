//! The language-neutral type model: a contract's schemas as types, with the name of each.
//!
//! Names are words: types and variants in UpperCamelCase and fields in snake_case, from which a target derives its own
//! notation. They are unique, and the same in every language. A [target](crate::target) adapts a copy of the model: it
//! escapes the names that the language reserves, and sets `boxed` and `distinct` if it needs them.
//!
//! A type never rejects a payload that its schema accepts. If types cannot express a schema, the type accepts more, and
//! guards check the rest.

pub(crate) mod calls;
pub(crate) mod capability_name;
pub(crate) mod check;
pub(crate) mod errors;
pub(crate) mod note;

use std::cell::OnceCell;
use std::ops::Index;

use capgen_manifest::{Capability, ContractPart, DeclaredError, Hashes, Manifest, Options};
use capgen_schema::{Format, Json, Number, TypeSet};

use self::capability_name::CapabilityName;
use self::note::Note;
use crate::history::Verdicts;
use crate::lower::widened::Widened;

/// A contract as types.
#[derive(Clone, Debug)]
pub(crate) struct Model<'a> {
    pub(crate) manifest: &'a Manifest,
    /// See [`hashes`](Model::hashes).
    pub(crate) hashes: OnceCell<Hashes>,
    /// In source order.
    pub(crate) capabilities: Vec<CapabilityModel<'a>>,
    /// The types of every part, in source order: the root of a part, then the types that no part before it needs. A
    /// type comes before the types that only it refers to.
    pub(crate) types: Vec<TypeDef>,
    /// The validators of every part that has a schema, in source order; empty for a target whose types check
    /// themselves.
    pub(crate) validators: Vec<check::Validator<'a>>,
    /// The limits that the types of each part exceed.
    pub(crate) widened: Widened,
    pub(crate) options: Options,
    /// The verdicts on callers with older contracts.
    pub(crate) verdicts: Verdicts,
}

/// One capability.
#[derive(Clone, Debug)]
pub(crate) struct CapabilityModel<'a> {
    pub(crate) source: &'a Capability,
    pub(crate) name: CapabilityName,
    /// The name of the capability as a type, such as `ReviewPr`.
    pub(crate) marker: String,
    pub(crate) request: SideModel,
    pub(crate) response: SideModel,
    pub(crate) errors: Vec<ErrorModel<'a>>,
    /// The names of the types about its errors, if it declares some.
    pub(crate) error_names: Option<ErrorNames>,
}

/// The names of the types about the errors of a capability. A language need not have all of them.
#[derive(Clone, Debug)]
pub(crate) struct ErrorNames {
    /// The error of a program, such as `ReviewPrError`.
    pub(crate) error: String,
    /// The details of each code, such as `ReviewPrErrors`.
    pub(crate) details: String,
    /// The error of a call, such as `ReviewPrFailure`.
    pub(crate) failure: String,
}

/// An error that a capability declares.
#[derive(Clone, Debug)]
pub(crate) struct ErrorModel<'a> {
    pub(crate) source: &'a DeclaredError,
    /// The code in UpperCamelCase, unique in the capability. A keyword (`Self`) is not escaped yet.
    pub(crate) ident: String,
    /// The root type of the details, such as `NoSeatsDetails`. It belongs to the first of several capabilities that
    /// share it.
    pub(crate) details: Option<TypeId>,
}

/// One side of a capability.
#[derive(Clone, Debug)]
pub(crate) enum SideModel {
    /// Without a schema: any JSON value, and nothing is validated. Contains the name of the alias.
    Loose(String),
    /// The root type, whose definition has the name of the side, such as `ReviewPrRequest`.
    Typed(TypeId),
}

/// An index into [`Model::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TypeId(pub(crate) usize);

/// The type of a value in a payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    /// Any JSON value.
    Unknown,
    /// No value.
    Never,
    Null,
    Boolean,
    /// An integer; `unsigned` if the schema rejects negative ones.
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
    /// An array whose first items have types of their own. It is in a box, because lowering is recursive, and its stack
    /// frames have many types.
    Tuple(Box<Tuple>),
    /// An object with any names and values of one type.
    Map(Box<Type>),
    /// The type or `null`. Never nested, and never around `Unknown`, `Never` or `Null`.
    Nullable(Box<Type>),
    /// A type with a definition. A target sets `boxed` if a value would otherwise contain itself.
    Named {
        id: TypeId,
        boxed: bool,
    },
}

/// The type of an array whose first items have types of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tuple {
    /// At least one.
    pub(crate) items: Vec<Type>,
    /// The type of the items after those; `None` if there are none, and then `max` is the number of `items`.
    pub(crate) rest: Option<Type>,
    /// `minItems`.
    pub(crate) min: u64,
    /// `maxItems`.
    pub(crate) max: Option<u64>,
}

/// A type that has a name.
#[derive(Clone, Debug)]
pub(crate) struct TypeDef {
    /// Unique in the file, in UpperCamelCase. A target may escape it.
    pub(crate) name: String,
    pub(crate) origin: Origin,
    /// The definition that it is, or is inside of, if all parts share the types of that definition. The capability and
    /// the part are then the first that have it.
    pub(crate) definition: Option<String>,
    /// The [label](CapabilityName::label) of its capability.
    pub(crate) capability: String,
    pub(crate) part: ContractPart,
    /// The error whose details it is, or is inside of.
    pub(crate) error: Option<ErrorCode>,
    /// The JSON Pointer of its place in the schema of the part.
    pub(crate) pointer: String,
    /// The schema's `description`: untrusted text.
    pub(crate) description: Option<String>,
    pub(crate) note: Note,
    pub(crate) shape: Shape,
    pub(crate) coverage: Coverage,
}

/// The error to which a type belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ErrorCode {
    pub(crate) code: String,
    /// Whether all capabilities that declare details for the code share the type. The capability is then the first of
    /// them.
    pub(crate) is_shared: bool,
}

/// How much of the schemas of its place a type checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Coverage {
    /// Whether the type and the guards inside it accept only values that the schemas accept.
    pub(crate) is_exact: bool,
    /// JSON Pointers of the schemas; `None` if there are none that are equivalent to the place, such as for a branch
    /// combined with the assertions next to its union. Then a type that contains this one must check them.
    pub(crate) pointers: Option<Vec<String>>,
    /// Whether the type is only for values of some JSON types of the place, for example without `null`.
    pub(crate) is_partial: bool,
}

impl Coverage {
    /// The same for a type of only some JSON types of its place.
    pub(crate) fn partial(self) -> Self {
        Self { is_partial: true, ..self }
    }

    /// The pointers of schemas that accept the same values as the type and its checks.
    pub(crate) fn equivalent(&self) -> Option<&[String]> {
        self.pointers.as_deref().filter(|_| !self.is_partial)
    }

    /// The pointers of the schemas that the interpreter must check in addition to the type.
    pub(crate) fn interpreted(&self) -> Option<&[String]> {
        self.pointers.as_deref().filter(|_| !self.is_exact)
    }
}

/// The checks that a place needs beyond those of its type. A named type includes the checks of its definition.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum Guard {
    /// Nothing to check.
    #[default]
    None,
    /// `min` and `max` are `minLength` and `maxLength`.
    Text { min: u64, max: Option<u64>, pattern: Option<String>, format: Option<Format> },
    /// Both inclusive.
    Integer { min: Option<i128>, max: Option<i128> },
    /// Infinite if there is no bound.
    Number { min: NumberLimit, max: NumberLimit },
    /// A number is a multiple of `divisor`, and the other guard accepts it.
    MultipleOf { divisor: Number, other: Box<Guard> },
    /// `unique` is `uniqueItems`.
    Items { unique: bool, item: Box<Guard> },
    /// Of each item of a [fixed](Type::fixed) tuple.
    Positions(Vec<Guard>),
    /// Of each value of a map.
    Values(Box<Guard>),
    /// `name` is a [`Guard::Text`] for each name of a map; `values` is the guard of the map without it.
    Names { name: Box<Guard>, values: Box<Guard> },
    /// The schemas at these JSON Pointers, which the interpreter checks.
    Interpreted(Vec<String>),
}

/// A bound of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct NumberLimit {
    pub(crate) value: f64,
    /// Whether the value itself is not allowed.
    pub(crate) is_exclusive: bool,
}

/// Why a type has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// It is the root of a part.
    Root,
    /// It is a member of `definitions`.
    Definition,
    /// It is the type of a place inside another type.
    Place,
}

/// The definition of a named type.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Record(Record),
    Enum(Vec<Member>),
    Union(Union),
    Alias {
        target: Type,
        guard: Guard,
        /// Whether its schemas assert nothing beyond those of the target, in the same way: a value has the same
        /// violations.
        is_reference: bool,
        /// Whether it must be a new type: a target sets it if its aliases cannot lead back to themselves, or have the
        /// traits of their targets.
        distinct: bool,
    },
}

/// An object with declared properties.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// In source order.
    pub(crate) fields: Vec<Field>,
    pub(crate) rest: Rest,
    /// The guard of each property that is kept.
    pub(crate) rest_guard: Guard,
    /// Whether `rest` is kept only because an assertion outside the record depends on it, such as `uniqueItems`:
    /// without it, Rust could not write a value that it has read.
    pub(crate) is_rest_compared: bool,
}

/// A declared property.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The property's name: untrusted text.
    pub(crate) name: String,
    /// In snake_case and unique in the record. A keyword is not escaped yet.
    pub(crate) ident: String,
    pub(crate) ty: Type,
    pub(crate) guard: Guard,
    pub(crate) required: bool,
    /// Untrusted text.
    pub(crate) description: Option<String>,
    pub(crate) note: Note,
}

/// The properties of an object that are not declared.
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    /// Rejected.
    Closed,
    /// Accepted but not kept.
    Ignored,
    /// Accepted and kept.
    Kept(Type),
}

/// A member of a closed set of values.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) value: Json,
    /// In UpperCamelCase and unique in the enum. A keyword (`Self`) is not escaped yet.
    pub(crate) ident: String,
    /// Untrusted text.
    pub(crate) description: Option<String>,
}

/// One of several types.
#[derive(Clone, Debug)]
pub(crate) struct Union {
    pub(crate) variants: Vec<Variant>,
    /// Whether the value's JSON type and, for objects, its tag or its keys select the variant, so that at most one
    /// matches.
    pub(crate) disjoint: bool,
    /// The property whose value selects the variant, if there are several variants for objects. With a tag, no variant
    /// has a key.
    pub(crate) tag: Option<String>,
}

/// A branch of a union.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// In UpperCamelCase and unique in the union. A keyword (`Self`) is not escaped yet.
    pub(crate) ident: String,
    pub(crate) ty: Type,
    pub(crate) guard: Guard,
    /// The JSON types of its values; `null` only if a definition that it refers to allows it.
    pub(crate) types: TypeSet,
    /// The values of the tag that select it; empty if the union has no tag or the variant is not for objects.
    pub(crate) tag_values: Vec<Json>,
    /// The property whose presence selects it. It is required here and forbidden in every other variant for objects.
    pub(crate) key: Option<String>,
    /// Of an object: undeclared properties with JSON types that they must not have, since another branch of the `oneOf`
    /// would match too.
    pub(crate) excluded: Vec<(String, TypeSet)>,
}

impl Variant {
    /// Whether only the JSON type of a value selects it.
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

impl Model<'_> {
    /// The hashes of the manifest. Computing them is slow, so it is done once, and only if code is printed.
    pub(crate) fn hashes(&self) -> &Hashes {
        self.hashes.get_or_init(|| self.manifest.hashes())
    }

    /// Adds `_` to the names of capabilities and types that are reserved. The results are unique, because no name of
    /// the model ends in `_`, and the same whatever other types exist.
    pub(crate) fn escape_types(&mut self, is_reserved: impl Fn(&str) -> bool) {
        let escape = |name: &mut String| {
            if is_reserved(name) {
                name.push('_');
            }
        };
        for capability in &mut self.capabilities {
            escape(&mut capability.marker);
            capability.error_names.iter_mut().flat_map(ErrorNames::all_mut).for_each(escape);
            for side in [&mut capability.request, &mut capability.response] {
                if let SideModel::Loose(name) = side {
                    escape(name);
                }
            }
        }
        self.types.iter_mut().for_each(|def| escape(&mut def.name));
    }

    /// The root of a part, and the other types that no part before it needs.
    pub(crate) fn types_of(&self, root: TypeId) -> impl Iterator<Item = (TypeId, &TypeDef)> {
        let types = self.types.iter().enumerate().skip(root.0);
        types
            .take_while(move |(index, def)| *index == root.0 || def.origin != Origin::Root)
            .map(|(index, def)| (TypeId(index), def))
    }
}

impl TypeDef {
    /// Distinguishes a part of it, or its name, from those of other types, independently of the order of the
    /// capabilities.
    pub(crate) fn identity(&self, part: &str) -> Vec<u8> {
        let error = self.error.as_ref();
        let capability = if error.is_some_and(|error| error.is_shared) { "" } else { &self.capability };
        let (capability, owner) = match self.definition {
            Some(_) => ("", ""),
            None => (capability, self.part_name()),
        };
        [capability, owner, &self.pointer, part].join("\u{0}").into_bytes()
    }

    /// The only value that the type allows, if there is one.
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

/// The most items of a [fixed](Type::fixed) tuple. In Rust, longer tuples lack the traits that all types have, such as
/// `Debug` and `PartialEq`.
const MAX_FIXED: usize = 12;

impl Type {
    /// The types of the items of a tuple that has one length and is a tuple in every language.
    pub(crate) fn fixed(&self) -> Option<&[Type]> {
        let Type::Tuple(tuple) = self else { return None };
        let Tuple { items, rest, min, .. } = tuple.as_ref();
        (rest.is_none() && *min == items.len() as u64 && items.len() <= MAX_FIXED).then_some(items)
    }

    /// Calls `f` with each type inside all arrays, tuples, maps and nullable types.
    pub(crate) fn each_innermost(&self, f: &mut impl FnMut(&Type)) {
        match self {
            Type::Array { item, .. } | Type::Map(item) | Type::Nullable(item) => item.each_innermost(f),
            Type::Tuple(tuple) => tuple.items.iter().chain(&tuple.rest).for_each(|ty| ty.each_innermost(f)),
            ty => f(ty),
        }
    }

    /// The named types in it.
    pub(crate) fn named(&self) -> Vec<TypeId> {
        let mut named = Vec::new();
        self.each_innermost(&mut |ty| {
            if let Type::Named { id, .. } = ty {
                named.push(*id);
            }
        });
        named
    }

    /// Calls `f` with each named type in it.
    pub(crate) fn each_named_mut(&mut self, f: &mut impl FnMut(&mut TypeId)) {
        match self {
            Type::Array { item, .. } | Type::Map(item) | Type::Nullable(item) => item.each_named_mut(f),
            Type::Tuple(tuple) => {
                tuple.items.iter_mut().chain(&mut tuple.rest).for_each(|ty| ty.each_named_mut(f));
            }
            Type::Named { id, .. } => f(id),
            _ => {}
        }
    }
}

impl Tuple {
    /// The bounds of the number of items after those that have types of their own.
    pub(crate) fn rest_bounds(&self) -> (u64, Option<u64>) {
        let count = self.items.len() as u64;
        (self.min.saturating_sub(count), self.max.map(|max| max.saturating_sub(count)))
    }

    /// Whether an array may lack the item at a position.
    pub(crate) fn is_optional(&self, index: usize) -> bool {
        index as u64 >= self.min
    }
}

impl Shape {
    /// Calls `f` with each type that it refers to, in source order.
    pub(crate) fn each_type(&self, f: &mut impl FnMut(&Type)) {
        self.each_part(f);
        if let Shape::Record(Record { rest: Rest::Kept(ty), .. }) = self {
            f(ty);
        }
    }

    /// Like [`each_type`](Self::each_type), with mutable access.
    pub(crate) fn each_type_mut(&mut self, f: &mut impl FnMut(&mut Type)) {
        self.each_part_mut(f);
        if let Shape::Record(Record { rest: Rest::Kept(ty), .. }) = self {
            f(ty);
        }
    }

    /// Calls `f` with each type that a value of the shape contains directly. The undeclared properties that a record
    /// keeps are in a map, so their type is not included.
    pub(crate) fn each_part(&self, f: &mut impl FnMut(&Type)) {
        match self {
            Shape::Record(record) => record.fields.iter().for_each(|field| f(&field.ty)),
            Shape::Enum(_) => {}
            Shape::Union(union) => union.variants.iter().for_each(|variant| f(&variant.ty)),
            Shape::Alias { target, .. } => f(target),
        }
    }

    /// Like [`each_part`](Self::each_part), with mutable access.
    pub(crate) fn each_part_mut(&mut self, f: &mut impl FnMut(&mut Type)) {
        match self {
            Shape::Record(record) => record.fields.iter_mut().for_each(|field| f(&mut field.ty)),
            Shape::Enum(_) => {}
            Shape::Union(union) => union.variants.iter_mut().for_each(|variant| f(&mut variant.ty)),
            Shape::Alias { target, .. } => f(target),
        }
    }
}
