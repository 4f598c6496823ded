//! Unions (`oneOf`, `anyOf`, several names in `type`): an enum if the variants are disjoint, otherwise a newtype around
//! the JSON value with an accessor for each variant.

use std::borrow::Cow;
use std::collections::HashMap;

use super::codec::{self, RuleRef, Rules};
use super::types::{Resolved, Types};
use super::writer::Writer;
use super::{doc, ident, union_dispatch, wire_rule};
use crate::model::{Type, TypeDef, Union, Variant};

pub(super) fn definition(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    if union.disjoint {
        disjoint(writer, types, def, union);
    } else {
        overlapping(writer, types, def, union);
    }
}

pub(super) fn implementation(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    if union.disjoint {
        disjoint_codec(writer, types, def, union);
    } else {
        overlapping_codec(writer, types, def);
    }
}

fn disjoint(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    types.derive(writer, def);
    writer.braced("pub enum ", &def.name, |w| {
        for variant in &union.variants {
            w.doc(&variant_doc(union, variant));
            w.text(&ident::escaped(&variant.ident));
            w.group(4, |w| {
                w.text("(");
                w.soft_break();
                types.write(w, &variant.ty);
                w.trailing_comma();
                w.text(")");
            });
            w.line(",");
        }
    });
    conversions(writer, types, def, union, |w, variant, is_boxed| {
        w.call(&format!("Self::{}", ident::escaped(&variant.ident)), |w| {
            if is_boxed { w.call("Box::new", |w| w.text("value")) } else { w.text("value") }
        });
    });
}

fn disjoint_codec(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    let mut rules = Rules::default();
    let mut rule = |v: &Variant| rules.add(&ident::snake(&v.ident), wire_rule::of(types, def, &v.ty, &v.guard));
    let variant_rules: Vec<Option<RuleRef>> = union.variants.iter().map(&mut rule).collect();
    let keys: Vec<&str> = union.variants.iter().filter_map(|variant| variant.key.as_deref()).collect();
    let names = Some(keys.as_slice()).filter(|keys| !keys.is_empty());
    codec::scope(writer, types, def, names, &rules, |w, is_interpreted| {
        let read = |w: &mut Writer| union_dispatch::read(w, union, &variant_rules);
        let write = |w: &mut Writer| write_variants(w, union, &variant_rules);
        codec::implement(w, &def.name, is_interpreted, read, write);
    });
}

fn write_variants(writer: &mut Writer, union: &Union, rules: &[Option<RuleRef>]) {
    writer.text("match self ");
    writer.block(|w| {
        for (variant, rule) in union.variants.iter().zip(rules) {
            w.arm(
                |w| w.call(&format!("Self::{}", ident::escaped(&variant.ident)), |w| w.text("value")),
                |w| codec::write_call(w, rule.as_ref(), |w| w.text("value")),
            );
        }
    });
}

/// Describes the values of a variant.
fn variant_doc(union: &Union, variant: &Variant) -> String {
    if let Some(tag) = union.tag.as_deref().filter(|_| !variant.tag_values.is_empty()) {
        let values: Vec<String> = variant.tag_values.iter().map(|value| doc::code(&value.canonical())).collect();
        return format!("An object whose {} is {}.", doc::code(tag), doc::any_of(&values));
    }
    if let Some(key) = &variant.key {
        return format!("An object with the {} property.", doc::code(key));
    }
    let names: Vec<String> = variant.types.iter().map(|t| t.name().to_owned()).collect();
    format!("A value of type {}.", doc::any_of(&names))
}

fn overlapping(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    writer.doc("");
    writer.doc("More than one branch can match a value, so the value is kept as JSON.");
    types.derive(writer, def);
    writer.group(4, |w| {
        w.text("pub struct ");
        w.text(&def.name);
        w.text("(");
        w.soft_break();
        w.text("::serde_json::Value");
        w.trailing_comma();
        w.text(");");
    });
    writer.end();
    accessors(writer, types, def, union);
    let to_value = types.runtime("wire::to_value");
    conversions(writer, types, def, union, |w, _, _| w.call("Self", |w| w.call(&to_value, |w| w.text("&value"))));
}

fn overlapping_codec(writer: &mut Writer, types: &Types<'_>, def: &TypeDef) {
    // The field is a plain JSON value; the schema is checked as a whole.
    codec::scope(writer, types, def, None, &Rules::default(), |w, is_interpreted| {
        let read = |w: &mut Writer| w.line("reader.value().map(Self)");
        let write = |w: &mut Writer| w.line("writer.write(&self.0)");
        codec::implement(w, &def.name, is_interpreted, read, write);
    });
}

fn accessors(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    writer.item();
    writer.braced("impl ", &def.name, |w| {
        for variant in &union.variants {
            let (ty, _) = unboxed(&variant.ty);
            w.doc(&format!(
                "Returns a copy of the value as `{}`, or `None` if the value does not match this branch.",
                variant.ident
            ));
            let head = format!("pub fn as_{}", ident::snake(&variant.ident));
            w.signature(&head, |w| w.text("&self"), |w| w.generic("Option", |w| types.write(w, &ty)));
            w.body(|w| {
                w.call(&types.runtime("wire::branch"), |w| w.text("&self.0"));
                w.end();
            });
        }
        w.doc("Returns the JSON value.");
        w.text("pub const fn json(&self) -> &::serde_json::Value ");
        w.body(|w| w.line("&self.0"));
        w.doc("Converts into the JSON value.");
        w.text("pub fn into_json(self) -> ::serde_json::Value ");
        w.body(|w| w.line("self.0"));
    });
}

/// `From` for each variant that can have one. `value` writes the converted `value`; its last argument is whether the
/// variant is boxed.
fn conversions(
    writer: &mut Writer,
    types: &Types<'_>,
    def: &TypeDef,
    union: &Union,
    value: impl Fn(&mut Writer, &Variant, bool),
) {
    for variant in convertible(types, def, union) {
        conversion(writer, types, def, &variant.ty, |w, is_boxed| value(w, variant, is_boxed));
    }
}

/// `From<ty>`. `value` writes the converted `value`; its last argument is whether `ty` is boxed. `From` takes the type
/// without the box, which is easier to call.
pub(super) fn conversion(
    writer: &mut Writer,
    types: &Types<'_>,
    def: &TypeDef,
    ty: &Type,
    value: impl FnOnce(&mut Writer, bool),
) {
    let (ty, is_boxed) = unboxed(ty);
    writer.implement(
        |w| w.generic("From", |w| types.write(w, &ty)),
        &def.name,
        |w| {
            let parameter = |w: &mut Writer| {
                w.text("value: ");
                types.write(w, &ty);
            };
            w.signature("fn from", parameter, |w| w.text("Self"));
            w.body(|w| {
                value(w, is_boxed);
                w.end();
            });
        },
    );
}

/// The variants that can have a `From`. Two variants of the same type would conflict, and so would a variant of the
/// union's own type, with the reflexive `From`.
fn convertible<'a>(types: &Types<'_>, def: &TypeDef, union: &'a Union) -> Vec<&'a Variant> {
    let resolved: Vec<Resolved<'_>> = union.variants.iter().map(|variant| types.resolved(&variant.ty)).collect();
    let mut count: HashMap<&Resolved<'_>, usize> = HashMap::new();
    for ty in &resolved {
        *count.entry(ty).or_default() += 1;
    }
    let is_convertible = |ty: &Resolved<'_>| !ty.is(def) && count.get(ty) == Some(&1);
    union.variants.iter().zip(&resolved).filter(|(_, ty)| is_convertible(ty)).map(|(variant, _)| variant).collect()
}

/// The type without the box that recursion requires, and whether there is one.
pub(super) fn unboxed(ty: &Type) -> (Cow<'_, Type>, bool) {
    match ty {
        Type::Named { id, boxed: true } => (Cow::Owned(Type::Named { id: *id, boxed: false }), true),
        ty => (Cow::Borrowed(ty), false),
    }
}
