//! The pages show the output of the programs.
#![allow(clippy::unwrap_used, clippy::string_slice, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::process::Command;

/// The block of a page that starts with this line.
fn shown(page: &str, start: &str) -> String {
    let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let at = text.find(&format!("```\n{start}\n")).unwrap() + "```\n".len();
    text[at..].split("```").next().unwrap().to_owned()
}

#[test]
fn the_page_about_calls_shows_an_invalid_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.db");
    let output = Command::new(env!("CARGO_BIN_EXE_calls")).arg("--audit").arg(file).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let expected = shown("calls.md", "an invalid request: schema-violation");
    assert!(printed.contains(&expected), "{expected} is not in {printed}");
}

#[test]
fn the_page_about_generated_code_shows_the_violations_of_a_request() {
    let output = Command::new(env!("CARGO_BIN_EXE_concierge")).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let expected = shown("generated-code.md", "an invalid request is rejected:");
    assert!(printed.contains(&expected), "{expected} is not in {printed}");
}
