//! Objects with declared properties: structs.

use std::borrow::Cow;

use super::codec::{self, RuleRef, Rules};
use super::constructor::Constructor;
use super::types::{Constant, Types};
use super::wide_record::Parts;
use super::writer::Writer;
use super::{doc, ident, wire_rule};
use crate::model::{Field, Record, Rest, Type, TypeDef};

/// The field for undeclared properties. Lowering gives this name to no other field.
pub(super) const REST: &str = "additional_properties";

pub(super) fn definition(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record) {
    let record = Struct::new(types, def, record);
    record.declaration(writer);
    let Struct { members, rest, .. } = &record;
    Constructor { types, def, members, has_rest: rest.is_some() }.write(writer);
}

pub(super) fn implementation(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record) {
    Struct::new(types, def, record).codec(writer);
}

/// A record as a struct.
struct Struct<'a> {
    types: &'a Types<'a>,
    def: &'a TypeDef,
    record: &'a Record,
    members: Vec<Member<'a>>,
    /// The properties that are declared as `false`. They have no field, but reading has to know their names to reject
    /// them.
    forbidden: Vec<&'a Field>,
    /// The type of the undeclared properties, if they are kept.
    rest: Option<&'a Type>,
}

/// A field of the struct.
pub(super) struct Member<'a> {
    pub(super) field: &'a Field,
    /// The field's name in Rust.
    pub(super) ident: Cow<'a, str>,
    /// The only value that a required property can have, so that the constructor does not ask for it.
    pub(super) constant: Option<Constant<'a>>,
    /// Whether the property is optional and its type is the `Option` of a nullable type.
    pub(super) is_merged: bool,
}

/// The local variables of the read function that are not fields.
const VARIABLES: [&str; 3] = ["reader", "object", "index"];

impl Member<'_> {
    /// The local variable for the field's value while an object is read.
    fn variable(&self) -> Cow<'_, str> {
        if VARIABLES.contains(&self.ident.as_ref()) {
            // No field's name ends in `_` after one of these words.
            Cow::Owned(format!("{}_", self.ident))
        } else {
            Cow::Borrowed(&self.ident)
        }
    }

    /// Whether the constructor asks for the field.
    pub(super) fn is_argument(&self) -> bool {
        self.field.required && self.constant.is_none()
    }

    /// Writes the type of the field.
    pub(super) fn write_type(&self, writer: &mut Writer, types: &Types<'_>) {
        if self.field.required || self.is_merged {
            types.write(writer, &self.field.ty);
        } else {
            writer.generic("Option", |w| types.write(w, &self.field.ty));
        }
    }

    /// Writes the arm for the property with the index, which reads it into the variable.
    pub(super) fn read_arm(&self, writer: &mut Writer, index: usize, variable: &str, rule: Option<&RuleRef>) {
        let rule = rule.map(RuleRef::reference);
        let method = if rule.is_some() { ".read_by" } else { ".read" };
        writer.assigning_arm(&index.to_string(), variable, ("reader", method), rule.as_deref().unwrap_or_default());
    }
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
            Member { field, ident: ident::escaped(&field.ident), constant, is_merged: types.merges(def, field) }
        };
        let members = present.into_iter().map(member).collect();
        let rest = if let Rest::Kept(ty) = &record.rest { Some(ty) } else { None };
        Self { types, def, record, members, forbidden, rest }
    }

    fn declaration(&self, writer: &mut Writer) {
        self.types.derive(writer, self.def);
        writer.braced("pub struct ", &self.def.name, |w| {
            for member in &self.members {
                let field = member.field;
                let default = || format!("The {} property.", doc::code(&field.name));
                doc::write_with_note(w, field.description.as_deref(), &field.note, default);
                if !field.required && !member.is_merged && self.types.is_option(&field.ty) {
                    w.doc("");
                    w.doc("`None` if absent, `Some(None)` if `null`.");
                }
                w.text("pub ");
                w.text(&member.ident);
                w.text(": ");
                member.write_type(w, self.types);
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

    fn codec(&self, writer: &mut Writer) {
        let fields = self.members.iter().map(|member| member.field).chain(self.forbidden.iter().copied());
        let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
        let mut rules = Rules::default();
        let rule = |ty: &Type, guard| wire_rule::of(self.types, self.def, ty, guard);
        let members = self.members.iter().map(|Member { field, .. }| (field, rule(&field.ty, &field.guard)));
        let members = members.map(|(field, rule)| rules.add(&field.ident, rule)).collect();
        let rest = self.rest.and_then(|ty| rules.add(REST, rule(ty, &self.record.rest_guard)));
        let struct_rules = StructRules { members, rest };
        codec::scope(writer, self.types, self.def, Some(&names), &rules, |w, is_interpreted| {
            let parts = Parts::new(self.types, &self.members, &struct_rules.members);
            if let Some(parts) = &parts {
                parts.items(w);
            }
            let read = |w: &mut Writer| self.read(w, names.len(), &struct_rules, parts.as_ref());
            let write = |w: &mut Writer| self.write(w, &struct_rules);
            codec::implement(w, &self.def.name, is_interpreted, read, write);
        });
    }

    /// Reads properties in any order into local variables. `names` is the number of declared names, which is also the
    /// index that the reader returns for an undeclared one.
    fn read(&self, writer: &mut Writer, names: usize, rules: &StructRules, parts: Option<&Parts<'_>>) {
        match parts {
            Some(parts) => parts.variables(writer),
            None => self.members.iter().for_each(|m| writer.line(&format!("let mut {} = None;", m.variable()))),
        }
        if self.rest.is_some() {
            writer.line(&format!("let mut {REST} = ::std::collections::BTreeMap::new();"));
        }
        let undeclared = match self.record.rest {
            Rest::Closed => "Closed",
            Rest::Ignored => "Ignored",
            Rest::Kept(_) => "Kept",
        };
        writer.line(&format!("let mut object = reader.object(NAMES, wire::Rest::{undeclared})?;"));
        writer.text("while let Some(index) = reader.property(&mut object)? ");
        writer.block(|w| {
            w.text("match index ");
            w.block(|w| self.read_arms(w, names, rules, parts));
        });
        if let Some(parts) = parts {
            parts.finish(writer);
        }
        writer.text("Some(");
        let values: Vec<_> = parts.into_iter().flat_map(Parts::values).map(Some).collect();
        let values = values.into_iter().chain(std::iter::repeat(None));
        let fields = self.members.iter().zip(values).map(Some).chain(self.rest.map(|_| None));
        writer.struct_expression("Self", fields, |w, field| match field {
            Some((member, Some((variable, place)))) => {
                w.text(&member.ident);
                w.text(": ");
                w.group(4, |w| {
                    w.text(&variable);
                    w.soft_break();
                    w.text(&place);
                });
            }
            Some((member, None)) => read_value(w, member),
            None => w.text(REST),
        });
        writer.line(")");
    }

    fn read_arms(&self, writer: &mut Writer, names: usize, rules: &StructRules, parts: Option<&Parts<'_>>) {
        match parts {
            Some(parts) => parts.arms(writer),
            None => {
                for (index, (member, rule)) in self.members.iter().zip(&rules.members).enumerate() {
                    member.read_arm(writer, index, &member.variable(), rule.as_ref());
                }
            }
        }
        if self.rest.is_some() {
            writer.arm(
                |w| w.text(&names.to_string()),
                |w| {
                    w.method_call("reader", ".keep", |w| {
                        w.text("&object");
                        w.comma();
                        w.text("&mut ");
                        w.text(REST);
                        w.comma();
                        rest_rule(w, rules);
                    });
                    w.text("?");
                },
            );
        }
        // Only a forbidden property gets here.
        writer.line("_ => return None,");
    }

    fn write(&self, writer: &mut Writer, rules: &StructRules) {
        writer.line("writer.begin()?;");
        for (Member { field, ident, is_merged, .. }, rule) in self.members.iter().zip(&rules.members) {
            let method = match (field.required, rule) {
                (true, None) => ".required",
                (true, Some(_)) => ".required_by",
                (false, None) => ".optional",
                (false, Some(_)) if *is_merged => ".merged_by",
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

/// A field with its value, from the local variable that it was read into.
fn read_value(writer: &mut Writer, member: &Member<'_>) {
    let variable = member.variable();
    writer.text(&member.ident);
    if member.field.required {
        writer.text(&format!(": {variable}?"));
    } else if member.is_merged {
        writer.text(": ");
        writer.method_call(&variable, ".flatten", |_| {});
    } else if variable != member.ident {
        writer.text(&format!(": {variable}"));
    }
}

/// The rule for undeclared properties, which always has to be given.
fn rest_rule(writer: &mut Writer, rules: &StructRules) {
    match &rules.rest {
        Some(rule) => rule.write(writer),
        None => writer.text("&wire::Any"),
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
