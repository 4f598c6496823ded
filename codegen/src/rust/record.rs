//! Objects with declared properties: structs.

use std::borrow::Cow;

use super::types::Types;
use super::writer::Writer;
use super::{doc, ident};
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
    read(writer, def, record, &members, &absent);
    write(writer, def, record, &members);
    writer.macro_item("::capgen::deserialize", &def.name);
}

fn structure(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record, members: &[Member<'_>]) {
    writer.line("#[derive(Debug, Clone, PartialEq)]");
    writer.text("pub struct ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        for Member { field, ident } in members {
            doc::write(w, field.description.as_deref(), || format!("The property {}.", doc::code(&field.name)));
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
            w.doc("The properties that are not declared.");
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
        w.doc("With the required properties, and no others.");
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

fn read(writer: &mut Writer, def: &TypeDef, record: &Record, members: &[Member<'_>], absent: &[&Field]) {
    let read = |w: &mut Writer| {
        w.value("Self", members.iter().map(Some).chain(kept(record).map(|_| None)), |w, member| match member {
            Some(Member { field, ident }) => {
                w.text(ident);
                w.text(": ");
                let method = if field.required { ".required" } else { ".optional" };
                w.method_call("object", method, |w| w.literal(&field.name));
                w.text("?");
            }
            None => w.text("additional_properties: object.rest()?"),
        });
    };
    writer.implement(
        |w| w.text("::capgen::wire::Read"),
        &def.name,
        |w| {
            w.text("fn read(value: ::serde_json::Value) -> Result<Self, ::capgen::wire::Error> ");
            w.body(|w| {
                w.line("let mut object = ::capgen::wire::Object::new(value)?;");
                for field in absent {
                    w.method_call("object", ".absent", |w| w.literal(&field.name));
                    w.line("?;");
                }
                if let Rest::Closed = record.rest {
                    w.text("let read = ");
                    w.hold();
                    read(w);
                    w.line(";");
                    w.line("object.close()?;");
                    w.line("Ok(read)");
                } else {
                    w.text("Ok(");
                    read(w);
                    w.line(")");
                }
            });
        },
    );
}

fn write(writer: &mut Writer, def: &TypeDef, record: &Record, members: &[Member<'_>]) {
    serialize(writer, &def.name, |w| {
        w.line("let mut fields = ::capgen::wire::Fields::new(serializer)?;");
        for Member { field, ident } in members {
            let method = if field.required { ".required" } else { ".optional" };
            w.method_call("fields", method, |w| {
                w.literal(&field.name);
                w.comma();
                own(w, ident);
            });
            w.line("?;");
        }
        if kept(record).is_some() {
            w.method_call("fields", ".rest", |w| {
                own(w, REST);
                w.comma();
                w.list("&[", "]", |w| w.each(&record.fields, |w, field| w.literal(&field.name)));
            });
            w.line("?;");
        }
        w.line("fields.end()");
    });
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

/// `Serialize` for the type of that name.
pub(super) fn serialize(writer: &mut Writer, name: &str, f: impl FnOnce(&mut Writer)) {
    writer.implement(
        |w| w.text("::serde::Serialize"),
        name,
        |w| {
            let head = "fn serialize<S: ::serde::Serializer>";
            w.signature(
                head,
                |w| w.each(["&self", "serializer: S"], Writer::text),
                |w| w.text("Result<S::Ok, S::Error>"),
            );
            w.body(f);
        },
    );
}
