//! The hash of a row: SHA-256 over an encoding that no two rows share.

use capgen_schema::{Hash, HashBuilder};

use crate::row::Row;

/// The first field of every encoding. Another encoding would have another text here.
const DOMAIN: &[u8] = b"capgen-audit-row-1";

/// The hash that a row must have: SHA-256 over a fixed text and every column but `hash`, in the order of the table.
/// Each of these fields is preceded by its length in bytes; lengths and integers are 64 bits, big-endian.
/// `docs/audit.md` has the same in Python.
pub(crate) fn hash(row: &Row) -> Hash {
    let mut hash = HashBuilder::new();
    hash.add_framed(DOMAIN);
    hash.add_framed(row.id.to_be_bytes());
    hash.add_framed(&row.tenant);
    hash.add_framed(row.seq.to_be_bytes());
    hash.add_framed(row.ts.to_be_bytes());
    hash.add_framed(&row.kind);
    hash.add_framed(&row.capability);
    hash.add_framed(&row.peer);
    hash.add_framed(&row.record);
    hash.add_framed(row.prev_hash.as_bytes());
    hash.finish()
}

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
            prev_hash: Hash::ZERO,
            hash: Hash::ZERO,
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
