//! The ways in which capgen judges a payload, side by side.
//!
//! Each way is asked about many pairs at once; [`compare`] holds what it answers against the interpreter, and [`shrink`] makes
//! a disagreement small enough for a [`fixture`]. What is compared is in `docs/agreement.md`.

pub mod compare;
pub mod domain;
pub mod fixture;
mod interpreter;
pub mod labelled;
pub mod round_trip;
mod rust;
pub mod shrink;
pub mod tree;
mod typescript;

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
    /// Where it comes from.
    pub label: String,
    /// A schema that loads.
    pub schema: String,
    /// What is judged.
    pub payloads: Vec<String>,
}

/// The path and the keyword of a violation.
pub type Place = (String, String);

/// What a way says of a payload.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// Whether it accepts the payload.
    pub valid: bool,
    /// The violations in their order; `None` where the way does not tell them, or the text is no payload at all.
    pub places: Option<Vec<Place>>,
    /// Where the way contradicts itself: its parts disagree, or what it read it does not write back.
    pub trouble: Option<String>,
}

/// A way to judge payloads.
pub trait Way {
    /// What its answers are called; it gives one of each to every payload.
    fn names(&self) -> &[&'static str];

    /// The answers to each payload of each pair, in the order of the names; `None` where the payload is outside the domain
    /// in which the way can tell numbers apart.
    ///
    /// # Errors
    ///
    /// Where it cannot be asked at all.
    fn ask(&self, pairs: &[Pair]) -> Result<Vec<Vec<Vec<Option<Answer>>>>, Failure>;

    /// Why a wrong answer of this way says nothing against the others: the written reason.
    fn excuse(&self, _name: &str, _schema: &Schema, _payload: &str, _answer: &Answer) -> Option<&'static str> {
        None
    }
}

/// A text as a schema that keeps its order and its numbers; `None` where it is refused.
pub fn parse(schema: &str) -> Option<Schema> {
    Schema::parse(&Document::parse(schema).ok()?.root().to_json()).ok()
}

/// Whether a contract with this schema loads.
pub fn loads(schema: &str) -> bool {
    contract("agent", &[Draft::request("c0", schema)]).is_ok()
}

/// The pair of a seed; `None` where the schema of that seed is refused.
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

/// The first `count` pairs from a seed on, and the seed that comes after them.
pub fn pairs(seed: u64, count: usize, payloads: usize) -> (Vec<Pair>, u64) {
    let mut at = seed;
    let mut pairs = Vec::new();
    while pairs.len() < count {
        pairs.extend(pair(at, payloads));
        at += 1;
    }
    (pairs, at)
}
