//! Random schemas and payloads, the same for the same seed.
//!
//! [`schema`](Random::schema) covers the whole subset. [`payloads`](Random::payloads) stay near the boundary between
//! valid and invalid, where implementations are most likely to disagree: some follow the schema, and most are one
//! change away from one that does.

mod body;
mod cbor;
mod mutation;
mod nested;
mod payload;
mod pools;
mod schema;
mod step;
mod write;

pub use schema::without_names_and_counts;

use std::ops::{Deref, DerefMut};

pub(crate) use schema::reference;

/// A generator of pseudo-random schemas and payloads. Its numbers are those of [`capgen_testkit::Random`].
#[derive(Clone, Debug)]
pub struct Random {
    numbers: capgen_testkit::Random,
    /// The number of values that the current payload may still have.
    room: usize,
}

impl Random {
    /// A generator with that seed.
    pub fn new(seed: u64) -> Self {
        Self { numbers: capgen_testkit::Random::new(seed), room: 0 }
    }
}

impl Deref for Random {
    type Target = capgen_testkit::Random;

    fn deref(&self) -> &Self::Target {
        &self.numbers
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.numbers
    }
}
