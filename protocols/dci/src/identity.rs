//! Hashes of several values, such as all inputs of a run.

use sha2::{Digest as _, Sha256};

/// A SHA-256 over texts and counts in a fixed order. Each text follows its length, so that no two lists of values give the same bytes.
pub(crate) struct Identity(Sha256);

impl Identity {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    /// Adds the number of values that follow.
    pub(crate) fn count(&mut self, count: usize) {
        self.fixed(&u64::try_from(count).unwrap_or(u64::MAX).to_be_bytes());
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds bytes of any length.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.fixed(bytes);
    }

    /// Adds bytes whose length is the same for all values.
    pub(crate) fn fixed(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// The digits of some bytes, in lower case.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
