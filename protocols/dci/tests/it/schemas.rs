//! The schemas in `schemas/`: the public ones and the readers accept every document that they accept.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::path::Path;

use capgen_dci::{
    Aliases, Circumstances, Consumer, Corpus, Decision, Declared, Host, Inputs, Mode, Overrides, Probes, Rejection,
    Reliability, Report, Skill, Source, contract, resolve,
};
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

const TIME: &str = "2026-11-23T10:00:00Z";

fn compile(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(true).build(schema).unwrap()
}

fn ours(name: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(format!("{name}.v1.schema.json"));
    compile(&serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

/// The public schema from the corpora.
fn public(name: &str) -> Validator {
    let corpus = std::env::var_os("CAPGEN_CORPUS").unwrap();
    let name = if name == "report" { "capability-resolution-report" } else { name };
    let path = Path::new(&corpus).join("dci").join(format!("{name}.v1.schema.json"));
    compile(&serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

fn source(value: &Value) -> capgen_diagnostic::Source {
    capgen_diagnostic::Source::new("document", value.to_string())
}

fn reliability() -> Value {
    json!({
        "schema_version": "1", "updated_at": TIME,
        "candidates": {
            "a::skills/a": {"outcomes_last_20": [1, 0, 1], "success_rate_last_20": 0.666667, "last_used_at": TIME, "sample_size": 3},
            "b::.": {"outcomes_last_20": [], "success_rate_last_20": 1, "last_used_at": "2026-11-23T10:00:00.5+01:00", "sample_size": 0},
        },
    })
}

fn aliases() -> Value {
    json!({"schema_version": "1", "alias_table_version": "2026-11", "aliases": {"web-search": ["search", "find-2"], "a": ["b"]}})
}

fn probes() -> Value {
    json!({"schema_version": "1", "probes": {"Web.search": {"command": ["./probe", "", "x y"], "timeout_ms": 5000}}})
}

fn skill(name: &str, contract: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        description: "Searches the web".to_owned(),
        path: format!("skills/{name}"),
        compatibility: Declared::Absent,
        contract: Declared::Text(contract.to_owned()),
        capabilities: Declared::Absent,
        source: Source::WorkspaceLocal,
        folder: Path::new("").to_owned(),
        file: Path::new("SKILL.md").to_owned(),
        boundary: Path::new("").to_owned(),
    }
}

/// The report of a run in which much happens.
fn report(mode: Mode, policy: &[(&str, &str)], required: &[&str], has_history: bool) -> Value {
    let skills = vec![
        skill("a", "DCI/1 P(web-search) R(http)"),
        skill("b", "DCI/1 P(web-search) R(http)"),
        skill("c", "DCI/1 P(http) D(web-search) Pol(min-total-score=0.5)"),
        skill("d", "DCI/1 P(web-search,-,x) X(y)"),
    ];
    let corpus = Corpus::new(skills, mode);
    let mut overrides = Overrides::default();
    policy.iter().for_each(|(key, value)| overrides.set(key, value).unwrap());
    let history =
        if has_history { Reliability::read(&source(&reliability())).unwrap() } else { Reliability::default() };
    let (table, _) = Aliases::load(Some(&source(&aliases())), None).unwrap();
    let consumer = Consumer {
        id: "me::.".to_owned(),
        contract: contract::read("DCI/1 D(x) Pol(max-candidates=4)", mode).contract,
    };
    let inputs = Inputs {
        required: required.iter().map(ToString::to_string).collect(),
        query: None,
        consumer: Some(consumer),
        host: Host::default(),
        overrides,
        profile: capgen_dci::Profile::default(),
        aliases: &table,
        reliability: &history,
        probes: &Probes::default(),
    };
    let resolution = resolve(&corpus, &inputs, None).unwrap();
    let rejections = [Rejection { id: "me::.".to_owned(), path: ".".to_owned(), reason: "consumer".to_owned() }];
    let circumstances = Circumstances {
        sources: vec![Source::WorkspaceLocal, Source::ExternalMounts],
        rejections: &rejections,
        decision: Decision::default(),
        generated_at: TIME,
    };
    serde_json::to_value(Report::new(&corpus, &inputs, &resolution, &circumstances)).unwrap()
}

fn reports() -> Vec<Value> {
    vec![
        report(Mode::BestEffort, &[("min-total-score", "0.1")], &["web-search"], true),
        report(
            Mode::BestEffort,
            &[("selection-mode", "cover"), ("min-required-coverage", "0.1")],
            &["search", "y"],
            false,
        ),
        report(Mode::BestEffort, &[("on-missing-required", "auto-emulate")], &["missing"], true),
        report(Mode::Strict, &[], &["web-search"], false),
        report(Mode::Strict, &[], &[], false),
    ]
}

/// The JSON Pointers of a value and of everything in it.
fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let below = |token: &str, value: &Value| {
        let token = token.replace('~', "~0").replace('/', "~1");
        pointers(value).into_iter().map(move |rest| format!("/{token}{rest}")).collect::<Vec<_>>()
    };
    match value {
        Value::Array(items) => {
            found.extend(items.iter().enumerate().flat_map(|(index, item)| below(&index.to_string(), item)))
        }
        Value::Object(members) => found.extend(members.iter().flat_map(|(key, item)| below(key, item))),
        _ => {}
    }
    found
}

/// Values that other values become. Some are at a limit.
fn replacements() -> Vec<Value> {
    let long = |length: usize| Value::from("a".repeat(length));
    let mut values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(1.0),
        json!(-1),
        json!(0.5),
        json!(1.5),
        json!(1e300),
        json!(20),
        json!(21),
        json!(600_000),
        json!(600_001),
        json!([]),
        json!({}),
        json!([1]),
        json!(["a"]),
        json!(["a", "a"]),
        json!({"a": ["b"]}),
        json!({"a::b": 1}),
        json!([0, 1]),
        json!(["\u{0}"]),
        json!([""]),
    ];
    let texts = [
        "",
        "1",
        "a",
        "A",
        "a-b",
        "a--b",
        "a_b",
        "a.b/c:d",
        "-a",
        "é",
        "a\n",
        "a b",
        "a::b",
        "::",
        "builtin:1",
        "workspace:1+builtin:1",
        "workspace:\n+builtin:1",
        "strict",
        "best-effort",
        "persistent",
        "ephemeral",
        "runtime-user",
        "consumer",
        "disabled",
        "defaults",
        "runtime+consumer",
        "offer-emulation",
        "hard-fail",
        "auto-emulate",
        "emulated",
        "abort",
        "cover",
        "sha256",
        "2026-11-23T10:00:00Z",
        "2026-11-23t10:00:00.123-05:00",
        "2026-11-23",
        "2026-11-23T25:00:00Z",
        "now",
        ".dci/state/reliability.v1.json",
        "0123456789abcdef0123456789abcdef",
    ];
    values.extend(texts.map(Value::from));
    values.extend([64, 65, 128, 129].map(long));
    values
}

fn change(document: &mut Value, (kind, place, pick): (u8, usize, usize)) {
    let pointers = pointers(document);
    let pointer = &pointers[place % pointers.len()];
    let values = replacements();
    let value = values[pick % values.len()].clone();
    let target = document.pointer_mut(pointer).unwrap();
    match (kind, target) {
        (0, Value::Object(members)) => {
            let key = members.keys().nth(pick % members.len().max(1)).cloned();
            key.map(|key| members.remove(&key));
        }
        (1, Value::Object(members)) => {
            let key = value.as_str().unwrap_or("other").to_owned();
            let new = members.values().next().cloned().unwrap_or(value);
            members.insert(key, new);
        }
        (0, Value::Array(items)) if !items.is_empty() => drop(items.remove(pick % items.len())),
        (1, Value::Array(items)) => {
            let new = items.first().cloned().unwrap_or(value);
            items.resize(items.len() + pick % 25, new);
        }
        (2, Value::Array(items)) => items.push(value),
        (_, target) => *target = value,
    }
}

/// Checks random changes of documents: those that our schema accepts, the public schema accepts if it is given, and
/// exactly those are read.
fn compare(name: &str, documents: &[Value], is_read: Option<fn(&Value) -> bool>, public: Option<Validator>) {
    let ours = ours(name);
    for document in documents {
        let errors: Vec<_> =
            ours.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert_eq!(errors, [""; 0], "{document:#}");
    }
    let changes = prop::collection::vec((0u8..6, 0usize..10_000, 0usize..10_000), 1..3);
    let accepted = std::cell::Cell::new(0);
    let config = Config { cases: 2000, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&(0..documents.len(), changes), |(index, changes)| {
        let mut document = documents[index].clone();
        changes.into_iter().for_each(|one| change(&mut document, one));
        let is_valid = ours.is_valid(&document);
        accepted.set(accepted.get() + usize::from(is_valid));
        if let Some(public) = public.as_ref().filter(|_| is_valid) {
            let errors: Vec<_> = public.iter_errors(&document).map(|error| error.to_string()).collect();
            prop_assert_eq!(errors, Vec::<String>::new(), "{:#}", document);
        }
        if let Some(is_read) = is_read {
            prop_assert_eq!(is_valid, is_read(&document), "{:#}", document);
        }
        Ok(())
    });
    result.unwrap();
    let accepted = accepted.get();
    assert!(accepted > 20 && accepted < 1980, "{accepted} of 2000 changed documents are valid");
}

fn reads_aliases(value: &Value) -> bool {
    Aliases::load(None, Some(&source(value))).is_ok()
}

fn reads_reliability(value: &Value) -> bool {
    Reliability::read(&source(value)).is_ok()
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn documents_conform_to_the_public_schemas_of_the_corpora() {
    compare("aliases", &[aliases()], Some(reads_aliases), Some(public("aliases")));
    compare("reliability", &[reliability()], Some(reads_reliability), Some(public("reliability")));
    compare("report", &reports(), None, Some(public("report")));
    check_conformance_cases(["report", "aliases", "probes", "reliability"].map(|name| {
        let schemas = [Some(ours(name)), (name != "probes").then(|| public(name))];
        (name, schemas.into_iter().flatten().collect())
    }));
}

#[test]
fn tables_of_aliases() {
    compare("aliases", &[aliases()], Some(reads_aliases), None);
}

#[test]
fn states_of_reliability() {
    compare("reliability", &[reliability()], Some(reads_reliability), None);
}

#[test]
fn recorded_states() {
    let schema = ours("reliability");
    let mut state = Reliability::default();
    for index in 0..30 {
        state.record(["a::b", "é ::\"\\", ":::x"][index % 3], index % 4 == 0, TIME).unwrap();
        assert!(schema.is_valid(&serde_json::from_str(&state.to_json()).unwrap()), "{}", state.to_json());
    }
}

#[test]
fn documents_of_probes() {
    compare("probes", &[probes()], Some(|value| Probes::read(&source(value)).is_ok()), None);
}

#[test]
fn reports_of_runs() {
    compare("report", &reports(), None, None);
}

/// The documents below a folder that have a schema, each with the name of its schema. Text that is not JSON is left
/// out.
fn conformance_documents(folder: &Path, found: &mut Vec<(String, Value)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            conformance_documents(&path, found);
            continue;
        }
        let name = entry.file_name().into_string().unwrap();
        let kind = match name.as_str() {
            "expected.json" => "report",
            "aliases.v1.json" | "probes.v1.json" | "reliability.v1.json" => name.split('.').next().unwrap(),
            _ => continue,
        };
        if let Ok(value) = serde_json::from_slice(&std::fs::read(&path).unwrap()) {
            found.push((kind.to_owned(), value));
        }
    }
}

#[test]
fn documents_of_the_conformance_cases() {
    check_conformance_cases(["report", "aliases", "probes", "reliability"].map(|name| (name, vec![ours(name)])));
}

/// Checks the documents of the conformance cases by the schemas of their kinds.
fn check_conformance_cases(validators: [(&str, Vec<Validator>); 4]) {
    let sections = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    let (mut valid, mut cases) = ([0; 4], 0);
    let sections = std::fs::read_dir(sections).unwrap().map(|entry| entry.unwrap().path());
    let folders = sections.filter(|path| path.is_dir()).flat_map(|path| std::fs::read_dir(path).unwrap());
    for folder in folders.map(|entry| entry.unwrap().path()) {
        let case: Value = serde_json::from_slice(&std::fs::read(folder.join("case.json")).unwrap()).unwrap();
        let mut documents = Vec::new();
        conformance_documents(&folder, &mut documents);
        // Without a report, a document is invalid on purpose.
        let has_report = case["command"] == "resolve" && documents.iter().any(|(kind, _)| kind == "report");
        cases += usize::from(has_report);
        for (kind, mut document) in documents.into_iter().filter(|_| has_report) {
            if kind == "report" {
                document["run_id"] = json!("0".repeat(32));
            }
            let index = validators.iter().position(|(name, _)| *name == kind).unwrap();
            for schema in &validators[index].1 {
                let errors: Vec<_> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
                assert_eq!(errors, Vec::<String>::new(), "{}", folder.display());
            }
            valid[index] += 1;
        }
    }
    assert!(cases >= 150 && valid[0] == cases && valid.iter().all(|count| *count > 5), "{cases} cases, {valid:?}");
}
