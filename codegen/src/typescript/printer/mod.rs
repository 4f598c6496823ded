//! The one printer of TypeScript, JavaScript and declaration files: a syntax tree to text.
//!
//! Printed text is never read. [`layout`] decides where lines break, for types, values and conditions alike.

mod comment;
mod error_class;
mod expression;
mod hand_written;
mod imports;
mod layout;
pub(super) mod literal;
mod types;

use std::borrow::Cow;

use super::syntax::{
    Constant, DeclarationKind, Expression, Function, Import, Item, Module, Parameter, Returns, Statement, Type,
    TypeDeclaration,
};

use expression::{local_text, name_text};
use layout::{Doc, Output, concat, hard_line, indent, text};

/// Which of the three texts of a file is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// TypeScript.
    Typed,
    /// JavaScript: the same without types, as an ES module.
    Script,
    /// The same JavaScript as a CommonJS module.
    CommonJs,
    /// The types of the JavaScript.
    Declarations,
}

/// The text of a file after its header.
pub(super) fn print(header: String, module: &Module, form: Form) -> String {
    let mut output = Output::new(with_classes(header, module));
    let import = module.import.as_ref();
    let mut items = module.items.iter().filter(|item| is_printed(item, import, form)).peekable();
    if items.peek().is_none() && form == Form::Script {
        // Without it, the file would be a script, not a module.
        output.write(&concat(vec![text("export {};"), hard_line()]));
    }
    if form == Form::CommonJs {
        // ES modules are always strict.
        output.write(&concat(vec![text("\"use strict\";"), hard_line(), hard_line()]));
    }
    for statement in import.into_iter().flat_map(|import| imports::statements(import, form)) {
        output.write(&concat(vec![statement, hard_line(), hard_line()]));
    }
    while let Some(item) = items.next() {
        output.write(&concat(vec![self::item(item, import, form), hard_line()]));
        // There is an empty line between two items, unless both are constants or names of files.
        let is_constant = |item: &Item| matches!(item, Item::Constant { .. } | Item::Namespace { .. });
        let is_separate = items.peek().is_some_and(|next| !is_constant(item) || !is_constant(next));
        if is_separate {
            output.write(&hard_line());
        }
    }
    // Names of files are exported one by one.
    let has_files = module.items.iter().any(|item| matches!(item, Item::Namespace { .. }));
    if form == Form::CommonJs && !has_files {
        output.write(&exports(module));
    }
    output.finish()
}

/// The header of a file. ESLint reports several classes in a file at its first character, before which only the first
/// comment can silence it.
fn with_classes(header: String, module: &Module) -> String {
    let has_several = module.items.iter().filter(|item| matches!(item, Item::Error(_))).nth(1).is_some();
    match header.strip_prefix("/* ").filter(|_| has_several) {
        Some(rest) => format!("/* eslint-disable max-classes-per-file -- {rest}"),
        None => header,
    }
}

impl Form {
    /// Whether types are printed.
    fn has_types(self) -> bool {
        matches!(self, Form::Typed | Form::Declarations)
    }

    /// The word before an exported constant or class that is not only declared. CommonJS modules have a list of
    /// exports.
    fn export(self) -> &'static str {
        if self == Form::CommonJs { "" } else { "export " }
    }
}

/// The exports of a CommonJS module, one per line: Node finds the names in this form if an ES module imports them.
fn exports(module: &Module) -> Doc {
    let mut names = Vec::new();
    for item in &module.items {
        let exported: Vec<Cow<'static, str>> = match item {
            Item::Function(function) if function.is_exported() => vec![name_text(&function.name)],
            Item::Exported(constant) => vec![constant.name.clone().into()],
            Item::Error(class) => vec![class.name.clone().into()],
            Item::SharedHandWritten(name, _) => vec![(*name).into()],
            Item::Reexports => {
                let classes = module.import.iter().flat_map(|import| &import.classes);
                classes.map(|class| class.own.clone().into()).collect()
            }
            _ => continue,
        };
        names.extend(exported.into_iter().flat_map(|name| [hard_line(), text(name), text(",")]));
    }
    if names.is_empty() {
        return concat(vec![text("module.exports = {};"), hard_line()]);
    }
    concat(vec![hard_line(), text("module.exports = {"), indent(names), hard_line(), text("};"), hard_line()])
}

/// How wide a type is on one line, in characters.
pub(super) fn width_of_type(ty: &Type) -> usize {
    types::plain(ty).width()
}

/// How wide an expression is on one line, in characters.
pub(super) fn width_of_expression(expression: &Expression) -> usize {
    expression::plain(expression, Form::Typed).width()
}

fn is_printed(item: &Item, import: Option<&Import>, form: Form) -> bool {
    match (item, form) {
        (Item::Type(_) | Item::HandWrittenType(_), form) => form.has_types(),
        (Item::Function(function), Form::Declarations) => function.is_exported(),
        (Item::Reexports, form) => import.is_some_and(|import| imports::has_exports(import, form)),
        (Item::Constant { .. } | Item::HandWritten(..) | Item::SharedHandWritten(..), form) => {
            form != Form::Declarations
        }
        (Item::Function(_) | Item::Exported(_) | Item::Error(_) | Item::Namespace { .. }, _) => true,
    }
}

fn item(item: &Item, import: Option<&Import>, form: Form) -> Doc {
    match item {
        Item::Type(declaration) => type_declaration(declaration),
        Item::Function(function) => self::function(function, form),
        Item::Constant { name, ty, value } => {
            let ty = ty.as_ref().filter(|_| form == Form::Typed).map(annotation);
            let mut docs = vec![text(format!("const {}", name_text(name)))];
            docs.extend(ty);
            docs.extend([text(" = "), expression::plain(value, form), text(";")]);
            concat(docs)
        }
        Item::Exported(constant) => exported(constant, form),
        Item::Error(class) => error_class::class(class, form),
        Item::HandWritten(declaration) | Item::HandWrittenType(declaration) => {
            lines(hand_written::lines(declaration, form == Form::Typed))
        }
        Item::SharedHandWritten(_, declaration) => lines(hand_written::exported(declaration, form)),
        // Node finds the names of exports in this form if an ES module imports them.
        Item::Namespace { name, from } if form == Form::CommonJs => {
            text(format!("exports.{name} = require(\"{from}\");"))
        }
        Item::Namespace { name, from } => text(format!("export * as {name} from \"{from}\";")),
        Item::Reexports => concat(import.into_iter().flat_map(|import| imports::exports(import, form)).collect()),
    }
}

fn lines(lines: Vec<impl Into<Cow<'static, str>>>) -> Doc {
    let mut docs = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        docs.extend((index > 0).then(hard_line));
        docs.push(text(line));
    }
    concat(docs)
}

fn exported(constant: &Constant, form: Form) -> Doc {
    let Constant { doc, name, value, declared, is_inferred } = constant;
    let mut docs = vec![comment::comment(doc)];
    if form == Form::Declarations {
        docs.extend([text(format!("export declare const {name}")), annotation(declared), text(";")]);
        return concat(docs);
    }
    let is_typed = form == Form::Typed;
    docs.push(text(format!("{}const {name}", form.export())));
    docs.extend((is_typed && !is_inferred).then(|| annotation(declared)));
    docs.extend([text(" = "), expression::plain(value, form)]);
    docs.push(text(if is_typed && *is_inferred { " as const;" } else { ";" }));
    concat(docs)
}

fn type_declaration(declaration: &TypeDeclaration) -> Doc {
    let TypeDeclaration { doc, name, parameter, body, kind } = declaration;
    let parameter = parameter.map(|name| format!("<{name}>")).unwrap_or_default();
    let (head, body, end) = match kind {
        DeclarationKind::Interface => (format!("export interface {name}{parameter}"), types::expanded(body), ""),
        DeclarationKind::Expanded => (format!("export type {name}{parameter} ="), types::expanded(body), ";"),
        DeclarationKind::Compact => (format!("export type {name}{parameter} ="), types::after(body), ";"),
    };
    concat(vec![comment::comment(doc), text(head), body, text(end)])
}

fn function(function: &Function, form: Form) -> Doc {
    let mut docs = vec![comment::comment(&function.doc)];
    docs.push(text(match (function.is_exported(), form) {
        (true, Form::Declarations) => "export declare function ",
        (true, Form::CommonJs) => "function ",
        (true, _) => "export function ",
        (false, _) => "function ",
    }));
    docs.push(text(name_text(&function.name)));
    docs.push(text("("));
    for (index, parameter) in function.parameters.iter().enumerate() {
        docs.extend((index > 0).then(|| text(", ")));
        docs.push(self::parameter(parameter, form));
    }
    docs.push(text(")"));
    if form.has_types() {
        docs.extend(match &function.returns {
            Returns::Type(ty) => vec![annotation(ty)],
            Returns::Predicate(ty) => vec![text(": value is "), types::plain(ty)],
            Returns::Assertion(ty) => vec![text(": asserts value is "), types::plain(ty)],
        });
    }
    docs.push(if form == Form::Declarations {
        text(";")
    } else {
        concat(vec![text(" "), block(&function.body, form)])
    });
    concat(docs)
}

fn parameter(parameter: &Parameter, form: Form) -> Doc {
    let mut docs = vec![text(local_text(parameter.local))];
    let ty = match form {
        Form::Script | Form::CommonJs => return concat(docs),
        Form::Typed => &parameter.ty,
        Form::Declarations => parameter.declared.as_ref().unwrap_or(&parameter.ty),
    };
    docs.extend(parameter.is_optional.then(|| text("?")));
    docs.push(annotation(ty));
    concat(docs)
}

fn annotation(ty: &Type) -> Doc {
    concat(vec![text(": "), types::plain(ty)])
}

fn block(statements: &[Statement], form: Form) -> Doc {
    let mut inner = Vec::new();
    for statement in statements {
        inner.extend([hard_line(), self::statement(statement, form)]);
    }
    concat(vec![text("{"), indent(inner), hard_line(), text("}")])
}

fn statement(statement: &Statement, form: Form) -> Doc {
    match statement {
        Statement::Return(value) => concat(vec![text("return "), expression::plain(value, form), text(";")]),
        Statement::Const(local, value) => {
            concat(vec![text(format!("const {} = ", local_text(*local))), expression::plain(value, form), text(";")])
        }
        Statement::Let(locals, ty) => {
            let mut docs = vec![text("let ")];
            for (index, (local, value)) in locals.iter().enumerate() {
                docs.extend((index > 0).then(|| text(", ")));
                docs.push(text(local_text(*local)));
                // A variable with a value has its type unless it is to be any.
                docs.extend((form == Form::Typed).then(|| ty.as_ref().map(annotation)).flatten());
                docs.extend(value.iter().flat_map(|value| [text(" = "), expression::plain(value, form)]));
            }
            docs.push(text(";"));
            concat(docs)
        }
        Statement::Expression(value) => concat(vec![expression::plain(value, form), text(";")]),
        Statement::If(condition, then) => {
            concat(vec![text("if ("), expression::plain(condition, form), text(") "), self::statement(then, form)])
        }
        Statement::ForIndex(local, items, body) => {
            let local = local_text(*local);
            let mut inner = vec![hard_line(), text(format!("const {local} = ")), expression::plain(items, form)];
            inner.push(text("[index];"));
            for statement in body {
                inner.extend([hard_line(), self::statement(statement, form)]);
            }
            concat(vec![
                text("for (let index = 0; index < "),
                expression::plain(items, form),
                text(".length; index++) {"),
                indent(inner),
                hard_line(),
                text("}"),
            ])
        }
        Statement::ForOf(local, items, body) => concat(vec![
            text(format!("for (const {} of ", local_text(*local))),
            expression::plain(items, form),
            text(") "),
            block(body, form),
        ]),
    }
}
