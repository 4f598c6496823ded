//! Numbers for random samples.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// A generator of pseudo-random numbers: `SplitMix64` of Steele, Lea and Flood ("Fast splittable pseudorandom number
/// generators", 2014).
///
/// The state is the seed plus a multiple of the golden ratio, and each number is a mix of the state. So every seed is
/// equally good, neighbouring seeds give independent numbers, and a seed gives the same numbers on every platform. The
/// period is 2⁶⁴. Limits are small compared to that, so the remainder of a division is even enough.
///
/// ```
/// use capgen_testkit::Random;
///
/// let (mut one, mut two) = (Random::new(7), Random::new(7));
/// assert_eq!(one.below(100), two.below(100));
/// assert!(["a", "b"].contains(&one.pick(&["a", "b"])));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with that seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator with another seed in each run, for tests in which the order of threads or processes differs anyway.
    #[must_use]
    pub fn with_random_seed() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    /// The next number of 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `limit - 1`.
    ///
    /// # Panics
    ///
    /// The limit is 0.
    pub const fn below(&mut self, limit: usize) -> usize {
        // The remainder is less than the limit, which is a `usize`.
        (self.bits() % limit as u64) as usize
    }

    /// True once in `times`, on average.
    ///
    /// # Panics
    ///
    /// The number of times is 0.
    pub const fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the items.
    ///
    /// # Panics
    ///
    /// There are no items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Puts items into a random order, each with the same probability (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The numbers of the reference implementation in C by Sebastiano Vigna, `splitmix64.c`, for the seed 1234567.
    #[test]
    fn the_numbers_are_those_of_the_reference() {
        let mut random = Random::new(1_234_567);
        let numbers: [u64; 3] = std::array::from_fn(|_| random.bits());
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_are_below_the_limit_and_each_occurs() {
        let mut random = Random::new(1);
        let mut counts = [0; 7];
        (0..7_000).for_each(|_| counts[random.below(7)] += 1);
        assert!(counts.iter().all(|count| (800..1_200).contains(count)), "{counts:?}");
    }

    #[test]
    fn shuffled_items_are_the_same_items_in_another_order() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(1).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}
