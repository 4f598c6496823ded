//! Type guards for the variants of a discriminated union, which look at one property of a value of the union.

use std::collections::HashSet;

use super::doc;
use super::syntax::Type as Ts;
use super::syntax::{BinaryOperator, Expression, Function, Item, Literal, Local, Name, Parameter, Returns, Statement};
use super::types::{INHERITED, Types};
use super::validator::condition::{all, any};
use crate::model::{Model, Shape, Type, TypeDef, TypeId, Union, Variant};
use crate::name;
use capgen_schema::{Type as SchemaType, TypeSet};

/// The start of the names, before that of the union.
pub(super) const START: &str = "has";

/// The guards of every union.
pub(super) struct Guards(Vec<Guard>);

struct Guard {
    doc: Vec<String>,
    name: String,
    union: String,
    variant: String,
    condition: Expression,
}

/// The guards of a model: for every variant of an exported union whose variants are all objects with literal tags, and
/// for every variant that is selected by a key. Guards never have a `taken` name.
pub(super) fn guards(model: &Model<'_>, types: &Types<'_>, taken: &HashSet<String>) -> Guards {
    let mut guards: Vec<Guard> = Vec::new();
    let mut names: Vec<(String, Vec<u8>)> = Vec::new();
    for (index, def) in model.types.iter().enumerate() {
        let Shape::Union(union) = &def.shape else { continue };
        if !types.is_exported(TypeId(index)) {
            continue;
        }
        for (variant, guard) in of_union(def, union, model, types).unwrap_or_default() {
            let identity = def.identity(&[def.name.as_str(), &variant.ident].join("\u{0}"));
            names.push((guard.name.clone(), identity));
            guards.push(guard);
        }
    }
    name::make_unique(&mut names, "X", |name| taken.contains(name));
    let named = guards.into_iter().zip(names).filter(|(_, (name, _))| !taken.contains(name));
    Guards(named.map(|(guard, (name, _))| Guard { name, ..guard }).collect())
}

fn of_union<'m>(
    def: &TypeDef,
    union: &'m Union,
    model: &Model<'_>,
    types: &Types<'_>,
) -> Option<Vec<(&'m Variant, Guard)>> {
    let guard = |variant: &'m Variant, property: &str, suffix: &str, condition: Expression| {
        let Type::Named { id, .. } = variant.ty else { return None };
        types.is_exported(id).then(|| {
            let name = format!("{START}{}{}{suffix}", def.name, variant.ident);
            let (union, variant_type) = (def.name.clone(), model[id].name.clone());
            let doc = doc::of_guard(&union, &variant_type, property);
            (variant, Guard { doc, name, union, variant: variant_type, condition })
        })
    };
    // A variant that allows other values than objects may have a type without the tag.
    let are_objects = union.variants.iter().all(|variant| variant.types == TypeSet::EMPTY.with(SchemaType::Object));
    match union.tag.as_deref().filter(|_| union.disjoint && are_objects) {
        Some(tag) => union.variants.iter().map(|variant| guard(variant, tag, "Tag", has_tag(tag, variant)?)).collect(),
        None => {
            let is_object = is_object(union);
            let keyed = union.variants.iter().filter_map(|variant| Some((variant, variant.key.as_deref()?)));
            keyed
                .map(|(variant, key)| guard(variant, key, "Key", all([is_object.clone(), has_key(variant)?])))
                .collect()
        }
    }
}

fn has_tag(tag: &str, variant: &Variant) -> Option<Expression> {
    let values: Option<Vec<Literal>> = variant.tag_values.iter().map(Literal::of).collect();
    let place = Expression::from(Local::Value).member(tag);
    let values = values.filter(|values| !values.is_empty())?;
    Some(any(values.into_iter().map(|value| place.clone().equals(Expression::Literal(value)))))
}

/// Tests that the value has the property and it is not `undefined`. For a name that every object inherits, a plain
/// access would always find one.
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
    /// The names of the functions, each with the name of its union.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|guard| (guard.union.as_str(), guard.name.as_str()))
    }

    /// The functions, in the order of the unions.
    pub(super) fn into_items(self) -> impl Iterator<Item = Item> {
        self.0.into_iter().map(|Guard { doc, name, union, variant, condition }| {
            Item::Function(Function {
                doc,
                name: Name::Exported(name),
                parameters: vec![Parameter::new(Local::Value, Ts::name(&union))],
                returns: Returns::Predicate(Ts::name(&variant)),
                body: vec![Statement::Return(condition)],
            })
        })
    }
}
