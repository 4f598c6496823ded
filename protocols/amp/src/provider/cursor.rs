//! The cursors of paged queries.

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::body::Order;
use crate::mac::keyed;
use crate::message::Did;

/// How long a cursor is valid, in ms (decision 11): enough for a person between two pages. Former catalogues are kept
/// for as long.
pub(crate) const LIFETIME_MS: u64 = 15 * 60 * 1000;

/// The place in a snapshot at which the next page starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cursor {
    /// The time at which the cursor was returned.
    pub(crate) issued: u64,
    /// The start of the hash of the snapshot that the first page was read from.
    pub(crate) snapshot: SnapshotId,
    /// The index of the next version of the capability, in the order of the query.
    pub(crate) position: u64,
}

/// Identifies the descriptors that a provider published at one time.
pub(crate) type SnapshotId = [u8; 16];

/// The query that a cursor belongs to. A cursor is not valid for another one.
pub(crate) struct QueryContext<'a> {
    pub(crate) caller: &'a Did,
    /// The encoding of the filter as received.
    pub(crate) filter: &'a [u8],
    /// The order in effect: the default one is the same as none.
    pub(crate) order: Order,
}

/// The key that authenticates cursors.
#[derive(Clone)]
pub(crate) struct CursorKey([u8; 32]);

/// The bytes of the time, of the snapshot and of the position.
const PLACE: usize = 8 + 16 + 8;
/// The bytes of HMAC-SHA-256 (decision 11).
const TAG: usize = 32;

impl CursorKey {
    pub(crate) const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The text of a cursor: hexadecimal, and opaque to the caller.
    pub(crate) fn write(&self, cursor: Cursor, context: &QueryContext<'_>) -> String {
        let mut bytes = Vec::with_capacity(PLACE + TAG);
        bytes.extend(cursor.issued.to_be_bytes());
        bytes.extend(cursor.snapshot);
        bytes.extend(cursor.position.to_be_bytes());
        let tag = self.mac(&bytes, context).finalize().into_bytes();
        bytes.extend_from_slice(&tag);
        hex::encode(bytes)
    }

    /// Reads a cursor; `None` if this key did not write it for this query. The tag is compared in constant time.
    pub(crate) fn read(&self, text: &str, context: &QueryContext<'_>) -> Option<Cursor> {
        // Hexadecimal digits of the other case would be a second text of the same cursor.
        if text.len() != 2 * (PLACE + TAG) || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let bytes = hex::decode(text).ok()?;
        let (place, tag) = bytes.split_at_checked(PLACE)?;
        self.mac(place, context).verify_slice(tag).ok()?;
        let (issued, rest) = place.split_first_chunk::<8>()?;
        let (snapshot, position) = rest.split_first_chunk::<16>()?;
        let position = position.first_chunk::<8>()?;
        Some(Cursor {
            issued: u64::from_be_bytes(*issued),
            snapshot: *snapshot,
            position: u64::from_be_bytes(*position),
        })
    }

    fn mac(&self, place: &[u8], context: &QueryContext<'_>) -> Hmac<Sha256> {
        let caller = context.caller.without_fragment();
        let order: u8 = match context.order {
            Order::NewestFirst => 0,
            Order::OldestFirst => 1,
        };
        let mut mac = keyed(&self.0);
        mac.update(place);
        mac.update(&[order]);
        // The length keeps the caller and the filter apart.
        mac.update(&u64::try_from(caller.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(caller.as_bytes());
        mac.update(context.filter);
        mac
    }
}
