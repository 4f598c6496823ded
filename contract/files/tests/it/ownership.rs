//! Which files capgen may overwrite.

use std::fs;
use std::path::Path;

use capgen_files::{Links, MARK, Present, is_marked, read_present};

fn present(path: &Path) -> Option<Present> {
    read_present(path, 10).unwrap()
}

#[test]
fn only_marked_and_blank_files_may_be_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rs");
    assert_eq!(present(&path), None);
    let marked = format!("// {MARK}.\r\nold\r\n");
    for (content, expected) in [
        (marked.as_str(), Present::Text(format!("// {MARK}.\nold\n"))),
        (" \n", Present::Text(" \n".to_owned())),
        ("mine", Present::Foreign),
        (&format!("mine\n// {MARK}"), Present::Foreign),
        (&" ".repeat(100_000), Present::Foreign),
        (&format!("// {MARK}\n{}", " ".repeat(17 << 20)), Present::TooLong),
    ] {
        fs::write(&path, content).unwrap();
        assert_eq!(present(&path), Some(expected));
    }
    assert_eq!(present(folder.path()), Some(Present::Irregular));
}

#[test]
fn the_mark_is_in_the_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rs");
    assert!(!is_marked(&path, Links::Refused, MARK));
    for (content, expected) in
        [("// a mark. b", true), ("\n// a mark", false), (&format!("{}mark", " ".repeat(512)), false)]
    {
        fs::write(&path, content).unwrap();
        assert_eq!(is_marked(&path, Links::Refused, "mark"), expected, "{content}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_replaced_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    for (name, target) in [("nowhere", "missing"), ("ring", "ring")] {
        let link = folder.path().join(name);
        std::os::unix::fs::symlink(target, &link).unwrap();
        assert_eq!(present(&link), None, "{name}");
    }
    assert!(read_present(&folder.path().join("ring/a"), 10).is_err());
}
