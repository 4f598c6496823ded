//! The index of a folder, which exports the generated files of its agents.

use std::fs;

use crate::common::{Fleet, loose};
use serde_json::json;

/// The lines of an index after its header.
fn exports(fleet: &Fleet, file: &str) -> Vec<String> {
    let text = fleet.read(file);
    text.lines().filter(|line| line.starts_with("export")).map(str::to_owned).collect()
}

#[test]
fn each_form_of_files_has_an_index_of_all_agents() {
    let fleet = Fleet::new(&["b", "pr-reviewer"]);
    fleet.run("gen --all --lang ts,js,mjs,cjs").ended(0);
    for (file, extension) in
        [("index.ts", "js"), ("index.js", "js"), ("index.d.ts", "js"), ("index.mjs", "mjs"), ("index.d.mts", "mjs")]
    {
        let expected = [("b", "b"), ("prReviewer", "pr-reviewer")]
            .map(|(name, id)| format!("export * as {name} from \"./{id}.{extension}\";"));
        assert_eq!(exports(&fleet, &format!("generated/{file}")), expected, "{file}");
    }
    assert_eq!(exports(&fleet, "generated/index.d.cts")[1], "export * as prReviewer from \"./pr-reviewer.cjs\";");
    let common = fleet.read("generated/index.cjs");
    assert!(common.ends_with("\"use strict\";\n\nexports.b = require(\"./b.cjs\");\nexports.prReviewer = require(\"./pr-reviewer.cjs\");\n"), "{common}");
    fleet.run("gen --all --lang ts,js,mjs,cjs --check").ended(0);
    // Rust has modules of its own.
    fleet.run("gen --all --lang rust --out rust").ended(0);
    assert_eq!(fleet.names("rust"), ["b.rs", "pr-reviewer.rs"]);
    // The option for imports is also that of the index, and files without shared code have an index, too.
    fleet.run("gen --all --lang ts --import-extension ts --single-file --out single").ended(0);
    assert_eq!(fleet.names("single"), ["b.ts", "index.ts", "pr-reviewer.ts"]);
    assert_eq!(exports(&fleet, "single/index.ts")[0], "export * as b from \"./b.ts\";");
}

#[test]
fn a_run_for_one_agent_keeps_the_others_of_the_folder() {
    let fleet = Fleet::new(&["a", "b"]);
    fleet.run("gen --peer b --lang ts").ended(0);
    fleet.run("gen --peer a --lang ts").ended(0);
    assert_eq!(exports(&fleet, "generated/index.ts").len(), 2);
    fleet.run("gen --peer b --lang ts --check").ended(0);
    fleet.run("gen --all --lang ts --check").ended(0);
    // Other files of the folder are not agents.
    fleet.write("generated/mine.ts", "export const mine = 1;\n");
    fleet.run("gen --all --lang js").ended(0);
    fleet.run("gen --peer b --lang ts --check").ended(0);
    assert_eq!(exports(&fleet, "generated/index.ts").len(), 2);
    // The file of an agent that no longer exists is an orphan, and in the index until it is deleted.
    fs::remove_dir_all(fleet.path("agents/a")).unwrap();
    for file in ["a.ts", "a.js", "a.d.ts"] {
        fs::remove_file(fleet.path(&format!("generated/{file}"))).unwrap();
    }
    let run = fleet.run("gen --all --lang ts,js --check").ended(1);
    assert!(run.stderr.contains("`generated/index.ts` is out of date") && run.stderr.contains("index.d.ts"), "{run:?}");
    fleet.run("gen --all --lang ts,js").ended(0);
    assert_eq!(exports(&fleet, "generated/index.ts"), ["export * as b from \"./b.js\";"]);
}

#[test]
fn a_check_covers_the_index() {
    let fleet = Fleet::new(&["a"]);
    fleet.run("gen --all --lang ts").ended(0);
    let text = fleet.read("generated/index.ts");
    fleet.write("generated/index.ts", &text.replace(" as a ", " as other "));
    let run = fleet.run("gen --all --lang ts --check --diff").ended(1);
    assert!(run.stderr.contains("`generated/index.ts` is out of date"), "{run:?}");
    assert!(
        run.stdout.contains("+++ b/generated/index.ts\n") && run.stdout.contains("\n+export * as a from"),
        "{run:?}"
    );
    fs::remove_file(fleet.path("generated/index.ts")).unwrap();
    let run = fleet.run("gen --all --lang ts --check --json").ended(1);
    let shared = |name: &str, status: &str| json!({ "path": format!("generated/{name}"), "status": status });
    assert_eq!(run.json()["shared"], json!([shared("_capgen.ts", "unchanged"), shared("index.ts", "missing")]));
    fleet.run("gen --all --lang ts").ended(0);
    assert_eq!(fleet.read("generated/index.ts"), text);
    // Without a file to export, it is an orphan.
    fs::remove_file(fleet.path("generated/a.ts")).unwrap();
    fs::remove_file(fleet.path("generated/_capgen.ts")).unwrap();
    let run = fleet.run("gen --all --lang rust --check --json").ended(1);
    assert_eq!(run.json()["orphans"], json!(["generated/index.ts"]));
    assert!(run.stderr.contains("`generated/index.ts` is generated, but exports no generated file"), "{run:?}");
}

#[test]
fn an_agent_cannot_have_the_name_of_the_index() {
    for id in ["index", "Index"] {
        let fleet = Fleet::new(&[]);
        fleet.write(&format!("agents/{id}/capabilities.yaml"), &loose(id));
        let run = fleet.run("gen --all --lang ts --out web").ended(1);
        for part in
            ["error[E0401]", "`index.ts`", &format!("`{id}.ts`"), "`--out`", &format!("agents/{id}/capabilities.yaml")]
        {
            assert!(run.stderr.contains(part), "{part}: {run:?}");
        }
        assert!(!fleet.path("web").exists());
        fleet.run("gen --all --lang rust --out rust").ended(0);
        assert_eq!(fleet.names("rust"), [format!("{id}.rs")]);
    }
    // The TypeScript of `index.d` has the name of the declarations of the index in JavaScript.
    let fleet = Fleet::new(&["a"]);
    fleet.write("agents/index.d/capabilities.yaml", &loose("index.d"));
    fleet.run("gen --peer index.d --lang ts").ended(0);
    let run = fleet.run("gen --peer a --lang js").ended(1);
    assert!(run.stderr.contains("error[E0401]") && run.stderr.contains("`generated/index.d.ts`"), "{run:?}");
    assert!(fleet.run("gen --all --lang ts,js --out both").ended(1).stderr.contains("error[E0401]"));
}

#[test]
fn an_index_that_capgen_did_not_write_stays() {
    let fleet = Fleet::new(&["a"]);
    fleet.write("src/index.ts", "export const mine = 1;\n");
    fleet.run("gen --all --lang ts --out src").ended(0);
    assert_eq!(fleet.names("src"), ["_capgen.ts", "a.ts", "index.ts"]);
    assert_eq!(fleet.read("src/index.ts"), "export const mine = 1;\n");
    fleet.run("gen --all --lang ts --out src --check").ended(0);
}

#[test]
fn file_names_of_the_folder_are_no_code_of_an_index() {
    let fleet = Fleet::new(&["a"]);
    let id = "x.mjs\"; console.log(\"here\"); \"";
    let text = format!("/* @generated by capgen. DO NOT EDIT.\n * @noformat\n */\n// Source: agent://{id}\n");
    fleet.write(&format!("generated/{id}.mjs"), &text);
    fleet.write(&format!("generated/{id}.ts"), &text);
    fleet.run("gen --all --lang ts,mjs").ended(0);
    for (file, extension) in [("index.ts", "js"), ("index.mjs", "mjs")] {
        assert_eq!(exports(&fleet, &format!("generated/{file}")), [format!("export * as a from \"./a.{extension}\";")]);
    }
}
