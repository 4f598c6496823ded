//! Compiled validators by the hash of their schema.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Validator;
use crate::{Hash, Schema};

/// A bounded store of compiled validators, for programs that learn their contracts at run time. Usable from several
/// threads at once, and in a `static`.
///
/// The key is [`Schema::hash`], or any other hash that the program has computed itself over all that the schema depends on,
/// such as that of a contract with the capability and the side. A hash that a peer merely claims must not be the key:
/// whoever is first would choose the schema for all.
///
/// It holds up to `capacity` programs, each about as large as its schema is in memory; the one that was not asked for the
/// longest goes first. What has gone is compiled again when asked for.
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

/// A tree, since no choice of hashes makes one slow.
#[derive(Debug)]
struct Entries {
    by_hash: BTreeMap<Hash, Entry>,
    /// Counts the questions asked.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    validator: Validator,
    asked: u64,
}

impl ValidatorCache {
    /// An empty cache for up to `capacity` validators; with 0, every question compiles.
    pub const fn new(capacity: usize) -> Self {
        Self { capacity, entries: Mutex::new(Entries { by_hash: BTreeMap::new(), now: 0 }) }
    }

    /// The validator kept under `hash`, with default limits; where there is none, `schema` is compiled and kept.
    ///
    /// Finding one takes a short lock and a logarithmic search. Compiling happens outside the lock, so `schema` may use the
    /// cache; threads that miss at the same time may each compile, and all get the one that came first. Where the cache is
    /// full, a miss takes time linear in the capacity besides.
    ///
    /// # Errors
    /// That of `schema`; then nothing is kept.
    pub fn get_or_compile<E>(&self, hash: Hash, schema: impl FnOnce() -> Result<Schema, E>) -> Result<Validator, E> {
        if let Some(validator) = self.get(hash) {
            return Ok(validator);
        }
        let validator = Validator::new(&schema()?);
        // Whatever is dropped may be large, so it is dropped when others can go on.
        let (kept, _dropped) = self.with(|entries| entries.insert(hash, validator, self.capacity));
        Ok(kept)
    }

    /// The validator kept under `hash`.
    pub fn get(&self, hash: Hash) -> Option<Validator> {
        self.with(|entries| entries.get(hash))
    }

    /// How many validators are kept.
    pub fn len(&self) -> usize {
        self.with(|entries| entries.by_hash.len())
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn with<T>(&self, work: impl FnOnce(&mut Entries) -> T) -> T {
        // No code of a caller runs under the lock, and each step leaves the entries whole.
        work(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Entries {
    fn get(&mut self, hash: Hash) -> Option<Validator> {
        self.now += 1;
        let entry = self.by_hash.get_mut(&hash)?;
        entry.asked = self.now;
        Some(entry.validator.clone())
    }

    /// What is now kept under `hash`, and what had to go.
    fn insert(&mut self, hash: Hash, validator: Validator, capacity: usize) -> (Validator, Option<Entry>) {
        if let Some(first) = self.get(hash) {
            return (first, None);
        }
        if capacity == 0 {
            return (validator, None);
        }
        let oldest = self.by_hash.iter().min_by_key(|(_, entry)| entry.asked).map(|(hash, _)| *hash);
        let full = self.by_hash.len() >= capacity;
        let gone = oldest.filter(|_| full).and_then(|oldest| self.by_hash.remove(&oldest));
        self.by_hash.insert(hash, Entry { validator: validator.clone(), asked: self.now });
        (validator, gone)
    }
}
