//! `capgen gen` and its short form.

use std::fs;
use std::time::SystemTime;

use crate::common::{Fleet, REVIEWER, loose};
use serde_json::json;

#[test]
fn the_short_form_writes_both_languages_and_reports_to_standard_error() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    let run = fleet.run("--peer pr-reviewer").ended(0);
    assert_eq!(run.stdout, "");
    assert_eq!(
        run.stderr,
        "✓ wrote generated/pr-reviewer.rs (1 capability)\n✓ wrote generated/pr-reviewer.ts (1 capability)\n\
         ✓ wrote generated/_capgen.ts (shared code)\n✓ wrote generated/index.ts (index of the folder)\n"
    );
    assert_eq!(fleet.names("generated"), ["_capgen.ts", "index.ts", "pr-reviewer.rs", "pr-reviewer.ts"]);
    let short = fleet.read("generated/pr-reviewer.ts");
    fleet.run("gen --peer pr-reviewer --out again").ended(0);
    assert_eq!(fleet.read("again/pr-reviewer.ts"), short);
}

#[test]
fn an_unchanged_file_is_not_rewritten() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.run("--peer pr-reviewer").ended(0);
    let long_ago = SystemTime::UNIX_EPOCH;
    let file = fs::File::options().write(true).open(fleet.path("generated/pr-reviewer.ts")).unwrap();
    file.set_modified(long_ago).unwrap();
    let run = fleet.run("--peer pr-reviewer").ended(0);
    assert!(run.stderr.contains("unchanged generated/pr-reviewer.ts (1 capability)"), "{run:?}");
    assert_eq!(file.metadata().unwrap().modified().unwrap(), long_ago);
}

#[test]
fn json_is_one_document_with_stable_keys() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    let document = fleet.run("--peer pr-reviewer --json").ended(0).json();
    let hash = document["peers"][0]["hash"].as_str().unwrap().to_owned();
    assert!(fleet.read("generated/pr-reviewer.ts").contains(&format!("// Contract: {hash}\n")), "{hash}");
    let expected = json!({
        "peers": [{
            "peer": "pr-reviewer",
            "source": "agents/pr-reviewer/capabilities.yaml",
            "capabilities": ["review-pr"],
            "files": [
                { "path": "generated/pr-reviewer.rs", "status": "written" },
                { "path": "generated/pr-reviewer.ts", "status": "written" },
            ],
            "hash": hash,
        }],
        "shared": [
            { "path": "generated/_capgen.ts", "status": "written" },
            { "path": "generated/index.ts", "status": "written" },
        ],
        "orphans": [],
        "diagnostics": [],
    });
    assert_eq!(document, expected);
    let again = fleet.run("--peer pr-reviewer --json --lang ts").ended(0).json();
    assert_eq!(again["peers"][0]["files"], json!([{ "path": "generated/pr-reviewer.ts", "status": "unchanged" }]));
}

#[test]
fn json_of_an_invalid_contract_has_its_findings() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("agents/pr-reviewer/capabilities.yaml", &REVIEWER.replace("type: string,", "type: strnig,"));
    let run = fleet.run("--peer pr-reviewer --json").ended(1);
    let document = run.json();
    assert_eq!(document["peers"], json!([]));
    assert_eq!(document["diagnostics"][0]["code"], "E0105");
    assert!(run.stderr.contains("error[E0105]"), "{run:?}");
}

#[test]
fn all_writes_every_agent_of_the_fleet() {
    let fleet = Fleet::new(&["pr-reviewer", "b", "c"]);
    fleet.run("gen --all --lang typescript").ended(0);
    assert_eq!(fleet.names("generated"), ["_capgen.ts", "b.ts", "c.ts", "index.ts", "pr-reviewer.ts"]);
}

#[test]
fn repeated_peers_are_written_once() {
    let fleet = Fleet::new(&["a", "b", "c"]);
    fleet.run("--peer a --peer b --peer a --capabilities agents/b/capabilities.yaml --lang rust,ts").ended(0);
    assert_eq!(fleet.names("generated"), ["_capgen.ts", "a.rs", "a.ts", "b.rs", "b.ts", "index.ts"]);
}

#[test]
fn capabilities_reads_a_file_without_a_fleet() {
    let fleet = Fleet::new(&[]);
    fs::remove_dir(fleet.path("agents")).unwrap();
    fleet.write("vendor/search.yaml", &loose("search"));
    fleet.run("gen --capabilities vendor/search.yaml --out out/deep").ended(0);
    assert_eq!(fleet.names("out/deep"), ["_capgen.ts", "index.ts", "search.rs", "search.ts"]);
}

#[test]
fn the_root_is_found_from_a_subfolder_and_its_spelling_does_not_change_the_output() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.run("--peer pr-reviewer").ended(0);
    let expected = fleet.read("generated/pr-reviewer.rs");
    fs::create_dir_all(fleet.path("deep/er")).unwrap();
    let root = fleet.path("").display().to_string();
    for arguments in
        ["--peer pr-reviewer", "--peer pr-reviewer --root ../..", &format!("--peer pr-reviewer --root {root}")]
    {
        let status = fleet.command(arguments).current_dir(fleet.path("deep/er")).status().unwrap();
        assert!(status.success());
        assert_eq!(fleet.read("deep/er/generated/pr-reviewer.rs"), expected);
        fs::remove_dir_all(fleet.path("deep/er/generated")).unwrap();
    }
}

#[test]
fn one_invalid_contract_prevents_all_output_and_every_invalid_one_is_reported() {
    let fleet = Fleet::new(&["good", "bad", "worse"]);
    fleet.write("agents/bad/capabilities.yaml", "version: 2\n");
    fleet.write("agents/worse/capabilities.yaml", "a: [\n");
    let run = fleet.run("gen --all").ended(1);
    assert!(run.stderr.contains("agents/bad/capabilities.yaml"), "{run:?}");
    assert!(run.stderr.contains("agents/worse/capabilities.yaml"), "{run:?}");
    assert!(fleet.names("generated").is_empty());
}

#[test]
fn warnings_are_printed_and_do_not_fail() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("agents/pr-reviewer/capabilities.yaml", &REVIEWER.replace("[low, med, high]", "[low, low]"));
    let run = fleet.run("--peer pr-reviewer").ended(0);
    assert!(run.stderr.contains("warning[W0101]"), "{run:?}");
    assert!(run.stderr.contains("✓ wrote"), "{run:?}");
}

#[test]
fn an_unknown_peer_gets_a_suggestion() {
    let run = Fleet::new(&["pr-reviewer"]).run("--peer pr-reviewr").ended(1);
    assert!(run.stderr.contains("did you mean `pr-reviewer`?"), "{run:?}");
}

#[test]
fn a_peer_cannot_lead_out_of_the_fleet() {
    let fleet = Fleet::new(&["a"]);
    for id in ["../../etc", "..", "/etc/passwd", "a/../b"] {
        fleet.run(&format!("--peer {id}")).ended(1);
    }
    assert!(fleet.names("generated").is_empty());
}

#[test]
fn a_file_that_capgen_did_not_write_stays() {
    let fleet = Fleet::new(&["a"]);
    fleet.write("generated/a.ts", "export const mine = 1;\n");
    let run = fleet.run("--peer a").ended(1);
    assert!(run.stderr.contains("error[E0403]"), "{run:?}");
    assert_eq!(fleet.read("generated/a.ts"), "export const mine = 1;\n");
    assert_eq!(fleet.names("generated"), ["a.ts"]);
}

#[test]
fn a_blank_file_is_replaced() {
    let fleet = Fleet::new(&["a"]);
    fleet.write("generated/a.ts", " \n\n");
    fleet.run("--peer a").ended(0);
    assert!(fleet.read("generated/a.ts").contains("@generated"));
}

#[test]
fn names_that_differ_only_in_case_and_names_of_devices_are_refused() {
    let fleet = Fleet::new(&["Shop", "shop", "nul", "com1.v2"]);
    let run = fleet.run("gen --all").ended(1);
    assert_eq!(run.stderr.matches("error[E0401]").count(), 1, "{run:?}");
    assert_eq!(run.stderr.matches("error[E0402]").count(), 2, "{run:?}");
    assert!(fleet.names("generated").is_empty());
    let check = fleet.run("check").ended(1);
    assert!(check.stderr.contains("error[E0401]") && check.stderr.contains("error[E0402]"), "{check:?}");
}

#[test]
fn names_are_refused_in_the_run_that_refuses_a_contract() {
    let fleet = Fleet::new(&["Shop", "shop", "nul"]);
    fleet.write("agents/a/capabilities.yaml", &loose("another"));
    for arguments in ["gen --all", "check"] {
        let run = fleet.run(arguments).ended(1);
        for code in ["E0305", "E0401", "E0402"] {
            assert_eq!(run.stderr.matches(&format!("error[{code}]")).count(), 1, "{code}: {run:?}");
        }
    }
}

#[test]
fn an_invalid_path_in_fleet_yaml_is_reported_with_its_agent() {
    let fleet = Fleet::new(&["a"]);
    fleet.write("fleet.yaml", "agents:\n  - { id: missing, path: nope }\n  - { id: file, path: nope.yaml }\n");
    let run = fleet.run("gen --all").ended(1);
    for (id, line) in [("missing", 2), ("file", 3)] {
        assert!(
            run.stderr.contains(&format!("error[E0307]: `fleet.yaml` lists the agent `{id}`, but its ")),
            "{run:?}"
        );
        assert!(run.stderr.contains(&format!("--> fleet.yaml:{line}:")), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_in_the_output_folder() {
    let fleet = Fleet::new(&["a"]);
    fleet.run("--peer a --out elsewhere").ended(0);
    let stale = fleet.read("elsewhere/a.ts") + "stale\n";
    fleet.write("elsewhere/a.ts", &stale);
    fs::create_dir(fleet.path("generated")).unwrap();
    std::os::unix::fs::symlink(fleet.path("elsewhere/a.ts"), fleet.path("generated/a.ts")).unwrap();
    fleet.run("--peer a").ended(0);
    assert_eq!(fleet.read("elsewhere/a.ts"), stale);
    assert!(fleet.path("generated/a.ts").symlink_metadata().unwrap().is_file());
}
