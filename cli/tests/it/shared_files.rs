//! The file of a folder with the code that its files share.

use std::fs;

use crate::common::{Fleet, loose};
use serde_json::json;

#[test]
fn the_files_of_a_folder_share_one_file() {
    let fleet = Fleet::new(&["a", "b"]);
    fleet.run("gen --all --lang ts,js,mjs,cjs").ended(0);
    let shared = ["cjs", "d.cts", "d.mts", "d.ts", "js", "mjs", "ts"].map(|extension| format!("_capgen.{extension}"));
    let names = fleet.names("generated");
    assert_eq!(
        names.iter().filter(|name| name.starts_with('_')).collect::<Vec<_>>(),
        shared.iter().collect::<Vec<_>>()
    );
    // It does not depend on the agents, the options and the folder.
    fleet.run("gen --peer b --calls --import-extension ts --standard-schema=false --lang ts --out web/src").ended(0);
    assert_eq!(fleet.read("web/src/_capgen.ts"), fleet.read("generated/_capgen.ts"));
    assert!(fleet.read("web/src/b.ts").contains("} from \"./_capgen.ts\";"));
    fleet.run("gen --all --lang ts,js,mjs,cjs --check").ended(0);
    fleet.run("gen --peer a --lang rust --out rust").ended(0);
    assert_eq!(fleet.names("rust"), ["a.rs"]);
}

#[test]
fn a_check_reports_a_shared_file_that_is_missing_or_out_of_date() {
    let fleet = Fleet::new(&["a"]);
    fleet.run("gen --all").ended(0);
    let text = fleet.read("generated/_capgen.ts");
    fs::remove_file(fleet.path("generated/_capgen.ts")).unwrap();
    let run = fleet.run("gen --all --check --json").ended(1);
    let status = |name: &str, status: &str| json!({ "path": format!("generated/{name}"), "status": status });
    assert_eq!(run.json()["shared"], json!([status("_capgen.ts", "missing"), status("index.ts", "unchanged")]));
    assert!(run.stderr.contains("`generated/_capgen.ts` is missing"), "{run:?}");
    // As another version of capgen writes it.
    fleet.write("generated/_capgen.ts", &text.replace("export function parse(", "export function parseAll("));
    let run = fleet.run("gen --all --check --diff").ended(1);
    assert!(run.stderr.contains("`generated/_capgen.ts` is out of date"), "{run:?}");
    assert!(run.stderr.contains("the file is the same for every contract"), "{run:?}");
    assert!(
        run.stdout.contains("+++ b/generated/_capgen.ts\n") && run.stdout.contains("\n+export function parse("),
        "{run:?}"
    );
    let run = fleet.run("gen --all").ended(0);
    assert!(run.stderr.contains("✓ wrote generated/_capgen.ts (shared code)"), "{run:?}");
    assert_eq!(fleet.read("generated/_capgen.ts"), text);
}

#[test]
fn a_shared_file_that_capgen_did_not_write_stays() {
    let fleet = Fleet::new(&["a"]);
    fleet.write("generated/_capgen.ts", "export const mine = 1;\n");
    let run = fleet.run("gen --all").ended(1);
    assert!(run.stderr.contains("error[E0403]") && run.stderr.contains("_capgen.ts"), "{run:?}");
    assert_eq!(fleet.names("generated"), ["_capgen.ts"]);
    assert_eq!(fleet.read("generated/_capgen.ts"), "export const mine = 1;\n");
    // Without the import, the name is free.
    fleet.run("gen --all --single-file").ended(0);
    fleet.run("gen --all --single-file --check").ended(0);
    fs::remove_file(fleet.path("generated/_capgen.ts")).unwrap();
    fleet.write("generated/_CAPGEN.ts", "\n");
    assert!(fleet.run("gen --all").ended(1).stderr.contains("error[E0401]"));
}

#[test]
fn a_shared_file_is_an_orphan_if_no_file_imports_it() {
    let fleet = Fleet::new(&["a", "b"]);
    fleet.run("gen --all --lang ts,js").ended(0);
    let orphans = |arguments: &str, status: i32| {
        let document = fleet.run(&format!("gen {arguments} --check --json")).ended(status).json();
        document["orphans"].clone()
    };
    fleet.run("gen --peer a --lang ts --single-file").ended(0);
    // The file of `b` imports it.
    assert_eq!(orphans("--peer a --lang ts --single-file", 0), json!([]));
    fleet.run("gen --peer b --lang ts --single-file").ended(0);
    assert_eq!(orphans("--all --lang ts --single-file", 1), json!(["generated/_capgen.ts"]));
    let run = fleet.run("gen --all --lang ts --single-file --check").ended(1);
    assert!(
        run.stderr.contains("`generated/_capgen.ts` is generated, but no other generated file imports it"),
        "{run:?}"
    );
    // JavaScript has its own.
    assert_eq!(orphans("--all --lang js", 1), json!(["generated/_capgen.ts"]));
    fs::remove_file(fleet.path("generated/_capgen.ts")).unwrap();
    assert_eq!(orphans("--all --lang js", 0), json!([]));
    // The files of a removed agent are orphans themselves.
    fs::remove_dir_all(fleet.path("agents/a")).unwrap();
    fs::remove_dir_all(fleet.path("agents/b")).unwrap();
    fleet.write("agents/c/capabilities.yaml", &loose("c"));
    fleet.run("gen --all --lang rust").ended(0);
    let agents = ["a.d.ts", "a.js", "a.ts", "b.d.ts", "b.js", "b.ts"];
    let all = [&["_capgen.d.ts", "_capgen.js"][..], &agents, &["index.d.ts", "index.js", "index.ts"]].concat();
    let paths: Vec<String> = all.iter().map(|name| format!("generated/{name}")).collect();
    assert_eq!(orphans("--all --lang rust", 1), json!(paths));
}

#[test]
fn the_form_of_files_is_an_option_of_the_fleet_too() {
    let fleet = Fleet::new(&[]);
    fleet.write("agents/a/capabilities.yaml", &loose("a"));
    let write = |options: &str| {
        fleet.write(
            "fleet.yaml",
            &format!("version: 1\nagents: [{{ id: a, path: agents/a }}]\ngenerate: {{ {options} }}\n"),
        );
    };
    let import = |arguments: &str| {
        fleet.run(&format!("gen --peer a --lang ts {arguments}")).ended(0);
        let text = fleet.read("generated/a.ts");
        text.split_once("} from \"").map(|(_, rest)| rest.split_once('"').unwrap().0.to_owned())
    };
    write("importExtension: ts");
    assert_eq!(import(""), Some("./_capgen.ts".to_owned()));
    assert_eq!(import("--import-extension none"), Some("./_capgen".to_owned()));
    write("singleFile: true");
    assert_eq!(import(""), None);
    assert_eq!(import("--single-file=false"), Some("./_capgen.js".to_owned()));
    write("importExtension: mts");
    let run = fleet.run("gen --peer a").ended(1);
    assert!(run.stderr.contains("error[E0211]") && run.stderr.contains("`importExtension`"), "{run:?}");
    let run = fleet.run("gen --capabilities agents/a/capabilities.yaml --import-extension mts").ended(2);
    assert!(run.stderr.contains("the values are `js`, `ts`, `none`"), "{run:?}");
}

#[test]
fn files_that_a_changed_shared_file_leaves_behind_are_reported() {
    let fleet = Fleet::new(&["a", "b", "c"]);
    fleet.run("gen --all --lang ts,js").ended(0);
    fleet.run("gen --peer c --lang ts --single-file").ended(0);
    // As another version of capgen writes it.
    let old = fleet.read("generated/_capgen.ts").replace("export function parse(", "export function parseAll(");
    fleet.write("generated/_capgen.ts", &old);
    fleet.write("generated/notes.ts", "import './_capgen.js';\n");
    for (arguments, status) in
        [("gen --peer a --lang ts --check", 1), ("gen --peer a --lang ts --diff", 0), ("gen --peer a --lang ts", 0)]
    {
        let run = fleet.run(arguments).ended(status);
        let expected = "warning[W0402]: `generated/b.ts` imports `_capgen.ts`, which changes or is missing, but is not generated again";
        assert!(run.stderr.contains(expected) && run.stderr.matches("W0402").count() == 1, "{run:?}");
    }
    let run = fleet.run("gen --peer a --lang ts").ended(0);
    assert!(!run.stderr.contains("W0402"), "{run:?}");
    fs::remove_file(fleet.path("generated/_capgen.ts")).unwrap();
    assert!(fleet.run("gen --peer a --lang ts").ended(0).stderr.contains("W0402"));
    fleet.write("generated/_capgen.ts", &old);
    assert!(!fleet.run("gen --all --lang ts").ended(0).stderr.contains("W0402"));
}
