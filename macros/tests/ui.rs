//! Compiler errors of the derive. Each file in `ui/` has one mistake and is named after it; the message is in the file
//! next to it.
//!
//! `TRYBUILD=overwrite cargo test -p capgen-macros --test ui` updates the messages.

use std::process::Command;

/// The compiler whose messages are in `ui/compiler`.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn each_mistake_gives_one_error_with_a_fix() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    // The compiler's own messages change with its releases.
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = String::from_utf8(Command::new(rustc).arg("-V").output().unwrap().stdout).unwrap();
    if compiler.starts_with(COMPILER) {
        cases.compile_fail("tests/ui/compiler/*.rs");
    } else {
        eprintln!("skipped tests/ui/compiler: it has the messages of {COMPILER}*, and this is {compiler}");
    }
}

#[test]
fn every_case_has_one_error() {
    for folder in ["tests/ui", "tests/ui/compiler"] {
        let texts = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for path in texts.filter(|path| path.extension().is_some_and(|extension| extension == "stderr")) {
            let text = std::fs::read_to_string(&path).unwrap();
            let errors = text.lines().filter(|line| line.starts_with("error")).count();
            assert_eq!(errors, 1, "{}", path.display());
        }
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    trybuild::TestCases::new().compile_fail("tests/ui/together/*.rs");
}
