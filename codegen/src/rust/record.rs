//! Objects with declared properties: structs.

use std::borrow::Cow;

use super::codec::Rules;
use super::types::Types;
use super::writer::Writer;
use super::{codec, doc, ident, wire_rule};
use crate::model::{Field, Record, Rest, Type, TypeDef};

/// The field that keeps what is not declared.
const REST: &str = "additional_properties";

/// A field of the struct: a property that can be there.
struct Member<'a> {
    field: &'a Field,
    ident: Cow<'a, str>,
}

pub(super) fn print(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record) {
    let (absent, present): (Vec<&Field>, Vec<&Field>) =
        record.fields.iter().partition(|field| field.ty == Type::Never && !field.required);
    let members: Vec<Member<'_>> =
        present.into_iter().map(|field| Member { field, ident: ident::part(&field.ident) }).collect();
    structure(writer, types, def, record, &members);
    new(writer, types, def, record, &members);
    codec(writer, types, def, record, &members, &absent);
    codec::serde(writer, def);
}

fn structure(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record, members: &[Member<'_>]) {
    writer.line("#[derive(Debug, Clone, PartialEq)]");
    writer.text("pub struct ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        for Member { field, ident } in members {
            doc::write(w, field.description.as_deref(), || format!("The {} property.", doc::code(&field.name)));
            w.text("pub ");
            w.text(ident);
            w.text(": ");
            if field.required {
                types.write(w, &field.ty);
            } else {
                w.generic("Option", |w| types.write(w, &field.ty));
            }
            w.line(",");
        }
        if let Some(ty) = kept(record) {
            w.doc("The undeclared properties. An entry with the name of a declared property is not written.");
            w.text("pub additional_properties: ");
            types.write_map(w, ty);
            w.line(",");
        }
    });
}

/// What the record keeps of properties that are not declared.
fn kept(record: &Record) -> Option<&Type> {
    if let Rest::Kept(ty) = &record.rest { Some(ty) } else { None }
}

/// The constructor: a parameter for every required field that has not one value only.
fn new(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record, members: &[Member<'_>]) {
    let constants: Vec<Option<String>> = members
        .iter()
        .map(|Member { field, .. }| field.required.then(|| types.constant(&field.ty)).flatten())
        .collect();
    let parameters: Vec<&Member<'_>> = (members.iter().zip(&constants))
        .filter(|(member, constant)| member.field.required && constant.is_none())
        .map(|(member, _)| member)
        .collect();
    writer.item();
    writer.text("impl ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        w.doc(new_doc(members, kept(record).is_some()));
        w.signature("pub fn new", |w| w.each(&parameters, |w, member| parameter(w, types, member)), |w| w.text("Self"));
        w.body(|w| {
            let declared = members.iter().zip(&constants).map(Some);
            w.value("Self", declared.chain(kept(record).map(|_| None)), |w, field| match field {
                Some((member, constant)) => initial(w, member, constant.as_deref()),
                None => w.text("additional_properties: ::std::collections::BTreeMap::new()"),
            });
            w.end();
        });
    });
    if parameters.is_empty() {
        writer.implement(
            |w| w.text("Default"),
            &def.name,
            |w| {
                w.text("fn default() -> Self ");
                w.body(|w| w.line("Self::new()"));
            },
        );
    }
}

/// The documentation of the constructor, by which properties a new value has.
fn new_doc(members: &[Member<'_>], keeps_undeclared: bool) -> &'static str {
    let has_required = members.iter().any(|member| member.field.required);
    let has_optional = keeps_undeclared || members.iter().any(|member| !member.field.required);
    match (has_required, has_optional) {
        (true, true) => "Creates a value with the required properties only.",
        (true, false) => "Creates a value with all its properties.",
        (false, _) => "Creates a value without properties.",
    }
}

fn parameter(writer: &mut Writer, types: &Types<'_>, Member { field, ident }: &Member<'_>) {
    writer.text(ident);
    writer.text(": ");
    if field.ty == Type::String {
        writer.text("impl ");
        writer.generic("Into", |w| w.text("String"));
    } else {
        types.write(writer, &field.ty);
    }
}

/// A field's value in the constructor.
fn initial(writer: &mut Writer, Member { field, ident }: &Member<'_>, constant: Option<&str>) {
    writer.text(ident);
    if !field.required {
        writer.text(": None");
    } else if let Some(constant) = constant {
        writer.text(": ");
        writer.text(constant);
    } else if field.ty == Type::String {
        writer.text(": ");
        writer.method_call(ident, ".into", |_| {});
    }
}

/// How the record is read and written.
fn codec(
    writer: &mut Writer,
    types: &Types<'_>,
    def: &TypeDef,
    record: &Record,
    members: &[Member<'_>],
    absent: &[&Field],
) {
    let names: Vec<&str> =
        members.iter().map(|member| member.field).chain(absent.iter().copied()).map(|f| f.name.as_str()).collect();
    let mut rules = Rules::default();
    let of_members: Vec<Option<String>> =
        members.iter().map(|m| rules.keep(wire_rule::of(types, def, &m.field.ty, &m.field.guard))).collect();
    let of_rest = kept(record).map(|ty| rules.keep(wire_rule::of(types, def, ty, &record.rest_guard)));
    let of_rest = of_rest.map(|rule| rule.unwrap_or_else(|| "&::capgen::wire::Any".to_owned()));
    codec::block(writer, types, def, Some(&names), &rules, |w, has_whole| {
        let read = |w: &mut Writer| read(w, record, members, names.len(), &of_members, of_rest.as_deref());
        let write = |w: &mut Writer| write(w, members, &of_members, of_rest.as_deref());
        codec::json(w, &def.name, has_whole, read, write);
    });
}

fn read(
    writer: &mut Writer,
    record: &Record,
    members: &[Member<'_>],
    names: usize,
    rules: &[Option<String>],
    rest: Option<&str>,
) {
    for index in 0..members.len() {
        writer.line(&format!("let mut f{index} = None;"));
    }
    if rest.is_some() {
        writer.line("let mut rest = ::std::collections::BTreeMap::new();");
    }
    let undeclared = match record.rest {
        Rest::Closed => "Closed",
        Rest::Ignored => "Ignored",
        Rest::Kept(_) => "Kept",
    };
    writer.line(&format!("let mut object = reader.object(NAMES, ::capgen::wire::Rest::{undeclared})?;"));
    writer.line("while let Some(index) = reader.property(&mut object)? {");
    writer.indented(|w| {
        w.line("match index {");
        w.indented(|w| {
            for (index, rule) in rules.iter().enumerate() {
                w.line(&match rule {
                    None => format!("{index} => f{index} = Some(reader.read()?),"),
                    Some(rule) => format!("{index} => f{index} = Some(reader.read_by({rule})?),"),
                });
            }
            if let Some(rule) = rest {
                w.line(&format!("{names} => reader.keep(&object, &mut rest, {rule})?,"));
            }
            w.line("_ => return None,");
        });
        w.line("}");
    });
    writer.line("}");
    writer.text("Some(");
    let fields = members.iter().enumerate().map(Some).chain(rest.map(|_| None));
    writer.value("Self", fields, |w, field| match field {
        Some((index, Member { field, ident })) => {
            w.text(ident);
            w.text(&format!(": f{index}{}", if field.required { "?" } else { "" }));
        }
        None => w.text("additional_properties: rest"),
    });
    writer.line(")");
}

fn write(writer: &mut Writer, members: &[Member<'_>], rules: &[Option<String>], rest: Option<&str>) {
    writer.line("writer.begin()?;");
    for (Member { field, ident }, rule) in members.iter().zip(rules) {
        let method = match (field.required, rule) {
            (true, None) => ".required",
            (true, Some(_)) => ".required_by",
            (false, None) => ".optional",
            (false, Some(_)) => ".optional_by",
        };
        writer.method_call("writer", method, |w| {
            w.literal(&field.name);
            w.comma();
            own(w, ident);
            if let Some(rule) = rule {
                w.comma();
                w.text(rule);
            }
        });
        writer.line("?;");
    }
    if let Some(rule) = rest {
        writer.method_call("writer", ".rest", |w| {
            own(w, REST);
            w.comma();
            w.text("NAMES");
            w.comma();
            w.text(rule);
        });
        writer.line("?;");
    }
    writer.line("writer.end()");
}

/// A reference to a field of `self`.
fn own(writer: &mut Writer, ident: &str) {
    writer.text("&");
    writer.group(4, |w| {
        w.text("self");
        w.cut();
        w.text(".");
        w.text(ident);
    });
}
