//! One of several types: an enum where a look at a value tells which, or else the value itself with an accessor per type.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use capgen_schema::{Json, Type as SchemaType};

use super::codec::Rules;
use super::types::Types;
use super::writer::Writer;
use super::{codec, doc, ident, wire_rule};
use crate::model::{Type, TypeDef, Union, Variant};

pub(super) fn print(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    if union.disjoint {
        tagged(writer, types, def, union);
    } else {
        open(writer, types, def, union);
    }
    codec::serde(writer, def);
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
    let mut rules = Rules::default();
    let of_variants: Vec<Option<String>> =
        union.variants.iter().map(|v| rules.keep(wire_rule::of(types, def, &v.ty, &v.guard))).collect();
    let keys: Vec<&str> = union.variants.iter().filter_map(|variant| variant.key.as_deref()).collect();
    let names = Some(keys.as_slice()).filter(|keys| !keys.is_empty());
    codec::block(writer, types, def, names, &rules, |w, has_whole| {
        let read = |w: &mut Writer| {
            w.text("match reader.kind()? ");
            w.block(|w| arms(w, union, &of_variants));
        };
        let write = |w: &mut Writer| {
            w.text("match self ");
            w.block(|w| {
                for (variant, rule) in union.variants.iter().zip(&of_variants) {
                    w.arm(
                        |w| w.call(&format!("Self::{}", ident::part(&variant.ident)), |w| w.text("value")),
                        |w| codec::write(w, rule.as_deref(), |w| w.text("value")),
                    );
                }
            });
        };
        codec::json(w, &def.name, has_whole, read, write);
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

/// What selects a variant.
fn selector(union: &Union, variant: &Variant) -> String {
    if let Some(tag) = union.tag.as_deref().filter(|_| !variant.tag_values.is_empty()) {
        let values: Vec<String> = variant.tag_values.iter().map(|value| doc::code(&value.canonical())).collect();
        return format!("An object whose {} is {}.", doc::code(tag), values.join(" or "));
    }
    if let Some(key) = &variant.key {
        return format!("An object with the {} property.", doc::code(key));
    }
    let names: Vec<&str> = variant.types.iter().map(SchemaType::name).collect();
    format!("A value of type {}.", names.join(" or "))
}

/// The arms that find a value's variant.
fn arms(writer: &mut Writer, union: &Union, rules: &[Option<String>]) {
    let mut covered = HashSet::new();
    for (variant, rule) in union.variants.iter().zip(rules) {
        let kinds = variant.types.iter().filter(|t| variant.is_plain() || *t != SchemaType::Object).map(kind);
        let kinds: Vec<&str> = kinds.filter(|kind| covered.insert(*kind)).collect();
        if !kinds.is_empty() {
            writer.arm(|w| patterns(w, &kinds), |w| read_as(w, variant, rule.as_deref()));
        }
    }
    let object = kind(SchemaType::Object);
    if union.variants.iter().any(|variant| !variant.is_plain()) && covered.insert(object) {
        writer.line("::capgen::wire::ValueKind::Object => {");
        writer.indented(|w| match union.tag.as_deref() {
            Some(tag) => by_tag(w, union, rules, tag),
            None => by_key(w, union, rules),
        });
        writer.line("}");
    }
    if covered.len() < KINDS {
        writer.line("_ => None,");
    }
}

fn read_as(writer: &mut Writer, variant: &Variant, rule: Option<&str>) {
    writer.group(4, |w| {
        w.text("reader");
        codec::read(w, rule);
        w.method(".map", |w| {
            w.text("Self::");
            w.text(&ident::part(&variant.ident));
        });
    });
}

fn by_tag(writer: &mut Writer, union: &Union, rules: &[Option<String>], tag: &str) {
    let variants = union.variants.iter().zip(rules).filter(|(variant, _)| !variant.tag_values.is_empty());
    let variants: Vec<(&Variant, &Option<String>)> = variants.collect();
    let mut values = variants.iter().flat_map(|(variant, _)| &variant.tag_values);
    let strings = values.all(|value| value.as_str().is_some());
    writer.text("match ");
    writer.group(0, |w| scrutinee(w, tag, strings));
    writer.block(|w| {
        for (variant, rule) in variants {
            let mut seen = HashSet::new();
            let values: Vec<&Json> = variant.tag_values.iter().filter(|value| seen.insert(value.canonical())).collect();
            w.arm(|w| tags(w, &values, strings), |w| read_as(w, variant, rule.as_deref()));
        }
        w.line("_ => None,");
    });
}

fn by_key(writer: &mut Writer, union: &Union, rules: &[Option<String>]) {
    writer.text("match reader.which(NAMES)? ");
    writer.block(|w| {
        let variants = union.variants.iter().zip(rules).filter(|(variant, _)| variant.key.is_some());
        for (index, (variant, rule)) in variants.enumerate() {
            w.arm(|w| w.text(&index.to_string()), |w| read_as(w, variant, rule.as_deref()));
        }
        w.line("_ => None,");
    });
}

/// The tag of what comes next as text, or else as JSON; and a space.
fn scrutinee(writer: &mut Writer, tag: &str, strings: bool) {
    writer.text("&*");
    writer.method_call("reader", if strings { ".tag" } else { ".tag_json" }, |w| w.literal(tag));
    writer.text("?");
    writer.space();
}

fn tags(writer: &mut Writer, values: &[&Json], strings: bool) {
    let one = |w: &mut Writer, value: &&Json| match value.as_str().filter(|_| strings) {
        Some(text) => w.literal(text),
        None => w.literal(&value.canonical()),
    };
    match values {
        [value] => one(writer, value),
        // Bare literals share lines.
        values => writer.fill(0, |w| alternatives(w, values, one)),
    }
}

fn patterns(writer: &mut Writer, kinds: &[&str]) {
    let one = |w: &mut Writer, kind: &&str| {
        w.text("::capgen::wire::ValueKind::");
        w.text(kind);
    };
    match kinds {
        [kind] => one(writer, kind),
        kinds => writer.group(0, |w| alternatives(w, kinds, one)),
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

/// The kinds of JSON values.
const KINDS: usize = 6;

/// What a value of the type starts as; `integer` and `number` are one.
fn kind(t: SchemaType) -> &'static str {
    match t {
        SchemaType::Null => "Null",
        SchemaType::Boolean => "Boolean",
        SchemaType::Integer | SchemaType::Number => "Number",
        SchemaType::String => "String",
        SchemaType::Array => "Array",
        SchemaType::Object => "Object",
    }
}

fn open(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    writer.doc("");
    writer.doc("More than one branch can match a value, so the value is kept as JSON.");
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
    codec::block(writer, types, def, None, &Rules::default(), |w, has_whole| {
        let read = |w: &mut Writer| w.line("reader.value().map(Self)");
        let write = |w: &mut Writer| w.line("writer.write(&self.0)");
        codec::json(w, &def.name, has_whole, read, write);
    });
}

fn accessors(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, union: &Union) {
    writer.item();
    writer.text("impl ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        for variant in &union.variants {
            let (ty, _) = unboxed(&variant.ty);
            w.doc(&format!(
                "Returns a copy of the value as `{}`, or `None` if the value does not match this branch.",
                variant.ident
            ));
            let head = format!("pub fn {}", ident::function("as", &variant.ident));
            w.signature(&head, |w| w.text("&self"), |w| w.generic("Option", |w| types.write(w, &ty)));
            w.body(|w| w.line("::capgen::wire::branch(&self.0)"));
        }
        w.doc("Returns the JSON value.");
        w.text("pub const fn json(&self) -> &::serde_json::Value ");
        w.body(|w| w.line("&self.0"));
        w.doc("Converts into the JSON value.");
        w.text("pub fn into_json(self) -> ::serde_json::Value ");
        w.body(|w| w.line("self.0"));
    });
}
