//! Random pairs of schemas, and payloads that contradict a wrong answer about them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use capgen_schema::{Containment, ExactPayload, Json, Object, Schema, Steps, Validator, contains, smallest_value};

use crate::random::Random;

/// How the schemas of a pair are related.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The second schema is the first one with a single change.
    Mutation,
    /// Both schemas are random.
    Unrelated,
}

/// Two different schemas.
#[derive(Clone, Debug)]
pub struct RandomPair {
    /// How they are related.
    pub kind: Kind,
    /// The schemas.
    pub schemas: [Schema; 2],
}

/// The pair of a seed; `None` if a schema is rejected, or if the schemas are equal. Two thirds of the pairs are
/// mutations.
pub fn random_pair(seed: u64) -> Option<RandomPair> {
    let mut random = Random::new(seed);
    let one = random.schema();
    let kind = if seed.is_multiple_of(3) { Kind::Unrelated } else { Kind::Mutation };
    let other = if kind == Kind::Unrelated { random.schema() } else { random.mutated(&one) };
    if one == other {
        return None;
    }
    Some(RandomPair { kind, schemas: [Schema::parse(&one).ok()?, Schema::parse(&other).ok()?] })
}

/// The answers for the pairs of one kind, in both directions.
#[derive(Clone, Default, Debug)]
pub struct Count {
    /// The number of pairs.
    pub pairs: usize,
    /// The number of answers of each kind.
    pub yes: usize,
    /// `no`, with a witness.
    pub no: usize,
    /// The reasons of the undecided answers.
    pub undecided: BTreeMap<&'static str, usize>,
    /// The payloads that were accepted by the smaller schema of a `yes`.
    pub samples: usize,
    /// For how many `yes` there were as many payloads as asked for.
    pub fully_sampled: usize,
    /// For how many other `yes` the payloads were all that exist.
    pub exhausted: usize,
    /// The time of all answers.
    pub time: Duration,
    /// The longest time of an answer.
    pub slowest: Duration,
}

impl Count {
    /// The share of undecided answers.
    pub fn undecided_share(&self) -> f64 {
        let undecided = self.undecided.values().sum::<usize>();
        undecided as f64 / (self.yes + self.no + undecided).max(1) as f64
    }

    /// Asks whether `larger` contains `smaller`, and looks for `samples` payloads that contradict a `yes`. Returns the
    /// witness of a `no`.
    ///
    /// # Errors
    ///
    /// Both schemas and a payload that contradicts the answer.
    pub fn ask(
        &mut self,
        larger: &Schema,
        smaller: &Schema,
        samples: usize,
        random: &mut Random,
    ) -> Result<Option<Json>, String> {
        let start = Instant::now();
        let answer = contains(larger, smaller, Steps::default());
        self.time += start.elapsed();
        self.slowest = self.slowest.max(start.elapsed());
        match answer {
            Containment::Yes => {
                self.yes += 1;
                let found = conforming(smaller, larger, samples, random);
                let validator = Validator::new(larger);
                let is_rejected = |payload: &&String| {
                    ExactPayload::parse(payload.as_bytes()).is_ok_and(|payload| !validator.is_valid_exact(&payload))
                };
                if let Some(payload) = found.payloads.iter().find(is_rejected) {
                    return Err(format!(
                        "{}\nis not contained in {}\n{payload}",
                        smaller.source().canonical(),
                        larger.source().canonical()
                    ));
                }
                self.samples += found.payloads.len();
                self.fully_sampled += usize::from(found.payloads.len() >= samples);
                self.exhausted += usize::from(found.payloads.len() < samples && found.is_complete);
                Ok(None)
            }
            // The interpreter has confirmed the witness.
            Containment::No(witness) => {
                self.no += 1;
                Ok(Some(witness))
            }
            Containment::Undecided(undecided) => {
                *self.undecided.entry(undecided.reason).or_default() += 1;
                Ok(None)
            }
        }
    }
}

/// Payloads that a schema accepts.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Different JSON texts.
    pub payloads: Vec<String>,
    /// Whether the schema accepts no other value.
    pub is_complete: bool,
}

/// How many of the smallest values are found by search, if random payloads rarely conform.
const SMALLEST: usize = 12;

/// Different payloads that `schema` accepts, at most `count`. They are chosen near the boundary of `schema`, and near
/// that of `other`.
pub fn conforming(schema: &Schema, other: &Schema, count: usize, random: &mut Random) -> Samples {
    let validator = Validator::new(schema);
    let mut found = BTreeSet::new();
    let mut keep = |payloads: Vec<String>| {
        for payload in payloads {
            let exact = ExactPayload::parse(payload.as_bytes());
            if found.len() < count && exact.is_ok_and(|payload| validator.is_valid_exact(&payload)) {
                found.insert(payload);
            }
        }
        found.iter().cloned().collect::<Vec<_>>()
    };
    keep(random.payloads(schema, count / 2));
    let mut payloads = keep(random.payloads(other, count / 2));
    let mut is_complete = false;
    if payloads.len() < count / 2 {
        let smallest = smallest_values(schema, SMALLEST);
        is_complete = smallest.len() < SMALLEST;
        payloads = keep(smallest.iter().map(Json::canonical).collect());
    }
    for _ in 0..6 {
        if payloads.len() >= count || payloads.is_empty() {
            break;
        }
        payloads = keep(random.near(&payloads, count));
    }
    Samples { payloads, is_complete }
}

/// The smallest values that a schema accepts, one after the other. Fewer than `count` if there are no others.
fn smallest_values(schema: &Schema, count: usize) -> Vec<Json> {
    let mut values: Vec<Json> = Vec::new();
    while values.len() < count {
        match without(schema, &values).map(|rest| smallest_value(&rest, Steps(20_000))) {
            Some(Ok(Some(value))) => values.push(value),
            Some(Ok(None)) => break,
            // The search was given up. The known value is repeated, so that the list does not look complete.
            _ => values.resize(count, values.last().cloned().unwrap_or(Json::Null)),
        }
    }
    values
}

/// The schema that accepts the same values except for these.
fn without(schema: &Schema, values: &[Json]) -> Option<Schema> {
    let mut members: Vec<(String, Json)> = match schema.source() {
        Json::Object(members) => members.iter().cloned().collect(),
        other => vec![("allOf".to_owned(), Json::Array(vec![other.clone()]))],
    };
    let definitions = members.iter().position(|(name, _)| name == "definitions").map(|index| members.remove(index));
    let object = |members: Vec<(String, Json)>| Json::Object(members.into_iter().collect::<Object>());
    let excluded = object(vec![("enum".to_owned(), Json::Array(values.to_vec()))]);
    let not = object(vec![("not".to_owned(), excluded)]);
    let all = ("allOf".to_owned(), Json::Array(vec![object(members), not]));
    Schema::parse(&object(std::iter::once(all).chain(definitions).collect())).ok()
}
