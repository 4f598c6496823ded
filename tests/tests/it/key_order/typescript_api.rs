//! The declarations of generated TypeScript, without the order of the members of types.

use std::collections::BTreeSet;

use capgen_codegen::{Language, Options};
use capgen_manifest::Manifest;
use capgen_tests::contract::own_files;

/// The exported declarations of an agent. A function is compared as it is written; of other declarations, the order of
/// the parts does not matter.
pub(super) fn of(contract: &Manifest) -> BTreeSet<String> {
    let options = Options { calls: true, ..Options::default() };
    let files = own_files(contract, Language::JavaScript, &options);
    let (_, text) = files.into_iter().find(|(name, _)| name.ends_with(".d.ts")).unwrap();
    let statements = statements(&text);
    assert!(statements.iter().any(|statement| statement.starts_with("export interface")), "{text}");
    statements.iter().map(|statement| normal(statement)).collect()
}

/// The exported statements, each on one line and without comments.
fn statements(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut is_comment = false;
    for line in text.lines() {
        let code = line.trim();
        is_comment |= code.starts_with("/*");
        if is_comment || code.starts_with("//") {
            is_comment &= !code.ends_with("*/");
        } else if line.starts_with("export ") {
            statements.push(code.to_owned());
        } else if let Some(last) = statements.last_mut().filter(|_| line.starts_with([' ', '}', ')'])) {
            last.push(' ');
            last.push_str(code);
        }
    }
    statements
}

fn normal(statement: &str) -> String {
    // Hashes cover the order of arrays.
    let is_hash = |part: &&str| part.contains("hash:");
    if statement.contains("function ") {
        return statement.to_owned();
    }
    let head = statement.split(['=', '{', ':']).next().unwrap_or_default();
    let parts = statement.split([';', '|', '{', '}', ',', '=']).map(str::trim);
    let parts: BTreeSet<&str> = parts.filter(|part| !is_hash(part)).collect();
    format!("{head}: {}", parts.into_iter().collect::<Vec<_>>().join(" ; "))
}
