//! Oracles from crates.io.

use capgen_schema::{Schema, parse_payload};
use capgen_tests::Failure;
use capgen_tests::agreement::{Answer, Engine, Pair};
use serde_json::Value;

use crate::defects;

const URI: &str = "https://oracle.example/schema.json";

/// The crate `boon`.
#[derive(Debug)]
pub struct Boon;

/// The crate `jsonschema`.
#[derive(Debug)]
pub struct JsonSchema;

type Check = Box<dyn Fn(&Value) -> bool>;

fn boon(schema: Value) -> Result<Check, String> {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.set_default_draft(boon::Draft::V7);
    compiler.enable_format_assertions();
    compiler.add_resource(URI, schema).map_err(|error| error.to_string())?;
    let root = compiler.compile(URI, &mut schemas).map_err(|error| format!("{error:#}"))?;
    Ok(Box::new(move |payload| schemas.validate(payload, root).is_ok()))
}

fn jsonschema(schema: Value) -> Result<Check, String> {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft7).should_validate_formats(true);
    // The crate does not check `uuid` in draft-07, because later drafts introduced it.
    let options = options.with_format("uuid", |text: &str| jsonschema_uuid(text));
    let validator = options.build(&schema).map_err(|error| error.to_string())?;
    Ok(Box::new(move |payload| validator.is_valid(payload)))
}

/// The crate's own check of `uuid`, in a draft that has this format.
fn jsonschema_uuid(text: &str) -> bool {
    static UUID: std::sync::LazyLock<Option<jsonschema::Validator>> = std::sync::LazyLock::new(|| {
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft201909).should_validate_formats(true);
        options.build(&serde_json::json!({"format": "uuid"})).ok()
    });
    UUID.as_ref().is_some_and(|uuid| uuid.is_valid(&Value::from(text)))
}

fn answers(
    pairs: &[Pair],
    check: fn(Value) -> Result<Check, String>,
) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
    let of_pair = |pair: &Pair| -> Result<_, Failure> {
        let check = check(serde_json::from_str(&pair.schema)?);
        let answer = |payload: &String| {
            let value = parse_payload(payload.as_bytes()).ok()?;
            Some(match &check {
                Ok(check) => Answer { valid: check(&value), ..Answer::default() },
                Err(error) => Answer { trouble: Some(error.clone()), ..Answer::default() },
            })
        };
        Ok(pair.payloads.iter().map(|payload| vec![answer(payload)]).collect())
    };
    pairs.iter().map(of_pair).collect()
}

impl Engine for Boon {
    fn names(&self) -> &[&'static str] {
        &["boon"]
    }

    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
        answers(pairs, boon)
    }

    fn excuse(&self, name: &str, schema: &Schema, payload: &str, answer: &Answer) -> Option<&'static str> {
        defects::excuse(name, schema, payload, answer)
    }
}

impl Engine for JsonSchema {
    fn names(&self) -> &[&'static str] {
        &["jsonschema"]
    }

    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
        answers(pairs, jsonschema)
    }

    fn excuse(&self, name: &str, schema: &Schema, payload: &str, answer: &Answer) -> Option<&'static str> {
        defects::excuse(name, schema, payload, answer)
    }
}
