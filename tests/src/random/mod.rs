//! Schemas and payloads by chance, the same for the same seed.
//!
//! [`schema`](Random::schema) goes over the whole subset, [`payload`](Random::payload) stays near the edge of what a schema
//! accepts: it follows the schema, and often takes one step away from it.

mod payload;
mod schema;

/// A source of numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Names of properties, some of which every JavaScript object inherits.
const NAMES: [&str; 14] =
    ["a", "b", "c", "kind", "value", "next", "", "a/b~c", "é", "10", "2", "__proto__", "toString", "constructor"];

/// Texts near the edges of lengths, patterns and formats.
const TEXTS: [&str; 38] = [
    "",
    "a",
    "b",
    "ab",
    "aaa",
    "abcd",
    "é",
    "😀",
    "a😀",
    "😀😀",
    "😀😀😀",
    "\u{0}",
    "\u{2028}",
    "a/b",
    "~",
    "1",
    "true",
    "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
    "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
    "joe@example.com",
    "\"a@b\"@[IPv6:::1]",
    "joe@[127.0.0.256]",
    "@",
    "http://a/b?c#d",
    "//[::1]:80/%7e",
    "http://[1::2::3]/",
    "./a:b",
    "1a:b",
    "%zz",
    "urn:x",
    "1998-12-31T23:59:60Z",
    "1998-12-31T23:58:60Z",
    "2020-02-29T00:00:00+23:59",
    "1900-02-29t00:00:00z",
    "2021-13-01T00:00:00Z",
    "constructor",
    "x\n",
    "aab",
];

/// Numbers in the domain on which the languages agree.
const NUMBERS: [&str; 24] = [
    "0",
    "-0.0",
    "1",
    "1.0",
    "2",
    "3",
    "5",
    "10",
    "-1",
    "-5",
    "1.5",
    "0.1",
    "-0.1",
    "2.5",
    "9007199254740991",
    "-9007199254740991",
    "9007199254740990",
    "1e21",
    "1.5e21",
    "1e300",
    "5e-324",
    "1e-7",
    "0.30000000000000004",
    "100",
];

/// Numbers that schemas have and payloads may not.
const ODD_NUMBERS: [&str; 8] = [
    "0.10000000000000000555",
    "0.09999999999999999999999",
    "9007199254740993",
    "9007199254740990.5",
    "123456789012345678901234567890",
    "-0.3000000000000000444",
    "1152921504606846976",
    "1152921504606847000",
];
