//! One of several types: an enum where a look at a value tells which, or else the value itself with an accessor per type.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use capgen_schema::{Json, Type as SchemaType};

use super::record::serialize;
use super::types::Types;
use super::writer::Writer;
use super::{doc, ident};
use crate::model::{Type, TypeDef, Union, Variant};

pub(super) fn print(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    if union.disjoint {
        tagged(writer, types, def, union);
    } else {
        open(writer, types, def, union);
    }
    writer.macro_item("::capgen::deserialize", &def.name);
}

/// The variants whose type no other variant and not the union itself has.
fn distinct<'a>(types: &Types<'_>, def: &TypeDef, union: &'a Union) -> Vec<&'a Variant> {
    let resolved: Vec<String> = union.variants.iter().map(|variant| types.resolved(&variant.ty)).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for ty in &resolved {
        *count.entry(ty).or_default() += 1;
    }
    let is_distinct = |ty: &String| *ty != def.name && count.get(ty.as_str()) == Some(&1);
    union.variants.iter().zip(&resolved).filter(|(_, ty)| is_distinct(ty)).map(|(variant, _)| variant).collect()
}

/// The type without the box that recursion needs, and whether there is one.
fn unboxed(ty: &Type) -> (Cow<'_, Type>, bool) {
    match ty {
        Type::Named { id, boxed: true } => (Cow::Owned(Type::Named { id: *id, boxed: false }), true),
        ty => (Cow::Borrowed(ty), false),
    }
}

fn tagged(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    writer.line("#[derive(Debug, Clone, PartialEq)]");
    writer.text("pub enum ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        for variant in &union.variants {
            w.doc(&selector(union, variant));
            w.text(&ident::part(&variant.ident));
            w.group(4, |w| {
                w.text("(");
                w.cut();
                types.write(w, &variant.ty);
                w.last();
                w.text(")");
            });
            w.line(",");
        }
    });
    from(writer, types, def, union, |w, variant, boxed| {
        w.call(&format!("Self::{}", ident::part(&variant.ident)), |w| {
            if boxed { w.call("Box::new", |w| w.text("value")) } else { w.text("value") }
        });
    });
    read(writer, def, |w| arms(w, union));
    serialize(writer, &def.name, |w| {
        w.text("match self ");
        w.block(|w| {
            for variant in &union.variants {
                w.arm(
                    |w| w.call(&format!("Self::{}", ident::part(&variant.ident)), |w| w.text("value")),
                    |w| w.call("::serde::Serialize::serialize", |w| w.each(["value", "serializer"], Writer::text)),
                );
            }
        });
    });
}

/// `From` for the type of each variant that is told apart by it; `value` writes what it gives.
fn from(
    writer: &mut Writer,
    types: &Types<'_>,
    def: &TypeDef,
    union: &Union,
    value: impl Fn(&mut Writer, &Variant, bool),
) {
    for variant in distinct(types, def, union) {
        let (ty, boxed) = unboxed(&variant.ty);
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
                    value(w, variant, boxed);
                    w.end();
                });
            },
        );
    }
}

/// `Read` by a `match` of the value.
fn read(writer: &mut Writer, def: &TypeDef, arms: impl FnOnce(&mut Writer)) {
    writer.implement(
        |w| w.text("::capgen::wire::Read"),
        &def.name,
        |w| {
            w.text("fn read(value: ::serde_json::Value) -> Result<Self, ::capgen::wire::Error> ");
            w.body(|w| {
                w.text("match &value ");
                w.block(|w| {
                    arms(w);
                    w.line("other => Err(::capgen::wire::Error::no_variant(other)),");
                });
            });
        },
    );
}

/// What selects a variant.
fn selector(union: &Union, variant: &Variant) -> String {
    if let Some(tag) = union.tag.as_deref().filter(|_| !variant.tag_values.is_empty()) {
        let values: Vec<String> = variant.tag_values.iter().map(|value| doc::code(&value.canonical())).collect();
        return format!("Where {} is {}.", doc::code(tag), values.join(" or "));
    }
    let names: Vec<&str> = variant.types.iter().map(SchemaType::name).collect();
    format!("Where the value is of type {}.", names.join(" or "))
}

/// The arms that find a value's variant.
fn arms(writer: &mut Writer, union: &Union) {
    let mut covered = HashSet::new();
    let tag = union.tag.as_deref();
    for variant in &union.variants {
        let tagged = tag.is_some() && !variant.tag_values.is_empty();
        let kinds = variant.types.iter().filter(|t| !(tagged && *t == SchemaType::Object));
        let kinds: Vec<SchemaType> = kinds.filter(|t| covered.insert(kind(*t))).collect();
        if !kinds.is_empty() {
            writer.arm(|w| patterns(w, &kinds), |w| read_as(w, variant));
        }
    }
    if let Some(tag) = tag.filter(|_| !covered.contains(kind(SchemaType::Object))) {
        writer.line("::serde_json::Value::Object(_) => {");
        writer.indented(|w| by_tag(w, union, tag));
        writer.line("}");
    }
}

fn read_as(writer: &mut Writer, variant: &Variant) {
    writer.group(4, |w| {
        w.call("::capgen::wire::Read::read", |w| w.text("value"));
        w.method(".map", |w| {
            w.text("Self::");
            w.text(&ident::part(&variant.ident));
        });
    });
}

fn by_tag(writer: &mut Writer, union: &Union, tag: &str) {
    let variants: Vec<&Variant> = union.variants.iter().filter(|variant| !variant.tag_values.is_empty()).collect();
    let strings = variants.iter().flat_map(|variant| &variant.tag_values).all(|value| value.as_str().is_some());
    writer.text("match ");
    writer.group(0, |w| scrutinee(w, tag, strings));
    writer.block(|w| {
        for variant in variants {
            let mut seen = HashSet::new();
            let values: Vec<&Json> = variant.tag_values.iter().filter(|value| seen.insert(value.canonical())).collect();
            w.arm(|w| tags(w, &values, strings), |w| read_as(w, variant));
        }
        let no_tag = |w: &mut Writer| w.call("::capgen::wire::Error::no_tag", |w| w.literal(tag));
        w.arm(|w| w.text("_"), |w| w.call("Err", no_tag));
    });
}

/// The tag of `value` as text, or else as JSON; and a space.
fn scrutinee(writer: &mut Writer, tag: &str, strings: bool) {
    let arguments = |w: &mut Writer| {
        w.text("&value");
        w.comma();
        w.literal(tag);
    };
    if strings {
        writer.call("::capgen::wire::tag", arguments);
        writer.text(" ");
    } else {
        writer.group(4, |w| {
            w.call("::capgen::wire::tag_json", arguments);
            w.method(".as_str", |_| {});
        });
        writer.space();
    }
}

fn tags(writer: &mut Writer, values: &[&Json], strings: bool) {
    let one = |w: &mut Writer, value: &&Json| match value.as_str().filter(|_| strings) {
        Some(text) => w.call("Some", |w| w.literal(text)),
        None => w.literal(&value.canonical()),
    };
    match values {
        [value] => one(writer, value),
        // Bare literals share lines.
        values if strings => writer.group(0, |w| alternatives(w, values, one)),
        values => writer.fill(0, |w| alternatives(w, values, one)),
    }
}

fn patterns(writer: &mut Writer, kinds: &[SchemaType]) {
    match kinds {
        [kind] => pattern(writer, kind),
        kinds => writer.group(0, |w| alternatives(w, kinds, pattern)),
    }
}

fn alternatives<T>(writer: &mut Writer, patterns: &[T], write: impl Fn(&mut Writer, &T)) {
    for (index, pattern) in patterns.iter().enumerate() {
        if index > 0 {
            writer.space();
            writer.text("| ");
        }
        write(writer, pattern);
    }
}

/// `integer` and `number` are one kind of JSON value.
fn kind(t: SchemaType) -> &'static str {
    match t {
        SchemaType::Integer => SchemaType::Number.name(),
        t => t.name(),
    }
}

fn pattern(writer: &mut Writer, t: &SchemaType) {
    let variant = match t {
        SchemaType::Null => return writer.text("::serde_json::Value::Null"),
        SchemaType::Boolean => "::serde_json::Value::Bool",
        SchemaType::Integer | SchemaType::Number => "::serde_json::Value::Number",
        SchemaType::String => "::serde_json::Value::String",
        SchemaType::Array => "::serde_json::Value::Array",
        SchemaType::Object => "::serde_json::Value::Object",
    };
    writer.call(variant, |w| w.text("_"));
}

fn open(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    writer.doc("");
    writer.doc("More than one type may fit a value, so it is kept as it is.");
    writer.line("#[derive(Debug, Clone, PartialEq)]");
    writer.group(4, |w| {
        w.text("pub struct ");
        w.text(&def.name);
        w.text("(");
        w.cut();
        w.text("::serde_json::Value");
        w.last();
        w.text(");");
    });
    writer.end();
    accessors(writer, types, def, union);
    from(writer, types, def, union, |w, _, _| {
        w.text("Self(::capgen::wire::to_value(&value))");
    });
    let mut covered = HashSet::new();
    let kinds = union.variants.iter().flat_map(|variant| variant.types.iter());
    let kinds: Vec<SchemaType> = kinds.filter(|t| covered.insert(kind(*t))).collect();
    read(writer, def, |w| w.arm(|w| patterns(w, &kinds), |w| w.call("Ok", |w| w.call("Self", |w| w.text("value")))));
    serialize(writer, &def.name, |w| w.line("::serde::Serialize::serialize(&self.0, serializer)"));
}

fn accessors(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    writer.item();
    writer.text("impl ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        for variant in &union.variants {
            let (ty, _) = unboxed(&variant.ty);
            w.doc(&format!("The value as `{}`, where it is one. Copies it.", variant.ident));
            let head = format!("pub fn {}", ident::function("as", &variant.ident));
            w.signature(&head, |w| w.text("&self"), |w| w.generic("Option", |w| types.write(w, &ty)));
            w.body(|w| w.line("::capgen::wire::branch(&self.0)"));
        }
        w.doc("The value.");
        w.text("pub const fn json(&self) -> &::serde_json::Value ");
        w.body(|w| w.line("&self.0"));
        w.doc("The value.");
        w.text("pub fn into_json(self) -> ::serde_json::Value ");
        w.body(|w| w.line("self.0"));
    });
}
