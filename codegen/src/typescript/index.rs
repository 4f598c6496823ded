//! The index of a folder: a module that exports the file of each agent under the name of the agent.

use super::names::lower_first;
use super::printer::{self, Form};
use super::syntax::{Item, Module};
use crate::name;

/// Names that cannot be imported without another name, because a binding cannot have them in a module.
const RESERVED: [&str; 49] = [
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// The index in TypeScript, which starts with the header. It imports the files of these agents by their ids and this
/// extension, with its dot.
pub(crate) fn typed(header: String, agents: &[&str], extension: &str) -> String {
    printer::print(header, &module(agents, extension), Form::Typed)
}

/// The index in JavaScript, as an ES module.
pub(crate) fn script(header: String, agents: &[&str], extension: &str) -> String {
    printer::print(header, &module(agents, extension), Form::Script)
}

/// The index in JavaScript, as a CommonJS module.
pub(crate) fn common_js(header: String, agents: &[&str], extension: &str) -> String {
    printer::print(header, &module(agents, extension), Form::CommonJs)
}

/// The declarations of the index in JavaScript.
pub(crate) fn declarations(header: String, agents: &[&str], extension: &str) -> String {
    printer::print(header, &module(agents, extension), Form::Declarations)
}

fn module(agents: &[&str], extension: &str) -> Module {
    let names = name::of_agents(agents).into_iter().map(|name| escaped(lower_first(&name)));
    let item = |(id, name): (&&str, String)| Item::Namespace { name, from: format!("./{id}{extension}") };
    Module { import: None, items: agents.iter().zip(names).map(item).collect() }
}

/// No name of an agent ends with `_` otherwise.
fn escaped(name: String) -> String {
    if RESERVED.contains(&name.as_str()) { name + "_" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_has_a_name_that_can_be_imported() {
        let text = typed(String::new(), &["delete", "pr-reviewer", "v1.2", "2fast", "default"], ".js");
        let names: Vec<&str> = text.lines().map(|line| line.split(' ').nth(3).unwrap_or_default()).collect();
        assert_eq!(names, ["delete_", "prReviewer", "v1_2", "n2fast", "default_"]);
        assert!(RESERVED.is_sorted());
    }
}
