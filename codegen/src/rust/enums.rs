//! Schemas that list their values (`enum`, `const`): enums of unit variants.

use super::types::Types;
use super::writer::Writer;
use super::{codec, doc, ident};
use crate::model::{Member, TypeDef};

pub(super) fn definition(writer: &mut Writer, def: &TypeDef, members: &[Member]) {
    writer.line("#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]");
    writer.braced("pub enum ", &def.name, |w| {
        for member in members {
            doc::write(w, member.description.as_deref(), || {
                format!("The value {}.", doc::code(&member.value.canonical()))
            });
            w.text(&ident::escaped(&member.ident));
            w.line(",");
        }
    });
    writer.item();
    writer.braced("impl ", &def.name, |w| {
        all(w, members);
        accessor(w, members, has_only_strings(members));
    });
}

pub(super) fn implementation(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, members: &[Member]) {
    // The runtime's macros implement all traits of the enum on top of its two functions.
    let path = if has_only_strings(members) { "::capgen::string_enum" } else { "::capgen::json_enum" };
    codec::scope(writer, types, def, None, &codec::Rules::default(), |w, is_interpreted| {
        w.macro_item(path, |w| {
            w.text(&def.name);
            if is_interpreted {
                w.comma();
                w.text("INTERPRETED");
            }
        });
    });
}

fn has_only_strings(members: &[Member]) -> bool {
    members.iter().all(|member| member.value.as_str().is_some())
}

/// The function that lists all variants.
fn all(writer: &mut Writer, members: &[Member]) {
    writer.doc("Returns all values, in the order of the schema.");
    writer.text("pub const fn all() -> &'static [Self] ");
    writer.body(|w| {
        w.list("&[", "]", |w| w.each(members, variant));
        w.end();
    });
}

/// The function from a variant to its value: `as_str` if all values are strings, otherwise `as_json`.
fn accessor(writer: &mut Writer, members: &[Member], is_strings: bool) {
    let (documentation, head) = if is_strings {
        ("Returns the value as a string.", "pub const fn as_str(self) -> &'static str ")
    } else {
        ("Returns the value as canonical JSON.", "pub const fn as_json(self) -> &'static str ")
    };
    writer.doc(documentation);
    writer.text(head);
    writer.body(|w| {
        w.text("match self ");
        w.block(|w| {
            for member in members {
                w.arm(
                    |w| variant(w, member),
                    |w| match member.value.as_str().filter(|_| is_strings) {
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
    writer.text(&ident::escaped(&member.ident));
}
