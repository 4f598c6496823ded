//! Schemas that list their values (`enum`, `const`): enums of unit variants.

use super::types::Types;
use super::writer::Writer;
use super::{codec, doc, ident};
use crate::model::{Member, TypeDef};

/// The most values of an enum with a branch for each value in its functions. rustc needs time and memory for the square
/// of the number of branches, so the functions of longer enums read a table.
const MAX_BRANCHES: usize = 256;

pub(super) fn definition(writer: &mut Writer, def: &TypeDef, members: &[Member]) {
    writer.line(if members.len() > MAX_BRANCHES {
        "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]"
    } else {
        "#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]"
    });
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
    let path = types.runtime(if has_only_strings(members) { "string_enum" } else { "json_enum" });
    codec::scope(writer, types, def, None, &codec::Rules::default(), |w, is_interpreted| {
        w.macro_item(&path, |w| {
            w.text(&def.name);
            if is_interpreted {
                w.comma();
                w.text("INTERPRETED");
            }
        });
    });
    if members.len() > MAX_BRANCHES {
        debug(writer, def, members);
    }
}

/// `Debug` of a long enum, with the value instead of the variant: the derived one has a branch for each variant.
fn debug(writer: &mut Writer, def: &TypeDef, members: &[Member]) {
    writer.implement(
        |w| w.text("::std::fmt::Debug"),
        &def.name,
        |w| {
            w.text("fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result ");
            w.body(|w| {
                w.line(if has_only_strings(members) {
                    "::std::fmt::Debug::fmt(self.as_str(), f)"
                } else {
                    "f.write_str(self.as_json())"
                });
            });
        },
    );
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
        if members.len() > MAX_BRANCHES {
            let values = |w: &mut Writer| w.each(members, |w, member| value(w, member, is_strings));
            w.assign("const VALUES: &[&str] = ", |w| w.list("&[", "]", values));
            return w.line("VALUES[self as usize]");
        }
        w.text("match self ");
        w.block(|w| {
            for member in members {
                w.arm(|w| variant(w, member), |w| value(w, member, is_strings));
            }
        });
    });
}

/// The literal with the text of a value.
fn value(writer: &mut Writer, member: &Member, is_strings: bool) {
    match member.value.as_str().filter(|_| is_strings) {
        Some(text) => writer.literal(text),
        None => writer.literal(&member.value.canonical()),
    }
}

fn variant(writer: &mut Writer, member: &Member) {
    writer.text("Self::");
    writer.text(&ident::escaped(&member.ident));
}
