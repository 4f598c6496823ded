//! Type guards for the variants of a discriminated union.

use std::collections::{HashMap, HashSet};

use super::syntax::Type as Ts;
use super::syntax::{BinaryOperator, Expression, Function, Item, Literal, Local, Name, Parameter, Returns, Statement};
use super::types::{INHERITED, Types};
use super::validator::condition::{all, any};
use crate::model::{Model, Shape, Type, TypeDef, TypeId, Union, Variant};
use crate::name;
use capgen_schema::{Type as SchemaType, TypeSet};

/// The guards of every union, by the union's type.
pub(super) struct Guards(HashMap<usize, Vec<Guard>>);

struct Guard {
    name: String,
    union: String,
    variant: String,
    condition: Expression,
}

/// The guards of a model: for every variant of an exported union whose variants are all objects with literal tags, and for
/// every variant that is selected by a key. Guards never have a `taken` name.
pub(super) fn guards(model: &Model<'_>, types: &Types<'_>, taken: &HashSet<String>) -> Guards {
    let mut guards: Vec<(usize, Guard)> = Vec::new();
    let mut names: Vec<(String, Vec<u8>)> = Vec::new();
    for (index, def) in model.types.iter().enumerate() {
        let Shape::Union(union) = &def.shape else { continue };
        if !types.is_exported(TypeId(index)) {
            continue;
        }
        for (variant, guard) in of_union(def, union, model, types).unwrap_or_default() {
            let identity = def.identity(&[def.name.as_str(), &variant.ident].join("\u{0}"));
            names.push((guard.name.clone(), identity));
            guards.push((index, guard));
        }
    }
    name::make_unique(&mut names, "X", |name| taken.contains(name));
    let mut by_type: HashMap<usize, Vec<Guard>> = HashMap::new();
    for ((index, guard), (name, _)) in guards.into_iter().zip(names).filter(|(_, (name, _))| !taken.contains(name)) {
        by_type.entry(index).or_default().push(Guard { name, ..guard });
    }
    Guards(by_type)
}

fn of_union<'m>(
    def: &TypeDef,
    union: &'m Union,
    model: &Model<'_>,
    types: &Types<'_>,
) -> Option<Vec<(&'m Variant, Guard)>> {
    let guard = |variant: &'m Variant, condition: Expression| {
        let Type::Named { id, .. } = variant.ty else { return None };
        types.is_exported(id).then(|| {
            let name = format!("is{}{}", def.name, variant.ident);
            (variant, Guard { name, union: def.name.clone(), variant: model[id].name.clone(), condition })
        })
    };
    match union.tag.as_deref().filter(|_| union.disjoint) {
        Some(tag) => union.variants.iter().map(|variant| guard(variant, has_tag(tag, variant)?)).collect(),
        None => {
            let is_object = is_object(union);
            let keyed = union.variants.iter().filter(|variant| variant.key.is_some());
            keyed.map(|variant| guard(variant, all([is_object.clone(), has_key(variant)?]))).collect()
        }
    }
}

fn has_tag(tag: &str, variant: &Variant) -> Option<Expression> {
    let values: Option<Vec<Literal>> = variant.tag_values.iter().map(Literal::of).collect();
    let place = Expression::from(Local::Value).member(tag);
    let values = values.filter(|values| !values.is_empty())?;
    Some(any(values.into_iter().map(|value| place.clone().equals(Expression::Literal(value)))))
}

/// Tests that the value has the property and it is not `undefined`. For a name that every object inherits, a plain access
/// would always find one.
fn has_key(variant: &Variant) -> Option<Expression> {
    let is_object = variant.types == TypeSet::EMPTY.with(SchemaType::Object);
    let key = variant.key.as_deref().filter(|key| is_object && *key != "__proto__" && !INHERITED.contains(key))?;
    let value = Expression::from(Local::Value);
    let is_there = Expression::string(key).binary(BinaryOperator::In, value.clone());
    Some(all([is_there, value.member(key).differs(Expression::Undefined)]))
}

/// Whether a value of the union is an object, which `in` requires of its operand.
fn is_object(union: &Union) -> Expression {
    let types = union.variants.iter().fold(TypeSet::EMPTY, |types, variant| types.union(variant.types));
    let value = Expression::from(Local::Value);
    let mut terms = Vec::new();
    if types.iter().any(|t| !matches!(t, SchemaType::Null | SchemaType::Array | SchemaType::Object)) {
        terms.push(value.clone().type_of().equals(Expression::string("object")));
    }
    if types.contains(SchemaType::Null) {
        terms.push(value.differs(Expression::Literal(Literal::Null)));
    }
    all(terms)
}

impl Guards {
    /// The guards of the union `id`, if it has any.
    pub(super) fn of(&self, id: TypeId) -> impl Iterator<Item = Item> {
        self.0.get(&id.0).into_iter().flatten().map(|Guard { name, union, variant, condition }| {
            Item::Function(Function {
                doc: Vec::new(),
                name: Name::Exported(name.clone()),
                parameters: vec![Parameter::new(Local::Value, Ts::name(union))],
                returns: Returns::Predicate(Ts::name(variant)),
                body: vec![Statement::Return(condition.clone())],
            })
        })
    }
}
