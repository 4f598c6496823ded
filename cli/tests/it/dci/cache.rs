//! The cache of skills.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::skills::skill;
use crate::common::Fleet;

const RESOLVE: &str = "dci resolve --require web-search --policy max-candidates=5 --now 2026-11-23T10:00:00Z --json";

fn write(workspace: &Fleet, number: usize, description: &str) {
    let text = skill(&format!("skill-{number}"), description, "DCI/1 P(web-search,Web) R(http) Pol(max-providers=2)");
    workspace.write(&format!("skills/{}/{number}/SKILL.md", number % 7), &text);
}

fn run(workspace: &Fleet, arguments: &str, caches: &Path) -> (Vec<u8>, Vec<u8>) {
    let output = workspace.command(arguments).env("XDG_CACHE_HOME", caches).output().unwrap();
    // The commands of suggestions repeat the option.
    (output.stdout, String::from_utf8(output.stderr).unwrap().replace(" --no-cache", "").into_bytes())
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(folder.join("capgen/dci")).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

#[test]
#[cfg(unix)]
fn a_cache_never_changes_the_output() {
    let (workspace, caches) = (Fleet::new(&[]), TempDir::new().unwrap());
    (0..500).for_each(|number| write(&workspace, number, &format!("Searches the web, number {number}")));
    // States that are younger than this are not trusted.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let without = || run(&workspace, &format!("{RESOLVE} --no-cache"), caches.path());
    let with = || run(&workspace, RESOLVE, caches.path());
    let expected = without();
    assert!(!expected.0.is_empty() && !expected.1.is_empty());
    assert_eq!(files(caches.path()).len(), 0);
    assert_eq!(with(), expected);
    let [file] = &files(caches.path())[..] else { panic!("one file") };
    let old = fs::read(file).unwrap();
    assert_eq!(with(), expected);
    assert_eq!(fs::read(file).unwrap(), old, "a run without changes does not write");
    for state in [old.clone(), old[..old.len() / 2].to_vec(), b"foreign".to_vec(), Vec::new()] {
        write(&workspace, 42, &format!("Searches the web for {} bytes", state.len()));
        fs::remove_dir_all(workspace.path(&format!("skills/3/{}", 3 + 7 * (state.len() % 50)))).unwrap();
        fs::write(file, &state).unwrap();
        assert_eq!(with(), without());
        assert_eq!(with(), without());
        (0..500).filter(|number| number % 7 == 3).for_each(|number| write(&workspace, number, "Is there again"));
    }
}

#[test]
fn no_cache_is_written_for_few_skills_or_in_the_workspace() {
    let (workspace, caches) = (Fleet::new(&[]), TempDir::new().unwrap());
    write(&workspace, 1, "Searches the web");
    run(&workspace, RESOLVE, caches.path());
    assert_eq!(caches.path().read_dir().unwrap().count(), 0);
    (0..500).for_each(|number| write(&workspace, number, "Searches the web"));
    for inside in [workspace.path(""), workspace.path("skills"), workspace.path("missing/folder")] {
        run(&workspace, RESOLVE, &inside);
        assert_eq!(files(&inside).len(), 0, "{inside:?}");
    }
    run(&workspace, RESOLVE, Path::new("relative"));
    assert_eq!(workspace.names("."), ["agents", "skills"]);
}
