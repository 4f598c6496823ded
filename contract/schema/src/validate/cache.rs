//! A cache of compiled validators, by the hash of their schema.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Validator;
use crate::{Hash, Schema};

/// A bounded cache of compiled validators, for programs that learn their contracts at run time. It can be shared
/// between threads and stored in a `static`.
///
/// The key is [`Schema::hash`], or any other hash that the program has computed itself over everything the schema
/// depends on, such as the hash of a contract combined with the capability and the side. Do not use a hash that a peer
/// merely claims: the first peer could then choose the schema for all others.
///
/// The cache contains up to `capacity` validators, each about as large as its schema is in memory. If it is full, the
/// least recently used validator is removed, and compiled again the next time it is needed.
///
/// ```
/// use capgen_schema::{Hash, Schema, SchemaTextError, ValidatorCache};
/// static VALIDATORS: ValidatorCache = ValidatorCache::new(256);
///
/// let text = r#"{"type":"string"}"#;
/// let validator = VALIDATORS.get_or_compile(Hash::of(text), || Schema::parse_text(text))?;
/// assert!(validator.is_valid(&"x".into()));
/// # Ok::<(), SchemaTextError>(())
/// ```
#[derive(Debug)]
pub struct ValidatorCache {
    capacity: usize,
    entries: Mutex<Entries>,
}

/// A search tree, not a hash map: an attacker who chooses hashes cannot make it slow.
#[derive(Debug)]
struct Entries {
    by_hash: BTreeMap<Hash, Entry>,
    /// The number of look-ups so far, used as a clock.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    validator: Validator,
    /// The time of the last look-up.
    used: u64,
}

impl ValidatorCache {
    /// An empty cache for up to `capacity` validators. With capacity 0, every look-up compiles.
    pub const fn new(capacity: usize) -> Self {
        Self { capacity, entries: Mutex::new(Entries { by_hash: BTreeMap::new(), now: 0 }) }
    }

    /// The validator with the key `hash`, with default limits. If there is none, compiles `schema` and stores the
    /// result.
    ///
    /// A hit takes a short lock and a logarithmic search. Compilation happens outside of the lock, so `schema` may use
    /// the cache. Threads that miss at the same time may each compile; all of them get the validator that is stored
    /// first. If the cache is full, a miss also takes time linear in the capacity.
    ///
    /// # Errors
    /// The error of `schema`. Nothing is stored in that case.
    pub fn get_or_compile<E>(&self, hash: Hash, schema: impl FnOnce() -> Result<Schema, E>) -> Result<Validator, E> {
        if let Some(validator) = self.get(hash) {
            return Ok(validator);
        }
        let validator = Validator::new(&schema()?);
        // Dropping a large validator takes time, so drop it after the lock is released.
        let (kept, _dropped) = self.with(|entries| entries.insert(hash, validator, self.capacity));
        Ok(kept)
    }

    /// The validator with the key `hash`, if it is in the cache.
    pub fn get(&self, hash: Hash) -> Option<Validator> {
        self.with(|entries| entries.get(hash))
    }

    /// The number of validators in the cache.
    pub fn len(&self) -> usize {
        self.with(|entries| entries.by_hash.len())
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn with<T>(&self, work: impl FnOnce(&mut Entries) -> T) -> T {
        // A poisoned lock is safe to use: no code of a caller runs under it, and every step leaves the entries
        // consistent.
        work(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Entries {
    fn get(&mut self, hash: Hash) -> Option<Validator> {
        self.now += 1;
        let entry = self.by_hash.get_mut(&hash)?;
        entry.used = self.now;
        Some(entry.validator.clone())
    }

    /// Stores a validator unless another thread was faster. Returns the stored validator, and the entry that was
    /// removed for it.
    fn insert(&mut self, hash: Hash, validator: Validator, capacity: usize) -> (Validator, Option<Entry>) {
        if let Some(first) = self.get(hash) {
            return (first, None);
        }
        if capacity == 0 {
            return (validator, None);
        }
        let oldest = self.by_hash.iter().min_by_key(|(_, entry)| entry.used).map(|(hash, _)| *hash);
        let full = self.by_hash.len() >= capacity;
        let removed = oldest.filter(|_| full).and_then(|oldest| self.by_hash.remove(&oldest));
        self.by_hash.insert(hash, Entry { validator: validator.clone(), used: self.now });
        (validator, removed)
    }
}
