//! The example of two versions of a fleet.

use std::path::Path;
use std::process::Command;

fn run(format: &str) -> (Option<i32>, String) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let versions = ["--root", "examples/evolution/after", "--against", "examples/evolution/before"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_capgen"));
    let output = command.arg("diff").args(versions).args(["--format", format]).current_dir(workspace).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// `CAPGEN_UPDATE=1` writes the file.
#[test]
fn the_list_of_changes_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/evolution/changes.md");
    let (status, text) = run("markdown");
    if std::env::var_os("CAPGEN_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(status, Some(1));
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(found, text, "run `CAPGEN_UPDATE=1 cargo test -p capgen-cli --test it diff::`");
}

#[test]
fn every_format_has_the_same_findings() {
    let document: serde_json::Value = serde_json::from_str(&run("json").1).unwrap();
    let findings = document["findings"].as_array().unwrap();
    let of = |name: &str| findings.iter().map(|finding| finding[name].as_str().unwrap()).collect::<Vec<_>>();
    let log: serde_json::Value = serde_json::from_str(&run("sarif").1).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect::<Vec<_>>(), of("code"));
    let (github, junit, markdown) = (run("github").1, run("junit").1, run("markdown").1);
    assert_eq!(github.lines().count(), findings.len());
    for fingerprint in of("fingerprint") {
        assert!(junit.contains(fingerprint), "{junit}");
    }
    // In Markdown, the changes of generated types in several languages are one row.
    let rows = markdown.lines().filter(|line| line.starts_with("| ")).count();
    assert!(rows > 1 && rows <= findings.len() + 1, "{markdown}");
    for code in of("code") {
        assert!(markdown.contains(code), "{code}: {markdown}");
    }
    assert!(findings.len() >= 30, "{document}");
}
