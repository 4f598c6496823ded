//! Ajv gives the same verdicts as the interpreter, by the JSON Schemas that programs and other protocols get: those of
//! generated objects, in 2020-12 and draft-07, and those of MCP tools, OpenAPI operations, A2A skills and files of JSON
//! Schema.

#[path = "../../../contract/schema/tests/it/support/mod.rs"]
mod support;

use capgen_codegen::Language;
use capgen_interop::{McpOptions, a2a, json_schema, mcp, openapi};
use capgen_manifest::{Side, load, read_source};
use capgen_schema::{ExampleSettings, Json, Schema, Steps, Validator, counterexamples, examples, normalise};
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::corpus::{self, elements, member};
use capgen_tests::{folder, node};
use serde_json::{Value, json};

/// Known wrong verdicts of Ajv, in each form of the schema: the schema, the payload, and the defect in
/// `docs/agreement.md`.
const DEFECTS: &[(&str, &str, &str)] = &[
    ("multiples order", r#"{"exact":1,"pieces":0,"price":0}"#, "rounded-quotients"),
    ("odd-names 2nd_try-of-it", r#"{"__proto__":null,"class":"","index":"a"}"#, "ignored-proto"),
    ("tagged-union-with-siblings notify", r#"{"channel":"email","id":"","to":"a@a"}"#, "domain-of-one-label"),
    (
        "externally-tagged draw",
        r#"{"contact":{"born":"","mail":"a@a","name":""},"either":{"left":"","note":""},"mode":"Auto","state":"Queued"}"#,
        "domain-of-one-label",
    ),
    (
        "property-names label",
        r#"{"all-valid":{"a":"","b":""},"any":null,"anything":{},"closed":{"a":"","b":""},"counts":{"aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa":0},"either":{},"everything":{"a@a":0},"excluded":{"aa":null},"kept":{"a":0,"id":""},"list":[{".":null}],"locales":{"aa":"a"},"merged":{"a":""},"open":{},"optional":null,"record":{"id":""},"several":{"az":""},"tree":{"a":{}}}"#,
        "domain-of-one-label",
    ),
    ("h_fmt_uri", r#"{"s":"a:"}"#, "empty-path"),
    ("h_int_big_max", r#"{"v":18446744073709551616}"#, "rounded-numbers"),
    (
        "h_mcp_result",
        r#"{"content":[{"text":"","type":"text"},{"data":"","mimeType":"","type":"image"},{"resource":{"text":"","uri":"a:"},"type":"resource"}],"isError":false}"#,
        "empty-path",
    ),
    ("h_mcp_result", r#"{"content":[{"resource":{"blob":"","uri":"a:"},"type":"resource"}]}"#, "empty-path"),
    ("everything gzip-file-as-resource", r#"{"data":"a:","name":"","outputType":"resourceLink"}"#, "empty-path"),
    (
        "draft7/properties.json: properties whose names are Javascript object property names",
        r#"{ "__proto__": "foo" }"#,
        "ignored-proto",
    ),
];

/// A schema of the subset, and JSON texts of payloads.
struct Case {
    name: String,
    schema: String,
    payloads: Vec<String>,
}

impl Case {
    /// A schema with payloads that show its parts, and others that violate each of its assertions; `None` if it is not
    /// in the subset, even after normalising it.
    fn explored(name: &str, text: &str) -> Option<Self> {
        let source: Json = text.parse().unwrap();
        let source = if Schema::parse(&source).is_ok() { source } else { normalise(&source).ok()? };
        let schema = Schema::parse(&source).ok()?;
        let settings = ExampleSettings { steps: Steps(50_000), ..ExampleSettings::default() };
        let mut payloads: Vec<String> =
            examples(&schema, settings).unwrap_or_default().iter().map(Json::canonical).take(64).collect();
        payloads.extend(counterexamples(&schema, settings).found.iter().map(|found| found.payload.canonical()));
        payloads.extend(["null", "[]", "{}", "\"a\"", "1"].map(str::to_owned));
        Some(Self { name: name.to_owned(), schema: source.canonical(), payloads })
    }

    /// The jobs for Ajv, in the order of [`FORMS`].
    fn jobs(&self) -> Vec<Value> {
        let draft = Draft { output: Some(self.schema.clone()), ..Draft::request("case", &self.schema) };
        let contract = contract("a", &[draft]).unwrap();
        let file = generated(&contract, Language::TypeScript);
        let tools = value(&mcp(&contract, McpOptions::default()).document);
        let tool = &tools["tools"][0];
        let card = value(&a2a(&contract, "https://a.example.com/a2a").document);
        let skill = &card["capabilities"]["extensions"][0]["params"]["capabilities"]["case"];
        let files = json_schema(&contract);
        let of_tool = |key: &str, side: &str, wrapper: &str| {
            let is_wrapped = tool["_meta"]["io.github.capgen/contract"][side] == "wrapped";
            let wrap =
                |payload: &String| if is_wrapped { format!("{{\"{wrapper}\":{payload}}}") } else { payload.clone() };
            json!({"schema": tool[key], "payloads": self.payloads.iter().map(wrap).collect::<Vec<_>>()})
        };
        vec![
            json!({"file": file, "side": "caseRequest", "payloads": self.payloads}),
            of_tool("inputSchema", "request", "value"),
            of_tool("outputSchema", "response", "result"),
            json!({"schema": body(&value(&openapi(&contract).document)), "payloads": self.payloads}),
            json!({"schema": skill["inputSchema"], "draft": "draft-07", "payloads": self.payloads}),
            json!({"schema": value(&files["case.request.schema.json"]), "draft": "draft-07", "payloads": self.payloads}),
        ]
    }
}

/// The forms in which Ajv gets a schema.
const FORMS: [&str; 6] =
    ["object", "tool's input", "tool's output", "operation's body", "skill's input", "file of JSON Schema"];

fn value(json: &Json) -> Value {
    serde_json::from_str(&json.canonical()).unwrap()
}

/// The schema of the body of an operation, with the components that it refers to.
fn body(document: &Value) -> Value {
    let operation = &document["paths"]["/capabilities/case"]["post"];
    let mut schema = operation["requestBody"]["content"]["application/json"]["schema"].clone();
    if let (Some(members), Some(components)) = (schema.as_object_mut(), document.get("components")) {
        members.insert("components".to_owned(), components.clone());
    }
    schema
}

/// Compares the verdicts, and returns the number of payloads.
fn compare(cases: &[Case]) -> usize {
    let Some(node) = node::require_or_skip().unwrap() else { return 0 };
    let jobs: Vec<Value> = cases.iter().flat_map(Case::jobs).collect();
    let results = node.json_schema(&Value::Array(jobs)).unwrap();
    let mut surprises = String::new();
    for (case, results) in cases.iter().zip(results.as_array().unwrap().chunks(FORMS.len())) {
        let validator = Validator::new(&Schema::parse_text(&case.schema).unwrap());
        let payload = |text: &String| validator.is_valid(&serde_json::from_str(text).unwrap());
        let expected: Vec<bool> = case.payloads.iter().map(payload).collect();
        for (result, form) in results.iter().zip(FORMS) {
            for (draft, verdicts) in result.as_object().unwrap() {
                // Ajv does not know these formats.
                if verdicts.as_str().is_some_and(|reason| reason.starts_with("unknown format")) {
                    continue;
                }
                let Some(verdicts) = verdicts.as_array() else {
                    surprises.push_str(&format!("{} ({form}, {draft}): {verdicts}: {}\n", case.name, case.schema));
                    continue;
                };
                for ((payload, expected), verdict) in case.payloads.iter().zip(&expected).zip(verdicts) {
                    let is_defect = DEFECTS.iter().any(|known| (known.0, known.1) == (&case.name, payload));
                    if (*verdict == *expected) == is_defect {
                        surprises.push_str(&format!(
                            "{} ({form}, {draft}): {payload}: {verdict}, {expected} here\n",
                            case.name
                        ));
                    }
                }
            }
        }
    }
    assert!(surprises.is_empty(), "{surprises}");
    cases.iter().map(|case| case.payloads.len()).sum()
}

#[test]
fn the_page_describes_each_defect() {
    let page = std::fs::read_to_string(folder().join("../docs/agreement.md")).unwrap();
    for (.., defect) in DEFECTS {
        assert!(page.contains(&format!("| `{defect}` |")), "{defect}");
    }
}

#[test]
fn ajv_agrees_about_the_contracts_of_the_cases() {
    let mut cases = Vec::new();
    for case in std::fs::read_dir(folder().join("cases")).unwrap() {
        let path = case.unwrap().path().join("capabilities.yaml");
        let contract = load(&read_source(&path, "case").unwrap()).unwrap().manifest;
        for capability in &contract.capabilities {
            let schemas = Side::ALL.into_iter().filter_map(|side| capability.schema(side));
            let name = format!("{} {}", contract.agent, capability.name);
            cases.extend(schemas.filter_map(|schema| Case::explored(&name, &schema.source().canonical())));
        }
    }
    println!("{} payloads of {} schemas of cases", compare(&cases), cases.len());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn ajv_agrees_about_the_payloads_of_the_corpora() {
    let path = corpus::path("capability-schemas.json");
    let document = corpus::Document::read(&path).unwrap();
    let mut cases = Vec::new();
    for case in elements(Some(document.root())) {
        let schema = document.text(member(case, "schema").unwrap());
        let Some(mut explored) = Case::explored(corpus::string(case, "id").unwrap(), schema) else { continue };
        let tests = elements(member(case, "tests")).iter();
        explored.payloads.extend(tests.map(|test| document.text(member(test, "data").unwrap()).to_owned()));
        cases.push(explored);
    }
    println!("{} payloads of {} schemas of capabilities", compare(&cases), cases.len());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn ajv_agrees_about_the_tools_of_the_corpora() {
    let path = corpus::path("mcp-tools");
    let mut cases = Vec::new();
    for (server, document) in corpus::documents(&path).unwrap() {
        for tool in elements(member(document.root(), "tools")) {
            let name = format!("{server} {}", corpus::string(tool, "name").unwrap());
            let schemas = ["inputSchema", "outputSchema"].into_iter().filter_map(|key| member(tool, key));
            cases.extend(schemas.filter_map(|schema| Case::explored(&name, document.text(schema))));
        }
    }
    println!("{} payloads of {} schemas of tools", compare(&cases), cases.len());
}

#[test]
fn ajv_agrees_about_the_tests_of_the_suite() {
    let mut cases = Vec::new();
    for group in support::groups::groups(&support::suite()) {
        let payloads = group.tests.iter().map(|test| test.data.clone()).collect();
        // The other files test formats and numbers of many digits, in which Ajv has more defects.
        if !group.name.contains("optional") && Schema::parse_text(&group.schema).is_ok() {
            cases.push(Case { name: group.name, schema: group.schema, payloads });
        }
    }
    println!("{} payloads of {} schemas of the suite", compare(&cases), cases.len());
}
