//! No page, message or file runs npm's package `capgen`, which is another project's.

use crate::architecture::repository::{files, text};

/// Whether these words after `npx` can fetch the package `capgen`: neither `--no` nor another package is named.
fn fetches_capgen(words: &str) -> bool {
    let mut is_safe = false;
    for word in words.split_whitespace() {
        match word.trim_matches(|c: char| "`'\",.;:)".contains(c)) {
            "--no" | "--no-install" | "-p" => is_safe = true,
            option if option.starts_with("--package") || option.starts_with("-p=") => is_safe = true,
            option if option.starts_with('-') || option.starts_with('@') => {}
            program => return !is_safe && (program == "capgen" || program.starts_with("capgen@")),
        }
    }
    false
}

#[test]
fn commands_that_fetch_another_package_are_found() {
    for words in [" capgen --version", " capgen`", " -y capgen@latest gen", " -- capgen"] {
        assert!(fetches_capgen(words), "{words}");
    }
    for words in
        [" --no -- capgen gen", " -p @capgen/cli capgen", " -y @capgen/cli", " -y some-server capgen", " finds capgen"]
    {
        assert!(!fetches_capgen(words), "{words}");
    }
}

#[test]
fn no_file_runs_the_package_of_another_project() {
    let mut found = Vec::new();
    for path in files().iter().filter(|path| !path.ends_with("architecture/npx.rs")) {
        let Some(text) = text(path) else { continue };
        for (index, line) in text.lines().enumerate() {
            if line.split("npx").skip(1).any(fetches_capgen) {
                found.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "write `npx --no -- capgen` or `npx -p @capgen/cli capgen`:\n{}", found.join("\n"));
}
