//! Whether Ajv, by the schemas as their authors wrote them, gives the same verdicts about payloads as the contracts
//! that are imported from them.

use capgen_interop::import::{AnnotatedFormats, Document, ImportSettings, json_schema, mcp, openapi};
use capgen_manifest::{Side, Source};
use capgen_schema::{ExampleSettings, Json, Object, Schema, Steps, Validator, counterexamples, examples};
use capgen_testkit::node;
use serde_json::{Value, json};

use super::import::{Kind, first};
use super::variants::variants;
use crate::root;

/// The most payloads of one schema, so that none of them counts for more than others.
const MAX_PAYLOADS: usize = 120;
/// The most schemas of one document of OpenAPI: an import of each reads the whole document.
const MAX_COMPONENTS: usize = 150;
/// The longest payload that is changed, in bytes: the time grows with the square of its size.
const MAX_VARIED: usize = 4000;
/// The most differences that are listed for a document.
const MAX_LISTED: usize = 10;

/// The schemas of a document with payloads.
pub(super) struct Compared {
    document: Json,
    dialect: &'static str,
    checks: Vec<Check>,
}

/// A schema, and the verdicts about payloads by its contract.
struct Check {
    pointer: String,
    payloads: Vec<(String, bool)>,
}

/// The result of a document.
pub(super) struct Agreement {
    pub(super) name: String,
    pub(super) schemas: usize,
    pub(super) payloads: usize,
    /// Payloads with different verdicts, and the first ones.
    pub(super) different: usize,
    pub(super) listed: Vec<String>,
    /// Schemas that Ajv cannot compile, with its messages.
    pub(super) failed: Vec<String>,
}

impl Compared {
    /// The schemas of a document that a strict import accepts.
    pub(super) fn of(kind: Kind, document: &Document, source: &Source) -> Result<Self, String> {
        // The document of a schema is a list of files.
        let own = || Document::parse_json(source).map_err(|findings| first(&findings).to_owned());
        let json = if kind == Kind::Schemas { own()?.json().clone() } else { document.json().clone() };
        let mut checks = Vec::new();
        match kind {
            Kind::Schemas => checks.extend(check(String::new(), &side(kind, document, Side::Request))),
            Kind::Tools => {
                let imported = mcp::tools(document, settings());
                let tools = json.pointer("/tools").and_then(Json::as_array).unwrap_or_default();
                for (index, tool) in tools.iter().enumerate() {
                    let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
                    let found = imported.imported.capabilities.iter().find(|capability| capability.name == name);
                    for (key, side) in [("inputSchema", Side::Request), ("outputSchema", Side::Response)] {
                        let schema = found.and_then(|capability| capability.schema(side)).cloned();
                        checks.extend(check(format!("/tools/{index}/{key}"), &schema));
                    }
                }
            }
            Kind::OpenApi => {
                let components = json.pointer("/components/schemas").and_then(Json::as_object);
                for (name, _) in components.into_iter().flatten().take(MAX_COMPONENTS) {
                    let pointer = capgen_schema::pointer::join("/components/schemas", name);
                    let alone = Document::of_value(with_response(&json, &pointer));
                    checks.extend(check(pointer, &side(kind, &alone, Side::Response)));
                }
            }
        }
        Ok(Self { dialect: dialect(kind, &json), document: json, checks })
    }

    /// Compares the verdicts with those of Ajv.
    pub(super) fn agreement(&self, name: &str) -> Result<Agreement, String> {
        let checks: Vec<Value> = self.checks.iter().map(Check::job).collect();
        let document: Value = serde_json::from_str(&self.document.to_string()).map_err(|error| error.to_string())?;
        let results = ajv(&json!([{"document": document, "dialect": self.dialect, "checks": checks}]))?;
        let mut agreement = Agreement {
            name: name.to_owned(),
            schemas: self.checks.len(),
            payloads: 0,
            different: 0,
            listed: Vec::new(),
            failed: Vec::new(),
        };
        for (check, result) in self.checks.iter().zip(results.get(0).and_then(Value::as_array).into_iter().flatten()) {
            let Some(verdicts) = result.as_array() else {
                agreement.failed.push(format!("{}: {}", check.pointer, result.as_str().unwrap_or_default()));
                continue;
            };
            agreement.payloads += verdicts.len();
            for ((payload, is_valid), verdict) in check.payloads.iter().zip(verdicts) {
                if verdict.as_bool() != Some(*is_valid) {
                    agreement.different += 1;
                    if agreement.listed.len() < MAX_LISTED {
                        let answer = if *is_valid { "valid here" } else { "invalid here" };
                        agreement.listed.push(format!("{} {answer}: {payload}", check.pointer));
                    }
                }
            }
        }
        Ok(agreement)
    }
}

impl Check {
    fn job(&self) -> Value {
        let payloads: Vec<&String> = self.payloads.iter().map(|(payload, _)| payload).collect();
        json!({"pointer": self.pointer, "payloads": payloads})
    }
}

/// A schema with payloads that show its parts, others that violate its assertions, and changes of both.
fn check(pointer: String, schema: &Option<Schema>) -> Option<Check> {
    let schema = schema.as_ref()?;
    let settings = ExampleSettings { steps: Steps(50_000), ..ExampleSettings::default() };
    let mut payloads: Vec<Json> = examples(schema, settings).unwrap_or_default().into_iter().take(12).collect();
    payloads.extend(counterexamples(schema, settings).found.into_iter().map(|found| found.payload).take(12));
    let small = payloads.iter().filter(|payload| payload.to_string().len() <= MAX_VARIED);
    let changed: Vec<Json> = small.take(6).flat_map(variants).collect();
    // Of many changes, those at equal distances, so that all parts of a payload are changed.
    let step = changed.len().div_ceil(MAX_PAYLOADS).max(1);
    payloads.extend(changed.into_iter().step_by(step));
    payloads.truncate(MAX_PAYLOADS);
    let validator = Validator::new(schema);
    let verdict = |payload: &Json| {
        let text = payload.to_string();
        let value: Value = serde_json::from_str(&text).ok()?;
        Some((text, validator.is_valid(&value)))
    };
    Some(Check { pointer, payloads: payloads.iter().filter_map(verdict).collect() })
}

/// Formats are not compared: the Ajv that is at hand reads many of them wrongly, and `docs/agreement.md` lists where.
fn settings() -> ImportSettings {
    ImportSettings { lossy: false, annotated_formats: AnnotatedFormats::all() }
}

/// The schema of a side of the only capability.
fn side(kind: Kind, document: &Document, side: Side) -> Option<Schema> {
    let settings = settings();
    let imported = match kind {
        Kind::OpenApi => openapi::operations(document, settings).imported,
        _ => json_schema::schemas(document, settings, &json_schema::Naming::default()).imported,
    };
    imported.capabilities.first()?.schema(side).cloned()
}

/// The document with one operation, whose response has a schema.
fn with_response(document: &Json, pointer: &str) -> Json {
    let schema = object([("$ref", Json::String(format!("#{pointer}")))]);
    let content = object([("application/json", object([("schema", schema)]))]);
    let response = object([("description", Json::String(String::new())), ("content", content)]);
    let operation = object([("responses", object([("200", response)]))]);
    let mut copy = document.as_object().cloned().unwrap_or_default();
    copy.set("paths", Some(object([("/a", object([("get", operation)]))])));
    Json::Object(copy)
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Object>())
}

/// The draft by which Ajv reads a document.
fn dialect(kind: Kind, document: &Json) -> &'static str {
    let text = |key: &str| document.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    match kind {
        // Its schemas are those of Wright-00, in which `exclusiveMinimum` is a boolean, with `nullable`.
        Kind::OpenApi if text("openapi").starts_with("3.0") => "draft-04",
        Kind::OpenApi => "2020-12",
        Kind::Tools => "2020-12",
        Kind::Schemas => match text("$schema") {
            schema if schema.contains("draft-04") => "draft-04",
            schema if schema.contains("2019-09") => "2019-09",
            schema if schema.contains("2020-12") => "2020-12",
            _ => "draft-07",
        },
    }
}

/// The results of jobs.
fn ajv(jobs: &Value) -> Result<Value, String> {
    node::run_script(&root().join("tests/node"), "originals.mjs", jobs).map_err(|error| error.to_string())
}
