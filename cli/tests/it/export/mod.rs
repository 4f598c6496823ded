//! `capgen export`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Fleet, Run, loose};
use serde_json::{Value, json};

fn document(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap()
}

fn fleet() -> Fleet {
    Fleet::new(&["pr-reviewer"])
}

#[test]
fn tools_are_printed() {
    let run = fleet().run("export mcp --peer pr-reviewer").ended(0);
    let tool = &document(&run)["tools"][0];
    assert_eq!(tool["name"], "review-pr");
    assert_eq!(tool["inputSchema"]["required"], json!(["prUrl", "severity"]));
    assert_eq!(tool["_meta"]["io.github.capgen/contract"]["since"], "1.1.0");
    assert_eq!(run.stderr, "");
}

#[test]
fn tools_for_strict_clients_have_no_unions_at_the_root() {
    let fleet = fleet();
    let schema = "{ type: object, anyOf: [{ required: [a] }, { required: [b] }] }";
    fleet.write("a.yaml", &loose("a").replace("{ name: ping }", &format!("{{ name: ping, inputSchema: {schema} }}")));
    let run = fleet.run("export mcp --capabilities a.yaml --strict-clients").ended(0);
    let tool = &document(&run)["tools"][0];
    assert_eq!(tool["inputSchema"], json!({"type": "object", "properties": {}}));
    assert_eq!(
        tool["_meta"]["io.github.capgen/contract"]["schemas"]["request"]["anyOf"][1],
        json!({"required": ["b"]})
    );
    assert!(run.stderr.contains("ping, request, /anyOf: hosts reject unions here"), "{run:?}");
    fleet.write("tools.json", &run.stdout);
    let imported = fleet.run("import mcp tools.json").ended(0);
    assert!(imported.stdout.contains("anyOf"), "{imported:?}");
}

#[test]
fn tools_for_all_versions_are_printed_if_they_are_asked_for() {
    let fleet = fleet();
    let versions = "{ name: ping, version: 2.0.0 }, { name: ping, version: 1.4.0 }, { name: ping, version: 1.5.0 }";
    let write = |others: &str| {
        fleet.write("a.yaml", &loose("a").replace("{ name: ping }", &format!("{versions}{others}")));
    };
    let names = |run: &Run| -> Vec<String> {
        let tools = document(run)["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    write("");
    assert_eq!(names(&fleet.run("export mcp --capabilities a.yaml").ended(0)), ["ping"]);
    let run = fleet.run("export mcp --capabilities a.yaml --all-versions").ended(0);
    assert_eq!(names(&run), ["ping", "ping_v1_4", "ping_v1_5"]);
    assert_eq!(run.stderr, "");
    // A name that another tool has is not given twice.
    write(", { name: ping_v1_4 }");
    let run = fleet.run("export mcp --capabilities a.yaml --all-versions").ended(0);
    assert_eq!(names(&run), ["ping", "ping_v1_5", "ping_v1_4"]);
    assert!(run.stderr.contains("ping@1.4.0: left out: the name of its tool is that of another one"), "{run:?}");
}

#[test]
fn an_operation_for_each_capability_is_printed() {
    let document = document(&fleet().run("export openapi --peer pr-reviewer").ended(0));
    let operation = &document["paths"]["/capabilities/review-pr"]["post"];
    assert_eq!(operation["operationId"], "review-pr");
    assert!(operation["responses"]["default"]["content"]["application/problem+json"].is_object());
}

#[test]
fn a_card_needs_a_url() {
    fleet().run("export a2a --peer pr-reviewer").ended(2);
    let card = document(&fleet().run("export a2a --peer pr-reviewer --url https://example.com/a2a").ended(0));
    assert_eq!(card["supportedInterfaces"][0]["url"], "https://example.com/a2a");
    let params = &card["capabilities"]["extensions"][0]["params"];
    assert_eq!(params["capabilities"]["review-pr"]["timeoutMs"], 60000);
}

#[test]
fn losses_are_listed_as_text_and_as_data() {
    let fleet = fleet();
    let schema = "{ type: object, properties: { q: { type: string, minLength: 1 } } }";
    fleet.write("a.yaml", &loose("a").replace("{ name: ping }", &format!("{{ name: ping, inputSchema: {schema} }}")));
    let run = fleet.run("export openai --capabilities a.yaml").ended(0);
    assert_eq!(document(&run)[0]["parameters"]["properties"]["q"]["type"], json!(["string", "null"]));
    assert!(run.stderr.contains("ping, request, /properties/q/minLength: dropped"), "{run:?}");
    assert!(run.stderr.ends_with("1 part of the contract differs in the document\n"), "{run:?}");
    let data = document(&fleet.run("export openai --capabilities a.yaml --json --chat").ended(0));
    assert_eq!(data["document"][0]["function"]["name"], "ping");
    assert_eq!(data["losses"][0]["pointer"], "/properties/q/minLength");
}

#[test]
fn a_folder_of_schemas_is_written_and_updated() {
    let fleet = fleet();
    let export = "export json-schema --peer pr-reviewer --out schemas/reviewer";
    assert!(fleet.run(export).ended(0).stderr.contains("wrote 3 of 3 files"));
    let schema: Value = serde_json::from_str(&fleet.read("schemas/reviewer/review-pr.request.schema.json")).unwrap();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert!(fleet.run(export).ended(0).stderr.contains("wrote 0 of 3 files"));
    fleet.write("other.yaml", &loose("pr-reviewer"));
    fleet.write("schemas/reviewer/notes.txt", "mine");
    fleet.run("export json-schema --capabilities other.yaml --out schemas/reviewer").ended(0);
    assert!(!fleet.path("schemas/reviewer/review-pr.request.schema.json").exists());
    assert_eq!(fleet.read("schemas/reviewer/notes.txt"), "mine");
}

#[test]
fn files_of_others_are_kept() {
    let fleet = fleet();
    fleet.write("src/contract.json", "{}");
    fleet.write("texts/a.txt", "");
    for folder in ["src", "texts"] {
        let run = fleet.run(&format!("export json-schema --peer pr-reviewer --out {folder}")).ended(1);
        assert!(run.stderr.contains("E0921"), "{run:?}");
    }
    assert_eq!(fleet.read("src/contract.json"), "{}");
    let run = fleet.run("export json-schema --peer pr-reviewer --out texts/a.txt").ended(1);
    assert!(run.stderr.contains("E0922"), "{run:?}");
}

#[test]
fn a_contract_that_names_files_elsewhere_deletes_nothing() {
    let fleet = fleet();
    fleet.write("a.schema.json", "{}");
    let contract = r#"{"capgenContract": 1, "capabilities": [{"inputSchema": {"file": "../a.schema.json"}}, {"outputSchema": {"file": "/etc/x.schema.json"}}]}"#;
    fleet.write("out/contract.json", contract);
    fleet.run("export json-schema --peer pr-reviewer --out out").ended(0);
    assert_eq!(fleet.read("a.schema.json"), "{}");
}

#[test]
fn documents_are_imported_as_the_same_contract() {
    let fleet = fleet();
    for (format, options) in [("mcp", ""), ("openapi", ""), ("a2a", "--url https://example.com/a2a")] {
        let file = format!("{format}.json");
        fleet.write(&file, &fleet.run(&format!("export {format} --peer pr-reviewer {options}")).ended(0).stdout);
        let run = fleet.run(&format!("import {format} {file} --agent pr-reviewer --out {format}.yaml"));
        let run = run.ended(0);
        assert!(run.stderr.contains("1 capability"), "{run:?}");
        let document =
            document(&fleet.run(&format!("gen --capabilities {format}.yaml --json --out {format}")).ended(0));
        let expected = self::document(&fleet.run("gen --peer pr-reviewer --json").ended(0));
        assert_eq!(document["peers"][0]["hash"], expected["peers"][0]["hash"], "{format}");
    }
    let document = "openapi: 3.1.0\npaths: { /a: { get: { responses: { '204': { description: none } } } } }\n";
    let run = fleet.run_with("import openapi -", document).ended(2);
    assert!(run.stderr.contains("--agent"), "{run:?}");
}

#[test]
fn schemas_for_editors_need_no_contract() {
    let fleet = Fleet::new(&[]);
    for (arguments, title) in
        [("", "capabilities.yaml"), (" capabilities", "capabilities.yaml"), (" fleet", "fleet.yaml")]
    {
        let run = fleet.run(&format!("export manifest-schema{arguments}")).ended(0);
        assert_eq!((document(&run)["title"].as_str(), run.stderr.as_str()), (Some(title), ""));
    }
    fleet.run("export manifest-schema peers").ended(2);
}
