//! The engines that validate payloads, compared with each other.
//!
//! Each engine answers many pairs at once. [`compare`] compares the answers with those of the interpreter, and
//! [`shrink`] reduces a disagreement to a small [`fixture`]. `docs/agreement.md` describes the comparison.

pub mod compare;
pub mod domain;
pub mod fixture;
mod interpreter;
pub mod labelled;
pub mod oracle;
pub mod round_trip;
mod rust;
pub mod shrink;
pub mod tree;
pub mod typescript;

pub use compare::agree;
pub use interpreter::interpreter;
pub use rust::Rust;
pub use typescript::TypeScript;

use capgen_schema::{Json, Schema};

use crate::Failure;
use crate::contract::{Draft, contract};
use crate::corpus::Document;
use crate::random::Random;

/// A schema and payloads, as JSON texts on one line.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The origin of the pair.
    pub label: String,
    /// A schema that loads.
    pub schema: String,
    /// The payloads to validate.
    pub payloads: Vec<String>,
}

/// The path and the keyword of a violation.
pub type Place = (String, String);

/// An engine's answer for a payload.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// Whether it accepts the payload.
    pub valid: bool,
    /// The violations in order; `None` if the engine does not report them, or if the text is not valid JSON.
    pub places: Option<Vec<Place>>,
    /// The messages of the violations; `None` if they are not compared.
    pub messages: Option<Vec<String>>,
    /// Whether there are more violations than those of the report; `None` if it is not compared.
    pub truncated: Option<bool>,
    /// How the engine contradicts itself: its functions disagree, or it does not write back a value that it read.
    pub trouble: Option<String>,
}

/// An implementation that validates payloads.
pub trait Engine {
    /// The names of its answers: for each payload it gives one answer per name.
    fn names(&self) -> &[&'static str];

    /// The answers for each payload of each pair, in the order of the names; `None` if the payload has a number that
    /// the engine cannot represent.
    ///
    /// # Errors
    ///
    /// If the engine cannot be run.
    fn answers(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure>;

    /// The documented reason for a wrong answer, if there is one.
    fn excuse(&self, _name: &str, _schema: &Schema, _payload: &str, _answer: &Answer) -> Option<&'static str> {
        None
    }
}

/// Parses a schema without changing its order and its numbers; `None` if it is rejected.
pub fn parse(schema: &str) -> Option<Schema> {
    Schema::parse(&Document::parse(schema).ok()?.root().to_json()).ok()
}

/// Whether a contract with this schema loads.
pub fn loads(schema: &str) -> bool {
    contract("agent", &[Draft::request("c0", schema)]).is_ok()
}

/// The pair of a seed; `None` if the schema of this seed is rejected.
pub fn pair(seed: u64, payloads: usize) -> Option<Pair> {
    let mut random = Random::new(seed);
    let schema: Json = random.schema();
    let text = tree::Tree::from(&schema).to_string();
    let parsed = parse(&text)?;
    if !loads(&text) {
        return None;
    }
    Some(Pair { label: format!("seed {seed}"), schema: text, payloads: random.payloads(&parsed, payloads) })
}

/// The first `count` pairs, starting at a seed, and the next unused seed.
pub fn pairs(seed: u64, count: usize, payloads: usize) -> (Vec<Pair>, u64) {
    let mut at = seed;
    let mut pairs = Vec::new();
    while pairs.len() < count {
        pairs.extend(pair(at, payloads));
        at += 1;
    }
    (pairs, at)
}
