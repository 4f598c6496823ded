//! Paths with characters that a terminal, cargo or GitHub would act on.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Fleet, Run, loose};

/// A folder's name with an escape sequence, a line end, a workflow command and characters that reorder text.
const NAME: &str = "a\u{1b}[31mb\r\n::error::c\u{202e}d\u{2028}\u{9b}e\u{7f}";

fn run(fleet: &Fleet, arguments: &[&str]) -> Run {
    let output = fleet.command("").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { status: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn paths_are_escaped_wherever_they_are_printed() {
    let fleet = Fleet::new(&[]);
    fleet.write(&format!("{NAME}/good.yaml"), &loose("good"));
    fleet.write(&format!("{NAME}/bad.yaml"), "version: 2\n");
    fleet.write(&format!("{NAME}/agents/{NAME}/capabilities.yaml"), &loose("good"));
    fleet.write(&format!("{NAME}/foreign/good.rs"), "mine");
    let (good, bad, missing) =
        (format!("{NAME}/good.yaml"), format!("{NAME}/bad.yaml"), format!("{NAME}/missing.yaml"));
    let (out, foreign) = (format!("{NAME}/out"), format!("{NAME}/foreign"));
    let runs: &[&[&str]] = &[
        &["check", &good],
        &["check", &bad],
        &["check", &missing],
        &["check", &bad, "--format", "json"],
        &["check", &bad, "--format", "github"],
        &["check", &missing, "--format", "github"],
        &["check", &bad, "--format", "sarif"],
        &["check", "--root", NAME],
        &["check", "--root", &missing],
        &["gen", "--capabilities", &good, "--out", &foreign],
        &["gen", "--capabilities", &good, "--out", &out, "--check"],
        &["gen", "--capabilities", &good, "--out", &out, "--check", "--json"],
        &["gen", "--capabilities", &good, "--out", &out],
        &["gen", "--capabilities", &good, "--out", &out, "--json"],
        &["gen", "--capabilities", &good, "--capabilities", &bad, "--out", &out, "--json"],
        &["validate", "--capabilities", &good, "--capability", NAME, "--side", "request", &missing],
        &["validate", "--capabilities", &good, "--capability", "ping", "--side", "request", &missing],
        &["validate", "--capabilities", &good, "--capability", "ping", "--side", "request", &bad],
        &["validate", "--capabilities", &good, "--capability", "ping", "--side", "request", &bad, "--json"],
        &["explain", NAME],
    ];
    for arguments in runs {
        let run = run(&fleet, arguments);
        for line in run.stdout.lines().chain(run.stderr.lines()) {
            let is_unsafe = |c: char| c.is_control() || "\u{202e}\u{2028}".contains(c);
            assert!(!line.contains(is_unsafe) && !line.starts_with("::error::c"), "{arguments:?}\n{line:?}");
        }
    }
    // The diff names each file on one line: one for each language, the shared one, and the index.
    let diff = run(&fleet, &["gen", "--capabilities", &good, "--out", &format!("{NAME}/new"), "--diff"]);
    let header: Vec<_> = diff.stdout.lines().filter(|line| line.starts_with("+++")).collect();
    assert!(header.len() == 4 && !header.concat().contains(char::is_control), "{header:?}");
}
