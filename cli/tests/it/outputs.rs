//! `capgen gen` without a selection: the outputs in `fleet.yaml`.

use std::fs;

use crate::common::{Fleet, loose};

/// Three packages that call six agents, in one repository.
const CONFIGURATION: &str = "version: 1
agents:
  - { id: a, path: services/a }
generate:
  calls: true
  outputs:
    - { peers: all, lang: [rust], out: crates/client/src/contracts, mergeNullable: true }
    - { peers: [b, pr-reviewer], lang: [ts], out: web/src/contracts, calls: false, importExtension: ts }
    - { capabilities: [vendor/x.yaml], lang: [js], out: tools/contracts }
";

fn fleet() -> Fleet {
    let fleet = Fleet::new(&["b", "c", "d", "e", "pr-reviewer"]);
    fleet.write("services/a/capabilities.yaml", &loose("a"));
    fleet.write("vendor/x.yaml", &loose("x"));
    fleet.write("fleet.yaml", CONFIGURATION);
    fleet
}

#[test]
fn one_command_generates_and_checks_all_outputs() {
    let fleet = fleet();
    fleet.run("gen").ended(0);
    assert_eq!(fleet.names("crates/client/src/contracts"), ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs", "pr-reviewer.rs"]);
    assert_eq!(fleet.names("web/src/contracts"), ["_capgen.ts", "b.ts", "index.ts", "pr-reviewer.ts"]);
    assert_eq!(
        fleet.names("tools/contracts"),
        ["_capgen.d.ts", "_capgen.js", "index.d.ts", "index.js", "x.d.ts", "x.js"]
    );
    let typescript = fleet.read("web/src/contracts/b.ts");
    assert!(typescript.contains("\"./_capgen.ts\"") && !typescript.contains("createBClient"), "{typescript}");
    assert!(fleet.read("tools/contracts/x.js").contains("createXClient"));
    fleet.run("gen --check").ended(0);
    fleet.write("web/src/contracts/b.ts", &typescript.replace("const", "let"));
    fs::remove_file(fleet.path("crates/client/src/contracts/c.rs")).unwrap();
    let run = fleet.run("gen --check").ended(1);
    assert!(run.stderr.contains("`web/src/contracts/b.ts` is out of date"), "{run:?}");
    assert!(run.stderr.contains("c.rs` is missing") && run.stderr.contains("run `capgen gen` in"), "{run:?}");
}

#[test]
fn the_files_are_those_of_the_commands_with_options() {
    let fleet = fleet();
    fleet.run("gen").ended(0);
    for arguments in [
        "gen --all --lang rust --out crates/client/src/contracts --merge-nullable",
        "gen --peer b --peer pr-reviewer --lang ts --out web/src/contracts --calls=false --import-extension ts",
        "gen --capabilities vendor/x.yaml --lang js --out tools/contracts --calls",
    ] {
        let run = fleet.run(&format!("{arguments} --check --diff"));
        assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{arguments}: {run:?}");
    }
}

#[test]
fn paths_begin_at_fleet_yaml_whatever_the_current_folder() {
    let fleet = fleet();
    fs::create_dir_all(fleet.path("web/src")).unwrap();
    let run = fleet.run_in("web/src", "gen");
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(fleet.names("web/src/contracts"), ["_capgen.ts", "b.ts", "index.ts", "pr-reviewer.ts"]);
    fleet.run("gen --check").ended(0);
    fleet.run("gen --check --root .").ended(0);
}

#[test]
fn a_package_without_a_fleet_has_outputs() {
    let fleet = Fleet::new(&[]);
    fleet.write("vendor/x.yaml", &loose("x"));
    fleet.write(
        "packages/web/fleet.yaml",
        "generate:\n  outputs:\n    - { capabilities: [../../vendor/x.yaml], lang: [ts], out: gen }\n",
    );
    assert_eq!(fleet.run_in("packages/web", "gen").status, 0);
    assert_eq!(fleet.names("packages/web/gen"), ["_capgen.ts", "index.ts", "x.ts"]);
    assert_eq!(fleet.run_in("packages/web", "gen --check").status, 0);
}

#[test]
fn two_outputs_may_share_a_folder() {
    let fleet = Fleet::new(&["a", "b"]);
    fleet.write("tools.json", r#"{"server": "files", "tools": [{"name": "read", "inputSchema": {"type": "object"}}]}"#);
    fleet.write(
        "fleet.yaml",
        "agents: []\ngenerate:\n  outputs:\n    - { peers: all, lang: [ts], out: gen }\n    - { peers: [a], lang: [rust], out: gen }\n    \
         - { mcp: [{ file: tools.json, agent: t }], lang: [ts], out: gen }\n",
    );
    fleet.run("gen").ended(0);
    assert_eq!(fleet.names("gen"), ["_capgen.ts", "a.rs", "a.ts", "b.ts", "index.ts", "t.ts"]);
    // One index has the agents of all outputs.
    let index = fleet.read("gen/index.ts");
    let exports: Vec<&str> = index.lines().filter(|line| line.starts_with("export ")).collect();
    assert_eq!(exports, ["a", "b", "t"].map(|id| format!("export * as {id} from \"./{id}.js\";")));
    fleet.run("gen --check").ended(0);
    fleet.write("gen/gone.ts", &fleet.read("gen/a.ts").replace("agent://a", "agent://gone"));
    let run = fleet.run("gen --check").ended(1);
    assert!(run.stderr.contains("agent `gone` no longer exists") && !run.stderr.contains("`t`"), "{run:?}");
}

#[test]
fn outputs_that_write_one_file_are_an_error_and_nothing_is_written() {
    let fleet = Fleet::new(&["a", "b"]);
    let outputs = "- { peers: [a], out: gen }\n    - { peers: all, lang: [ts], out: gen }";
    fleet.write("fleet.yaml", &format!("agents: []\ngenerate:\n  outputs:\n    {outputs}\n"));
    let run = fleet.run("gen").ended(1);
    assert!(
        run.stderr.contains("`gen/a.ts` is in two outputs for this folder") && run.stderr.contains("E0401"),
        "{run:?}"
    );
    assert!(!fleet.path("gen").exists());
}

#[test]
fn all_errors_of_the_outputs_are_reported_with_their_places() {
    let fleet = Fleet::new(&["a"]);
    fleet.write(
        "fleet.yaml",
        "agents: []\ngenerate:\n  outputs:\n    - { lang: [rust], out: one }\n    - { peers: a, out: /tmp/two }\n    - { peers: all }\n    \
         - { peers: all, out: four, merge: true }\n",
    );
    let run = fleet.run("gen").ended(1);
    for expected in [
        "an output without contracts",
        "write `peers: [a]`",
        "`out` must be relative",
        "missing key `out` in an output",
        "unknown key `merge` in an output",
        "fleet.yaml:5:",
    ] {
        assert!(run.stderr.contains(expected), "{expected}: {run:?}");
    }
    fleet.write(
        "fleet.yaml",
        "agents: []\ngenerate:\n  outputs:\n    - { peers: all, lang: [typescrpt, rust], out: one }\n",
    );
    let run = fleet.run("gen").ended(1);
    assert!(run.stderr.contains("did you mean `typescript`?") && run.stderr.contains("fleet.yaml:4:28"), "{run:?}");
}

#[test]
fn options_of_outputs_need_a_selection_on_the_command_line() {
    let fleet = fleet();
    let run = fleet.run("gen --lang rust").ended(2);
    assert!(run.stderr.contains("`--lang` needs a selection"), "{run:?}");
    let run = Fleet::new(&["a"]).run("gen").ended(2);
    assert!(run.stderr.contains("or list `outputs` below `generate` in fleet.yaml"), "{run:?}");
}

#[test]
fn the_summary_and_the_diff_have_all_outputs() {
    let fleet = fleet();
    let run = fleet.run("gen --diff").ended(0);
    assert!(
        run.stdout.contains("+++ b/web/src/contracts/b.ts") && run.stdout.contains("+++ b/tools/contracts/x.js"),
        "{run:?}"
    );
    let summary: serde_json::Value = serde_json::from_str(&fleet.run("gen --json").ended(0).stdout).unwrap();
    assert_eq!(summary["peers"].as_array().map(Vec::len), Some(9), "{summary}");
    assert_eq!(summary["shared"].as_array().map(Vec::len), Some(6), "{summary}");
}
