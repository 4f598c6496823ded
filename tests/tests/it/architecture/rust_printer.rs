//! There is one printer for Rust.

use crate::architecture::code;
use crate::architecture::repository::{files, text};

const FOLDER: &str = "codegen/src/rust/";

/// The printer: the syntax of Rust, and the lines.
const PRINTER: [&str; 2] = ["writer.rs", "line.rs"];

/// These files handle text too, before it is printed: the head of the file, its header, identifiers, and the escaping
/// of literals and of doc comments, and the JSON texts of schemas.
const TEXT: [&str; 6] = ["file.rs", "target.rs", "ident.rs", "literal.rs", "doc.rs", "schema_text.rs"];

/// Code that builds, searches or changes text, or ends a line.
const TEXT_OPERATIONS: [&str; 12] = [
    "push_str(",
    "String::new(",
    "String::with_capacity(",
    ".replace(",
    ".replacen(",
    ".find(\"",
    ".find('",
    ".split(",
    ".lines(",
    ".strip_",
    "\\n",
    "write!(",
];

fn sources() -> Vec<(String, String)> {
    let names = files().into_iter().filter(|name| name.starts_with(FOLDER) && name.ends_with(".rs"));
    names.map(|name| (name[FOLDER.len()..].to_owned(), text(&name).unwrap())).collect()
}

#[test]
fn rust_has_one_printer() {
    let sources = sources();
    assert!(sources.len() > 10);
    for (name, source) in sources {
        if PRINTER.contains(&name.as_str()) || TEXT.contains(&name.as_str()) {
            continue;
        }
        for (line, code) in code(&source) {
            let found = TEXT_OPERATIONS.iter().find(|operation| code.contains(**operation));
            assert_eq!(found, None, "{FOLDER}{name}:{line}: {code}");
        }
    }
}

/// The printer only appends to its output. It neither reads nor changes it.
#[test]
fn printed_rust_is_only_appended_to() {
    for (name, source) in sources().iter().filter(|(name, _)| PRINTER.contains(&name.as_str())) {
        for (line, code) in code(source) {
            // `layout.` is not the output.
            for (at, _) in code.match_indices("out.").filter(|(at, _)| !code[..*at].ends_with("lay")) {
                let operation = &code[at + "out.".len()..];
                let appends = ["push(", "push_str(", "extend("].iter().any(|allowed| operation.starts_with(allowed));
                assert!(appends, "{FOLDER}{name}:{line}: {code}");
            }
        }
    }
}
