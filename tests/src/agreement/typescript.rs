//! Generated TypeScript, in Node.

use capgen_codegen::Language;

use super::{Answer, Engine, Pair, domain};
use crate::Failure;
use crate::contract::{Draft, contract, generated, summary};
use crate::node::{GeneratedFile, Node, Verdict};

/// Schemas in one generated file.
const SCHEMAS_PER_FILE: usize = 40;

/// `is`, `parse` and `assert` of generated TypeScript.
#[derive(Debug)]
pub struct TypeScript {
    node: Node,
}

impl TypeScript {
    /// Runs the validators in this Node.
    pub fn new(node: Node) -> Self {
        Self { node }
    }
}

impl Engine for TypeScript {
    fn names(&self) -> &[&'static str] {
        &["TypeScript"]
    }

    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
        let mut files = Vec::new();
        for pairs in pairs.chunks(SCHEMAS_PER_FILE) {
            let draft = |(index, pair): (usize, &Pair)| Draft::request(&format!("c{index}"), &pair.schema);
            let drafts: Vec<Draft> = pairs.iter().enumerate().map(draft).collect();
            let contract = contract("agent", &drafts).map_err(|findings| summary(&findings))?;
            let check = |(index, pair): (usize, &Pair)| {
                let payloads = pair.payloads.iter().filter(|payload| is_in_domain(payload)).cloned().collect();
                (format!("C{index}Request"), payloads)
            };
            let checks = pairs.iter().enumerate().map(check).collect();
            files.push(GeneratedFile { file: generated(&contract, Language::TypeScript), checks });
        }
        let verdicts = self.node.validate(&files)?;
        let answers = |(pair, verdicts): (&Pair, Vec<Verdict>)| {
            let mut verdicts = verdicts.into_iter();
            let answer =
                |payload: &String| vec![if is_in_domain(payload) { verdicts.next().map(answer) } else { None }];
            pair.payloads.iter().map(answer).collect()
        };
        Ok(pairs.iter().zip(verdicts.into_iter().flatten()).map(answers).collect())
    }
}

/// Whether the text is valid JSON, and JavaScript represents all of its numbers exactly.
fn is_in_domain(payload: &str) -> bool {
    domain::is_payload(payload) && domain::numbers(payload).into_iter().all(domain::in_typescript)
}

fn answer(verdict: Verdict) -> Answer {
    let trouble = (!verdict.agrees).then(|| "`is`, `parse` and `assert` disagree".to_owned());
    let violations = verdict.violations.into_iter();
    let (places, messages) = violations.map(|(path, keyword, message)| ((path, keyword), message)).unzip();
    Answer { valid: verdict.is_valid, places: Some(places), messages: Some(messages), trouble }
}
