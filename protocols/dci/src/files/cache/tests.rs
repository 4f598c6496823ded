//! The cache never changes the result. In these tests every state is trusted, as if the files had not changed for two
//! seconds; between a run and the next change the clock ticks.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use capgen_diagnostic::Diagnostic;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tempfile::TempDir;

use super::Cache;
use crate::files::discover::{Discovery, Roots, discover, search};

/// Longer than a tick of the clock of file systems.
const TICK: Duration = Duration::from_millis(20);
/// Names of folders, so few that changes meet.
const NAMES: [&str; 6] = ["skills/a", "skills/b", "skills/a/c", "skills/b/c", "skills/a/c/d", "skills/e"];

fn cached(roots: &Roots, path: &Path) -> Discovery {
    try_cached(roots, path).unwrap()
}

fn try_cached(roots: &Roots, path: &Path) -> Result<Discovery, Vec<Diagnostic>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let later = i64::try_from(now).unwrap() + 10_000_000_000;
    search(roots, Some(Cache::of_run(path, later)))
}

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\nmetadata:\n  contract: DCI/1 P({name})\n---\nbody\n")
}

/// One change of a workspace. It may fail, for example because a folder is missing.
fn change(at: &Path, (kind, first, second): (u8, usize, usize)) -> std::io::Result<()> {
    let (path, other) = (at.join(NAMES[first]), at.join(NAMES[second]));
    let file = path.join("SKILL.md");
    let outside = at.parent().unwrap().join("outside");
    if matches!(kind, 0 | 1 | 2 | 12) && file.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        // Writing to a pipe would wait for a reader.
        return Ok(());
    }
    match kind {
        0 | 1 => {
            fs::create_dir_all(&path)?;
            // Without a description it is excluded, by its name.
            let description = if kind == 1 && first == second { "" } else { "A skill" };
            fs::write(&file, text(NAMES[second].rsplit('/').next().unwrap(), description))
        }
        // The same size and the same time of the content.
        2 => {
            let old = fs::metadata(&file)?.modified()?;
            fs::write(&file, text("z", "B skill"))?;
            fs::File::options().write(true).open(&file)?.set_modified(old)
        }
        3 => fs::remove_dir_all(&path),
        4 => fs::rename(&path, &other),
        5 => {
            let aside = at.join("aside");
            fs::rename(&path, &aside)?;
            fs::rename(&other, &path)?;
            fs::rename(&aside, &other)
        }
        6 => fs::remove_file(&file),
        7 => symlink(&outside, &path),
        8 => symlink(outside.join("SKILL.md"), &file),
        9 => fs::remove_file(&path),
        // The target of a link changes, but not the link.
        10 => fs::remove_dir_all(&outside),
        11 => fs::create_dir(&outside),
        12 => fs::write(&file, "no frontmatter"),
        13 => fs::create_dir(&file),
        14 => {
            let mode = rustix::fs::Mode::RWXU;
            rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, mode, 0).map_err(Into::into)
        }
        15 => fs::rename(&file, other.join("SKILL.md")),
        16 => fs::hard_link(&file, other.join("SKILL.md")),
        17 => fs::set_permissions(&file, Permissions::from_mode(if second.is_multiple_of(2) { 0o000 } else { 0o644 })),
        18 => fs::set_permissions(&path, Permissions::from_mode(if second.is_multiple_of(2) { 0o000 } else { 0o755 })),
        // Links inside of the workspace, which are followed.
        19 => symlink(&other, &path),
        20 => symlink(other.join("SKILL.md"), &file),
        _ => {
            fs::rename(at.join("skills"), at.join("moved")).or_else(|_| fs::rename(at.join("moved"), at.join("skills")))
        }
    }
}

/// Lets the folder be deleted.
fn allow(path: &Path) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    if metadata.is_dir() {
        let _ = fs::set_permissions(path, Permissions::from_mode(0o755));
        fs::read_dir(path).into_iter().flatten().flatten().for_each(|entry| allow(&entry.path()));
    }
}

#[test]
fn the_cache_never_changes_the_result() {
    let step = prop::collection::vec((0u8..22, 0..NAMES.len(), 0..NAMES.len()), 1..6);
    let runs = prop::collection::vec(step, 1..8);
    let config = Config { cases: 40, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&runs, |runs| {
        let folder = TempDir::new().unwrap();
        let workspace = folder.path().join("w");
        for name in NAMES {
            fs::create_dir_all(workspace.join(name)).unwrap();
            fs::write(workspace.join(name).join("SKILL.md"), text("n", "A skill")).unwrap();
        }
        fs::create_dir(folder.path().join("outside")).unwrap();
        let roots = Roots {
            workspace: workspace.clone(),
            mounts: vec![workspace.clone()],
            disabled: vec!["b".to_owned()],
            ..Roots::default()
        };
        let cache = folder.path().join("cache/file");
        prop_assert_eq!(cached(&roots, &cache), discover(&roots).unwrap());
        // Without any skill, both have the same finding.
        let result = |found: Result<Discovery, Vec<Diagnostic>>| found.map_err(|findings| format!("{findings:?}"));
        for changes in runs {
            sleep(TICK);
            for one in changes {
                let _ = change(&workspace, one);
            }
            prop_assert_eq!(result(try_cached(&roots, &cache)), result(discover(&roots)));
        }
        allow(&workspace);
        Ok(())
    });
    result.unwrap();
}

fn one_skill() -> (TempDir, Roots, PathBuf) {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("skills/a")).unwrap();
    fs::write(folder.path().join("skills/a/SKILL.md"), text("a", "A skill")).unwrap();
    let roots = Roots { workspace: folder.path().to_owned(), ..Roots::default() };
    let cache = folder.path().join("cache");
    (folder, roots, cache)
}

#[test]
fn unchanged_files_are_not_read_and_the_cache_is_not_written_again() {
    let (_folder, roots, cache) = one_skill();
    cached(&roots, &cache);
    let mut bytes = fs::read(&cache).unwrap();
    let at = bytes.windows(7).position(|part| part == b"A skill").unwrap();
    bytes[at] = b'C';
    let length = bytes.len() - 8;
    let sum = super::format::checksum(&bytes[..length]);
    bytes[length..].copy_from_slice(&sum.to_le_bytes());
    fs::write(&cache, &bytes).unwrap();
    assert_eq!(cached(&roots, &cache).skills[0].description, "C skill");
    assert_eq!(fs::read(&cache).unwrap(), bytes);
}

#[test]
fn recent_states_are_not_trusted() {
    let (_folder, roots, cache) = one_skill();
    let run = || search(&roots, Some(Cache::read(&cache, 0))).unwrap();
    run();
    let bytes = fs::read(&cache).unwrap();
    // No tick: the states may be equal.
    fs::write(roots.workspace.join("skills/a/SKILL.md"), text("a", "D skill")).unwrap();
    assert_eq!(run().skills[0].description, "D skill");
    assert_ne!(fs::read(&cache).unwrap(), bytes);
}

#[test]
fn damaged_caches_are_ignored() {
    let (_folder, roots, cache) = one_skill();
    let expected = cached(&roots, &cache);
    let bytes = fs::read(&cache).unwrap();
    for index in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[index] ^= 1 << (index % 8);
        assert!(super::format::decode(&damaged).is_none(), "byte {index}");
        assert!(super::format::decode(&bytes[..index]).is_none(), "length {index}");
        // Also if the checksum is right.
        let length = damaged.len() - 8;
        let sum = super::format::checksum(&damaged[..length]);
        damaged[length..].copy_from_slice(&sum.to_le_bytes());
        let _ = super::format::decode(&damaged);
    }
    for content in [&b""[..], b"capgen", &bytes[..bytes.len() - 1], &[0xff; 1000]] {
        fs::write(&cache, content).unwrap();
        assert_eq!(cached(&roots, &cache), expected);
        assert_eq!(fs::read(&cache).unwrap().len(), bytes.len(), "it is replaced");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(start in any::<bool>(), bytes in prop::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..200)) {
        // With the checksum and the start of a real file, more of the bytes are read.
        let mut file = super::format::encode(1 << 62, &[]);
        file.truncate(if start { file.len() - 9 } else { 0 });
        file.extend(bytes);
        let sum = super::format::checksum(&file);
        file.extend_from_slice(&sum.to_le_bytes());
        let _ = super::format::decode(&file);
    }
}

#[test]
fn a_cache_that_cannot_be_written_has_no_effect() {
    let (folder, roots, _) = one_skill();
    let expected = discover(&roots).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    symlink(folder.path().join("skills/a/SKILL.md"), folder.path().join("link")).unwrap();
    for path in ["folder", "skills/a/SKILL.md/x", "link"] {
        assert_eq!(cached(&roots, &folder.path().join(path)), expected, "{path}");
    }
    assert_eq!(discover(&roots).unwrap(), expected);
}
