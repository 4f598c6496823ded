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
fn sources_that_are_missing_or_files_are_invalid() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "skills", "a file");
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

/// The finding about roots without skills, as text.
fn without_skills(roots: &Roots) -> String {
    let finding = discover(roots).unwrap_err().remove(0);
    assert_eq!(finding.code.as_str(), "E0842");
    format!("{}\n{}\n{}", finding.message, finding.notes.join("\n"), finding.help.unwrap())
}

#[test]
fn ruling_44_without_any_skill_the_finding_names_where_skills_were_searched_and_where_they_are() {
    let folder = TempDir::new().unwrap();
    let workspace = folder.path().to_owned();
    let roots = Roots { workspace: workspace.clone(), ..Roots::default() };
    let shown = |path: &str| workspace.join(path).display().to_string();
    let text = without_skills(&roots);
    assert!(
        text.starts_with("no `SKILL.md` was found\nsearched: `") && text.contains("pass a workspace with"),
        "{text}"
    );
    write(&workspace, "skills/x/skill.md", "---\nname: x\ndescription: d\n---\n");
    let text = without_skills(&roots);
    assert!(text.contains("these names are not `SKILL.md`: ") && text.contains("rename the files"), "{text}");
    for path in [".claude/skills/a", ".claude/skills/b", ".agents/skills/a", "plugins/p/skills/a"] {
        skill(&workspace, path);
    }
    let text = without_skills(&roots);
    for place in ["`.claude/skills` (2)", "`.agents/skills` (1)", "`plugins/p/skills` (1)"] {
        assert!(text.contains(place), "{place}\n{text}");
    }
    assert!(text.contains("pass --installed `"), "{text}");
    // A folder of skills instead of a workspace.
    let text = without_skills(&Roots { workspace: workspace.join(".claude/skills"), ..Roots::default() });
    assert!(text.contains("skills exist in: `.` (2)"), "{text}");
    // Every source is named.
    fs::create_dir(workspace.join("empty")).unwrap();
    let text = without_skills(&Roots { installed: vec![workspace.join("empty")], ..roots.clone() });
    assert!(text.contains("empty`\n"), "{} {text}", shown("empty"));
    // A skill that cannot be used was found.
    write(&workspace, "skills/bad/SKILL.md", "no frontmatter");
    assert_eq!(rejections(&in_workspace(&workspace)), [("skills/bad", "unparseable")]);
}

#[test]
fn ruling_43_each_folder_is_a_source_and_every_skill_below_is_rejected_by_id() {
    let folder = TempDir::new().unwrap();
    skill(folder.path(), "w/skills/a");
    skill(folder.path(), "m/group/b");
    skill(folder.path(), "m/group/c");
    let at = |path: &str| folder.path().join(path);
    let mounts = vec![at("m"), at("m"), at("m/group")];
    let discovery = found(&Roots { workspace: at("w"), mounts, ..Roots::default() });
    assert_eq!(paths(&discovery), ["skills/a", "group/b", "group/c"]);
    let ids = ["b::group/b", "c::group/c", "b::b", "c::c"];
    assert_eq!(rejections(&discovery), ids.map(|id| (id, "duplicate")));
    assert_eq!(discovery.sources, [Source::WorkspaceLocal, Source::ExternalMounts]);
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn links_are_followed_inside_the_workspace_and_those_that_leave_it_are_listed() {
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
        link(workspace.join("skills/a"), "z");
        link(folder.path().to_owned(), "upper");
        link("../../outside".into(), "relative");
        link(folder.path().join("outside/SKILL.md"), "file/SKILL.md");
        link(folder.path().join("outside/SKILL.md"), "file.md");
        link(workspace.join("lib/inside/SKILL.md"), "inner/SKILL.md");
        let discovery = in_workspace(&workspace);
        assert_eq!(paths(&discovery), ["skills/a", "skills/c"]);
        let links = ["skills/b", "skills/file", "skills/relative", "skills/upper"];
        let mut links: Vec<_> = links.into_iter().map(|path| (path, "link-outside-root")).collect();
        // The file of `skills/c`, a second time.
        links.insert(2, ("inside::skills/inner", "duplicate"));
        assert_eq!(rejections(&discovery), links);
        fs::remove_file(workspace.join("skills/b")).unwrap();
        fs::create_dir(workspace.join("none")).unwrap();
        let none = vec![workspace.join("lib")];
        fs::rename(workspace.join("skills"), folder.path().join("moved")).unwrap();
        symlink(folder.path().join("moved"), workspace.join("skills")).unwrap();
        let with = |workspace: PathBuf| found(&Roots { workspace, installed: none.clone(), ..Roots::default() });
        assert_eq!(rejections(&with(workspace.clone())), [("skills", "link-outside-root")]);
        // The caller may name a link.
        symlink(&workspace, folder.path().join("named")).unwrap();
        assert_eq!(rejections(&with(folder.path().join("named"))), [("skills", "link-outside-root")]);
        // Without any skill, the finding names the link.
        let text = without_skills(&Roots { workspace, ..Roots::default() });
        assert!(text.contains("excluded: `skills` (link-outside-root)"), "{text}");
    }

    #[test]
    fn ruling_44_the_links_of_installers_are_followed() {
        let folder = TempDir::new().unwrap();
        let workspace = folder.path();
        for name in ["x", "y"] {
            skill(workspace, &format!(".agents/skills/{name}"));
            fs::create_dir_all(workspace.join(".claude/skills")).unwrap();
            let target = format!("../../.agents/skills/{name}");
            symlink(target, workspace.join(".claude/skills").join(name)).unwrap();
        }
        let roots = |installed: &[&str]| Roots {
            workspace: workspace.to_owned(),
            installed: installed.iter().map(|path| workspace.join(path)).collect(),
            ..Roots::default()
        };
        let discovery = found(&roots(&[".claude/skills"]));
        assert_eq!(paths(&discovery), ["x", "y"]);
        assert_eq!(rejections(&discovery), []);
        assert_eq!(discovery.skills[0].file, workspace.canonicalize().unwrap().join(".agents/skills/x/SKILL.md"));
        // In another source, the same folders are duplicates.
        let discovery = found(&roots(&[".claude/skills", ".agents/skills"]));
        assert_eq!(rejections(&discovery), [("x::x", "duplicate"), ("y::y", "duplicate")]);
        // `skills` itself may be a link.
        symlink(".agents/skills", workspace.join("skills")).unwrap();
        assert_eq!(paths(&in_workspace(workspace)), ["skills/x", "skills/y"]);
    }

    #[test]
    fn ruling_44_a_source_reads_each_folder_once_and_no_link_leads_around_in_circles() {
        let folder = TempDir::new().unwrap();
        let workspace = folder.path();
        skill(workspace, "lib/a");
        skill(workspace, "lib/b/inner");
        skill(workspace, "skills/own");
        let link = |target: &str, path: &str| symlink(workspace.join(target), workspace.join(path)).unwrap();
        link("lib/a", "skills/1");
        link("lib", "skills/2");
        link("lib", "skills/3");
        link("skills/own", "skills/4");
        // Back into the source, to a folder that contains the link, and to one that was read.
        link("skills", "lib/back");
        link("lib", "lib/b/up");
        link("other", "lib/b/round");
        skill(workspace, "other/z");
        link("lib/b", "other/again");
        let discovery = in_workspace(workspace);
        assert_eq!(paths(&discovery), ["skills/1", "skills/2/b/inner", "skills/2/b/round/z", "skills/own"]);
        assert_eq!(rejections(&discovery), []);
    }

    #[test]
    fn ruling_44_a_linked_file_is_one_candidate_and_a_dangling_link_is_unreadable() {
        let folder = TempDir::new().unwrap();
        let workspace = folder.path();
        write(workspace, "shared/one.md", "---\nname: one\ndescription: d\n---\n");
        skill(workspace, "skills/m");
        let link = |target: &str, path: &str| {
            fs::create_dir_all(workspace.join(path)).unwrap();
            symlink(target, workspace.join(path).join("SKILL.md")).unwrap();
        };
        link("../../shared/one.md", "skills/a");
        link("../../shared/one.md", "skills/b");
        link("../m/SKILL.md", "skills/c");
        link("../missing", "skills/d");
        link("SKILL.md", "skills/e");
        link("/etc/hostname", "skills/f");
        let discovery = in_workspace(workspace);
        assert_eq!(paths(&discovery), ["skills/a", "skills/m"]);
        let expected = [
            ("one::skills/b", "duplicate"),
            ("m::skills/c", "duplicate"),
            ("skills/d", "unreadable"),
            ("skills/e", "unreadable"),
            ("skills/f", "link-outside-root"),
        ];
        assert_eq!(rejections(&discovery), expected);
        // The folder of a linked file is that of the link.
        assert!(
            discovery.skills[0].folder.ends_with("skills/a") && discovery.skills[0].file.ends_with("shared/one.md")
        );
        let consumer = |path: &str| {
            let consumer = Some(workspace.join(path));
            let roots = Roots { workspace: workspace.to_owned(), consumer, ..Roots::default() };
            discover(&roots).map(|discovery| discovery.consumer.unwrap().id())
        };
        assert_eq!(consumer("skills/a").unwrap(), "one::skills/a");
        assert_eq!(consumer("skills/f").unwrap_err()[0].code.as_str(), "E0836");
    }

    #[test]
    fn ruling_44_a_root_outside_of_the_workspace_has_its_own_boundary() {
        let folder = TempDir::new().unwrap();
        skill(folder.path(), "w/skills/own");
        skill(folder.path(), "store/x");
        skill(folder.path(), "elsewhere/y");
        fs::create_dir_all(folder.path().join("store/links")).unwrap();
        symlink("../x", folder.path().join("store/links/x")).unwrap();
        symlink("../../elsewhere/y", folder.path().join("store/links/y")).unwrap();
        let at = |path: &str| folder.path().join(path);
        let roots = |installed: &str| Roots { workspace: at("w"), installed: vec![at(installed)], ..Roots::default() };
        let discovery = found(&roots("store"));
        assert_eq!(paths(&discovery), ["skills/own", "x"]);
        assert_eq!(rejections(&discovery), [("links/y", "link-outside-root")]);
        let discovery = found(&roots("store/links"));
        assert_eq!(rejections(&discovery), [("x", "link-outside-root"), ("y", "link-outside-root")]);
        let named: Vec<_> = discovery.warnings.iter().map(|warning| warning.subject.as_str()).collect();
        assert_eq!(named, ["x", "y"]);
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
