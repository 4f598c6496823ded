//! Problems that users of similar tools reported in public, reduced to small inputs: `tests/fixtures/public-reports`.
//!
//! `cases.json` has schemas with valid and invalid payloads, documents with the payloads of their capabilities, and
//! pairs of versions. `failing.jsonl` has inputs that an earlier version read wrongly.

use std::collections::BTreeMap;
use std::path::PathBuf;

use capgen_evolve::{Level, Settings, compare};
use capgen_interop::import::json_schema::Naming;
use capgen_interop::import::{Document, ImportSettings, Imported, json_schema, mcp, openapi};
use capgen_manifest::{Assume, Capability, Manifest, Side, Source, check_values, load};
use capgen_schema::{ExactPayload, Validator};
use serde_json::Value;

/// Cases whose answer is not the one of the file, each with the reason.
const OTHERWISE: [(&str, &str); 3] = [
    (
        "s22",
        "patterns are those of ECMA-262 with the `u` flag, in which `\\-` is not an escape; the error names the remedy",
    ),
    ("s28", "a cycle of required properties accepts nothing, which is the error E0130"),
    ("o24", "a form is imported as an object, with a note"),
];

fn path(name: &str) -> PathBuf {
    capgen_tests::folder().join("fixtures/public-reports").join(name)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string"))
}

/// The cases of a group that have the answer of the file.
fn cases(group: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path("cases.json")).unwrap()).unwrap();
    let cases = all[group].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{group}");
    cases.into_iter().filter(|case| OTHERWISE.iter().all(|(id, _)| *id != case["id"])).collect()
}

/// A manifest with one capability `t` whose side has this schema; `None` if it does not load or accepts nothing.
fn manifest(side: Side, schema: &Value) -> Option<Manifest> {
    let (key, schema) = (side.schema_key(), schema.to_string());
    let text = format!(
        "version: 1\nagent: agent://a\ntransports: [{{ kind: memory, topics: {{ requests: a }} }}]\n\
         capabilities:\n  - name: t\n    {key}: {schema}\n"
    );
    let contract = load(&Source::new("capabilities.yaml", text)).ok()?;
    check_values(&contract).is_empty().then_some(contract.manifest)
}

fn import_schema(schema: &str) -> Imported {
    let file = Document::parse_json(&Source::new("t.json", schema)).unwrap();
    let files = Document::of_files(vec![("t.json".to_owned(), file)]);
    json_schema::schemas(&files, ImportSettings::default(), &Naming::default()).imported
}

fn import_openapi(text: &str) -> Option<Imported> {
    let document = Document::parse(&Source::new("openapi.yaml", text)).ok()?;
    Some(openapi::operations(&document, ImportSettings::default()).imported)
}

fn import_tools(text: &str) -> Imported {
    let document = Document::parse_json_or_lines(&Source::new("tools.json", text)).unwrap();
    mcp::tools(&document, ImportSettings::default()).imported
}

/// Checks that payloads are valid, or not.
#[track_caller]
fn check(id: &str, capability: &Capability, side: Side, payloads: &Value, expected: bool) {
    for payload in payloads.as_array().unwrap() {
        let schema = capability.schema(side).unwrap_or_else(|| panic!("{id}: the {} is loose", side.name()));
        let verdict = Validator::new(schema).is_valid_exact(&ExactPayload::parse(text(payload).as_bytes()).unwrap());
        assert_eq!(verdict, expected, "{id}: {payload}");
    }
}

#[test]
fn schemas_have_the_expected_verdicts() {
    for case in cases("schemas") {
        let id = text(&case["id"]);
        let capabilities = match text(&case["via"]) {
            "manifest" => manifest(Side::Request, &case["schema"]).map(|manifest| manifest.capabilities),
            _ => Some(import_schema(&case["schema"].to_string()).capabilities),
        };
        let capabilities = capabilities.unwrap_or_default();
        let [capability] = capabilities.as_slice() else { panic!("{id} is refused") };
        check(id, capability, Side::Request, &case["valid"], true);
        check(id, capability, Side::Request, &case["invalid"], false);
    }
}

/// Checks the answer to a document.
fn document(id: &str, case: &Value, imported: Option<Imported>) {
    let is_refused = imported.as_ref().is_none_or(Imported::has_errors);
    match text(&case["expect"]) {
        "import" => assert!(!is_refused, "{id}: {imported:#?}"),
        "refuse" => assert!(is_refused, "{id}: {imported:#?}"),
        _ => {}
    }
    let Some(imported) = imported.filter(|_| !is_refused) else { return };
    for check_of in case["checks"].as_array().unwrap() {
        let name = text(&check_of[0]);
        let capability = imported.capabilities.iter().find(|capability| capability.name == name);
        let capability = capability.unwrap_or_else(|| panic!("{id}: no capability {name}"));
        let side = Side::ALL.into_iter().find(|side| side.name() == text(&check_of[1])).unwrap();
        check(id, capability, side, &check_of[2], true);
        check(id, capability, side, &check_of[3], false);
    }
}

#[test]
fn documents_of_openapi_have_the_expected_answers() {
    for case in cases("openapi") {
        document(text(&case["id"]), &case, import_openapi(text(&case["text"])));
    }
}

#[test]
fn lists_of_tools_have_the_expected_answers() {
    for case in cases("mcp") {
        let list = match &case["tools"] {
            Value::Array(_) => serde_json::json!({"tools": case["tools"]}),
            response => response.clone(),
        };
        document(text(&case["id"]), &case, Some(import_tools(&list.to_string())));
    }
}

#[test]
fn pairs_of_versions_have_the_expected_answers() {
    for case in cases("diff") {
        let id = text(&case["id"]);
        let side = Side::ALL.into_iter().find(|side| side.name() == text(&case["side"])).unwrap();
        let [old, new] = ["old", "new"].map(|version| manifest(side, &case[version]).unwrap());
        let assume = if case["assume"] == "capgen-peer" { Assume::CapgenPeer } else { Assume::AnyPeer };
        let comparison = compare(&old, &new, Settings { assume, ..Settings::default() });
        let is_breaking = comparison.level() == Some(Level::Breaking);
        match text(&case["expect"]) {
            "same" => assert!(comparison.findings.is_empty(), "{id}: {:?}", comparison.findings),
            expected => assert_eq!(is_breaking, expected == "breaking", "{id}: {:?}", comparison.findings),
        }
    }
}

/// The codes of the findings of an input that an earlier version read wrongly, `refused` if it is not imported.
const ANSWERS: [(&str, &[&str]); 18] = [
    ("s03", &[]),
    ("s26", &[]),
    ("m14", &["N0901"]),
    ("m23", &[]),
    ("m27", &[]),
    ("m30", &[]),
    ("o01", &["W0902"]),
    ("o12", &["N0901"]),
    ("o18", &["E0903", "refused"]),
    ("o22", &["N0912"]),
    ("x02", &["W0902"]),
    ("x04", &["W0902"]),
    // The text is not YAML: `{` starts a mapping.
    ("x06", &["refused"]),
    ("x08", &["N0912"]),
    ("x10", &["E0911", "refused"]),
    ("x14", &[]),
    ("x21", &["N0905"]),
    // The formats are annotations.
    ("x25", &["N0901"]),
];

#[test]
fn inputs_that_were_read_wrongly_have_the_expected_findings() {
    let expected: BTreeMap<&str, Vec<&str>> = ANSWERS.iter().map(|(id, codes)| (*id, codes.to_vec())).collect();
    let lines = std::fs::read_to_string(path("failing.jsonl")).unwrap();
    let mut found = BTreeMap::new();
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (id, kind) = (text(&case["id"]).to_owned(), text(&case["kind"]));
        let input = case["input"].as_str().map_or_else(|| case["input"].to_string(), str::to_owned);
        let imported = if kind.starts_with("openapi") {
            import_openapi(&input)
        } else if kind.starts_with("mcp") {
            Some(import_tools(&input))
        } else if kind == "schema (import)" || kind.starts_with("json-schema") {
            Some(import_schema(&input))
        } else {
            continue;
        };
        let mut codes: Vec<String> = (imported.iter().flat_map(|imported| &imported.findings))
            .map(|finding| finding.code.as_str().to_owned())
            .collect();
        if imported.is_none_or(|imported| imported.has_errors()) {
            codes.push("refused".to_owned());
        }
        codes.sort();
        codes.dedup();
        found.insert(id, codes);
    }
    let found: BTreeMap<&str, Vec<&str>> =
        found.iter().map(|(id, codes)| (id.as_str(), codes.iter().map(String::as_str).collect())).collect();
    assert_eq!(found, expected);
}
