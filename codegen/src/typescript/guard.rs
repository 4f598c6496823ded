//! Functions that tell the variants of a discriminated union apart.

use std::collections::{HashMap, HashSet};

use super::Form;
use super::literal;
use super::syntax::Writer;
use super::types::{INHERITED, Types};
use crate::model::{Model, Shape, Type, TypeDef, TypeId, Union, Variant};
use crate::name;
use capgen_schema::{Type as SchemaType, TypeSet};

/// The guards of every union, by the union's type.
pub(super) struct Guards(HashMap<usize, Vec<Guard>>);

struct Guard {
    name: String,
    union: String,
    variant: String,
    condition: String,
}

/// The guards of a model: of each exported union whose variants are all objects with literal tags, and of the objects of
/// each whose objects have keys. None has a `taken` name.
pub(super) fn guards(model: &Model<'_>, types: &Types<'_>, taken: &HashSet<String>) -> Guards {
    let mut guards: Vec<(usize, Guard)> = Vec::new();
    let mut names: Vec<(String, Vec<u8>)> = Vec::new();
    for (index, def) in model.types.iter().enumerate() {
        let Shape::Union(union) = &def.shape else { continue };
        if !types.is_exported(TypeId(index)) {
            continue;
        }
        for (variant, guard) in of_union(def, union, model, types).unwrap_or_default() {
            let identity = [&def.capability, def.side.name(), &def.pointer, &def.name, &variant.ident].join("\u{0}");
            names.push((guard.name.clone(), identity.into_bytes()));
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
    let guard = |variant: &'m Variant, condition: String| {
        let Type::Named { id, .. } = variant.ty else { return None };
        types.is_exported(id).then(|| {
            let name = format!("is{}{}", def.name, variant.ident);
            (variant, Guard { name, union: def.name.clone(), variant: model[id].name.clone(), condition })
        })
    };
    match union.tag.as_deref().filter(|_| union.disjoint) {
        Some(tag) => union.variants.iter().map(|variant| guard(variant, has_tag(tag, variant)?)).collect(),
        None => {
            let is_object = first_condition(union);
            let keyed = union.variants.iter().filter(|variant| variant.key.is_some());
            keyed.map(|variant| guard(variant, format!("{is_object}{}", has_key(variant)?))).collect()
        }
    }
}

fn has_tag(tag: &str, variant: &Variant) -> Option<String> {
    let values: Option<Vec<String>> = variant.tag_values.iter().map(literal::primitive).collect();
    let place = literal::access("value", tag);
    let tests: Vec<String> = values?.iter().map(|value| format!("{place} === {value}")).collect();
    (!tests.is_empty()).then(|| tests.join(" || "))
}

/// Whether the property is there, for `undefined` is not; a name that every object inherits would always be.
fn has_key(variant: &Variant) -> Option<String> {
    let is_object = variant.types == TypeSet::EMPTY.with(SchemaType::Object);
    let key = variant.key.as_deref().filter(|key| is_object && *key != "__proto__" && !INHERITED.contains(key))?;
    Some(format!("{} in value && {} !== undefined", literal::string(key), literal::access("value", key)))
}

/// What `in` asks of a value of the union: that it is an object.
fn first_condition(union: &Union) -> String {
    let types = union.variants.iter().fold(TypeSet::EMPTY, |types, variant| types.union(variant.types));
    let mut condition = String::new();
    if types.iter().any(|t| !matches!(t, SchemaType::Null | SchemaType::Array | SchemaType::Object)) {
        condition.push_str("typeof value === \"object\" && ");
    }
    if types.contains(SchemaType::Null) {
        condition.push_str("value !== null && ");
    }
    condition
}

impl Guards {
    /// The guards of the union `id`, if it has any.
    pub(super) fn print(&self, writer: &mut Writer, id: TypeId, form: Form) {
        for Guard { name, union, variant, condition } in self.0.get(&id.0).into_iter().flatten() {
            writer.line(&match form {
                Form::Typed => format!("export function {name}(value: {union}): value is {variant} {{"),
                Form::Script => format!("export function {name}(value) {{"),
                Form::Declarations => {
                    writer.line(&format!("export declare function {name}(value: {union}): value is {variant};\n"));
                    continue;
                }
            });
            writer.line(&format!("  return {condition};"));
            writer.line("}\n");
        }
    }
}
