//! The public items of generated TypeScript.

use std::collections::BTreeSet;

use super::exported;
use crate::model::{Field, Model, Shape, Tuple, Type, TypeDef, TypeId, Union};
use crate::public_items::{Items, Role, present};

/// Adds the items of each type that has a name.
pub(super) fn add(items: &mut Items<'_>) {
    let notation = Notation { model: items.model(), exported: exported(items.model()) };
    items.each_type(&notation.text(&Type::Unknown), |items, id, def| {
        if notation.is_exported(id) {
            notation.items(items, id, def);
        }
    });
}

/// Writes types on one line.
struct Notation<'m> {
    model: &'m Model<'m>,
    /// Which types have a name.
    exported: Vec<bool>,
}

impl Notation<'_> {
    fn is_exported(&self, id: TypeId) -> bool {
        self.exported.get(id.0).copied().unwrap_or(true)
    }

    fn items(&self, items: &mut Items<'_>, id: TypeId, def: &TypeDef) {
        match &def.shape {
            Shape::Record(record) => {
                items.own(id, "interface");
                for field in present(record) {
                    let role = if field.required { Role::Required } else { Role::Other };
                    items.part(id, role, "property", &field.name, self.field(field));
                }
            }
            Shape::Enum(members) => {
                items.own_enum(id, members);
                for member in members {
                    let value = member.value.canonical();
                    items.part(id, Role::Variant, "variant", &value, value.clone());
                }
            }
            Shape::Union(union) => {
                items.own(id, "union");
                self.variants(union, |name, signature| items.part(id, Role::Variant, "variant", name, signature));
            }
            Shape::Alias { target, .. } => items.own(id, &self.text(target)),
        }
    }

    fn variants(&self, union: &Union, mut push: impl FnMut(&str, String)) {
        for variant in &union.variants {
            push(&variant.ident, self.text(&variant.ty));
        }
    }

    /// The type of a property, with the mark of an optional one.
    fn field(&self, field: &Field) -> String {
        let ty = self.text(&field.ty);
        if field.required { ty } else { format!("{ty} | undefined") }
    }

    /// A type on one line. Types are nested as deeply as schemas, at most 64 levels; recursive ones have a name.
    fn text(&self, ty: &Type) -> String {
        match ty {
            Type::Unknown => "unknown".to_owned(),
            Type::Never => "never".to_owned(),
            Type::Null => "null".to_owned(),
            Type::Boolean => "boolean".to_owned(),
            Type::Integer { .. } | Type::Number => "number".to_owned(),
            Type::String => "string".to_owned(),
            Type::Array { item, min: 0, max: None } => format!("Array<{}>", self.text(item)),
            Type::Array { item, .. } if self.model.options.plain_arrays => format!("Array<{}>", self.text(item)),
            Type::Array { item, min, max } => {
                let most = max.map(|max| max.to_string()).unwrap_or_default();
                format!("Array<{}> of {min}..{most}", self.text(item))
            }
            Type::Tuple(tuple) => self.tuple(tuple),
            Type::Map(value) => format!("Record<string, {}>", self.text(value)),
            Type::Nullable(inner) => format!("{} | null", self.text(inner)),
            Type::Named { id, .. } if self.is_exported(*id) => self.model[*id].name.clone(),
            Type::Named { id, .. } => self.inline(&self.model[*id]),
        }
    }

    /// A tuple, with the mark of the items that may be missing.
    fn tuple(&self, tuple: &Tuple) -> String {
        let item = |(at, item): (usize, &Type)| match tuple.is_optional(at) {
            true => format!("({})?", self.text(item)),
            false => self.text(item),
        };
        let mut parts: Vec<String> = tuple.items.iter().enumerate().map(item).collect();
        if let Some(rest) = &tuple.rest {
            let (min, max) = tuple.rest_bounds();
            parts.push(format!("...{}", self.text(&Type::Array { item: Box::new(rest.clone()), min, max })));
        }
        format!("[{}]", parts.join(", "))
    }

    /// A type without a name of its own. The order of its parts does not matter to programs.
    fn inline(&self, def: &TypeDef) -> String {
        let sorted = |mut parts: Vec<String>, separator: &str| {
            parts.sort_unstable();
            parts.join(separator)
        };
        match &def.shape {
            Shape::Record(record) => {
                let fields = present(record).map(|field| format!("{}: {}", field.name, self.field(field)));
                format!("{{ {} }}", sorted(fields.collect(), "; "))
            }
            Shape::Enum(members) => sorted(members.iter().map(|member| member.value.canonical()).collect(), " | "),
            Shape::Union(union) => {
                let mut variants = Vec::new();
                self.variants(union, |_, signature| variants.push(signature));
                sorted(variants, " | ")
            }
            Shape::Alias { target, .. } => self.text(target),
        }
    }
}

/// The beginning and the end of a text in a type.
const QUOTE: char = '"';

/// The alternatives of a TypeScript type, such as `number` and `undefined`: those that are not inside another type or a
/// text.
pub(super) fn alternatives(signature: &str) -> BTreeSet<&str> {
    let (mut depth, mut is_text, mut is_escaped, mut start) = (0_usize, false, false, 0);
    let mut found = BTreeSet::new();
    for (index, c) in signature.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            QUOTE => is_text = !is_text,
            _ if is_text => {}
            '{' | '<' | '[' => depth += 1,
            '}' | '>' | ']' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                found.extend(signature.get(start..index).map(str::trim));
                start = index + 1;
            }
            _ => {}
        }
    }
    found.extend(signature.get(start..).map(str::trim));
    found
}
