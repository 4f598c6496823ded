//! Hand-written declarations, with or without their types.

use std::borrow::Cow;

use super::Form;
use crate::typescript::syntax::HandWritten;

/// The lines in TypeScript or, without types, in JavaScript.
pub(super) fn lines(declaration: &HandWritten, is_typed: bool) -> Vec<Cow<'static, str>> {
    // Most lines have no types.
    let print = |line: &Cow<'static, str>| if line.is_ascii() { line.clone() } else { render(line, is_typed).into() };
    declaration.0.iter().map(print).collect()
}

/// The lines of a declaration that other files can use.
pub(super) fn exported(declaration: &HandWritten, form: Form) -> Vec<Cow<'static, str>> {
    let mut lines = lines(declaration, form == Form::Typed);
    // Comments come before the declaration, and all other lines are in it.
    let is_start = |line: &&mut Cow<'static, str>| {
        ["function ", "async function ", "const "].iter().any(|start| line.starts_with(start))
    };
    if let Some(first) = lines.iter_mut().find(is_start) {
        *first = format!("{}{first}", form.export()).into();
    }
    lines
}

/// A line with or without the parts in `«` and `»`.
fn render(line: &str, is_typed: bool) -> String {
    if is_typed {
        return line.replace(['«', '»'], "");
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('«') {
        plain.push_str(before);
        rest = after.split_once('»').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}
