//! `capgen gen --check` and `--diff`.

use std::fs;

use crate::common;
use crate::common::{Fleet, REVIEWER};
use serde_json::json;

/// A fleet whose generated code is up to date.
fn up_to_date(agents: &[&str]) -> Fleet {
    let fleet = Fleet::new(agents);
    fleet.run("gen --all").ended(0);
    fleet
}

#[test]
fn up_to_date_output_passes() {
    let run = up_to_date(&["a", "pr-reviewer"]).run("gen --all --check").ended(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_stale_file_is_reported_and_not_changed() {
    let fleet = up_to_date(&["pr-reviewer"]);
    fleet.write("agents/pr-reviewer/capabilities.yaml", &REVIEWER.replace("med, high", "high"));
    let before = fleet.read("generated/pr-reviewer.ts");
    let run = fleet.run("--peer pr-reviewer --check").ended(1);
    assert!(run.stderr.contains("`generated/pr-reviewer.ts` is out of date"), "{run:?}");
    assert!(run.stderr.contains("`generated/pr-reviewer.rs` is out of date"), "{run:?}");
    assert_eq!(fleet.read("generated/pr-reviewer.ts"), before);
}

#[test]
fn a_missing_file_is_reported_and_not_created() {
    let fleet = Fleet::new(&["a"]);
    let run = fleet.run("--peer a --check").ended(1);
    assert!(run.stderr.contains("`generated/a.rs` is missing"), "{run:?}");
    assert!(!fleet.path("generated").exists());
}

#[test]
fn a_generated_file_without_its_agent_is_reported() {
    let fleet = up_to_date(&["a", "gone"]);
    fleet.write("generated/notes.ts", "// by hand\n");
    fs::remove_dir_all(fleet.path("agents/gone")).unwrap();
    for arguments in ["gen --all --check", "--peer a --check"] {
        let run = fleet.run(arguments).ended(1);
        assert!(run.stderr.contains("generated/gone.rs") && run.stderr.contains("generated/gone.ts"), "{run:?}");
        assert!(!run.stderr.contains("notes.ts"), "{run:?}");
    }
    assert_eq!(fleet.names("generated").len(), 7);
}

#[test]
fn files_of_other_agents_in_the_fleet_are_not_orphans() {
    up_to_date(&["a", "b"]).run("--peer a --check").ended(0);
}

#[test]
fn a_file_of_an_agent_given_by_its_path_is_not_an_orphan() {
    let fleet = up_to_date(&["a"]);
    fleet.write("vendor/x.yaml", &common::loose("x"));
    fleet.run("gen --all --capabilities vendor/x.yaml").ended(0);
    fleet.run("gen --all --capabilities vendor/x.yaml --check").ended(0);
    fleet.run("gen --capabilities vendor/x.yaml --check").ended(0);
}

#[test]
fn orphans_are_found_if_only_paths_are_given_inside_a_fleet() {
    let fleet = up_to_date(&["a", "gone"]);
    fs::remove_dir_all(fleet.path("agents/gone")).unwrap();
    fleet.write("vendor/x.yaml", &common::loose("x"));
    fleet.run("gen --capabilities vendor/x.yaml").ended(0);
    for root in ["", "--root ."] {
        let run = fleet.run(&format!("gen --capabilities vendor/x.yaml --check {root}")).ended(1);
        assert!(run.stderr.contains("agent `gone` no longer exists") && !run.stderr.contains("agent `a`"), "{run:?}");
    }
    fleet.run("gen --capabilities vendor/x.yaml --check --root nowhere").ended(1);
}

#[test]
fn orphans_are_not_reported_outside_a_fleet() {
    let fleet = Fleet::new(&[]);
    fs::remove_dir(fleet.path("agents")).unwrap();
    for id in ["x", "y"] {
        fleet.write(&format!("{id}.yaml"), &common::loose(id));
        fleet.run(&format!("gen --capabilities {id}.yaml")).ended(0);
    }
    fleet.run("gen --capabilities x.yaml --check").ended(0);
}

#[test]
fn line_endings_do_not_make_a_file_stale() {
    let fleet = up_to_date(&["pr-reviewer"]);
    for name in fleet.names("generated") {
        let path = format!("generated/{name}");
        fleet.write(&path, &fleet.read(&path).replace('\n', "\r\n"));
    }
    fleet.run("--peer pr-reviewer --check").ended(0);
}

#[test]
fn json_has_the_status_of_each_file() {
    let fleet = up_to_date(&["a", "gone"]);
    fs::remove_dir_all(fleet.path("agents/gone")).unwrap();
    fs::remove_file(fleet.path("generated/a.rs")).unwrap();
    fleet.write("generated/a.ts", &(fleet.read("generated/a.ts") + "stale\n"));
    let document = fleet.run("gen --all --check --json").ended(1).json();
    let files = json!([
        { "path": "generated/a.rs", "status": "missing" },
        { "path": "generated/a.ts", "status": "stale" },
    ]);
    assert_eq!(document["peers"][0]["files"], files);
    assert_eq!(document["orphans"], json!(["generated/gone.rs", "generated/gone.ts"]));
}

#[test]
fn diff_prints_to_standard_output_and_writes_nothing() {
    let fleet = up_to_date(&["pr-reviewer"]);
    assert_eq!(fleet.run("--peer pr-reviewer --diff").ended(0).stdout, "");
    fleet.write("agents/pr-reviewer/capabilities.yaml", &REVIEWER.replace("summary", "digest"));
    let before = fleet.read("generated/pr-reviewer.ts");
    let run = fleet.run("--peer pr-reviewer --diff").ended(0);
    assert!(run.stdout.contains("--- a/generated/pr-reviewer.ts\n+++ b/generated/pr-reviewer.ts\n@@ "), "{run:?}");
    assert!(run.stdout.lines().any(|line| line.starts_with('+') && line.contains("digest: string")), "{run:?}");
    assert_eq!(fleet.read("generated/pr-reviewer.ts"), before);
    fleet.run("--peer pr-reviewer --diff --check").ended(1);
}

#[test]
fn files_out_of_date_are_printed_in_every_format() {
    let fleet = up_to_date(&["a", "gone"]);
    fs::create_dir_all(fleet.path(".git")).unwrap();
    fs::create_dir_all(fleet.path("sub")).unwrap();
    fs::remove_dir_all(fleet.path("agents/gone")).unwrap();
    fs::remove_file(fleet.path("generated/a.rs")).unwrap();
    let run = |format: &str| {
        let mut command = fleet.command(&format!("gen --all --check --out ../generated --format {format}"));
        let output = command.current_dir(fleet.path("sub")).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let github = run("github");
    assert!(github.contains("::error file=generated/a.rs,title=E0405::"), "{github}");
    assert!(github.contains("::error file=generated/gone.ts,title=E0406::"), "{github}");
    let json = run("json");
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["code"], &first["path"]), (&json!("E0405"), &json!("../generated/a.rs")));
    let log: serde_json::Value = serde_json::from_str(&run("sarif")).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], json!("generated/a.rs"));
    assert!(log["runs"][0]["tool"]["driver"]["rules"][0]["help"]["markdown"].as_str().unwrap().starts_with("# E0405"));
    fleet.run("gen --all --check --json --format github").ended(2);
}

#[test]
fn annotations_are_relative_to_the_repository_from_any_folder() {
    let fleet = Fleet::new(&["Shop", "shop"]);
    fleet.write("agents/bad/capabilities.yaml", "version: 2\n");
    fs::create_dir_all(fleet.path(".git")).unwrap();
    fs::create_dir_all(fleet.path("deep/er")).unwrap();
    for folder in ["", "deep/er", "agents/bad"] {
        let output = fleet.command("check --format github").current_dir(fleet.path(folder)).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("file=agents/bad/capabilities.yaml,line="), "{folder}: {text}");
        assert!(text.contains("file=agents/shop/capabilities.yaml,title=E0401"), "{folder}: {text}");
    }
}
