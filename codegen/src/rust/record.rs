//! Objects with declared properties: structs.

use std::borrow::Cow;

use super::codec::{self, RuleRef, Rules};
use super::types::{Constant, Types};
use super::writer::Writer;
use super::{doc, ident, wire_rule};
use crate::model::{Field, Record, Rest, Type, TypeDef};

/// The field for undeclared properties. Lowering gives this name to no other field.
const REST: &str = "additional_properties";

pub(super) fn print(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record) {
    let record = Struct::new(types, def, record);
    record.declaration(writer);
    record.constructor(writer);
    record.codec(writer);
    codec::serde(writer, def);
}

/// A record as a struct.
struct Struct<'a> {
    types: &'a Types<'a>,
    def: &'a TypeDef,
    record: &'a Record,
    members: Vec<Member<'a>>,
    /// The properties that are declared as `false`. They have no field, but reading has to know their names to reject them.
    forbidden: Vec<&'a Field>,
    /// The type of the undeclared properties, if they are kept.
    rest: Option<&'a Type>,
}

/// A field of the struct.
struct Member<'a> {
    field: &'a Field,
    /// The field's name in Rust.
    ident: Cow<'a, str>,
    /// The only value that a required property can have, so that the constructor does not ask for it.
    constant: Option<Constant<'a>>,
}

/// The rules for the values of a struct.
struct StructRules {
    members: Vec<Option<RuleRef>>,
    rest: Option<RuleRef>,
}

impl<'a> Struct<'a> {
    fn new(types: &'a Types<'a>, def: &'a TypeDef, record: &'a Record) -> Self {
        let (forbidden, present): (Vec<&Field>, Vec<&Field>) =
            record.fields.iter().partition(|field| field.ty == Type::Never && !field.required);
        let member = |field: &'a Field| {
            let constant = if field.required { types.constant(&field.ty) } else { None };
            Member { field, ident: ident::escaped(&field.ident), constant }
        };
        let members = present.into_iter().map(member).collect();
        let rest = if let Rest::Kept(ty) = &record.rest { Some(ty) } else { None };
        Self { types, def, record, members, forbidden, rest }
    }

    fn declaration(&self, writer: &mut Writer) {
        writer.line("#[derive(Debug, Clone, PartialEq)]");
        writer.braced("pub struct ", &self.def.name, |w| {
            for Member { field, ident, .. } in &self.members {
                doc::write(w, field.description.as_deref(), || format!("The {} property.", doc::code(&field.name)));
                w.text("pub ");
                w.text(ident);
                w.text(": ");
                if field.required {
                    self.types.write(w, &field.ty);
                } else {
                    w.generic("Option", |w| self.types.write(w, &field.ty));
                }
                w.line(",");
            }
            if let Some(ty) = self.rest {
                w.doc("The undeclared properties. An entry with the name of a declared property is not written.");
                w.text("pub additional_properties: ");
                self.types.write_map(w, ty);
                w.line(",");
            }
        });
    }

    /// `new`, with a parameter for each required property that is not a constant; also `Default` if there is no parameter.
    fn constructor(&self, writer: &mut Writer) {
        let is_parameter = |member: &&Member<'_>| member.field.required && member.constant.is_none();
        let parameters: Vec<&Member<'_>> = self.members.iter().filter(is_parameter).collect();
        writer.item();
        writer.braced("impl ", &self.def.name, |w| {
            w.doc(self.constructor_doc());
            w.signature(
                "pub fn new",
                |w| w.each(&parameters, |w, member| self.parameter(w, member)),
                |w| w.text("Self"),
            );
            w.body(|w| {
                let fields = self.members.iter().map(Some).chain(self.rest.map(|_| None));
                w.struct_expression("Self", fields, |w, field| match field {
                    Some(member) => initial_value(w, member),
                    None => w.text("additional_properties: ::std::collections::BTreeMap::new()"),
                });
                w.end();
            });
        });
        if parameters.is_empty() {
            writer.implement(
                |w| w.text("Default"),
                &self.def.name,
                |w| {
                    w.text("fn default() -> Self ");
                    w.body(|w| w.line("Self::new()"));
                },
            );
        }
    }

    fn constructor_doc(&self) -> &'static str {
        let has_required = self.members.iter().any(|member| member.field.required);
        let has_optional = self.rest.is_some() || self.members.iter().any(|member| !member.field.required);
        match (has_required, has_optional) {
            (true, true) => "Creates a value with the required properties only.",
            (true, false) => "Creates a value with all its properties.",
            (false, _) => "Creates a value without properties.",
        }
    }

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

    fn codec(&self, writer: &mut Writer) {
        let fields = self.members.iter().map(|member| member.field).chain(self.forbidden.iter().copied());
        let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
        let mut rules = Rules::default();
        let mut add = |ty, guard| rules.add(wire_rule::of(self.types, self.def, ty, guard));
        let members = self.members.iter().map(|member| add(&member.field.ty, &member.field.guard)).collect();
        let rest = self.rest.and_then(|ty| add(ty, &self.record.rest_guard));
        let struct_rules = StructRules { members, rest };
        codec::scope(writer, self.types, self.def, Some(&names), &rules, |w, is_interpreted| {
            let read = |w: &mut Writer| self.read(w, names.len(), &struct_rules);
            let write = |w: &mut Writer| self.write(w, &struct_rules);
            codec::implement(w, &self.def.name, is_interpreted, read, write);
        });
    }

    /// Reads properties in any order into local variables. `names` is the number of declared names, which is also the index
    /// that the reader returns for an undeclared one.
    fn read(&self, writer: &mut Writer, names: usize, rules: &StructRules) {
        for index in 0..self.members.len() {
            writer.line(&format!("let mut f{index} = None;"));
        }
        if self.rest.is_some() {
            writer.line("let mut rest = ::std::collections::BTreeMap::new();");
        }
        let undeclared = match self.record.rest {
            Rest::Closed => "Closed",
            Rest::Ignored => "Ignored",
            Rest::Kept(_) => "Kept",
        };
        writer.line(&format!("let mut object = reader.object(NAMES, ::capgen::wire::Rest::{undeclared})?;"));
        writer.text("while let Some(index) = reader.property(&mut object)? ");
        writer.block(|w| {
            w.text("match index ");
            w.block(|w| self.read_arms(w, names, rules));
        });
        writer.text("Some(");
        let fields = self.members.iter().enumerate().map(Some).chain(self.rest.map(|_| None));
        writer.struct_expression("Self", fields, |w, field| match field {
            Some((index, Member { field, ident, .. })) => {
                w.text(ident);
                w.text(&format!(": f{index}{}", if field.required { "?" } else { "" }));
            }
            None => w.text("additional_properties: rest"),
        });
        writer.line(")");
    }

    fn read_arms(&self, writer: &mut Writer, names: usize, rules: &StructRules) {
        for (index, rule) in rules.members.iter().enumerate() {
            writer.text(&format!("{index} => f{index} = Some(reader."));
            match rule {
                None => writer.text("read()"),
                Some(rule) => {
                    writer.text("read_by(");
                    rule.write(writer);
                    writer.text(")");
                }
            }
            writer.line("?),");
        }
        if self.rest.is_some() {
            writer.text(&format!("{names} => reader.keep(&object, &mut rest, "));
            rest_rule(writer, rules);
            writer.line(")?,");
        }
        // Only a forbidden property gets here.
        writer.line("_ => return None,");
    }

    fn write(&self, writer: &mut Writer, rules: &StructRules) {
        writer.line("writer.begin()?;");
        for (Member { field, ident, .. }, rule) in self.members.iter().zip(&rules.members) {
            let method = match (field.required, rule) {
                (true, None) => ".required",
                (true, Some(_)) => ".required_by",
                (false, None) => ".optional",
                (false, Some(_)) => ".optional_by",
            };
            writer.method_call("writer", method, |w| {
                w.literal(&field.name);
                w.comma();
                field_reference(w, ident);
                if let Some(rule) = rule {
                    w.comma();
                    rule.write(w);
                }
            });
            writer.line("?;");
        }
        if self.rest.is_some() {
            writer.method_call("writer", ".rest", |w| {
                field_reference(w, REST);
                w.comma();
                // Names that are declared are not written twice.
                w.text("NAMES");
                w.comma();
                rest_rule(w, rules);
            });
            writer.line("?;");
        }
        writer.line("writer.end()");
    }
}

/// A field with its value in the constructor.
fn initial_value(writer: &mut Writer, Member { field, ident, constant }: &Member<'_>) {
    writer.text(ident);
    if !field.required {
        writer.text(": None");
    } else if let Some(constant) = constant {
        writer.text(": ");
        constant.write(writer);
    } else if field.ty == Type::String {
        writer.text(": ");
        writer.method_call(ident, ".into", |_| {});
    }
}

/// The rule for undeclared properties, which always has to be given.
fn rest_rule(writer: &mut Writer, rules: &StructRules) {
    match rules.rest {
        Some(rule) => rule.write(writer),
        None => writer.text("&::capgen::wire::Any"),
    }
}

/// `&self.ident`
fn field_reference(writer: &mut Writer, ident: &str) {
    writer.text("&");
    writer.group(4, |w| {
        w.text("self");
        w.soft_break();
        w.text(".");
        w.text(ident);
    });
}
