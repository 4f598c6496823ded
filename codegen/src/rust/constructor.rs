//! Creating structs: `new` takes the required properties. If there are several, it takes them as the fields of one more
//! struct, so that the program names each of them.

use super::record::Member;
use super::types::Types;
use super::writer::Writer;
use super::{doc, setter};
use crate::model::{Type, TypeDef};

/// The constructor of a struct.
pub(super) struct Constructor<'a> {
    pub(super) types: &'a Types<'a>,
    pub(super) def: &'a TypeDef,
    pub(super) members: &'a [Member<'a>],
    /// Whether the struct keeps undeclared properties.
    pub(super) has_rest: bool,
}

/// The parameter with the required properties.
const REQUIRED: &str = "required";

impl<'a> Constructor<'a> {
    /// `new`, and a setter for each optional property; `Default` if `new` has no parameter, or the struct of its
    /// parameters.
    pub(super) fn write(&self, writer: &mut Writer) {
        let arguments: Vec<&Member<'_>> = self.members.iter().filter(|member| member.is_argument()).collect();
        let required = self.types.required_name(self.def);
        writer.item();
        writer.braced("impl ", &self.def.name, |w| {
            w.doc(self.documentation());
            let parameters = |w: &mut Writer| match (required, arguments.as_slice()) {
                (Some(name), _) => w.text(&format!("{REQUIRED}: {name}")),
                (None, arguments) => arguments.iter().for_each(|member| self.parameter(w, member)),
            };
            w.signature("pub fn new", parameters, |w| w.text("Self"));
            w.body(|w| {
                let fields = self.members.iter().map(Some).chain(self.has_rest.then_some(None));
                w.struct_expression("Self", fields, |w, field| match field {
                    Some(member) => initial_value(w, member, required.is_some()),
                    None => w.text("additional_properties: ::std::collections::BTreeMap::new()"),
                });
                w.end();
            });
            for member in self.members.iter().filter(|member| !member.field.required) {
                setter::write(w, self.types, &member.ident, member.field, member.is_merged);
            }
        });
        match required {
            Some(name) => self.required(writer, name, &arguments),
            None if arguments.is_empty() => self.default(writer),
            None => {}
        }
    }

    /// The struct of the required properties. It has all its fields in every version of the contract with the same
    /// required properties, unlike the struct that it creates, which gets a field for each new optional property.
    fn required(&self, writer: &mut Writer, name: &str, arguments: &[&Member<'_>]) {
        writer.item();
        writer.doc(&format!("The required properties of [`{}`].", self.def.name));
        writer.line("#[derive(Debug, Clone)]");
        writer.braced("pub struct ", name, |w| {
            for member in arguments {
                w.doc(&format!("The {} property.", doc::code(&member.field.name)));
                w.text("pub ");
                w.text(&member.ident);
                w.text(": ");
                member.write_type(w, self.types);
                w.line(",");
            }
        });
    }

    fn default(&self, writer: &mut Writer) {
        writer.implement(
            |w| w.text("Default"),
            &self.def.name,
            |w| {
                w.text("fn default() -> Self ");
                w.body(|w| w.line("Self::new()"));
            },
        );
    }

    fn documentation(&self) -> &'static str {
        let has_required = self.members.iter().any(|member| member.field.required);
        let has_optional = self.has_rest || self.members.iter().any(|member| !member.field.required);
        match (has_required, has_optional) {
            (true, true) => "Creates a value with the required properties only.",
            (true, false) => "Creates a value with all its properties.",
            (false, _) => "Creates a value without properties.",
        }
    }

    /// The only parameter.
    fn parameter(&self, writer: &mut Writer, Member { field, ident, .. }: &Member<'_>) {
        writer.text(ident);
        writer.text(": ");
        if field.ty == Type::String {
            writer.text("impl ");
            writer.generic("Into", |w| w.text("String"));
        } else {
            self.types.write(writer, &field.ty);
        }
    }
}

/// A field with its value.
fn initial_value(writer: &mut Writer, member: &Member<'_>, is_named: bool) {
    let Member { field, ident, constant, .. } = member;
    writer.text(ident);
    if !field.required {
        writer.text(": None");
    } else if let Some(constant) = constant {
        writer.text(": ");
        constant.write(writer);
    } else if is_named {
        writer.text(": ");
        writer.group(4, |w| {
            w.text(REQUIRED);
            w.soft_break();
            w.text(".");
            w.text(ident);
        });
    } else if field.ty == Type::String {
        writer.text(": ");
        writer.method_call(ident, ".into", |_| {});
    }
}
