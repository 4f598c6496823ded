//! Discovery: the order of skills, their exclusion, and hostile folders.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use capgen_dci::Source;
use capgen_dci::files::{Discovery, Roots, discover};
use tempfile::TempDir;

fn write(folder: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Adds a skill whose name is the last segment of its path.
fn skill(folder: &Path, path: &str) {
    named(folder, path, path.rsplit('/').next().unwrap());
}

fn named(folder: &Path, path: &str, name: &str) {
    write(folder, &format!("{path}/SKILL.md"), format!("---\nname: {name}\ndescription: A skill\n---\n"));
}

fn found(roots: &Roots) -> Discovery {
    let first = discover(roots).unwrap();
    assert_eq!(first, discover(roots).unwrap());
    first
}

fn in_workspace(workspace: &Path) -> Discovery {
    found(&Roots { workspace: workspace.to_owned(), ..Roots::default() })
}

fn paths(discovery: &Discovery) -> Vec<&str> {
    discovery.skills.iter().map(|skill| skill.path.as_str()).collect()
}

fn rejections(discovery: &Discovery) -> Vec<(&str, &str)> {
    discovery.rejections.iter().map(|rejection| (rejection.id.as_str(), rejection.reason.as_str())).collect()
}

#[test]
fn skills_are_in_bytewise_order_and_a_folder_is_before_its_subfolders() {
    let workspace = TempDir::new().unwrap();
    for path in ["skills/b", "skills/a/z", "skills/a", "skills/a-b", "skills/a.b", "skills/B", "skills/.hidden/x"] {
        skill(workspace.path(), path);
    }
    skill(workspace.path(), "other");
    write(workspace.path(), "skills/SKILL.md", "---\nname: all\ndescription: All skills\n---\n");
    write(workspace.path(), "skills/c/skill.md", "---\nname: c\ndescription: Lower case\n---\n");
    let discovery = in_workspace(workspace.path());
    let expected =
        ["skills", "skills/.hidden/x", "skills/B", "skills/a", "skills/a/z", "skills/a-b", "skills/a.b", "skills/b"];
    assert_eq!(paths(&discovery), expected);
    assert_eq!(discovery.skills[0].id(), "all::skills");
    assert_eq!(discovery.sources, [Source::WorkspaceLocal]);
    assert_eq!((discovery.rejections.len(), discovery.warnings.len()), (0, 0));
}

#[test]
fn the_first_source_with_an_id_or_a_folder_wins() {
    let folder = TempDir::new().unwrap();
    let at = |path: &str| folder.path().join(path);
    skill(folder.path(), "w/skills/a");
    named(folder.path(), "w/skills/me", "me");
    named(folder.path(), "i/skills/a", "a");
    named(folder.path(), "i/b", "b");
    named(folder.path(), "i/off", "off");
    named(folder.path(), "m", "root");
    named(folder.path(), "m/off", "off");
    let roots = Roots {
        workspace: at("w"),
        installed: vec![at("i"), at("w/skills")],
        mounts: vec![at("m"), at("i/../i")],
        disabled: vec!["off".to_owned(), "nothing".to_owned()],
        consumer: Some(at("w/skills/me")),
    };
    let discovery = found(&roots);
    assert_eq!(paths(&discovery), ["skills/a", "b", "."]);
    let expected = [
        ("me::skills/me", "consumer"),
        ("off::off", "disabled"),
        ("a::skills/a", "duplicate"),
        ("a::a", "duplicate"),
        ("me::me", "duplicate"),
        ("off::off", "disabled"),
        ("b::b", "duplicate"),
        ("off::off", "disabled"),
        ("a::skills/a", "duplicate"),
    ];
    assert_eq!(rejections(&discovery), expected);
    let sources: Vec<_> = discovery.skills.iter().map(|skill| skill.source).collect();
    assert_eq!(sources, [Source::WorkspaceLocal, Source::RuntimeInstalled, Source::ExternalMounts]);
    assert_eq!(discovery.sources, sources);
    assert_eq!(discovery.consumer.unwrap().id(), "me::skills/me");
}

#[test]
fn a_consumer_outside_of_the_workspace_has_the_path_of_its_root() {
    let folder = TempDir::new().unwrap();
    skill(folder.path(), "w/skills/a");
    skill(folder.path(), "w/apps/inside");
    skill(folder.path(), "outside");
    let consumer = |path: &str| {
        let consumer = Some(folder.path().join(path));
        found(&Roots { workspace: folder.path().join("w"), consumer, ..Roots::default() }).consumer.unwrap().id()
    };
    assert_eq!(consumer("outside"), "outside::.");
    assert_eq!(consumer("w/apps/inside"), "inside::apps/inside");
}

#[test]
fn skills_that_cannot_be_read_are_listed_by_path_or_id() {
    let workspace = TempDir::new().unwrap();
    let at = workspace.path();
    write(at, "skills/a/SKILL.md", "# No frontmatter\n");
    write(at, "skills/b/SKILL.md", "---\nname: b\nname: c\ndescription: d\n---\n");
    write(at, "skills/c/SKILL.md", b"---\nname: \xff\ndescription: d\n---\n");
    write(at, "skills/d/SKILL.md", format!("---\nname: {}", "é".repeat(100_000)));
    write(at, "skills/e/SKILL.md", b"---\nname: e\ndescription: d\n---\n\xff\xfe not UTF-8");
    write(at, "skills/f/SKILL.md/SKILL.md", "---\nname: f\ndescription: d\n---\n");
    write(at, "skills/g/SKILL.md", "---\nname: g\n---\n");
    let discovery = in_workspace(at);
    assert_eq!(paths(&discovery), ["skills/e", "skills/f/SKILL.md"]);
    let excluded = ["skills/a", "skills/b", "skills/c", "skills/d", "g::skills/g"];
    let reasons = ["unparseable", "unparseable", "unreadable", "unparseable", "unparseable"];
    assert_eq!(rejections(&discovery), excluded.into_iter().zip(reasons).collect::<Vec<_>>());
    let warnings: Vec<_> = discovery.warnings.iter().map(|w| (w.code.as_str(), w.subject.as_str())).collect();
    assert_eq!(warnings, excluded.map(|path| ("W0832", path)));
    assert!(discovery.warnings[1].message.contains("duplicate key `name` (line 3)"), "{:?}", discovery.warnings[1]);
}

#[test]
fn skills_with_a_name_and_without_a_description_are_listed_by_id() {
    let workspace = TempDir::new().unwrap();
    write(workspace.path(), "skills/a/SKILL.md", "---\nname: b\n---\n");
    write(workspace.path(), "skills/c/SKILL.md", "---\nname: c\ndescription: \"\"\n---\n");
    write(workspace.path(), "skills/d/SKILL.md", "---\ndescription: No name\n---\n");
    let discovery = in_workspace(workspace.path());
    let excluded = ["b::skills/a", "c::skills/c", "skills/d"];
    assert_eq!(rejections(&discovery), excluded.map(|id| (id, "unparseable")));
    assert_eq!(discovery.warnings.iter().map(|w| w.subject.as_str()).collect::<Vec<_>>(), excluded);
}

#[test]
fn of_a_huge_file_only_the_frontmatter_is_read() {
    let workspace = TempDir::new().unwrap();
    skill(workspace.path(), "skills/a");
    let file = fs::File::options().append(true).open(workspace.path().join("skills/a/SKILL.md")).unwrap();
    file.set_len(10 << 30).unwrap();
    write(workspace.path(), "skills/b/SKILL.md", "---\nname: b\n");
    let file = fs::File::options().append(true).open(workspace.path().join("skills/b/SKILL.md")).unwrap();
    file.set_len(10 << 30).unwrap();
    let discovery = in_workspace(workspace.path());
    assert_eq!(paths(&discovery), ["skills/a"]);
    assert_eq!(rejections(&discovery), [("skills/b", "unparseable")]);
}

#[test]
fn folders_that_are_too_deep_are_not_read() {
    let workspace = TempDir::new().unwrap();
    let depth = |depth: usize| format!("skills{}", "/a".repeat(depth - 1));
    skill(workspace.path(), &depth(64));
    skill(workspace.path(), &depth(70));
    let long = format!("skills/b/{}", vec!["x".repeat(200); 6].join("/"));
    skill(workspace.path(), &format!("{long}/y"));
    let discovery = in_workspace(workspace.path());
    assert_eq!(paths(&discovery), [depth(64)]);
    assert_eq!(rejections(&discovery), [(depth(65).as_str(), "unreadable"), (long.as_str(), "unreadable")]);
}

#[test]
fn a_workspace_without_skills_is_valid_and_a_missing_one_is_not() {
    let folder = TempDir::new().unwrap();
    assert_eq!(in_workspace(folder.path()).skills.len(), 0);
    write(folder.path(), "skills", "a file");
    assert_eq!(in_workspace(folder.path()).skills.len(), 0);
    let code = |roots: &Roots| {
        let finding = discover(roots).unwrap_err().remove(0);
        (finding.code.as_str(), finding.message)
    };
    let (missing, file) = (folder.path().join("missing"), folder.path().join("skills"));
    let workspace = folder.path().to_owned();
    for path in [&missing, &file] {
        let (found, message) = code(&Roots { workspace: path.clone(), ..Roots::default() });
        assert!(found == "E0834" && message.contains(path.to_str().unwrap()), "{found} {message}");
        let (found, _) = code(&Roots { workspace: workspace.clone(), mounts: vec![path.clone()], ..Roots::default() });
        assert_eq!(found, "E0834");
        let (found, _) =
            code(&Roots { workspace: workspace.clone(), consumer: Some(path.clone()), ..Roots::default() });
        assert_eq!(found, "E0836");
    }
    let consumer =
        |path: PathBuf| code(&Roots { workspace: workspace.clone(), consumer: Some(path), ..Roots::default() }).0;
    assert_eq!(consumer(workspace.clone()), "E0836");
    write(folder.path(), "c/SKILL.md", "---\nname: c\n---\n");
    assert_eq!(consumer(folder.path().join("c")), "E0831");
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn links_are_not_followed_and_those_that_leave_the_root_are_listed() {
        let folder = TempDir::new().unwrap();
        let workspace = folder.path().join("w");
        skill(folder.path(), "outside");
        skill(&workspace, "skills/a");
        skill(&workspace, "lib/inside");
        fs::create_dir_all(workspace.join("skills/file")).unwrap();
        fs::create_dir_all(workspace.join("skills/inner")).unwrap();
        let link = |target: PathBuf, path: &str| symlink(target, workspace.join("skills").join(path)).unwrap();
        link(folder.path().join("outside"), "b");
        link(workspace.join("lib/inside"), "c");
        link(folder.path().join("missing"), "dangling");
        link(workspace.join("skills/circle"), "circle");
        link(workspace.clone(), "up");
        link(folder.path().to_owned(), "upper");
        link("../../outside".into(), "relative");
        link(folder.path().join("outside/SKILL.md"), "file/SKILL.md");
        link(folder.path().join("outside/SKILL.md"), "file.md");
        link(workspace.join("lib/inside/SKILL.md"), "inner/SKILL.md");
        let discovery = in_workspace(&workspace);
        assert_eq!(paths(&discovery), ["skills/a"]);
        let links = ["skills/b", "skills/file", "skills/relative", "skills/upper"];
        let links: Vec<_> = links.into_iter().map(|path| (path, "link-outside-root")).collect();
        assert_eq!(rejections(&discovery), links);
        fs::remove_file(workspace.join("skills/b")).unwrap();
        fs::rename(workspace.join("skills"), folder.path().join("moved")).unwrap();
        symlink(folder.path().join("moved"), workspace.join("skills")).unwrap();
        assert_eq!(rejections(&in_workspace(&workspace)), [("skills", "link-outside-root")]);
        // The caller may name a link.
        symlink(&workspace, folder.path().join("named")).unwrap();
        assert_eq!(rejections(&in_workspace(&folder.path().join("named"))), [("skills", "link-outside-root")]);
    }

    #[test]
    fn pipes_and_paths_that_are_not_utf8_are_unreadable() {
        let workspace = TempDir::new().unwrap();
        let skills = workspace.path().join("skills");
        skill(workspace.path(), "skills/a");
        fs::create_dir(skills.join("pipe")).unwrap();
        let (pipe, mode) = (skills.join("pipe/SKILL.md"), rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let strange = skills.join(OsStr::from_bytes(b"x\xff"));
        for folder in [strange.clone(), strange.join("y")] {
            fs::create_dir(&folder).unwrap();
            fs::copy(skills.join("a/SKILL.md"), folder.join("SKILL.md")).unwrap();
        }
        let discovery = in_workspace(workspace.path());
        assert_eq!(paths(&discovery), ["skills/a"]);
        let expected = ["skills/pipe", "skills/x\u{fffd}", "skills/x\u{fffd}/y"].map(|path| (path, "unreadable"));
        assert_eq!(rejections(&discovery), expected);
        let consumer = |folder: PathBuf| {
            let roots = Roots { workspace: workspace.path().to_owned(), consumer: Some(folder), ..Roots::default() };
            discover(&roots).unwrap_err().remove(0).code.as_str()
        };
        assert_eq!(consumer(skills.join("pipe")), "E0836");
        assert_eq!(consumer(strange), "E0836");
    }

    #[test]
    fn folders_and_files_without_permission_are_unreadable() {
        let workspace = TempDir::new().unwrap();
        for path in ["skills/a", "skills/b/inner", "skills/c"] {
            skill(workspace.path(), path);
        }
        let forbid = |path: &str| {
            let path = workspace.path().join(path);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
            fs::File::open(path).is_err()
        };
        if forbid("skills/a/SKILL.md") && forbid("skills/b") {
            let discovery = in_workspace(workspace.path());
            assert_eq!(rejections(&discovery), [("skills/a", "unreadable"), ("skills/b", "unreadable")]);
        }
        fs::set_permissions(workspace.path().join("skills/b"), fs::Permissions::from_mode(0o700)).unwrap();
    }
}
