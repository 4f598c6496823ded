//! Random schemas and payloads, the same for the same seed.
//!
//! [`schema`](Random::schema) covers the whole subset. [`payloads`](Random::payloads) stay near the boundary between valid and
//! invalid, where implementations are most likely to disagree: some follow the schema, and most are one change away from one
//! that does.

mod body;
mod cbor;
mod mutation;
mod nested;
mod payload;
mod pools;
mod schema;
mod step;
mod write;

pub(crate) use schema::reference;

/// A pseudo-random number generator (`SplitMix64`), which needs no dependency and is the same on every platform.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// The number of values that the current payload may still have.
    room: usize,
}

impl Random {
    /// A generator with that seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, room: 0 }
    }

    /// The next number.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True with a probability of 1 in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items. There must be at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
