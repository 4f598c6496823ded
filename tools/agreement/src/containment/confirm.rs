//! Confirmation of witnesses by every engine and by independent validators.

use std::collections::BTreeMap;

use capgen_schema::Schema;
use capgen_tests::Failure;
use capgen_tests::agreement::{Answer, Engine, Pair, interpreter, parse};

use super::Question;

/// A value that the smaller schema accepts and the larger one rejects, as a JSON text.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The schemas.
    pub question: Question,
    /// The value.
    pub payload: String,
}

/// The verdicts about one witness.
#[derive(Clone, Debug, Default)]
pub struct Confirmation {
    /// The names of the engines that accept it under the smaller schema and reject it under the larger one.
    pub by: Vec<&'static str>,
    /// The engines with another verdict, each with its reason.
    pub not_by: Vec<String>,
    /// The engines whose other verdict is a known defect, with the name of the defect.
    pub excused: Vec<String>,
}

/// The engines that have to confirm each witness of the pairs: the interpreter, generated code, and two independent
/// validators.
pub const REQUIRED: [&str; 5] = ["interpreter", "Rust from bytes", "TypeScript", "jsonschema", "ajv"];

impl Confirmation {
    /// Whether no engine has another verdict, and all of these have confirmed it.
    pub fn is_complete(&self, required: &[&str]) -> bool {
        self.not_by.is_empty() && required.iter().all(|name| self.by.contains(name))
    }

    fn add(&mut self, name: &'static str, verdict: &Verdict) {
        match verdict {
            Verdict::Right => self.by.push(name),
            Verdict::Excused(defect) => self.excused.push(format!("{name}: {defect}")),
            Verdict::Wrong(reason) => self.not_by.push(format!("{name} {reason}")),
        }
    }
}

enum Verdict {
    Right,
    Excused(&'static str),
    Wrong(String),
}

/// The verdicts of the interpreter and of the engines about each witness.
///
/// # Errors
///
/// If an engine cannot be run.
pub fn confirm(witnesses: &[Witness], engines: &[&(dyn Engine + Sync)]) -> Result<Vec<Confirmation>, Failure> {
    // Schemas occur in several questions; the compiler of generated code gets each of them once.
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut at = Vec::new();
    for Witness { question, payload } in witnesses {
        let mut place = |schema| {
            let pair = *places.entry(schema).or_insert_with(|| {
                pairs.push(Pair { label: "a witness".to_owned(), schema: schema.to_owned(), payloads: Vec::new() });
                pairs.len() - 1
            });
            let payloads = &mut pairs[pair].payloads;
            payloads.push(payload.clone());
            (pair, payloads.len() - 1)
        };
        at.push([(place(&question.smaller), true), (place(&question.larger), false)]);
    }
    let reference: Vec<Vec<Answer>> = pairs.iter().map(interpreter).collect();
    let schemas: Vec<Option<Schema>> = pairs.iter().map(|pair| parse(&pair.schema)).collect();
    let mut confirmations = vec![Confirmation::default(); witnesses.len()];
    for (confirmation, places) in confirmations.iter_mut().zip(&at) {
        let answers = places.iter().map(|((pair, payload), expected)| (Some(&reference[*pair][*payload]), *expected));
        confirmation.add("interpreter", &verdict(answers, |_| None));
    }
    let all = std::thread::scope(|scope| {
        let asked: Vec<_> = engines.iter().map(|engine| scope.spawn(|| engine.answers(&pairs))).collect();
        asked.into_iter().map(|engine| engine.join().map_err(|_| "an engine panicked")).collect::<Result<Vec<_>, _>>()
    })?;
    for (engine, answers) in engines.iter().zip(all) {
        let answers = answers?;
        for ((confirmation, places), witness) in confirmations.iter_mut().zip(&at).zip(witnesses) {
            for (index, name) in engine.names().iter().enumerate() {
                let given =
                    places.map(|((pair, payload), expected)| (answers[pair][payload][index].as_ref(), expected));
                if given.iter().all(|(answer, _)| answer.is_none()) {
                    continue;
                }
                let excuse = |side: usize| {
                    let schema = schemas[places[side].0.0].as_ref()?;
                    engine.excuse(name, schema, &witness.payload, given[side].0?)
                };
                confirmation.add(name, &verdict(given.into_iter(), excuse));
            }
        }
    }
    Ok(confirmations)
}

/// The verdict of an engine from its answers for the smaller and the larger schema. An answer is missing if the engine
/// cannot represent the payload.
fn verdict<'a>(
    answers: impl Iterator<Item = (Option<&'a Answer>, bool)>,
    excuse: impl Fn(usize) -> Option<&'static str>,
) -> Verdict {
    let mut result = Verdict::Right;
    for (side, (answer, expected)) in answers.enumerate() {
        let schema = ["smaller", "larger"][side];
        let reason = match answer {
            Some(answer) if answer.trouble.is_some() => format!("{schema}: {:?}", answer.trouble),
            Some(answer) if answer.valid == expected => continue,
            Some(answer) => {
                format!("{} it under the {schema} schema", if answer.valid { "accepts" } else { "rejects" })
            }
            None => format!("has no answer for the {schema} schema"),
        };
        match excuse(side) {
            Some(defect) => result = Verdict::Excused(defect),
            None => return Verdict::Wrong(reason),
        }
    }
    result
}
