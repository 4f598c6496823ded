//! Oracles from npm.

use std::path::{Path, PathBuf};

use capgen_schema::{Schema, parse_payload};
use capgen_testkit::{node, npm};
use capgen_tests::Failure;
use capgen_tests::agreement::{Answer, Engine, Pair, domain};
use serde_json::{Value, json};

use crate::defects;

/// Ajv and `@hyperjump/json-schema`, in Node.
#[derive(Debug)]
pub struct NodeOracles {
    folder: PathBuf,
}

impl NodeOracles {
    /// Node with the packages of `tools/agreement/node`, which are installed if necessary.
    ///
    /// # Errors
    ///
    /// If Node or npm is missing, or if the packages cannot be installed.
    pub fn install() -> Result<Self, Failure> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node");
        npm::install(&folder)?;
        Ok(Self { folder })
    }

    fn run(&self, job: &Value) -> Result<Vec<Value>, Failure> {
        Ok(serde_json::from_value(node::run_script(&self.folder, "oracles.mjs", job)?)?)
    }
}

fn is_in_domain(payload: &str) -> bool {
    parse_payload(payload.as_bytes()).is_ok() && domain::numbers(payload).into_iter().all(domain::in_typescript)
}

impl Engine for NodeOracles {
    fn names(&self) -> &[&'static str] {
        &["ajv", "hyperjump"]
    }

    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
        let job = |pair: &Pair| {
            let payloads: Vec<&String> = pair.payloads.iter().filter(|payload| is_in_domain(payload)).collect();
            json!({"schema": pair.schema, "payloads": payloads})
        };
        let results = self.run(&pairs.iter().map(job).collect())?;
        let answers = |(pair, result): (&Pair, &Value)| {
            let mut at = 0;
            let answer = |payload: &String| {
                if !is_in_domain(payload) {
                    return vec![None; self.names().len()];
                }
                at += 1;
                self.names().iter().map(|name| Some(answer(&result[name][at - 1]))).collect()
            };
            pair.payloads.iter().map(answer).collect()
        };
        Ok(pairs.iter().zip(&results).map(answers).collect())
    }

    fn excuse(&self, name: &str, schema: &Schema, payload: &str, answer: &Answer) -> Option<&'static str> {
        defects::excuse(name, schema, payload, answer)
    }
}

fn answer(result: &Value) -> Answer {
    match result {
        Value::Bool(valid) => Answer { valid: *valid, ..Answer::default() },
        error => Answer { trouble: Some(error.to_string()), ..Answer::default() },
    }
}
