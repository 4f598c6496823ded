//! The code that finds the variant of the next value and reads it, for unions whose variants are disjoint.
//!
//! One look at the value decides, so that no variant is tried in vain: first at its JSON type and, for objects, at the
//! tag or at which key is present.

use std::collections::HashSet;

use capgen_schema::{Json, Type as SchemaType};

use super::codec::{self, RuleRef};
use super::ident;
use super::writer::Writer;
use crate::model::{Union, Variant};

/// The number of kinds that the runtime distinguishes: see [`kind`].
const KINDS: usize = 6;

/// Writes the body of the read function; `rules` are those of the variants.
pub(super) fn read(writer: &mut Writer, union: &Union, rules: &[Option<RuleRef>]) {
    writer.text("match reader.kind()? ");
    writer.block(|w| by_kind(w, union, rules));
}

fn by_kind(writer: &mut Writer, union: &Union, rules: &[Option<RuleRef>]) {
    // `integer` and `number` are one kind, and a second arm for a kind would be unreachable.
    let mut covered = HashSet::new();
    for (variant, rule) in union.variants.iter().zip(rules) {
        let kinds = variant.types.iter().filter(|t| variant.is_plain() || *t != SchemaType::Object).map(kind);
        let kinds: Vec<&str> = kinds.filter(|kind| covered.insert(*kind)).collect();
        if !kinds.is_empty() {
            writer.arm(|w| kind_pattern(w, &kinds), |w| read_variant(w, variant, rule.as_ref()));
        }
    }
    let object = kind(SchemaType::Object);
    if union.variants.iter().any(|variant| !variant.is_plain()) && covered.insert(object) {
        writer.text("wire::ValueKind::Object => ");
        writer.block(|w| match union.tag.as_deref() {
            Some(tag) => by_tag(w, union, rules, tag),
            None => by_key(w, union, rules),
        });
    }
    if covered.len() < KINDS {
        writer.line("_ => None,");
    }
}

fn by_tag(writer: &mut Writer, union: &Union, rules: &[Option<RuleRef>], tag: &str) {
    let variants = union.variants.iter().zip(rules).filter(|(variant, _)| !variant.tag_values.is_empty());
    let variants: Vec<(&Variant, &Option<RuleRef>)> = variants.collect();
    let mut values = variants.iter().flat_map(|(variant, _)| &variant.tag_values);
    let is_strings = values.all(|value| value.as_str().is_some());
    writer.text("match ");
    writer.group(0, |w| {
        w.text("&*");
        // Strings are compared as they are; if any tag is another value, all are compared as canonical JSON.
        w.method_call("reader", if is_strings { ".tag" } else { ".tag_json" }, |w| w.literal(tag));
        w.text("?");
        w.space();
    });
    writer.block(|w| {
        for (variant, rule) in variants {
            let mut seen = HashSet::new();
            let values: Vec<&Json> = variant.tag_values.iter().filter(|value| seen.insert(value.canonical())).collect();
            w.arm(|w| tag_pattern(w, &values, is_strings), |w| read_variant(w, variant, rule.as_ref()));
        }
        w.line("_ => None,");
    });
}

/// The keys are the `NAMES` of the union's scope, in the order of the variants.
fn by_key(writer: &mut Writer, union: &Union, rules: &[Option<RuleRef>]) {
    writer.text("match reader.which(NAMES)? ");
    writer.block(|w| {
        let variants = union.variants.iter().zip(rules).filter(|(variant, _)| variant.key.is_some());
        for (index, (variant, rule)) in variants.enumerate() {
            w.arm(|w| w.text(&index.to_string()), |w| read_variant(w, variant, rule.as_ref()));
        }
        w.line("_ => None,");
    });
}

fn read_variant(writer: &mut Writer, variant: &Variant, rule: Option<&RuleRef>) {
    writer.group(4, |w| {
        w.text("reader");
        codec::read_call(w, rule);
        w.method(".map", |w| {
            w.text("Self::");
            w.text(&ident::escaped(&variant.ident));
        });
    });
}

fn tag_pattern(writer: &mut Writer, values: &[&Json], is_strings: bool) {
    let literal = |w: &mut Writer, value: &&Json| match value.as_str().filter(|_| is_strings) {
        Some(text) => w.literal(text),
        None => w.literal(&value.canonical()),
    };
    match values {
        [value] => literal(writer, value),
        // `prettyplease` puts as many literals on a line as fit, but each path of a pattern on its own line.
        values => writer.fill(0, |w| alternatives(w, values, literal)),
    }
}

fn kind_pattern(writer: &mut Writer, kinds: &[&str]) {
    let path = |w: &mut Writer, kind: &&str| {
        w.text("wire::ValueKind::");
        w.text(kind);
    };
    match kinds {
        [kind] => path(writer, kind),
        kinds => writer.group(0, |w| alternatives(w, kinds, path)),
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

/// The kind of a JSON type, which the first byte of a value decides: `integer` and `number` have the same.
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
