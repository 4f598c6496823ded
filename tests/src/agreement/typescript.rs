//! Generated TypeScript, compiled by `tsc` and run in Node.

use capgen_codegen::Language;

use super::{Answer, Engine, Pair, domain};
use crate::Failure;
use crate::contract::{Draft, contract, generated, summary};
use crate::node::{self, GeneratedFile, Node, Program, TscError, Verdict};

/// Schemas in one generated file.
const SCHEMAS_PER_FILE: usize = 40;

/// `is`, `parse` and `assert` of generated TypeScript, which must compile under the strictest options.
#[derive(Debug)]
pub struct TypeScript {
    node: Node,
}

impl TypeScript {
    /// Compiles and runs the validators in this Node.
    pub fn new(node: Node) -> Self {
        Self { node }
    }
}

impl Engine for TypeScript {
    fn names(&self) -> &[&'static str] {
        &["TypeScript"]
    }

    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure> {
        let verdicts = self.node.validate(&files(pairs, is_in_domain)?)?;
        let compiler = compile_errors(&self.node, pairs)?;
        let answers = |((pair, verdicts), error): ((&Pair, Vec<Verdict>), Option<String>)| {
            let mut verdicts = verdicts.into_iter();
            let answer = |verdict: Verdict| {
                let answer = answer(verdict);
                Answer { trouble: error.clone().or(answer.trouble), ..answer }
            };
            let answer =
                |payload: &String| vec![if is_in_domain(payload) { verdicts.next().map(answer) } else { None }];
            pair.payloads.iter().map(answer).collect()
        };
        Ok(pairs.iter().zip(verdicts.into_iter().flatten()).zip(compiler).map(answers).collect())
    }
}

/// Generated files for pairs, with the payloads that are `chosen`.
///
/// # Errors
///
/// If a schema is rejected.
pub fn files(pairs: &[Pair], chosen: fn(&str) -> bool) -> Result<Vec<GeneratedFile>, Failure> {
    let file = |pairs: &[Pair]| {
        let draft = |(index, pair): (usize, &Pair)| Draft::request(&format!("c{index}"), &pair.schema);
        let drafts: Vec<Draft> = pairs.iter().enumerate().map(draft).collect();
        let contract = contract("agent", &drafts).map_err(|findings| summary(&findings))?;
        let check = |(index, pair): (usize, &Pair)| {
            let payloads = pair.payloads.iter().filter(|payload| chosen(payload)).cloned().collect();
            (format!("C{index}Request"), payloads)
        };
        let checks = pairs.iter().enumerate().map(check).collect();
        Ok(GeneratedFile { file: generated(&contract, Language::TypeScript), checks })
    };
    pairs.chunks(SCHEMAS_PER_FILE).map(file).collect()
}

/// The compiler's first error about the generated code of each pair, if there is one.
///
/// All files are compiled as one program. Only if a file has an error, each of its schemas is compiled again in a file
/// of its own, which shows the schemas that cause errors.
///
/// # Errors
///
/// If the compiler cannot be run.
pub fn compile_errors(node: &Node, pairs: &[Pair]) -> Result<Vec<Option<String>>, Failure> {
    let mut found = vec![None; pairs.len()];
    let together = compile(node, files(pairs, |_| false)?)?;
    if together.is_empty() {
        return Ok(found);
    }
    let is_in_doubt = |index: usize| together.iter().any(|error| file_of(error) == Some(index / SCHEMAS_PER_FILE));
    let doubtful: Vec<usize> = (0..pairs.len()).filter(|index| is_in_doubt(*index)).collect();
    let alone = doubtful.iter().filter_map(|index| pairs.get(*index));
    let alone: Vec<GeneratedFile> = alone
        .map(|pair| files(std::slice::from_ref(pair), |_| false))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    for error in compile(node, alone)? {
        let pair = file_of(&error).and_then(|file| doubtful.get(file)).and_then(|index| found.get_mut(*index));
        pair.ok_or("an error without a file")?.get_or_insert_with(|| shown(&error));
    }
    if found.iter().all(Option::is_none) {
        let errors: Vec<String> = together.iter().map(shown).collect();
        return Err(format!("these errors occur only in files with several schemas:\n{}", errors.join("\n")).into());
    }
    Ok(found)
}

/// Compiles files as one program, in which each is named after its index.
fn compile(node: &Node, files: Vec<GeneratedFile>) -> Result<Vec<TscError>, Failure> {
    let files = files.into_iter().enumerate().map(|(index, file)| (format!("{index}.ts"), file.file)).collect();
    let programs = node.tsc_check_all(&[Program { files, options: node::strictest() }])?;
    Ok(programs.into_iter().flatten().collect())
}

fn file_of(error: &TscError) -> Option<usize> {
    error.file.strip_suffix(".ts")?.parse().ok()
}

fn shown(error: &TscError) -> String {
    format!("does not compile: TS{} in line {}: {}", error.code, error.line, error.message)
}

/// Whether the text is valid JSON, and JavaScript represents all of its numbers exactly.
fn is_in_domain(payload: &str) -> bool {
    domain::is_payload(payload) && domain::numbers(payload).into_iter().all(domain::in_typescript)
}

fn answer(verdict: Verdict) -> Answer {
    let trouble = (!verdict.agrees).then(|| "`is`, `parse` and `assert` disagree".to_owned());
    let truncated = Some(verdict.truncated);
    let violations = verdict.violations.into_iter();
    let (places, messages) = violations.map(|(path, keyword, message)| ((path, keyword), message)).unzip();
    Answer { valid: verdict.is_valid, places: Some(places), messages: Some(messages), truncated, trouble }
}
