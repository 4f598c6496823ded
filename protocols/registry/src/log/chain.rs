//! The hash chains of a log, one for each partition (decision 13).

use std::collections::BTreeMap;

use capgen_schema::Hash;

use super::{Broken, BrokenReason, Head, Heads, Verification};
use crate::canonical::{write_array, write_string};

/// The hash of a row: SHA-256 over the canonical `[partition, offset, event hash, previous row_hash or ""]`. The event
/// hash is SHA-256 over the stored canonical event with its signature; hashes are lower-case hexadecimal.
///
/// ```
/// use capgen_registry::log::row_hash;
/// let first = row_hash("a", 0, "{}", None);
/// assert_ne!(row_hash("a", 1, "{}", Some(&first)), first);
/// assert_eq!(first, capgen_registry::hash_of(&serde_json::json!(["a", 0, capgen_registry::hash_of(&serde_json::json!({})), ""])));
/// ```
#[must_use]
pub fn row_hash(partition: &str, offset: u64, event: &str, previous: Option<&Hash>) -> Hash {
    row_hash_of(partition, offset, &Hash::of(event), previous)
}

/// Like [`row_hash()`], for an event hash.
pub(crate) fn row_hash_of(partition: &str, offset: u64, event: &Hash, previous: Option<&Hash>) -> Hash {
    let mut name = String::new();
    write_string(&mut name, partition);
    let previous = previous.map(ToString::to_string).unwrap_or_default();
    let parts = [name, offset.to_string(), format!("\"{event}\""), format!("\"{previous}\"")];
    let mut text = String::new();
    write_array(&mut text, parts, |text, part| text.push_str(&part));
    Hash::of(text)
}

/// Computes the chains of a log from its events, in the log's order, and compares them with expected heads.
///
/// ```
/// use capgen_registry::log::Chains;
/// let mut chains = Chains::new(None);
/// chains.push("a", "{}");
/// let verification = chains.finish();
/// assert!(verification.ok && verification.heads["a"].offset == 0);
/// ```
#[derive(Debug)]
pub struct Chains {
    rows: u64,
    ends: BTreeMap<String, (u64, Hash)>,
    /// The expected heads that have not been found yet.
    expected: Heads,
    first_broken: Option<Broken>,
}

impl Chains {
    /// The chains of no rows.
    #[must_use]
    pub fn new(expect: Option<&Heads>) -> Self {
        Self { rows: 0, ends: BTreeMap::new(), expected: expect.cloned().unwrap_or_default(), first_broken: None }
    }

    /// Adds the canonical text of the next event of a partition, and returns its row hash.
    pub fn push(&mut self, partition: &str, event: &str) -> Hash {
        self.push_hash(partition, &Hash::of(event))
    }

    pub(crate) fn push_hash(&mut self, partition: &str, event: &Hash) -> Hash {
        let (offset, previous) = self.next(partition);
        let hash = row_hash_of(partition, offset, event, previous.as_ref());
        self.set(partition, offset, hash);
        hash
    }

    /// The offset of the next row of a partition, and the hash of the last one.
    pub(crate) fn next(&self, partition: &str) -> (u64, Option<Hash>) {
        self.ends.get(partition).map_or((0, None), |(offset, hash)| (offset.saturating_add(1), Some(*hash)))
    }

    /// Adds a row.
    pub(crate) fn set(&mut self, partition: &str, offset: u64, hash: Hash) {
        self.rows += 1;
        match self.ends.get_mut(partition) {
            Some(end) => *end = (offset, hash),
            None => drop(self.ends.insert(partition.to_owned(), (offset, hash))),
        }
        if self.expected.get(partition).is_some_and(|head| head.offset == offset)
            && let Some(head) = self.expected.remove(partition)
            && head.row_hash != hash.to_string()
        {
            self.break_at(partition, offset, BrokenReason::Expected);
        }
    }

    /// Notes a broken row, unless there is an earlier one.
    pub(crate) fn break_at(&mut self, partition: &str, offset: u64, reason: BrokenReason) {
        let broken = || Broken { partition: partition.to_owned(), offset, reason };
        self.first_broken.get_or_insert_with(broken);
    }

    /// The result. Expected heads that the log does not have are broken rows.
    #[must_use]
    pub fn finish(mut self) -> Verification {
        if let Some((partition, head)) = std::mem::take(&mut self.expected).pop_first() {
            self.break_at(&partition, head.offset, BrokenReason::Expected);
        }
        let head = |(partition, (offset, hash)): (String, (u64, Hash))| {
            (partition, Head { offset, row_hash: hash.to_string() })
        };
        Verification {
            ok: self.first_broken.is_none(),
            rows: self.rows,
            first_broken: self.first_broken,
            heads: self.ends.into_iter().map(head).collect(),
        }
    }
}
