//! There is one printer for TypeScript.

use crate::architecture::code;
use crate::architecture::repository::{files, text};

const FOLDER: &str = "codegen/src/typescript/";

/// Besides the printer, these files handle text: the lines of comments, the header, and the hand-written helpers.
const OF_TEXT: [&str; 3] = ["doc.rs", "target.rs", "validator/helper.rs"];

/// Syntax that occurs in the strings of a printer, and nowhere else.
const SYNTAX: [&str; 10] = ["export ", "function ", "return ", "const ", "typeof ", "=>", "===", "&& ", "${", "//"];

fn sources() -> Vec<(String, String)> {
    let names = files().into_iter().filter(|name| name.starts_with(FOLDER) && name.ends_with(".rs"));
    names.map(|name| (name[FOLDER.len()..].to_owned(), text(&name).unwrap())).collect()
}

/// The contents of the string literals of a line.
fn literals(line: &str) -> Vec<&str> {
    line.split('"').skip(1).step_by(2).collect()
}

#[test]
fn typescript_has_one_printer() {
    let mut seen = 0;
    for (name, source) in sources() {
        if name.starts_with("printer/") || OF_TEXT.contains(&name.as_str()) {
            continue;
        }
        seen += 1;
        for (number, line) in code(&source) {
            assert!(!line.contains("push_str(") && !line.contains("write!("), "{name}:{number} builds text: {line}");
            for literal in literals(line) {
                let found = SYNTAX.iter().find(|syntax| literal.contains(*syntax));
                assert_eq!(found, None, "{name}:{number} has syntax in a string: {line}");
            }
        }
    }
    assert!(seen > 10, "{seen} files outside of the printer");
}

#[test]
fn only_the_layout_of_typescript_knows_lines() {
    for (name, source) in sources() {
        let lines = code(&source);
        let breaks = |line: &str| line.contains("'\\n'") || line.contains("WIDTH: usize = 100");
        let is_layout = name == "printer/layout.rs";
        let is_of_text = OF_TEXT.contains(&name.as_str()) || name == "printer/literal.rs";
        let found = lines.iter().any(|(_, line)| breaks(line));
        assert!(found == is_layout || is_of_text, "{name}");
    }
    // A text leaves the printer once it is complete, so nothing can take it apart and put it together again.
    let (_, printer) = sources().into_iter().find(|(name, _)| name == "printer/mod.rs").unwrap();
    let public = printer.lines().filter(|line| line.starts_with("pub(super) fn ") && line.contains("-> String"));
    assert_eq!(public.count(), 1);
}

#[test]
fn the_syntax_tree_of_typescript_does_not_know_the_validators() {
    for (name, source) in sources().into_iter().filter(|(name, _)| name.starts_with("syntax/")) {
        assert!(!source.contains("validator"), "{name}");
    }
}
