//! The program's output, which `docs/registry.md` shows.

use std::process::Command;

#[test]
fn a_call_goes_to_the_other_agent_if_one_is_unavailable() {
    let output = Command::new(env!("CARGO_BIN_EXE_dispatcher")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/registry.md");
    let page = std::fs::read_to_string(page).unwrap().replace("\r\n", "\n");
    let (_, shown) = page.split_once("```\nThe monitor has marked").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert!(text.contains(&format!("The monitor has marked{shown}")), "{text}");
    assert!(text.contains("target: reviewer 1.2.0, decided by registration-order"), "{text}");
    assert!(text.contains("its chain of hashes is intact"), "{text}");
}
