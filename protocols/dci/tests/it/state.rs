//! The documents of `.dci`: where they are read, and what hostile ones cannot do.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use capgen_dci::files::{AliasFiles, read_probes, read_reliability, record};
use capgen_dci::{AliasSource, Mode, RELIABILITY_PATH, Reliability};
use tempfile::TempDir;

const TIME: &str = "2026-11-23T10:00:00Z";

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn table(version: &str) -> String {
    format!(r#"{{"schema_version": "1", "alias_table_version": "{version}", "aliases": {{"{version}": ["x"]}}}}"#)
}

#[test]
fn strict_reads_the_table_of_the_workspace_only_if_it_is_trusted() {
    let folder = TempDir::new().unwrap();
    let mut files = AliasFiles { workspace: folder.path().to_owned(), ..AliasFiles::default() };
    let version = |files: &AliasFiles, mode| files.load(mode).unwrap().0.version().to_owned();
    assert_eq!(version(&files, Mode::BestEffort), "builtin:1");
    write(folder.path(), ".dci/aliases.v1.json", &table("w"));
    write(folder.path(), "mine.json", &table("m"));
    assert_eq!(version(&files, Mode::BestEffort), "workspace:w+builtin:1");
    assert_eq!(version(&files, Mode::Strict), "builtin:1");
    files.file = Some(folder.path().join("mine.json"));
    assert_eq!(version(&files, Mode::Strict), "runtime-user:m+builtin:1");
    assert_eq!(version(&files, Mode::BestEffort), "runtime-user:m+workspace:w+builtin:1");
    files.trusts_workspace = true;
    let (aliases, _) = files.load(Mode::Strict).unwrap();
    assert_eq!((aliases.canonical("x"), aliases.source()), ("m", AliasSource::RuntimeUser));
    assert_eq!(aliases.version(), "runtime-user:m+workspace:w+builtin:1");
    files.file = Some(folder.path().join("missing.json"));
    assert_eq!(files.load(Mode::Strict).unwrap_err()[0].code.as_str(), "E0304");
}

#[test]
fn documents_that_are_too_large_or_not_json_are_errors() {
    let folder = TempDir::new().unwrap();
    let files = AliasFiles { workspace: folder.path().to_owned(), ..AliasFiles::default() };
    assert!(read_probes(folder.path()).unwrap().by_capability.is_empty());
    for (text, code) in [("{", "E0002"), ("{}", "E0837"), (&" ".repeat(5 << 20), "E0304")] {
        write(folder.path(), ".dci/aliases.v1.json", text);
        assert_eq!(files.load(Mode::BestEffort).unwrap_err()[0].code.as_str(), code);
        write(folder.path(), ".dci/probes.v1.json", text);
        assert_eq!(read_probes(folder.path()).unwrap_err()[0].code.as_str(), code.replace("37", "38"));
    }
}

#[test]
fn the_state_belongs_to_the_nearest_repository() {
    let folder = TempDir::new().unwrap();
    let workspace = folder.path().join("a/b");
    fs::create_dir_all(&workspace).unwrap();
    record(&workspace, "s::p", true, TIME).unwrap();
    assert!(workspace.join(RELIABILITY_PATH).exists());
    // As in a worktree of git.
    fs::write(folder.path().join("a/.git"), "gitdir: elsewhere").unwrap();
    assert_eq!(read_reliability(&workspace).0, Reliability::default());
    record(&workspace, "s::p", false, TIME).unwrap();
    assert!(folder.path().join("a").join(RELIABILITY_PATH).exists());
    let (state, warnings) = read_reliability(&workspace);
    assert_eq!((state.is_persistent, state.candidates["s::p"].outcomes.as_slice()), (true, [false].as_slice()));
    assert_eq!(warnings, []);
}

#[test]
fn an_invalid_state_is_ignored_with_a_warning_and_never_replaced() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(RELIABILITY_PATH);
    for text in ["", "{", "{}", "[1]", "\u{0}"] {
        write(folder.path(), RELIABILITY_PATH, text);
        let (state, warnings) = read_reliability(folder.path());
        assert_eq!(state, Reliability::default());
        assert_eq!((warnings.len(), warnings[0].code.as_str()), (1, "W0835"));
        assert!(record(folder.path(), "s::p", true, TIME).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn invalid_outcomes_create_nothing() {
    let folder = TempDir::new().unwrap();
    for (id, time) in [("s", TIME), ("s::p", "now"), ("s::p\n", TIME)] {
        assert_eq!(record(folder.path(), id, true, time).unwrap_err()[0].code.as_str(), "E0840");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(record(&folder.path().join("missing"), "s::p", true, TIME).unwrap_err()[0].code.as_str(), "E0841");
}

#[cfg(unix)]
#[test]
fn links_in_the_workspace_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = TempDir::new().unwrap();
    let workspace = folder.path().join("w");
    let secret = folder.path().join("secret");
    write(folder.path(), "secret/aliases.v1.json", &table("s"));
    write(folder.path(), "secret/probes.v1.json", r#"{"schema_version": "1", "probes": {}}"#);
    let unchanged = || {
        let mut names: Vec<_> = fs::read_dir(&secret).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["aliases.v1.json", "probes.v1.json"]);
    };
    let refuses = || {
        let files = AliasFiles { workspace: workspace.clone(), ..AliasFiles::default() };
        let finding = files.load(Mode::BestEffort).unwrap_err().remove(0);
        assert_eq!(finding.code.as_str(), "E0304", "{}", finding.message);
        assert!(read_probes(&workspace).is_err());
    };
    fs::create_dir(&workspace).unwrap();
    symlink(&secret, workspace.join(".dci")).unwrap();
    refuses();
    assert_eq!(record(&workspace, "s::p", true, TIME).unwrap_err()[0].code.as_str(), "E0841");
    assert_eq!(read_reliability(&workspace).1.len(), 1);
    unchanged();

    fs::remove_file(workspace.join(".dci")).unwrap();
    fs::create_dir(workspace.join(".dci")).unwrap();
    for name in ["aliases.v1.json", "probes.v1.json"] {
        symlink(secret.join(name), workspace.join(".dci").join(name)).unwrap();
    }
    refuses();
    symlink(&secret, workspace.join(".dci/state")).unwrap();
    assert!(record(&workspace, "s::p", true, TIME).is_err());
    unchanged();

    fs::remove_file(workspace.join(".dci/state")).unwrap();
    fs::create_dir(workspace.join(".dci/state")).unwrap();
    symlink(secret.join("new"), workspace.join(".dci/state/reliability.lock")).unwrap();
    assert!(record(&workspace, "s::p", true, TIME).is_err());
    fs::remove_file(workspace.join(".dci/state/reliability.lock")).unwrap();
    symlink(secret.join("aliases.v1.json"), workspace.join(RELIABILITY_PATH)).unwrap();
    assert!(record(&workspace, "s::p", true, TIME).is_err());
    unchanged();
}
