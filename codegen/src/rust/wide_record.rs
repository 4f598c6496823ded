//! Reading of records with many properties, part by part.
//!
//! The time and memory that rustc needs for a function grow with the number of its local variables times the number of
//! its branches and exits. One function that reads n properties has n of each. The functions here have at most [`PART`]
//! of each, so the cost of a record is proportional to the number of its properties.

use super::codec::RuleRef;
use super::record::Member;
use super::types::Types;
use super::writer::Writer;

/// The most properties of a part.
pub(super) const PART: usize = 64;

/// The properties of a wide record in parts of about the same size.
pub(super) struct Parts<'a> {
    types: &'a Types<'a>,
    parts: Vec<Part<'a>>,
}

struct Part<'a> {
    /// The index of its first property.
    start: usize,
    members: &'a [Member<'a>],
    rules: &'a [Option<RuleRef>],
}

impl<'a> Parts<'a> {
    /// `None` if one part is enough, so that the usual function can read the record.
    pub(super) fn new(types: &'a Types<'a>, members: &'a [Member<'a>], rules: &'a [Option<RuleRef>]) -> Option<Self> {
        if members.len() <= PART {
            return None;
        }
        // The last part is not much smaller than the others. In particular, no part has a single property.
        let size = members.len().div_ceil(members.len().div_ceil(PART));
        let parts = members.chunks(size).zip(rules.chunks(size)).enumerate();
        let parts = parts.map(|(part, (members, rules))| Part { start: part * size, members, rules }).collect();
        Some(Self { types, parts })
    }

    /// The types of the parts, with their functions. They are items of a block, without empty lines between them.
    pub(super) fn items(&self, writer: &mut Writer) {
        for (index, part) in self.parts.iter().enumerate() {
            writer.braced("struct ", &name(index), |w| {
                for member in part.members {
                    w.text(&member.ident);
                    w.text(": ");
                    w.generic("Option", |w| self.types.write(w, &member.field.ty));
                    w.line(",");
                }
            });
            writer.braced("impl ", &name(index), |w| {
                part.new_function(w);
                part.read_function(w);
                part.finish_function(w, self.types);
            });
        }
    }

    /// The variables for the parts.
    pub(super) fn variables(&self, writer: &mut Writer) {
        for index in 0..self.parts.len() {
            writer.line(&format!("let mut {} = {}::new();", variable(index), name(index)));
        }
    }

    /// The arms of the match of a property's index.
    pub(super) fn arms(&self, writer: &mut Writer) {
        for (index, part) in self.parts.iter().enumerate() {
            let last = part.start + part.members.len() - 1;
            writer.line(&format!("{}..={last} => {}.read(index, reader)?,", part.start, variable(index)));
        }
    }

    /// Replaces the variables by the values of the parts' fields.
    pub(super) fn finish(&self, writer: &mut Writer) {
        for index in 0..self.parts.len() {
            writer.line(&format!("let {0} = {0}.finish()?;", variable(index)));
        }
    }

    /// The expressions of all fields' values, in order.
    pub(super) fn values(&self) -> impl Iterator<Item = (String, String)> {
        let parts = self.parts.iter().enumerate();
        parts.flat_map(|(index, part)| {
            (0..part.members.len()).map(move |member| (variable(index), format!(".{member}")))
        })
    }
}

/// The name of a part's type. No type of the model has a name with `_` after a letter.
fn name(index: usize) -> String {
    format!("Part_{index}")
}

/// The name of the variable for a part.
fn variable(index: usize) -> String {
    format!("part_{index}")
}

impl Part<'_> {
    fn new_function(&self, writer: &mut Writer) {
        writer.text("const fn new() -> Self ");
        writer.body(|w| {
            w.struct_expression("Self", self.members, |w, member| {
                w.text(&member.ident);
                w.text(": None");
            });
            w.end();
        });
    }

    fn read_function(&self, writer: &mut Writer) {
        let parameters = ["&mut self", "index: usize", "reader: &mut wire::Reader<'_>"];
        writer.signature("fn read", |w| w.each(parameters, |w, text| w.text(text)), |w| w.text("Option<()>"));
        writer.body(|w| {
            w.text("match index ");
            w.block(|w| {
                for (at, (member, rule)) in self.members.iter().zip(self.rules).enumerate() {
                    member.read_arm(w, self.start + at, &format!("self.{}", member.ident), rule.as_ref());
                }
                w.line("_ => return None,");
            });
            w.line("Some(())");
        });
    }

    /// The function that returns the values of the fields, or `None` if a required one is missing.
    fn finish_function(&self, writer: &mut Writer, types: &Types<'_>) {
        let output = |w: &mut Writer| {
            w.generic("Option", |w| {
                w.list("(", ")", |w| w.each(self.members, |w, member| member.write_type(w, types)));
            });
        };
        writer.signature("fn finish", |w| w.text("self"), output);
        writer.body(|w| {
            w.list("Some((", "))", |w| w.each(self.members, finished));
            w.end();
        });
    }
}

/// The value of a field, from the `Option` that it was read into.
fn finished(writer: &mut Writer, member: &Member<'_>) {
    writer.group(4, |w| {
        w.text("self");
        w.soft_break();
        w.text(".");
        w.text(&member.ident);
        if member.is_merged {
            w.method(".flatten", |_| {});
        }
    });
    if member.field.required {
        writer.text("?");
    }
}
