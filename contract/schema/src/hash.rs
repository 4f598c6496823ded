//! SHA-256 digests.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A SHA-256 digest ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
///
/// Its text is 64 lowercase hexadecimal digits: [`Display`](fmt::Display) writes it, [`FromStr`] reads it, and for
/// serde a hash is that string.
///
/// ```
/// use capgen_schema::Hash;
/// let hash = Hash::of(b"abc");
/// assert_eq!(hash.short(), "ba7816bf");
/// assert_eq!(hash.to_string().parse(), Ok(hash));
/// assert!("BA7816BF".parse::<Hash>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// 32 zero bytes, which are the digest of no known text: the hash of nothing, such as of the row before the first
    /// one.
    pub const ZERO: Self = Self([0; 32]);

    /// The digest with these bytes; `None` if there are not 32 of them.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The digest of `bytes`.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of the concatenation of `parts`.
    pub fn of_parts<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Self {
        let mut hash = HashBuilder::new();
        parts.into_iter().for_each(|part| hash.add(part));
        hash.finish()
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 8 hex digits.
    pub fn short(&self) -> String {
        self.digits(8)
    }

    /// The first hex digits, at most 64.
    pub fn digits(&self, count: usize) -> String {
        self.to_string().chars().take(count).collect()
    }
}

/// The hash of bytes that arrive in parts, or of a list of values.
///
/// Each value of a list is added [with its length](Self::add_framed), so that no two lists of values give the same
/// bytes.
///
/// ```
/// use capgen_schema::{Hash, HashBuilder};
/// let mut parts = HashBuilder::new();
/// parts.add(b"ab");
/// parts.add(b"c");
/// assert_eq!(parts.finish(), Hash::of(b"abc"));
///
/// let mut list = HashBuilder::new();
/// list.add_framed(b"ab");
/// list.add_framed(b"c");
/// let bytes = b"\x00\x00\x00\x00\x00\x00\x00\x02ab\x00\x00\x00\x00\x00\x00\x00\x01c";
/// assert_eq!(list.finish(), Hash::of(bytes));
/// ```
#[derive(Clone, Debug, Default)]
pub struct HashBuilder(Sha256);

impl HashBuilder {
    /// The hash of nothing yet.
    pub fn new() -> Self {
        Self(Sha256::new())
    }

    /// Adds bytes as they are. In a list, only values whose length is the same in all lists are added like this.
    pub fn add(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.update(bytes);
    }

    /// Adds the number of values that follow: 64 bits, big-endian.
    pub fn add_count(&mut self, count: usize) {
        self.add(u64::try_from(count).unwrap_or(u64::MAX).to_be_bytes());
    }

    /// Adds the [number](Self::add_count) of some bytes, and the bytes.
    pub fn add_framed(&mut self, bytes: impl AsRef<[u8]>) {
        self.add_count(bytes.as_ref().len());
        self.add(bytes);
    }

    /// The digest.
    pub fn finish(self) -> Hash {
        Hash(self.0.finalize().into())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// The error of parsing a [`struct@Hash`] from a text other than 64 lowercase hexadecimal digits.
///
/// Uppercase digits are rejected, so that equal hashes have equal texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InvalidHash;

impl fmt::Display for InvalidHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hash must have 64 lowercase hexadecimal digits")
    }
}

impl std::error::Error for InvalidHash {}

impl FromStr for Hash {
    type Err = InvalidHash;

    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        let (digits, []) = text.as_bytes().as_chunks::<2>() else { return Err(InvalidHash) };
        let mut bytes = [0; 32];
        if digits.len() != bytes.len() {
            return Err(InvalidHash);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(digits) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

fn digit(character: u8) -> Result<u8, InvalidHash> {
    match character {
        b'0'..=b'9' => Ok(character - b'0'),
        b'a'..=b'f' => Ok(character - b'a' + 10),
        _ => Err(InvalidHash),
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_texts() -> Result<(), serde_json::Error> {
        let hash = Hash::of(b"abc");
        let text = serde_json::to_string(&hash)?;
        assert_eq!(text, r#""ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad""#);
        assert_eq!(serde_json::from_str::<Hash>(&text)?, hash);
        let plain = hash.to_string();
        for wrong in
            ["", "ba", &plain.to_uppercase(), &format!("{plain}0"), &format!("{plain}00"), &plain.replace('a', "g")]
        {
            assert_eq!(wrong.parse::<Hash>(), Err(InvalidHash), "{wrong}");
            assert!(serde_json::from_str::<Hash>(&format!("{wrong:?}")).is_err(), "{wrong}");
        }
        Ok(())
    }
}
