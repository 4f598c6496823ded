//! The hash of a row: SHA-256 over an encoding that no two rows share.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::row::Row;

/// The first field of every encoding. Another encoding would have another text here.
const DOMAIN: &[u8] = b"capgen-audit-row-1";

/// The SHA-256 hash of a row, displayed as 64 hexadecimal digits.
///
/// ```
/// use capgen_audit::RowHash;
/// let hash = RowHash::ZERO;
/// assert_eq!(hash.to_string().parse(), Ok(hash));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowHash([u8; 32]);

/// A text that is not 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidRowHash;

impl RowHash {
    /// The previous hash of the first row of a tenant.
    pub const ZERO: Self = Self([0; 32]);

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The hash that a row must have: SHA-256 over a fixed text and every column but `hash`, in the order of the table. Each of these fields is
/// preceded by its length in bytes; lengths and integers are 64 bits, big-endian. `docs/audit.md` has the same in Python.
pub(crate) fn hash(row: &Row) -> RowHash {
    let mut state = Sha256::new();
    let mut field = |bytes: &[u8]| {
        state.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        state.update(bytes);
    };
    field(DOMAIN);
    field(&row.id.to_be_bytes());
    field(row.tenant.as_bytes());
    field(&row.seq.to_be_bytes());
    field(&row.ts.to_be_bytes());
    field(row.kind.as_bytes());
    field(row.capability.as_bytes());
    field(row.peer.as_bytes());
    field(row.record.as_bytes());
    field(&row.prev_hash.0);
    RowHash(state.finalize().into())
}

impl fmt::Display for RowHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for RowHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowHash({self})")
    }
}

impl std::str::FromStr for RowHash {
    type Err = InvalidRowHash;

    fn from_str(text: &str) -> Result<Self, InvalidRowHash> {
        let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let bytes = hex::decode(text).ok().filter(|_| is_lower).ok_or(InvalidRowHash)?;
        Self::from_bytes(&bytes).ok_or(InvalidRowHash)
    }
}

impl fmt::Display for InvalidRowHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected 64 lower-case hexadecimal digits")
    }
}

impl std::error::Error for InvalidRowHash {}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            id: 1,
            tenant: "t".into(),
            seq: 1,
            ts: 5,
            kind: "k".into(),
            capability: "c".into(),
            peer: "p".into(),
            record: "{}".into(),
            prev_hash: RowHash::ZERO,
            hash: RowHash::ZERO,
        }
    }

    #[test]
    fn moving_a_character_between_columns_changes_the_hash() {
        let (mut a, mut b) = (row(), row());
        (a.kind, a.capability) = ("xy".into(), "z".into());
        (b.kind, b.capability) = ("x".into(), "yz".into());
        assert_ne!(hash(&a), hash(&b));
    }

    #[test]
    fn the_encoding_of_a_row_never_changes() {
        // Computed with the program in docs/audit.md.
        assert_eq!(hash(&row()).to_string(), "1d584a66ebcc6aa102b187671b1c914efcb6ee33049d8de21bbdc3bd1e672c42");
    }
}
