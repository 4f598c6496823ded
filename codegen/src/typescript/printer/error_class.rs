//! The classes of errors.

use super::Form;
use super::comment::comment;
use super::layout::{Doc, concat, hard_line, text};
use crate::typescript::syntax::{ErrorClass, ErrorKind};

/// The class in a form.
pub(super) fn class(class: &ErrorClass, form: Form) -> Doc {
    let ErrorClass { doc, name, kind } = class;
    let declare = if form == Form::Declarations { "export declare " } else { form.export() };
    let (head, body) = match kind {
        ErrorKind::Violations(violation) => ("Error".to_owned(), violations(name, violation, form)),
        ErrorKind::Call(result) => ("Error".to_owned(), call(name, result, form)),
        ErrorKind::Declared { extends, details } => {
            let parameter = if form.has_types() { format!("<{details}>") } else { String::new() };
            (format!("{extends}{parameter}"), vec![name_field(name, "string", form)])
        }
    };
    let parameter = if matches!(kind, ErrorKind::Call(_)) && form.has_types() { "<Errors = {}>" } else { "" };
    let mut docs = vec![comment(doc), text(format!("{declare}class {name}{parameter} extends {head} {{"))];
    docs.extend(body.into_iter().chain(["}".to_owned()]).flat_map(|line| [hard_line(), text(line)]));
    concat(docs)
}

/// The field with the name of the class. A subclass has another name, so a type that is the literal itself would be too
/// narrow for a class that others extend.
fn name_field(name: &str, ty: &str, form: Form) -> String {
    match form {
        Form::Typed if ty.is_empty() => format!("  override readonly name = \"{name}\";"),
        Form::Typed => format!("  override readonly name: {ty} = \"{name}\";"),
        Form::Script | Form::CommonJs => format!("  name = \"{name}\";"),
        Form::Declarations if ty.is_empty() => format!("  readonly name = \"{name}\";"),
        Form::Declarations => format!("  readonly name: {ty};"),
    }
}

/// The fields of a class in a form, each a name and a type.
fn fields<'f>(fields: impl IntoIterator<Item = (&'f str, &'f str)>, form: Form) -> Vec<String> {
    let field = |(name, ty): (&str, &str)| match form {
        Form::Typed | Form::Declarations => format!("  readonly {name}: {ty};"),
        Form::Script | Form::CommonJs => format!("  {name};"),
    };
    fields.into_iter().map(field).collect()
}

fn violations(name: &str, violation: &str, form: Form) -> Vec<String> {
    let list = format!("{violation}[]");
    let mut lines = vec![name_field(name, "", form)];
    lines.extend(fields([("violations", list.as_str()), ("truncated", "boolean")], form));
    if form == Form::Declarations {
        lines.push(format!("  constructor(violations: {list}, truncated?: boolean);"));
        return lines;
    }
    lines.extend([
        String::new(),
        match form {
            Form::Typed => format!("  constructor(violations: {list}, truncated = false) {{"),
            _ => "  constructor(violations, truncated = false) {".to_owned(),
        },
    ]);
    lines.extend([SHOWN, MORE, SUPER].map(str::to_owned));
    lines.extend(["    this.violations = violations;", "    this.truncated = truncated;", "  }"].map(str::to_owned));
    lines
}

/// The message has at most 16 violations, because a payload can have any number of them, and messages often go to logs.
const SHOWN: &str =
    "    const shown = violations.slice(0, 16).map(({ path, message }) => `${path || \"(root)\"}: ${message}`);";
const MORE: &str = "    if (truncated || violations.length > 16) shown.push(\"and more\");";
const SUPER: &str = "    super(shown.join(\"\\n\"));";

/// A call that failed. Its code, details and whether it is worth a retry are those of the error of the result.
fn call(name: &str, result: &str, form: Form) -> Vec<String> {
    let failed = format!("{result}<Errors>");
    let members = ["code", "details", "retryable"];
    let types = members.map(|member| format!("{failed}[\"error\"][\"{member}\"]"));
    let mut lines = vec![name_field(name, "string", form)];
    let typed = members.into_iter().zip(types.iter().map(String::as_str));
    lines.extend(fields(typed.chain([("result", failed.as_str())]), form));
    if form == Form::Declarations {
        lines.push(format!("  constructor(result: {failed});"));
        return lines;
    }
    lines.extend([
        String::new(),
        match form {
            Form::Typed => format!("  constructor(result: {failed}) {{"),
            _ => "  constructor(result) {".to_owned(),
        },
    ]);
    let any = if form == Form::Typed { ": any" } else { "" };
    lines.push(format!("    const {{ message, {} }}{any} = result.error;", members.join(", ")));
    lines.push("    super(message);".to_owned());
    lines.extend(members.map(|member| format!("    this.{member} = {member};")));
    lines.extend(["    this.result = result;", "  }"].map(str::to_owned));
    lines
}
