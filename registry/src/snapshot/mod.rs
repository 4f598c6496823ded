//! Snapshots: a state with its place in a log, so that a start need not read the whole log (decision 14).

mod restored;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use capgen_schema::Hash;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::canonical::{canonical, hash_of};
use crate::fact::parsed;
use crate::log::{Log, LogError};
use crate::{Configuration, InvalidState, Registry, State};
pub use restored::Restored;

/// `format` of a snapshot.
pub const SNAPSHOT_FORMAT: &str = "capgen.registry.snapshot/1";

/// More levels than a state of events with 128 levels has.
const MAX_DEPTH: usize = 160;

/// A state, and its place in a log.
///
/// The document is `{"format", "state", "hash", "registry_hash", "position", "pruned", "digest"}`. `hash` is that of the state, or null if
/// the snapshot is pruned; `pruned` is the number of removed requests. `digest` is the hash over the other members, with the hash of the
/// state's text in place of the state; so every changed byte is detected.
#[derive(Clone, Debug)]
pub struct Snapshot {
    registry: Registry,
    registry_hash: String,
    position: Position,
    pruned: u64,
}

/// The last event of a log that a state contains.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Its sequence; 0 if there is no event.
    pub sequence: u64,
    /// The SHA-256 hash of its canonical text with its signature.
    pub event_hash: Option<Hash>,
    /// The hash of its row, if the log stores it.
    pub row_hash: Option<Hash>,
    /// The last offset of each partition.
    pub offsets: BTreeMap<String, u64>,
}

/// Why a snapshot must be dropped.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidSnapshot {
    /// The text is not the canonical text of a snapshot of this version.
    Format,
    /// The state is invalid, or belongs to another configuration.
    State(InvalidState),
    /// The member of this name is not the hash of the contents.
    Hash(&'static str),
    /// The log does not have the last event of the snapshot at its place.
    OtherLog,
}

impl Snapshot {
    /// The snapshot of a registry that contains exactly the events of a log up to a position.
    #[must_use]
    pub fn take(registry: &mut Registry, position: Position) -> Self {
        let registry_hash = registry.view().registry_hash();
        Self { registry: registry.clone(), registry_hash, position, pruned: 0 }
    }

    /// Reads a snapshot and checks everything that can be checked without the log. Takes time linear in the length of the text.
    ///
    /// # Errors
    ///
    /// See [`InvalidSnapshot`]. Drop the snapshot with a warning, and read the whole log.
    pub fn parse(text: &[u8], config: &Arc<Configuration>) -> Result<Self, InvalidSnapshot> {
        let text = std::str::from_utf8(text).map_err(|_| InvalidSnapshot::Format)?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        if !is_shallow(text) {
            return Err(InvalidSnapshot::Format);
        }
        let document = parsed(text);
        if document.get("format").and_then(Value::as_str) != Some(SNAPSHOT_FORMAT) {
            return Err(InvalidSnapshot::Format);
        }
        let member = |name: &str| document.get(name).cloned().unwrap_or_default();
        let value = document.get("state").unwrap_or(&Value::Null);
        let state = State::parse(value, config, None).map_err(InvalidSnapshot::State)?;
        let mut registry =
            Registry::of(state, config.clone()).map_err(|_| InvalidSnapshot::State(InvalidState::Configuration))?;
        let (Ok(position), Ok(pruned)) =
            (serde_json::from_value(member("position")), serde_json::from_value(member("pruned")))
        else {
            return Err(InvalidSnapshot::Format);
        };
        let registry_hash = registry.view().registry_hash();
        let snapshot = Self { registry, registry_hash, position, pruned };
        let state = snapshot.registry.state().to_json();
        snapshot.check_hashes(&document, Hash::of(&state))?;
        // This also finds unknown members and other notations.
        if snapshot.document(&state) == text { Ok(snapshot) } else { Err(InvalidSnapshot::Format) }
    }

    fn check_hashes(&self, document: &Value, state_hash: Hash) -> Result<(), InvalidSnapshot> {
        let expected = [
            ("registry_hash", self.registry_hash.as_str().into()),
            ("hash", self.hash_member(state_hash)),
            ("digest", self.digest(state_hash).to_string().into()),
        ];
        for (name, hash) in expected {
            if document.get(name) != Some(&hash) {
                return Err(InvalidSnapshot::Hash(name));
            }
        }
        Ok(())
    }

    /// The document in canonical form.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.document(&self.registry.state().to_json())
    }

    /// The document with the text of the state.
    fn document(&self, state: &str) -> String {
        let hash = Hash::of(state);
        let mut members = self.members(hash);
        members.insert("digest".to_owned(), self.digest(hash).to_string().into());
        let document = canonical(&members.into());
        // The state comes last in the order of names.
        let document = document.strip_suffix('}').unwrap_or(&document);
        format!("{document},\"state\":{state}}}")
    }

    /// All members without the state and the digest.
    fn members(&self, state_hash: Hash) -> serde_json::Map<String, Value> {
        let members = json!({
            "format": SNAPSHOT_FORMAT,
            "hash": self.hash_member(state_hash),
            "registry_hash": self.registry_hash,
            "position": self.position,
            "pruned": self.pruned,
        });
        match members {
            Value::Object(members) => members,
            _ => serde_json::Map::new(),
        }
    }

    fn hash_member(&self, state_hash: Hash) -> Value {
        if self.is_pruned() { Value::Null } else { state_hash.to_string().into() }
    }

    fn digest(&self, state_hash: Hash) -> Hash {
        let mut members = self.members(state_hash);
        members.insert("state".to_owned(), state_hash.to_string().into());
        hash_of(&members.into())
    }

    /// The place in the log.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Whether ended requests were removed. Then the state answers questions, but has no hash and must not be merged.
    #[must_use]
    pub fn is_pruned(&self) -> bool {
        self.pruned > 0
    }

    /// Removes the outcomes of ended requests, except for the `keep` latest ones: unresolved requests, and those whose target has ended
    /// the invocation. Facts of the registry remain. Returns the number of removed requests.
    ///
    /// The log knows that they have outcomes: it drops the derived ids that it already has.
    pub fn prune(&mut self, keep: usize) -> u64 {
        let pruned = self.registry.prune(keep);
        self.pruned = self.pruned.saturating_add(pruned);
        pruned
    }

    /// Whether a log has the last event of the snapshot at its place.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub fn belongs_to(&self, log: &mut dyn Log) -> Result<bool, LogError> {
        let Position { sequence, event_hash, row_hash, .. } = &self.position;
        let Some(before) = sequence.checked_sub(1) else { return Ok(self.position == Position::default()) };
        let has_event = log
            .read(before, 1)?
            .first()
            .is_some_and(|record| record.sequence == *sequence && *event_hash == Some(Hash::of(record.event.text())));
        Ok(has_event && (row_hash.is_none() || log.row_hash(*sequence)? == *row_hash))
    }
}

/// Whether the brackets of a text are at most [`MAX_DEPTH`] levels deep, so that reading it recursively is safe.
fn is_shallow(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return false;
        }
    }
    true
}

impl fmt::Display for InvalidSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format => write!(f, "not a document of the format {SNAPSHOT_FORMAT} in canonical form"),
            Self::State(invalid) => write!(f, "/state{invalid}"),
            Self::Hash(name) => write!(f, "/{name}: the hash is not that of the contents"),
            Self::OtherLog => f.write_str("the log does not have the last event of the snapshot at its place"),
        }
    }
}

impl std::error::Error for InvalidSnapshot {}
