//! Holding answers against the interpreter's.

use std::collections::BTreeMap;

use super::{Answer, Pair, Place, Rust, TypeScript, Way, interpreter, parse};
use crate::{Failure, node};

/// A payload of which a way says something else than the interpreter, without an excuse.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Where the pair comes from.
    pub label: String,
    /// Which way it is.
    pub name: &'static str,
    /// The schema.
    pub schema: String,
    /// The payload.
    pub payload: String,
    /// What the interpreter says.
    pub expected: Answer,
    /// What the way says.
    pub answer: Answer,
}

/// What a comparison has seen.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// How many payloads the interpreter accepts.
    pub valid: usize,
    /// How many it refuses.
    pub invalid: usize,
    /// How many answers each way gave: those that agree, and those that are excused.
    pub answers: BTreeMap<&'static str, (usize, usize)>,
    /// How often each excuse was needed.
    pub excuses: BTreeMap<(&'static str, &'static str), usize>,
    /// What is left.
    pub disagreements: Vec<Disagreement>,
}

/// Asks every way about every pair.
///
/// # Errors
///
/// Where a way cannot be asked.
pub fn compare(pairs: &[Pair], ways: &[&(dyn Way + Sync)]) -> Result<Outcome, Failure> {
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
        let asked: Vec<_> = ways.iter().map(|way| scope.spawn(|| way.ask(pairs))).collect();
        asked.into_iter().map(|way| way.join().map_err(|_| "a way panicked")).collect::<Result<Vec<_>, _>>()
    })?;
    for (way, answers) in ways.iter().zip(all) {
        outcome.hold(*way, pairs, &expected, answers?);
    }
    Ok(outcome)
}

impl Outcome {
    fn hold(&mut self, way: &dyn Way, pairs: &[Pair], expected: &[Vec<Answer>], all: Vec<Vec<Vec<Option<Answer>>>>) {
        for ((pair, expected), answers) in pairs.iter().zip(expected).zip(all) {
            let schema = parse(&pair.schema);
            for ((payload, expected), answers) in pair.payloads.iter().zip(expected).zip(answers) {
                for (&name, answer) in way.names().iter().zip(answers) {
                    let Some(answer) = answer else { continue };
                    let counts = self.answers.entry(name).or_default();
                    if is_as_expected(expected, &answer) {
                        counts.0 += 1;
                        continue;
                    }
                    match schema.as_ref().and_then(|schema| way.excuse(name, schema, payload, &answer)) {
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

    /// Adds what another comparison has seen.
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

    /// What has been seen, for people.
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

/// Whether the verdicts are the same and, where both tell them, the places.
fn is_as_expected(expected: &Answer, answer: &Answer) -> bool {
    let places = match (&expected.places, &answer.places) {
        (Some(expected), Some(places)) => expected == places,
        _ => true,
    };
    answer.trouble.is_none() && expected.valid == answer.valid && places
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
    let mut text = vec![if answer.valid { "accepts it".to_owned() } else { "refuses it".to_owned() }];
    text.extend(answer.places.as_ref().map(places).map(|places: Vec<String>| places.join(", ")));
    text.extend(answer.trouble.clone());
    text.join("; ")
}

/// Holds generated Rust and, where Node is there, generated TypeScript against the interpreter. `scratch` is the test's
/// `CARGO_TARGET_TMPDIR`; tests that run at the same time have different names.
///
/// # Panics
///
/// Where two ways disagree.
pub fn agree(scratch: &str, name: &str, pairs: &[Pair]) -> Outcome {
    let typescript = node::require_or_skip().unwrap().map(TypeScript::new);
    let rust = Rust::new(scratch, name);
    let ways = typescript.iter().map(|way| way as _);
    let ways: Vec<&(dyn Way + Sync)> = ways.chain([&rust as _]).collect();
    let outcome = compare(pairs, &ways).unwrap();
    println!("{} schemas: {}", pairs.len(), outcome.summary());
    let shown: Vec<String> = outcome.disagreements.iter().take(8).map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{} disagreements\n{}", outcome.disagreements.len(), shown.join("\n\n"));
    outcome
}
