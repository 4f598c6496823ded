//! Objects with declared properties: structs.

use std::borrow::Cow;

use super::codec::{self, RuleRef, Rules};
use super::types::{Constant, Types};
use super::writer::Writer;
use super::{doc, ident, setter, wire_rule};
use crate::model::{Field, Record, Rest, Type, TypeDef};

/// The field for undeclared properties. Lowering gives this name to no other field.
const REST: &str = "additional_properties";

pub(super) fn definition(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record) {
    let record = Struct::new(types, def, record);
    record.declaration(writer);
    record.constructor(writer);
}

pub(super) fn implementation(writer: &mut Writer, types: &Types<'_>, def: &TypeDef, record: &Record) {
    Struct::new(types, def, record).codec(writer);
}

/// From more required properties on, reading them must not have an exit for each.
const WIDE: usize = 64;

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
    /// Whether the property is optional and its type is the `Option` of a nullable type.
    is_merged: bool,
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
            for Member { field, ident, is_merged, .. } in &self.members {
                doc::write(w, field.description.as_deref(), || format!("The {} property.", doc::code(&field.name)));
                w.text("pub ");
                w.text(ident);
                w.text(": ");
                if field.required || *is_merged {
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

    /// `new`, with a parameter for each required property that is not a constant, and a setter for each optional one; also
    /// `Default` if `new` has no parameter.
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
            for member in self.members.iter().filter(|member| !member.field.required) {
                setter::write(w, self.types, &member.ident, member.field, member.is_merged);
            }
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
        let rule = |ty: &Type, guard| wire_rule::of(self.types, self.def, ty, guard);
        let members = self.members.iter().map(|Member { field, .. }| (field, rule(&field.ty, &field.guard)));
        let members = members.map(|(field, rule)| rules.add(&field.ident, rule)).collect();
        let rest = self.rest.and_then(|ty| rules.add(REST, rule(ty, &self.record.rest_guard)));
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
        for member in &self.members {
            writer.line(&format!("let mut {} = None;", member.variable()));
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
            w.block(|w| self.read_arms(w, names, rules));
        });
        let is_wide = self.members.iter().filter(|member| member.field.required).count() > WIDE;
        if is_wide {
            self.unwrap_required(writer);
        }
        writer.text("Some(");
        let fields = self.members.iter().map(Some).chain(self.rest.map(|_| None));
        writer.struct_expression("Self", fields, |w, field| match field {
            Some(member) => {
                let variable = member.variable();
                w.text(&member.ident);
                if member.field.required && !is_wide {
                    w.text(&format!(": {variable}?"));
                } else if member.is_merged {
                    w.text(": ");
                    w.method_call(&variable, ".flatten", |_| {});
                } else if variable != member.ident {
                    w.text(&format!(": {variable}"));
                }
            }
            None => w.text(REST),
        });
        writer.line(")");
    }

    /// Returns unless every required property is present, with a single exit. `?` at each field would be an exit at each field, and each
    /// exit drops all others: rustc would take quadratic time and memory.
    fn unwrap_required(&self, writer: &mut Writer) {
        let required = || self.members.iter().filter(|member| member.field.required);
        writer.line("let (");
        writer.indented(|w| required().for_each(|member| w.line(&format!("Some({}),", member.variable()))));
        writer.line(") = (");
        writer.indented(|w| required().for_each(|member| w.line(&format!("{},", member.variable()))));
        writer.line(") else {");
        writer.indented(|w| w.line("return None;"));
        writer.line("};");
    }

    fn read_arms(&self, writer: &mut Writer, names: usize, rules: &StructRules) {
        for (index, (member, rule)) in self.members.iter().zip(&rules.members).enumerate() {
            let rule = rule.as_ref().map(RuleRef::reference);
            let method = if rule.is_some() { ".read_by" } else { ".read" };
            writer.assigning_arm(
                &index.to_string(),
                &member.variable(),
                ("reader", method),
                rule.as_deref().unwrap_or_default(),
            );
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

/// A field with its value in the constructor.
fn initial_value(writer: &mut Writer, Member { field, ident, constant, .. }: &Member<'_>) {
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
