//! Snapshots: a state with its place in a log, so that a start need not read the whole log (decision 14).

mod restored;

use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;
use std::sync::Arc;

use capgen_schema::Hash;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::canonical::{canonical, hash_of};
use crate::pieces::{Pieces, ReadError, parsed_strictly};
use crate::state::{StateReader, read_state};
use crate::{Configuration, InvalidState, Registry};
pub use restored::Restored;

/// `format` of a snapshot.
pub const SNAPSHOT_FORMAT: &str = "capgen.registry.snapshot/1";

/// A state, and its place in a log.
///
/// The document is `{"format", "state", "hash", "registry_hash", "position", "pruned", "digest"}`. `hash` is that of
/// the state, or null if the snapshot is pruned; `pruned` is the number of removed requests. `digest` is the hash over
/// the other members, with the hash of the state's text in place of the state; so every changed byte is detected.
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
    /// The place in the file, if the log is a file without an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FilePlace>,
}

/// A place in a file that is read from its start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePlace {
    /// The number of bytes before it.
    pub bytes: u64,
    /// The SHA-256 hash of these bytes.
    pub hash: Hash,
    /// Whether the first event of the kernel is before it, or the configuration has no key of the kernel: then later
    /// events need no check of the first one.
    pub kernel_accepted: bool,
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
    /// The file cannot be read, with the reason.
    Io(String),
}

impl Snapshot {
    /// The snapshot of a registry that contains exactly the events of a log up to a position.
    #[must_use]
    pub fn take(registry: &mut Registry, position: Position) -> Self {
        let registry_hash = registry.view().registry_hash();
        Self { registry: registry.clone(), registry_hash, position, pruned: 0 }
    }

    /// Reads a snapshot and checks everything that can be checked without the log: the hashes over all of it, the
    /// registry hash, which is computed anew, and the forms of entries. The schemas of registrations were checked
    /// before the snapshot was written, and are not checked again. Takes time linear in the length of the text.
    ///
    /// # Errors
    ///
    /// See [`InvalidSnapshot`]. Drop the snapshot with a warning, and read the whole log.
    pub fn parse(text: &[u8], config: &Arc<Configuration>) -> Result<Self, InvalidSnapshot> {
        Self::read(text, config)
    }

    /// Like [`parse`](Self::parse), from a file that is read entry by entry. The caller limits its length.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse), or the file cannot be read.
    pub fn read(input: impl BufRead, config: &Arc<Configuration>) -> Result<Self, InvalidSnapshot> {
        let mut pieces = Pieces::canonical(input);
        let mut registry = Registry::new(config.clone());
        let mut reader = StateReader::new(config, None);
        let (mut document, mut state_hash) = (Map::new(), None);
        pieces.members::<InvalidSnapshot>(|pieces, name| {
            if name == "state" {
                // In the order of names, the format comes first.
                if document.get("format").is_none_or(|format| format != SNAPSHOT_FORMAT) {
                    return Err(InvalidSnapshot::Format);
                }
                pieces.start_hash();
                read_state(pieces, &mut reader, true, &mut |fact| registry.join(fact))?;
                state_hash = pieces.end_hash();
                return Ok(());
            }
            let text = pieces.value()?;
            let value = parsed_strictly(text)?;
            let is_canonical = canonical(&value) == text;
            let is_new = document.insert(name.to_owned(), value).is_none();
            if is_canonical && is_new { Ok(()) } else { Err(InvalidSnapshot::Format) }
        })?;
        pieces.line_end()?;
        let state_hash = state_hash.ok_or(InvalidSnapshot::Format)?;
        reader.finish().map_err(InvalidSnapshot::State)?;
        let member = |name: &str| document.get(name).cloned().unwrap_or_default();
        let (Ok(position), Ok(pruned)) =
            (serde_json::from_value(member("position")), serde_json::from_value(member("pruned")))
        else {
            return Err(InvalidSnapshot::Format);
        };
        let registry_hash = registry.view().registry_hash();
        let snapshot = Self { registry, registry_hash, position, pruned };
        snapshot.check_hashes(&document, state_hash)?;
        // This also finds unknown members.
        if document == snapshot.members_with_digest(state_hash) { Ok(snapshot) } else { Err(InvalidSnapshot::Format) }
    }

    fn check_hashes(&self, document: &Map<String, Value>, state_hash: Hash) -> Result<(), InvalidSnapshot> {
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
        let state = self.registry.state();
        let document = canonical(&self.members_with_digest(state.hash()).into());
        // The state comes last in the order of names.
        let document = document.strip_suffix('}').unwrap_or(&document);
        let parts = [format!("{document},\"state\":")].into_iter().chain(state.parts());
        parts.chain(["}".to_owned()]).collect()
    }

    /// All members without the state.
    fn members_with_digest(&self, state_hash: Hash) -> Map<String, Value> {
        let mut members = self.members(state_hash);
        members.insert("digest".to_owned(), self.digest(state_hash).to_string().into());
        members
    }

    /// All members without the state and the digest.
    fn members(&self, state_hash: Hash) -> Map<String, Value> {
        let members = json!({
            "format": SNAPSHOT_FORMAT,
            "hash": self.hash_member(state_hash),
            "registry_hash": self.registry_hash,
            "position": self.position,
            "pruned": self.pruned,
        });
        match members {
            Value::Object(members) => members,
            _ => Map::new(),
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

    /// Removes the outcomes of ended requests, except for the `keep` latest ones: unresolved requests, and those whose
    /// target has ended the invocation. Facts of the registry remain. Returns the number of removed requests.
    ///
    /// The log knows that they have outcomes: it drops the derived ids that it already has.
    pub fn prune(&mut self, keep: usize) -> u64 {
        let pruned = self.registry.prune(keep);
        self.pruned = self.pruned.saturating_add(pruned);
        pruned
    }
}

impl From<ReadError> for InvalidSnapshot {
    fn from(problem: ReadError) -> Self {
        match problem {
            ReadError::Io(error) => Self::Io(error.to_string()),
            ReadError::NotJson(_) => Self::Format,
        }
    }
}

impl fmt::Display for InvalidSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format => write!(f, "not a document of the format {SNAPSHOT_FORMAT} in canonical form"),
            Self::State(invalid) => write!(f, "/state{invalid}"),
            Self::Hash(name) => write!(f, "/{name}: the hash is not that of the contents"),
            Self::Io(reason) => write!(f, "the file cannot be read: {reason}"),
            Self::OtherLog => f.write_str("the log does not have the last event of the snapshot at its place"),
        }
    }
}

impl std::error::Error for InvalidSnapshot {}
