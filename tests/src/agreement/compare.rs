//! Compares the answers of engines with those of the interpreter.

use std::collections::BTreeMap;

use super::{Answer, Engine, Pair, Place, Rust, TypeScript, interpreter, parse};
use crate::{Failure, node};

/// A payload for which an engine and the interpreter disagree, without an excuse.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The origin of the pair.
    pub label: String,
    /// The name of the engine.
    pub name: &'static str,
    /// The schema.
    pub schema: String,
    /// The payload.
    pub payload: String,
    /// The interpreter's answer.
    pub expected: Answer,
    /// The engine's answer.
    pub answer: Answer,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// How many payloads the interpreter accepts.
    pub valid: usize,
    /// How many it rejects.
    pub invalid: usize,
    /// For each engine, how many of its answers agree, and how many are excused.
    pub answers: BTreeMap<&'static str, (usize, usize)>,
    /// How often each excuse was needed.
    pub excuses: BTreeMap<(&'static str, &'static str), usize>,
    /// The answers that are wrong without an excuse.
    pub disagreements: Vec<Disagreement>,
}

/// Compares the answers of every engine to every pair.
///
/// # Errors
///
/// If an engine cannot be run.
pub fn compare(pairs: &[Pair], engines: &[&(dyn Engine + Sync)]) -> Result<Outcome, Failure> {
    let expected: Vec<Vec<Answer>> = pairs.iter().map(interpreter).collect();
    let mut outcome = Outcome::default();
    for (pair, answers) in pairs.iter().zip(&expected) {
        for (payload, answer) in pair.payloads.iter().zip(answers) {
            *(if answer.valid { &mut outcome.valid } else { &mut outcome.invalid }) += 1;
            if answer.trouble.is_some() {
                outcome.disagreements.push(disagreement(pair, "interpreter", payload, answer, answer));
            }
        }
    }
    let all = std::thread::scope(|scope| {
        let asked: Vec<_> = engines.iter().map(|engine| scope.spawn(|| engine.answers(pairs))).collect();
        asked.into_iter().map(|engine| engine.join().map_err(|_| "an engine panicked")).collect::<Result<Vec<_>, _>>()
    })?;
    for (engine, answers) in engines.iter().zip(all) {
        outcome.record(*engine, pairs, &expected, answers?);
    }
    Ok(outcome)
}

impl Outcome {
    fn record(
        &mut self,
        engine: &dyn Engine,
        pairs: &[Pair],
        expected: &[Vec<Answer>],
        all: Vec<Vec<Vec<Option<Answer>>>>,
    ) {
        for ((pair, expected), answers) in pairs.iter().zip(expected).zip(all) {
            let schema = parse(&pair.schema);
            for ((payload, expected), answers) in pair.payloads.iter().zip(expected).zip(answers) {
                for (&name, answer) in engine.names().iter().zip(answers) {
                    let Some(answer) = answer else { continue };
                    let counts = self.answers.entry(name).or_default();
                    if is_as_expected(expected, &answer) {
                        counts.0 += 1;
                        continue;
                    }
                    match schema.as_ref().and_then(|schema| engine.excuse(name, schema, payload, &answer)) {
                        Some(excuse) => {
                            counts.1 += 1;
                            *self.excuses.entry((name, excuse)).or_default() += 1;
                        }
                        None => self.disagreements.push(disagreement(pair, name, payload, expected, &answer)),
                    }
                }
            }
        }
    }

    /// Adds the result of another comparison.
    pub fn add(&mut self, other: Outcome) {
        self.valid += other.valid;
        self.invalid += other.invalid;
        for (name, (agreed, excused)) in other.answers {
            let counts = self.answers.entry(name).or_default();
            *counts = (counts.0 + agreed, counts.1 + excused);
        }
        for (excuse, count) in other.excuses {
            *self.excuses.entry(excuse).or_default() += count;
        }
        self.disagreements.extend(other.disagreements);
    }

    /// A human-readable summary.
    pub fn summary(&self) -> String {
        let mut lines = vec![format!("{} payloads are valid, {} are not", self.valid, self.invalid)];
        lines.extend(
            self.answers
                .iter()
                .map(|(name, (agreed, excused))| format!("  {name:<22} agrees on {agreed}, is excused on {excused}")),
        );
        lines.extend(
            self.excuses.iter().map(|((name, excuse), count)| format!("  excused: {name}, {excuse}, {count} times")),
        );
        lines.join("\n")
    }
}

fn disagreement(pair: &Pair, name: &'static str, payload: &str, expected: &Answer, answer: &Answer) -> Disagreement {
    Disagreement {
        label: pair.label.clone(),
        name,
        schema: pair.schema.clone(),
        payload: payload.to_owned(),
        expected: expected.clone(),
        answer: answer.clone(),
    }
}

/// Whether the verdicts are the same and, if both report violations, their places and messages.
fn is_as_expected(expected: &Answer, answer: &Answer) -> bool {
    fn same<T: PartialEq>(expected: Option<&T>, reported: Option<&T>) -> bool {
        expected.zip(reported).is_none_or(|(expected, reported)| expected == reported)
    }
    answer.trouble.is_none()
        && expected.valid == answer.valid
        && same(expected.places.as_ref(), answer.places.as_ref())
        && same(expected.messages.as_ref(), answer.messages.as_ref())
        && same(expected.truncated.as_ref(), answer.truncated.as_ref())
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}, {}\n  schema      {}\n  payload     {}", self.label, self.name, self.schema, self.payload)?;
        writeln!(f, "  interpreter {}", shown(&self.expected))?;
        write!(f, "  {:<11} {}", self.name, shown(&self.answer))
    }
}

fn shown(answer: &Answer) -> String {
    let places = |places: &Vec<Place>| places.iter().map(|(path, keyword)| format!("{path:?} {keyword}")).collect();
    let mut text = vec![if answer.valid { "accepts it".to_owned() } else { "rejects it".to_owned() }];
    text.extend(answer.places.as_ref().map(places).map(|places: Vec<String>| places.join(", ")));
    text.extend(answer.messages.as_ref().filter(|messages| !messages.is_empty()).map(|messages| messages.join(", ")));
    text.extend((answer.truncated == Some(true)).then(|| "and more".to_owned()));
    text.extend(answer.trouble.clone());
    text.join("; ")
}

/// Compares generated Rust and, if Node is installed, generated TypeScript with the interpreter. `scratch` is the
/// test's `CARGO_TARGET_TMPDIR`; tests that run at the same time need different names.
///
/// # Panics
///
/// If an engine disagrees with the interpreter.
pub fn agree(scratch: &str, name: &str, pairs: &[Pair]) -> Outcome {
    let typescript = node::require_or_skip().unwrap().map(TypeScript::new);
    let rust = Rust::new(scratch, name);
    let engines = typescript.iter().map(|engine| engine as _);
    let engines: Vec<&(dyn Engine + Sync)> = engines.chain([&rust as _]).collect();
    let outcome = compare(pairs, &engines).unwrap();
    println!("{} schemas: {}", pairs.len(), outcome.summary());
    let shown: Vec<String> = outcome.disagreements.iter().take(8).map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{} disagreements\n{}", outcome.disagreements.len(), shown.join("\n\n"));
    outcome
}
