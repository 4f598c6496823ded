//! The registry hash: a tree of hashes over the entries of registrations, updates, deprecations and health.

use capgen_schema::Hash;

/// The hash of a bucket or node without entries.
const EMPTY: Hash = Hash::ZERO;

/// The tree: 65,536 buckets by the first two bytes of the hash of an entry's key, 256 nodes by the first byte, and the
/// root. A change costs the hashes of one bucket, one node and the root, whatever the number of entries.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    nodes: Vec<Node>,
    root: Hash,
}

#[derive(Clone, Debug)]
struct Node {
    /// All 256, or none if the node has never had an entry: small registries stay small. A bucket exists once it has
    /// had an entry.
    buckets: Vec<Option<Box<Bucket>>>,
    hash: Hash,
    is_stale: bool,
}

#[derive(Clone, Debug)]
struct Bucket {
    /// The hashes of keys and entries, in the order of the keys.
    entries: Vec<(Hash, Hash)>,
    hash: Hash,
    is_stale: bool,
}

impl Default for Node {
    fn default() -> Self {
        Self { buckets: Vec::new(), hash: EMPTY, is_stale: false }
    }
}

impl Default for Bucket {
    fn default() -> Self {
        Self { entries: Vec::new(), hash: EMPTY, is_stale: false }
    }
}

impl Default for Buckets {
    fn default() -> Self {
        Self { nodes: vec![Node::default(); 1 << 8], root: EMPTY }
    }
}

impl Buckets {
    /// Sets the hash of an entry, or removes the entry.
    pub(super) fn set(&mut self, key: Hash, entry: Option<Hash>) {
        let mut bytes = key.as_bytes().iter().map(|byte| usize::from(*byte));
        let (first, second) = (bytes.next().unwrap_or(0), bytes.next().unwrap_or(0));
        let Some(node) = self.nodes.get_mut(first) else { return };
        if node.buckets.is_empty() {
            node.buckets = vec![None; 1 << 8];
        }
        let Some(bucket) = node.buckets.get_mut(second) else { return };
        let bucket = bucket.get_or_insert_default();
        match (bucket.entries.binary_search_by_key(&key, |(key, _)| *key), entry) {
            (Ok(at), Some(entry)) => {
                if let Some(place) = bucket.entries.get_mut(at) {
                    place.1 = entry;
                }
            }
            (Ok(at), None) => drop(bucket.entries.remove(at)),
            (Err(at), Some(entry)) => {
                // Most buckets have few entries, so doubling would waste much.
                if bucket.entries.len() == bucket.entries.capacity() {
                    bucket.entries.reserve_exact(1 + bucket.entries.len() / 8);
                }
                bucket.entries.insert(at, (key, entry));
            }
            (Err(_), None) => return,
        }
        (bucket.is_stale, node.is_stale) = (true, true);
    }

    /// Computes the hashes of everything that changed.
    pub(super) fn settle(&mut self) {
        if !self.nodes.iter().any(|node| node.is_stale) {
            return;
        }
        for node in self.nodes.iter_mut().filter(|node| node.is_stale) {
            for bucket in node.buckets.iter_mut().flatten().filter(|bucket| bucket.is_stale) {
                bucket.hash = over(bucket.entries.iter().map(|(_, entry)| entry), bucket.entries.is_empty());
                bucket.is_stale = false;
            }
            let is_empty = node.buckets.iter().flatten().all(|bucket| bucket.entries.is_empty());
            let hashes = node.buckets.iter().map(|bucket| bucket.as_ref().map_or(&EMPTY, |bucket| &bucket.hash));
            node.hash = over(hashes, is_empty);
            node.is_stale = false;
        }
        let is_empty = self.nodes.iter().all(|node| node.hash == EMPTY);
        self.root = over(self.nodes.iter().map(|node| &node.hash), is_empty);
    }

    /// The root in lower-case hexadecimal.
    pub(super) fn root(&self) -> String {
        self.root.to_string()
    }
}

/// SHA-256 over hashes; zero bytes for nothing.
fn over<'h>(hashes: impl Iterator<Item = &'h Hash>, is_empty: bool) -> Hash {
    if is_empty { EMPTY } else { Hash::of_parts(hashes.map(Hash::as_bytes)) }
}
