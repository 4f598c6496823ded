//! The old version: files, folders and revisions.

use super::{changed, versions};
use crate::common::{Fleet, REVIEWER, Run, loose};

/// A fleet that is committed as the branch `main`.
fn committed(agents: &[&str]) -> Fleet {
    let fleet = Fleet::new(agents);
    fleet.init();
    fleet
}

fn run(fleet: &Fleet, arguments: &[&str]) -> Run {
    let mut command = fleet.command("diff");
    let output = command.args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { status: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

const MANIFEST: &str = "agents/pr-reviewer/capabilities.yaml";

#[test]
fn the_default_is_the_last_commit_and_every_agent() {
    let fleet = committed(&["a", "pr-reviewer"]);
    assert_eq!(fleet.run("diff").ended(0).stderr, "✓ compared 2 contracts: no changes of capabilities\n");
    fleet.write(MANIFEST, &changed());
    let found = fleet.run("diff").ended(1);
    assert!(found.stderr.contains("::: HEAD:agents/pr-reviewer/capabilities.yaml:17:27"), "{found:?}");
    fleet.commit();
    fleet.run("diff").ended(0);
    fleet.run("diff --against git:HEAD~1").ended(1);
    fleet.run("diff --peer a --against git:HEAD~1").ended(0);
    fleet.run(&format!("diff --capabilities {MANIFEST} --against git:main~1")).ended(1);
}

#[test]
fn the_working_directory_may_be_any_folder_of_the_repository() {
    let fleet = committed(&["pr-reviewer"]);
    fleet.write(MANIFEST, &changed());
    fleet.write("web/src/x.txt", "");
    for folder in ["agents/pr-reviewer", "web/src"] {
        let output = fleet.command("diff").current_dir(fleet.path(folder)).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
    let mut command = fleet.command("diff --capabilities capabilities.yaml");
    let output = command.current_dir(fleet.path("agents/pr-reviewer")).output().unwrap();
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("HEAD:agents/pr-reviewer/capabilities.yaml"),
        "{output:?}"
    );
}

#[test]
fn a_hook_of_git_may_run_it() {
    let fleet = committed(&["pr-reviewer"]);
    fleet.write(MANIFEST, &changed());
    for arguments in ["diff", "diff --capabilities agents/pr-reviewer/capabilities.yaml"] {
        let mut command = fleet.command(arguments);
        command
            .env("GIT_DIR", ".git")
            .env("GIT_WORK_TREE", ".")
            .env("GIT_INDEX_FILE", ".git/index")
            .env("GIT_PREFIX", "");
        assert_eq!(command.output().unwrap().status.code(), Some(1), "{arguments}");
    }
}

#[test]
fn agents_may_be_added_removed_and_moved() {
    let fleet = committed(&["a", "b", "pr-reviewer"]);
    std::fs::remove_dir_all(fleet.path("agents/a")).unwrap();
    std::fs::create_dir(fleet.path("services")).unwrap();
    std::fs::rename(fleet.path("agents/pr-reviewer"), fleet.path("services/reviewer")).unwrap();
    fleet.write("fleet.yaml", "version: 1\nagents: [{ id: pr-reviewer, path: services/reviewer }]\n");
    fleet.write("agents/c/capabilities.yaml", &loose("c"));
    let document = fleet.run("diff --format json").ended(1).json();
    let status = |key: &str| document["capabilities"][key]["status"].as_str().map(str::to_owned);
    assert_eq!(status("a/ping").as_deref(), Some("removed"));
    assert_eq!(status("c/ping").as_deref(), Some("added"));
    assert_eq!(document["capabilities"]["pr-reviewer/review-pr"]["request"]["old_in_new"], "yes");
    assert_eq!(document["findings"].as_array().unwrap().len(), 2, "{document}");
    fleet.commit();
    fleet.run("diff").ended(0);
    // The old fleet lists it, and the new one has it in `agents/` again.
    std::fs::rename(fleet.path("services/reviewer"), fleet.path("agents/pr-reviewer")).unwrap();
    fleet.write("fleet.yaml", "version: 1\nagents: []\n");
    fleet.run("diff").ended(0);
}

#[test]
fn a_removed_agent_is_not_reported_if_other_agents_are_selected() {
    let fleet = committed(&["a", "b"]);
    std::fs::remove_dir_all(fleet.path("agents/a")).unwrap();
    fleet.run("diff --peer b").ended(0);
    assert!(fleet.run("diff").ended(1).stderr.contains("the new version has no agent `a`"));
}

#[test]
fn a_fleet_may_be_below_the_root_of_the_repository() {
    let fleet = Fleet::new(&[]);
    std::fs::remove_dir(fleet.path("agents")).unwrap();
    fleet.write("deep/fleet/agents/pr-reviewer/capabilities.yaml", REVIEWER);
    fleet.init();
    fleet.write("deep/fleet/agents/pr-reviewer/capabilities.yaml", &changed());
    let run = fleet.run("diff --root deep/fleet").ended(1);
    assert!(run.stderr.contains("HEAD:deep/fleet/agents/pr-reviewer/capabilities.yaml"), "{run:?}");
}

#[test]
fn hostile_revisions_are_never_options() {
    let fleet = committed(&["pr-reviewer"]);
    let hostile = [
        "--upload-pack=touch x",
        "-x",
        "--help",
        "",
        "--",
        "HEAD --output=x",
        "HEAD\n--output=x",
        "$(touch x)",
        "..",
        "HEAD..HEAD",
        "^HEAD",
    ];
    for name in hostile {
        let run = run(&fleet, &["--against", &format!("git:{name}")]).ended(1);
        assert!(run.stderr.contains("error[E0603]"), "{name:?}: {run:?}");
    }
    assert_eq!(fleet.names("").iter().filter(|name| *name == "x").count(), 0);
}

#[test]
fn a_revision_that_is_not_a_commit_is_unknown() {
    let fleet = committed(&["pr-reviewer"]);
    for name in ["HEAD:agents", "nope", "0000000000000000000000000000000000000000"] {
        let run = run(&fleet, &["--against", &format!("git:{name}")]).ended(1);
        assert!(run.stderr.contains("error[E0603]") && run.stderr.contains("git fetch"), "{name:?}: {run:?}");
    }
}

#[test]
fn a_folder_without_a_repository_is_an_error_with_a_remedy() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    let run = fleet.run("diff").ended(1);
    assert!(run.stderr.contains("error[E0602]") && run.stderr.contains("`--against <path>`"), "{run:?}");
}

#[test]
fn a_missing_git_is_an_error_with_a_remedy() {
    let fleet = committed(&["pr-reviewer"]);
    let output = fleet.command("diff").env("PATH", "").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("error[E0601]") && text.contains("install git"), "{text}");
}

#[test]
fn a_file_that_the_revision_does_not_have_is_an_error() {
    let fleet = committed(&["pr-reviewer"]);
    fleet.write("other.yaml", REVIEWER);
    let run = fleet.run("diff --capabilities other.yaml").ended(1);
    assert!(run.stderr.contains("error[E0604]: the revision `HEAD` has no file `other.yaml`"), "{run:?}");
}

#[test]
fn errors_in_the_old_version_are_reported_with_its_path() {
    let fleet = Fleet::new(&["a"]);
    fleet.write("agents/a/capabilities.yaml", "version: 2\n");
    fleet.init();
    fleet.write("agents/a/capabilities.yaml", &loose("a"));
    let run = fleet.run("diff").ended(1);
    assert!(run.stderr.contains("--> HEAD:agents/a/capabilities.yaml:1"), "{run:?}");
}

#[test]
fn links_in_a_revision_are_followed_inside_of_it() {
    if cfg!(windows) {
        return;
    }
    let fleet = Fleet::new(&["pr-reviewer"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("pr-reviewer", fleet.path("agents/alias")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", fleet.path("agents/a")).unwrap();
    }
    fleet.init();
    fleet.run("diff --capabilities agents/alias/capabilities.yaml").ended(0);
    fleet.run("diff --peer pr-reviewer").ended(0);
}

#[test]
fn folders_are_fleets_or_have_one_manifest() {
    let fleet = Fleet::new(&["a", "pr-reviewer"]);
    fleet.write("before/agents/pr-reviewer/capabilities.yaml", &changed());
    fleet.write("before/agents/gone/capabilities.yaml", &loose("gone"));
    let document = fleet.run("diff --against before --format json").ended(1).json();
    assert_eq!(document["capabilities"]["gone/ping"]["status"], "removed");
    assert_eq!(document["capabilities"]["a/ping"]["status"], "added");
    assert_eq!(document["capabilities"]["pr-reviewer/review-pr"]["request"]["old_in_new"], "yes");
    fleet.run("diff --against before --peer a").ended(0);
    let run = fleet.run("diff --against before --capabilities agents/a/capabilities.yaml").ended(1);
    assert!(run.stderr.contains("error[E0604]"), "{run:?}");
    fleet.write("single/capabilities.yaml", REVIEWER);
    fleet.run("diff --against single --peer pr-reviewer").ended(0);
    fleet.write("empty/x.txt", "");
    assert!(fleet.run("diff --against empty").ended(1).stderr.contains("error[E0605]"));
}

#[test]
fn a_file_is_compared_with_one_contract() {
    let fleet = Fleet::new(&["a", "pr-reviewer"]);
    fleet.write("old.yaml", REVIEWER);
    fleet.run("diff --against old.yaml").ended(2);
    fleet.run("diff --against old.yaml --peer pr-reviewer").ended(0);
    let run = fleet.run("diff --against HEAD --peer pr-reviewer").ended(1);
    assert!(run.stderr.contains("write `--against git:HEAD`"), "{run:?}");
    versions(REVIEWER, REVIEWER).run("diff --capabilities new.yaml --capabilities old.yaml --against .").ended(2);
}

#[test]
fn callers_with_generated_code_of_the_old_version_are_listed() {
    let fleet = committed(&["a", "pr-reviewer"]);
    fleet.run("gen --all --out web/generated").ended(0);
    fleet.write("node_modules/x/pr-reviewer.ts", &fleet.read("web/generated/pr-reviewer.ts"));
    fleet.write("web/copy.ts", &format!("// mine\n{}", fleet.read("web/generated/pr-reviewer.ts")));
    fleet.write(MANIFEST, &changed());
    let run = fleet.run("diff").ended(1);
    let callers =
        "callers with code of the old version: `web/generated/pr-reviewer.rs`, `web/generated/pr-reviewer.ts`\n";
    assert!(run.stderr.contains(callers), "{run:?}");
    let document = fleet.run("diff --format json").ended(1).json();
    assert_eq!(document["findings"][0]["callers"][1], "web/generated/pr-reviewer.ts");
    fleet.run("gen --all --out web/generated").ended(0);
    assert!(!fleet.run("diff").ended(1).stderr.contains("callers"));
}
