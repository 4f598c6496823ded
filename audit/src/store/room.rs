//! The room that the queue has for records.

use super::share::Shares;

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
                records: Box::new(Shares::for_sole_caller(records)),
                bytes: Box::new(Shares::for_sole_caller(bytes)),
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
                let is_admitted = records.admits(caller, 1) && bytes.admits(caller, size);
                if is_admitted {
                    records.add(caller, 1);
                    bytes.add(caller, size);
                }
                is_admitted
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
                records.remove(caller, 1);
                bytes.remove(caller, size);
            }
        }
    }
}
