//! The room that the queue has for records.

use capgen_shares::Shares;

/// A caller that is proved to have caused records; the empty text for all others together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Caller(pub(super) String);

/// The room for records, by their number and by their size.
pub(super) enum Room {
    /// For all callers together, because the server cannot distinguish them.
    Common {
        /// The records that may be added.
        records: usize,
        /// The bytes that may be added.
        bytes: usize,
    },
    /// With a share for each caller.
    Shared {
        /// The numbers of records.
        records: Box<Shares<Caller>>,
        /// Their bytes.
        bytes: Box<Shares<Caller>>,
    },
}

impl Room {
    /// A queue with room for this, as far as one caller fills it.
    pub(super) fn new(records: usize, bytes: usize, is_shared: bool) -> Self {
        match is_shared {
            false => Self::Common { records, bytes },
            true => Self::Shared {
                records: Box::new(Shares::new(records as u64)),
                bytes: Box::new(Shares::new(bytes as u64)),
            },
        }
    }

    /// Adds a record if there is room for it.
    pub(super) fn add(&mut self, caller: &Caller, size: usize) -> bool {
        match self {
            Self::Common { records, bytes } => {
                let left = records.checked_sub(1).zip(bytes.checked_sub(size));
                if let Some(left) = left {
                    (*records, *bytes) = left;
                }
                left.is_some()
            }
            Self::Shared { records, bytes } => {
                if !records.try_take(caller, 1) {
                    return false;
                }
                let has_room = bytes.try_take(caller, size as u64);
                if !has_room {
                    records.give_back(caller, 1);
                }
                has_room
            }
        }
    }

    /// Takes a record away that was added.
    pub(super) fn remove(&mut self, caller: &Caller, size: usize) {
        match self {
            Self::Common { records, bytes } => {
                *records = records.saturating_add(1);
                *bytes = bytes.saturating_add(size);
            }
            Self::Shared { records, bytes } => {
                records.give_back(caller, 1);
                bytes.give_back(caller, size as u64);
            }
        }
    }
}
