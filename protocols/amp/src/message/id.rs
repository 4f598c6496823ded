//! The ids of messages.

use std::fmt;

/// The id of a message: its time and random bytes, 16 bytes in all.
///
/// [`Display`](fmt::Display) shows hexadecimal digits.
///
/// ```
/// use capgen_amp::message::MessageId;
/// let id = MessageId::new(1_707_055_200_000, [0, 0, 0, 0, 0, 0, 0, 1]);
/// assert_eq!(id.to_string(), "0000018d746b37000000000000000001");
/// assert_eq!(id.time(), 1_707_055_200_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId([u8; 16]);

impl MessageId {
    /// An id for a message that is created at `ts`, in Unix milliseconds. The random bytes must not repeat within a
    /// millisecond.
    #[must_use]
    pub fn new(ts: u64, random: [u8; 8]) -> Self {
        Self(((u128::from(ts) << 64) | u128::from(u64::from_be_bytes(random))).to_be_bytes())
    }

    /// The bytes in a message.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The embedded time in Unix milliseconds.
    #[must_use]
    pub const fn time(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl From<[u8; 16]> for MessageId {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MessageId({self})")
    }
}
