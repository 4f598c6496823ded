//! Closed sets of values: enums of unit variants.

use super::types::Types;
use super::writer::Writer;
use super::{codec, doc, ident};
use crate::model::{Member, TypeDef};

pub(super) fn print(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, members: &[Member]) {
    writer.line("#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]");
    writer.text("pub enum ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        for member in members {
            doc::write(w, member.description.as_deref(), || {
                format!("The value {}.", doc::code(&member.value.canonical()))
            });
            w.text(&ident::part(&member.ident));
            w.line(",");
        }
    });
    let strings = members.iter().all(|member| member.value.as_str().is_some());
    writer.item();
    writer.text("impl ");
    writer.text(&def.name);
    writer.text(" ");
    writer.body(|w| {
        all(w, members);
        access(w, members, strings);
    });
    let path = if strings { "::capgen::string_enum" } else { "::capgen::json_enum" };
    codec::block(writer, types, def, None, &codec::Rules::default(), |w, has_whole| {
        if has_whole { w.macro_item(path, &[&def.name, "INTERPRETED"]) } else { w.macro_item(path, &[&def.name]) }
    });
}

fn all(writer: &mut Writer, members: &[Member]) {
    writer.doc("Returns all values, in the order of the schema.");
    writer.text("pub const fn all() -> &'static [Self] ");
    writer.body(|w| {
        w.list("&[", "]", |w| w.each(members, variant));
        w.end();
    });
}

fn access(writer: &mut Writer, members: &[Member], strings: bool) {
    let (what, head) = if strings {
        ("Returns the value as a string.", "pub const fn as_str(self) -> &'static str ")
    } else {
        ("Returns the value as canonical JSON.", "pub const fn as_json(self) -> &'static str ")
    };
    writer.doc(what);
    writer.text(head);
    writer.body(|w| {
        w.text("match self ");
        w.block(|w| {
            for member in members {
                w.arm(
                    |w| variant(w, member),
                    |w| match member.value.as_str().filter(|_| strings) {
                        Some(text) => w.literal(text),
                        None => w.literal(&member.value.canonical()),
                    },
                );
            }
        });
    });
}

fn variant(writer: &mut Writer, member: &Member) {
    writer.text("Self::");
    writer.text(&ident::part(&member.ident));
}
