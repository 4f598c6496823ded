//! Validators: a fast verdict as straight code, and the violations told from the schema as data.

mod data;
mod emit;
mod expr;
mod helpers;
mod layout;
mod output;
mod plan;
mod scalar;
mod structure;
mod union;

use std::collections::{BTreeSet, HashSet};

use capgen_manifest::Side;
use capgen_schema::{Kind, Schema};

use super::Form;
use super::syntax::Writer;
use crate::model::{Model, SideModel};
use emit::Emitter;
use output::Output;

/// The names of the functions of a side whose type is `name`.
fn names(name: &str) -> [String; 3] {
    ["parse", "is", "assert"].map(|verb| format!("{verb}{name}"))
}

/// The names of all functions that [`print`] exports.
pub(super) fn exported(model: &Model<'_>) -> HashSet<String> {
    sides(model).flat_map(|(name, _)| names(name)).collect()
}

/// The sides that have a schema, by the name of their type.
fn sides<'m>(model: &'m Model<'_>) -> impl Iterator<Item = (&'m str, &'m Schema)> {
    model.capabilities.iter().flat_map(move |capability| {
        let sides = [(&capability.request, Side::Request), (&capability.response, Side::Response)];
        sides.into_iter().filter_map(move |(typed, side)| match typed {
            SideModel::Typed(id) => Some((model[*id].name.as_str(), capability.source.schema(side)?)),
            SideModel::Loose(_) => None,
        })
    })
}

/// Prints the validators of every side that has a schema.
///
/// Gives whether there is any.
pub(super) fn print(writer: &mut Writer, model: &Model<'_>, form: Form) -> bool {
    if form == Form::Declarations {
        return declare(writer, model);
    }
    let mut output = Output::new(form == Form::Typed);
    let mut functions: [Vec<String>; 3] = Default::default();
    let mut keywords = BTreeSet::new();
    for (name, schema) in sides(model) {
        for (_, node) in schema.nodes() {
            if let Kind::Assertions(a) = &node.kind {
                keywords.extend(a.keywords());
            }
        }
        let printed = print_side(&mut output, name, schema, &mut keywords);
        functions.iter_mut().zip(printed).for_each(|(functions, function)| functions.push(function));
    }
    // What is alike stands together: compressors find it there.
    let exported = functions.concat().join("\n");
    if exported.is_empty() {
        return false;
    }
    if form == Form::Typed {
        writer.line(RESULT);
    }
    let (internal, helpers) = output.finish(&exported, &keywords);
    for part in [internal, exported, helpers].iter().map(|part| part.trim_matches('\n')).filter(|part| !part.is_empty())
    {
        writer.line(&format!("{part}\n"));
    }
    true
}

fn declare(writer: &mut Writer, model: &Model<'_>) -> bool {
    let mut is_first = true;
    for (name, _) in sides(model) {
        if std::mem::take(&mut is_first) {
            writer.line(RESULT);
        }
        let [parse, is, assert] = names(name);
        writer.line(&format!("export declare function {parse}(value: unknown, options?: Options): Result<{name}>;\n"));
        writer.line(&format!("export declare function {is}(value: unknown): value is {name};\n"));
        writer.line(ASSERTS);
        writer.line(&format!(
            "export declare function {assert}(value: unknown, options?: Options): asserts value is {name};\n"
        ));
    }
    !is_first
}

const ASSERTS: &str = "/** Throws an `Error` that has the `violations`. */";

const RESULT: &str = "
/** What `parse` gives: the value, or everything that is wrong with it. */
export type Result<T> = { ok: true; value: T } | { ok: false; violations: Violation[] };

/** One way in which a value breaks its schema: where (RFC 6901), in words, and by which keyword. */
export type Violation = { path: string; message: string; keyword: string };

/** `redact` leaves values of the payload out of messages; `limit` is how many violations to tell at most. */
export type Options = { redact?: boolean; limit?: number };
";

/// The functions of one side, which others are to be printed for: for the verdict, the result, and the error.
fn print_side(output: &mut Output, name: &str, schema: &Schema, keywords: &mut BTreeSet<&str>) -> [String; 3] {
    let mut emitter = Emitter::new(schema, output);
    let verdict = emitter.run();
    let data = data::contract(&emitter.plan, emitter.output, keywords);
    let [parse, is, assert] = names(name);
    let unknown = output.typed(": unknown");
    let options = output.typed("?: Options");
    let mut parse = format!(
        "export function {parse}(value{unknown}, options{options}){} {{\n  return parse({is}(value), value, options, () => ",
        output.typed(&format!(": Result<{name}>"))
    );
    data.write(&mut parse, 60 + name.len(), 2);
    parse.push_str(");\n}\n");
    let is_function = format!(
        "export function {is}(value{}){} {{{verdict}\n}}\n",
        output.typed(": any"),
        output.typed(&format!(": value is {name}"))
    );
    let assert = format!(
        "{ASSERTS}\nexport function {assert}(value{unknown}, options{options}){} {{\n  \
         assert({}(value, options));\n}}\n",
        output.typed(&format!(": asserts value is {name}")),
        names(name)[0],
    );
    [is_function, parse, assert]
}
