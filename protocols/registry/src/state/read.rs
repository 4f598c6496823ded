//! Reading states from files, entry by entry.

use std::fmt;
use std::io::{self, BufRead};

use capgen_schema::ExactPayload;

use super::{InvalidState, List, StateReader};
use crate::fact::Stamped;
use crate::pieces::{Pieces, ReadError, parsed_strictly};
use crate::{Configuration, Registry};

/// The levels of the output of a fold above the rows of its view, which are skipped one by one.
const LEVELS: usize = 3;

/// Why a document is not a state that can be merged.
#[derive(Debug)]
#[non_exhaustive]
pub enum UnreadableState {
    /// It cannot be read.
    Io(io::Error),
    /// It is not JSON. The phrase quotes nothing of it.
    NotJson(String),
    /// The value at a JSON Pointer is not a state.
    Invalid {
        /// The JSON Pointer of the state: empty, or `/state`.
        at: &'static str,
        /// Why it is not a state.
        reason: InvalidState,
    },
}

impl Registry {
    /// Joins every fact of a state that is read entry by entry, so that neither its text nor a second state is in
    /// memory. The document is a state, or has one as its member `state`, as the output of a fold does. `latest` is as
    /// in [`State::parse`](crate::State::parse).
    ///
    /// ```
    /// use capgen_registry::{Configuration, Registry};
    /// let mut registry = Registry::new(Configuration::default().into());
    /// let state = registry.state().to_json();
    /// registry.read_state(state.as_bytes(), None)?;
    /// assert!(registry.read_state("{}".as_bytes(), None).is_err());
    /// # Ok::<(), capgen_registry::UnreadableState>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`UnreadableState`]. Then an unknown part of the facts is in the registry: drop it.
    pub fn read_state(&mut self, input: impl BufRead, latest: Option<u64>) -> Result<(), UnreadableState> {
        let config = self.config().clone();
        read_document(Pieces::new(input), &config, latest, &mut |fact| self.join(fact))
    }
}

/// Reads a state, or a document that has one as its member `state`.
fn read_document<R: BufRead>(
    mut pieces: Pieces<R>,
    config: &Configuration,
    latest: Option<u64>,
    join: &mut dyn FnMut(Stamped),
) -> Result<(), UnreadableState> {
    let mut whole = StateReader::new(config, latest);
    let mut inner: Option<StateReader<'_>> = None;
    if pieces.peek()? == Some(b'{') {
        pieces.members::<ReadError>(|pieces, name| {
            if name == "state" && inner.is_none() && pieces.peek()? == Some(b'{') {
                return read_state(pieces, inner.insert(StateReader::new(config, latest)), false, join);
            }
            let is_of_state = matches!(name, "format" | "config_hash") || List::of(name).is_some();
            if is_of_state {
                return read_member(pieces, name, &mut whole, false, join);
            }
            whole.other_member();
            pieces.skip(LEVELS)
        })?;
    } else {
        pieces.skip(LEVELS)?;
    }
    pieces.end()?;
    // The output of a fold contains the state. A snapshot also does, but it may be pruned, and its format is another
    // one.
    let (at, reader) = match inner {
        Some(inner) if !whole.has_format() => ("/state", inner),
        _ => ("", whole),
    };
    reader.finish().map_err(|reason| UnreadableState::Invalid { at, reason })
}

/// Reads the members of a state. If `is_written`, this program has written it, and the caller checks its hash.
pub(crate) fn read_state<R: BufRead>(
    pieces: &mut Pieces<R>,
    reader: &mut StateReader<'_>,
    is_written: bool,
    join: &mut dyn FnMut(Stamped),
) -> Result<(), ReadError> {
    pieces.members(|pieces, name| read_member(pieces, name, reader, is_written, join))
}

fn read_member<R: BufRead>(
    pieces: &mut Pieces<R>,
    name: &str,
    reader: &mut StateReader<'_>,
    is_written: bool,
    join: &mut dyn FnMut(Stamped),
) -> Result<(), ReadError> {
    let Some(list) = List::of(name).filter(|_| matches!(pieces.peek(), Ok(Some(b'[')))) else {
        let value = parsed_strictly(pieces.value()?)?;
        reader.member(name, &value);
        return Ok(());
    };
    reader.start(list);
    pieces.items(|pieces| {
        let text = pieces.value()?;
        let fact = if is_written {
            reader.written_entry(list, text)
        } else {
            reader.entry(list, &ExactPayload::from(parsed_strictly(text)?).with_integers())
        };
        fact.into_iter().for_each(&mut *join);
        Ok(())
    })
}

impl From<ReadError> for UnreadableState {
    fn from(problem: ReadError) -> Self {
        match problem {
            ReadError::Io(error) => Self::Io(error),
            ReadError::NotJson(phrase) => Self::NotJson(phrase),
        }
    }
}

impl fmt::Display for UnreadableState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotJson(phrase) => write!(f, "not JSON: {phrase}"),
            Self::Invalid { reason, .. } => reason.fmt(f),
        }
    }
}

impl std::error::Error for UnreadableState {}
