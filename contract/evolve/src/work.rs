//! The work that one run may do in total.

use std::cell::Cell;

use capgen_schema::{Containment, Json, Schema, Steps, Undecided, contains_within, smallest_value_within};

/// The reason of an answer that the budget of the run has cut short.
const SPENT: Undecided = Undecided { reason: "the budget of the whole comparison" };

/// The steps that are left of the budget of a run. Every question has a limit of its own too, so that one of them
/// cannot spend all.
#[derive(Debug)]
pub(crate) struct Work {
    left: Cell<u64>,
}

impl Work {
    /// A run with this budget.
    pub(crate) fn new(budget: Steps) -> Self {
        Self { left: Cell::new(budget.0) }
    }

    /// Whether no question is decided any more.
    pub(crate) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Takes the steps for reading schemas of this size, as for each question. `false` if the budget is spent.
    pub(crate) fn read(&self, schemas: &[&Schema]) -> bool {
        let size: u64 = schemas.iter().map(|schema| size(schema.source())).sum();
        self.left.set(self.left.get().saturating_sub(size.saturating_mul(STEPS_OF_A_VALUE)));
        !self.is_spent()
    }

    /// [`capgen_schema::contains`], with at most these steps.
    pub(crate) fn contains(&self, larger: &Schema, smaller: &Schema, steps: Steps) -> Containment {
        if !self.read(&[larger, smaller]) {
            return Containment::Undecided(SPENT);
        }
        let answer = self.spend(steps, |left| contains_within(larger, smaller, left));
        match answer {
            Containment::Undecided(_) if self.is_spent() => Containment::Undecided(SPENT),
            answer => answer,
        }
    }

    /// Whether the schema accepts no value, as far as these steps show.
    pub(crate) fn is_empty(&self, schema: &Schema, steps: Steps) -> bool {
        self.read(&[schema]) && self.spend(steps, |left| smallest_value_within(schema, left)) == Ok(None)
    }

    fn spend<T>(&self, steps: Steps, ask: impl FnOnce(&mut Steps) -> T) -> T {
        let given = steps.0.min(self.left.get());
        let mut left = Steps(given);
        let answer = ask(&mut left);
        let spent = given.saturating_sub(left.0);
        self.left.set(self.left.get().saturating_sub(spent));
        answer
    }
}

/// The steps that count for each JSON value of a schema that a question reads: copying, parsing and translating it
/// takes about as long as so many steps of a search. Measured: 3.9, by `tools/benches/containment/src/bin/weights.rs`.
const STEPS_OF_A_VALUE: u64 = 4;

/// The number of JSON values in a text; long strings, such as patterns, count as several.
fn size(json: &Json) -> u64 {
    /// A pattern takes as long to compile as a keyword for about so many bytes.
    const BYTES: u64 = 16;
    match json {
        Json::Array(items) => 1 + items.iter().map(size).sum::<u64>(),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| size(value)).sum::<u64>(),
        Json::String(text) => 1 + text.len() as u64 / BYTES,
        _ => 1,
    }
}
