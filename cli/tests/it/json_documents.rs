//! The JSON documents of subcommands for programs, of results and of invalid input.

use serde_json::{Value, json};

use crate::common::Fleet;

#[test]
fn invalid_input_is_a_document_with_errors_alone() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("broken.yaml", "version: 1\n");
    let unknown = "--peer pr-reviewer --capability other";
    for (command, code) in [
        (format!("validate {unknown} --side request --json"), "E0502"),
        (format!("validate {unknown} --side request --json --lines"), "E0502"),
        (format!("example {unknown} --json"), "E0502"),
        ("export mcp --capabilities broken.yaml --json".to_owned(), "E0202"),
        ("export json-schema --capabilities broken.yaml --out schemas --json".to_owned(), "E0202"),
        ("diff --capabilities broken.yaml --against broken.yaml --format json".to_owned(), "E0202"),
    ] {
        let run = fleet.run(&command).ended(1);
        let document = run.json();
        assert_eq!(document.as_object().map(serde_json::Map::len), Some(1), "{command}: {document}");
        assert_eq!(document["errors"][0]["code"], code, "{command}: {document}");
        assert!(run.stderr.contains(&format!("error[{code}]")), "{command}: {run:?}");
    }
    // The payloads of a file are data for other programs: without the option, there is no document among them.
    assert_eq!(fleet.run(&format!("example {unknown}")).ended(1).stdout, "");
}

#[test]
fn examples_are_one_document() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    let command = "example --peer pr-reviewer --capability review-pr --count 2";
    let lines: Vec<Value> =
        fleet.run(command).ended(0).stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(fleet.run(&format!("{command} --json")).ended(0).json(), json!({ "payloads": lines }));
    let invalid = fleet.run(&format!("{command} --invalid --json")).ended(0).json();
    assert_eq!(invalid["payloads"][0]["expected"], json!({ "path": "", "keyword": "type" }));
}

#[test]
fn exported_files_are_listed_with_their_status() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    let command = "export json-schema --peer pr-reviewer --out schemas --json";
    let files = |status: &str| {
        let names = ["contract.json", "review-pr.request.schema.json", "review-pr.response.schema.json"];
        let files: Vec<Value> =
            names.iter().map(|name| json!({ "path": format!("schemas/{name}"), "status": status })).collect();
        json!({ "files": files })
    };
    assert_eq!(fleet.run(command).ended(0).json(), files("written"));
    assert_eq!(fleet.run(command).ended(0).json(), files("unchanged"));
}
