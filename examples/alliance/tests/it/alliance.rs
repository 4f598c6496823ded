//! The program's output, which `docs/amp.md` shows.

use std::process::Command;

#[test]
fn a_call_is_negotiated_and_served() {
    let output = Command::new(env!("CARGO_BIN_EXE_alliance")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/amp.md");
    let page = std::fs::read_to_string(page).unwrap().replace("\r\n", "\n");
    assert!(page.contains(&format!("```\n{text}```")), "{text}");
}
