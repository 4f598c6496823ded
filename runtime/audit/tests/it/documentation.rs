//! `docs/audit.md`: another implementation, in Python, that verifies a database.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a skipped test states the reason")]

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Folder, call, violation};
use capgen_audit::prune;

/// The program of the page; `None` if Python cannot run it.
fn python(folder: &Folder) -> Option<Output> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/audit.md")).unwrap();
    let page = page.replace("\r\n", "\n");
    let program = page.split_once("```python\n").unwrap().1.split_once("```").unwrap().0;
    let has_sqlite = Command::new("python3").args(["-c", "import sqlite3"]).output().is_ok_and(|o| o.status.success());
    if !has_sqlite {
        eprintln!("skipped: `python3` with the module `sqlite3` is not installed");
        return None;
    }
    Some(Command::new("python3").args(["-c", program]).arg(folder.path()).output().unwrap())
}

#[test]
fn another_implementation_agrees() {
    let folder = Folder::with((1..=9).map(|n| if n % 2 == 0 { violation("acmé", n) } else { call("-", n) }));
    let heads = |folder: &Folder| {
        let tenants = folder.verify().tenants.into_iter();
        tenants.map(|t| format!("{}: {} {}\n", t.tenant, t.head.seq, t.head.hash)).collect::<String>()
    };
    let Some(output) = python(&folder) else { return };
    assert_eq!(String::from_utf8(output.stdout).unwrap(), heads(&folder), "{:?}", String::from_utf8(output.stderr));
    prune(&folder.path(), 4, 100).unwrap();
    prune(&folder.path(), 6, 100).unwrap();
    let output = python(&folder).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(sorted(&String::from_utf8(output.stdout).unwrap()), sorted(&heads(&folder)), "{stderr}");
    for (change, expected) in [
        ("UPDATE audit SET ts = 77 WHERE id = 8", "row 8: the hash is wrong\n"),
        ("DELETE FROM audit WHERE id = 7", "row 8: rows before it are missing\n"),
    ] {
        let folder = Folder::with((1..=9).map(|n| violation("t", n)));
        prune(&folder.path(), 7, 100).unwrap();
        folder.tamper(change);
        assert_eq!(String::from_utf8(python(&folder).unwrap().stderr).unwrap(), expected);
    }
}

fn sorted(lines: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    lines
}
