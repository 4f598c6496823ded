//! The public items of generated Rust.

use std::collections::HashMap;

use crate::model::{Field, Model, Record, Rest, Shape, Type, TypeDef, TypeId};
use crate::public_items::{Items, Role, present};

/// Adds the items of each type.
pub(super) fn add(items: &mut Items<'_>) {
    let notation = Notation { model: items.model(), required_names: items.model().required_names() };
    items.each_type(&notation.text(&Type::Unknown), |items, id, def| notation.items(items, id, def));
}

/// Writes types on one line.
struct Notation<'m> {
    model: &'m Model<'m>,
    /// See [`Model::required_names`].
    required_names: HashMap<&'m str, String>,
}

impl Notation<'_> {
    fn items(&self, items: &mut Items<'_>, id: TypeId, def: &TypeDef) {
        match &def.shape {
            Shape::Record(record) => {
                items.own(id, "struct");
                for field in present(record) {
                    items.part(id, Role::Other, "field", &field.ident, self.field(field));
                }
                items.part(id, Role::Constructor, "constructor", "new", self.parameters(def, record));
                if let Rest::Kept(value) = &record.rest {
                    items.part(id, Role::Other, "field", "additional_properties", self.map(value));
                }
            }
            Shape::Enum(members) => {
                items.own_enum(id, members);
                for member in members {
                    items.part(id, Role::Variant, "variant", &member.ident, member.value.canonical());
                }
            }
            Shape::Union(union) if !union.disjoint => items.own(id, "struct with one accessor per branch"),
            Shape::Union(union) => {
                items.own(id, "union");
                for variant in &union.variants {
                    items.part(id, Role::Variant, "variant", &variant.ident, self.text(&variant.ty));
                }
            }
            Shape::Alias { target, distinct: true, .. } => items.own(id, &format!("struct of {}", self.text(target))),
            Shape::Alias { target, .. } => items.own(id, &self.text(target)),
        }
    }

    /// The type of a field.
    fn field(&self, field: &Field) -> String {
        let ty = self.text(&field.ty);
        if field.required { ty } else { format!("Option<{ty}>") }
    }

    /// The parameters of `new`. The order of the fields of a struct does not matter to programs.
    fn parameters(&self, def: &TypeDef, record: &Record) -> String {
        let field = |field: &&Field| format!("{}: {}", field.ident, self.text(&field.ty));
        let mut fields: Vec<String> = self.model.arguments(record).iter().map(field).collect();
        fields.sort_unstable();
        match self.required_names.get(def.name.as_str()) {
            Some(name) => format!("({name} {{ {} }})", fields.join(", ")),
            None => format!("({})", fields.join(", ")),
        }
    }

    fn map(&self, value: &Type) -> String {
        format!("BTreeMap<String, {}>", self.text(value))
    }

    /// A type on one line. Types are nested as deeply as schemas, at most 64 levels; recursive ones have a name.
    fn text(&self, ty: &Type) -> String {
        match ty {
            Type::Unknown => "Value".to_owned(),
            Type::Never => "Never".to_owned(),
            Type::Null => "()".to_owned(),
            Type::Boolean => "bool".to_owned(),
            Type::Integer { unsigned: true } => "u64".to_owned(),
            Type::Integer { unsigned: false } => "i64".to_owned(),
            Type::Number => "f64".to_owned(),
            Type::String => "String".to_owned(),
            Type::Array { item, .. } => format!("Vec<{}>", self.text(item)),
            Type::Tuple(tuple) => match tuple.items.as_slice() {
                [item] => format!("({},)", self.text(item)),
                items => format!("({})", items.iter().map(|item| self.text(item)).collect::<Vec<_>>().join(", ")),
            },
            Type::Map(value) => self.map(value),
            Type::Nullable(inner) => format!("Option<{}>", self.text(inner)),
            Type::Named { id, boxed: true } => format!("Box<{}>", self.model[*id].name),
            Type::Named { id, boxed: false } => self.model[*id].name.clone(),
        }
    }
}
