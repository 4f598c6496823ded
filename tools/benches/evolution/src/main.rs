//! The cost of comparing a contract of 1,000 capabilities with its previous version, by the number of capabilities that
//! changed.
//!
//! `cargo run --release -p evolution`, with a corpus. The engines get the same questions: for each schema that changed,
//! whether the new one accepts everything that the old one accepts, and the converse. capgen also reads both manifests,
//! and finds and explains each change.

#[expect(dead_code, reason = "only the other benchmark names its questions")]
#[path = "../../containment/src/engines.rs"]
mod engines;

use std::path::{Path, PathBuf};
use std::time::Duration;

use capgen_evolve::{Settings, compare};
use capgen_manifest::{Source, load};
use capgen_schema::{Json, Object, Schema};
use cpu_time::ThreadTime;
use engines::{NAMES, Question};

const CAPABILITIES: usize = 1_000;
const ROUNDS: usize = 5;

fn main() {
    let schemas = schemas();
    let old: Vec<(Json, Json)> = (0..CAPABILITIES)
        .map(|index| (schemas[index % schemas.len()].clone(), schemas[(index * 7 + 3) % schemas.len()].clone()))
        .collect();
    let before = manifest(&old);
    println!("{} schemas, {} kB of manifest", schemas.len(), before.len() / 1000);
    println!(
        "| changed | findings | reading, ms | comparing, ms | {} and {}: the questions alone, ms |",
        NAMES[1], NAMES[2]
    );
    println!("|---|---|---|---|---|");
    for changed in [0, 1, 10, 100, 1_000] {
        let mut new = old.clone();
        new.iter_mut().take(changed).for_each(|(request, _)| *request = with_required_property(request));
        let after = manifest(&new);
        let (mut reading, mut comparing, mut findings) = (Duration::MAX, Duration::MAX, 0);
        for _ in 0..ROUNDS {
            let start = ThreadTime::now();
            let contract = |text: &str| load(&Source::new("capabilities.json", text)).expect("a contract").manifest;
            let (before, after) = (contract(&before), contract(&after));
            reading = reading.min(start.elapsed());
            let start = ThreadTime::now();
            findings = compare(&before, &after, Settings::default()).findings.len();
            comparing = comparing.min(start.elapsed());
        }
        let questions: Vec<Question> = old
            .iter()
            .zip(&new)
            .take(changed)
            .flat_map(|((old, _), (new, _))| [Question::new("", old, new), Question::new("", new, old)])
            .collect();
        let total = |engine| questions.iter().map(|question| question.ask(engine).time).sum::<Duration>();
        let peers = [1, 2].map(|engine| format!("{:.0}", milliseconds(total(engine)))).join(", ");
        println!(
            "| {changed} | {findings} | {:.0} | {:.1} | {peers} |",
            milliseconds(reading),
            milliseconds(comparing)
        );
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The schemas of `capability-schemas.json` that are in the subset.
fn schemas() -> Vec<Json> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    let folder = std::env::var_os("CAPGEN_CORPUS").map_or_else(default, PathBuf::from);
    let text = std::fs::read_to_string(folder.join("capability-schemas.json")).expect("the corpus");
    let cases: Json = text.parse().expect("JSON");
    let schemas = cases.as_array().expect("an array").iter().filter_map(|case| case.get("schema"));
    schemas.filter(|schema| Schema::parse(schema).is_ok()).cloned().collect()
}

/// The next version of a schema: an object gets a required property, any other schema another description.
fn with_required_property(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let mut members = members.clone();
    match members.get_mut("properties") {
        Some(Json::Object(properties)) => {
            properties.set("addedLater", Some(Json::Object(Object::from_iter([("type".to_owned(), "string".into())]))));
            let required = members.get("required").and_then(Json::as_array).unwrap_or_default();
            let required = required.iter().cloned().chain(["addedLater".into()]).collect();
            members.set("required", Some(Json::Array(required)));
        }
        _ => members.set("description", Some("Changed.".into())),
    }
    Json::Object(members)
}

/// A manifest in JSON with the schemas of each request and response.
fn manifest(sides: &[(Json, Json)]) -> String {
    let capability = |(index, (request, response)): (usize, &(Json, Json))| {
        let (request, response) = (request.canonical(), response.canonical());
        format!(r#"{{"name": "call-{index}", "inputSchema": {request}, "outputSchema": {response}}}"#)
    };
    let capabilities: Vec<String> = sides.iter().enumerate().map(capability).collect();
    format!(
        r#"{{"version": 1, "agent": "agent://large", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}], "capabilities": [{}]}}"#,
        capabilities.join(",")
    )
}
