//! The frames of `amp://`, without IO.
//!
//! A frame is a length (4 bytes, big-endian), a type (1 byte) and a payload. The length counts the type and the
//! payload, so that it is at least 1.

use std::fmt;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::control::MAX_CONTROL_SIZE;

/// The bytes of a frame before its payload. 4 for the length and 1 for the type (AMP RFC 002).
pub const HEAD: usize = 5;

/// The smallest maximum of payloads that a peer may choose: 1 MiB. Every peer must accept as much (AMP RFC 002).
pub const MIN_MAX_SIZE: u32 = 1 << 20;

/// The maximum of payloads that is recommended for agents: 16 MiB. It is the recommendation of AMP RFC 002.
pub(crate) const DEFAULT_MAX_SIZE: u32 = 16 << 20;

/// The largest maximum of payloads: with one byte more, the length of the frame would need more than 4 bytes.
pub const MAX_MAX_SIZE: u32 = u32::MAX - 1;

/// The most memory that is reserved for bytes that have not been received yet. A length of 16 MiB costs its sender only
/// five bytes; after the first 64 KiB, as much is reserved as has arrived.
const MAX_RESERVED: usize = 64 * 1024;

/// The type of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FrameType {
    /// 0x01: one message.
    Message,
    /// 0x02: the first frame in each direction.
    Handshake,
    /// 0x03: asks for a [`Pong`](Self::Pong) with the same payload.
    Ping,
    /// 0x04: the answer to a [`Ping`](Self::Ping).
    Pong,
    /// 0x05: the sender starts no new work, and closes the connection when all work has ended.
    Goaway,
    /// 0x06: a message or the connection was refused.
    Error,
}

/// A frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The type.
    pub kind: FrameType,
    /// The payload.
    pub payload: Bytes,
}

/// Bytes that are not a frame. Nothing after them can be read, because the start of the next frame is unknown or not
/// trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameError {
    /// The length is 0: it does not count the type.
    Empty,
    /// The payload is larger than the maximum.
    TooLarge {
        /// The size of the payload in bytes, as its sender states it.
        size: u32,
        /// The maximum in bytes.
        max: u32,
    },
    /// The type is not one of [`FrameType`].
    ///
    /// A peer may send frames of other types only if both sides state an extension in their handshakes that defines
    /// them, and there is no such extension here. So this is an error, and not a frame to ignore.
    UnknownType(u8),
}

impl FrameType {
    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Message => 1,
            Self::Handshake => 2,
            Self::Ping => 3,
            Self::Pong => 4,
            Self::Goaway => 5,
            Self::Error => 6,
        }
    }

    /// The type with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Message,
            2 => Self::Handshake,
            3 => Self::Ping,
            4 => Self::Pong,
            5 => Self::Goaway,
            6 => Self::Error,
            _ => return None,
        })
    }
}

impl Frame {
    /// A frame.
    #[must_use]
    pub const fn new(kind: FrameType, payload: Bytes) -> Self {
        Self { kind, payload }
    }

    /// The bytes before the payload. `None` if the payload has more than [`MAX_MAX_SIZE`] bytes.
    ///
    /// ```
    /// use capgen_amp::carrier::frame::{Frame, FrameType};
    /// let frame = Frame::new(FrameType::Ping, b"abc".as_slice().into());
    /// assert_eq!(frame.head(), Some([0, 0, 0, 4, 3]));
    /// ```
    #[must_use]
    pub fn head(&self) -> Option<[u8; HEAD]> {
        let length = u32::try_from(self.payload.len()).ok()?.checked_add(1)?;
        let [a, b, c, d] = length.to_be_bytes();
        Some([a, b, c, d, self.kind.number()])
    }

    /// Appends the bytes of the frame, without a copy in between. Appends nothing if [`head`](Self::head) is `None`.
    pub fn write(&self, bytes: &mut BytesMut) {
        let Some(head) = self.head() else { return };
        bytes.reserve(HEAD + self.payload.len());
        bytes.put_slice(&head);
        bytes.put_slice(&self.payload);
    }
}

/// Takes the next frame from the start of received bytes; `None` if it is not complete yet. Its payload is not copied.
///
/// `max` is the maximum of the payloads of messages; those of other frames have at most [`MAX_CONTROL_SIZE`] bytes.
/// Memory is reserved only for bytes that have arrived, doubled, and not for the length that the peer states. Call it
/// again if it returns a frame, as more may be complete.
///
/// # Errors
///
/// See [`FrameError`]. An error is found in the first 5 bytes of a frame, before its payload has arrived. Then no bytes
/// are taken.
pub fn take(bytes: &mut BytesMut, max: u32) -> Result<Option<Frame>, FrameError> {
    let Some(head) = bytes.first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_be_bytes(*head);
    let size = length.checked_sub(1).ok_or(FrameError::Empty)?;
    if size > max {
        return Err(FrameError::TooLarge { size, max });
    }
    let Some(number) = bytes.get(4) else { return Ok(None) };
    let kind = FrameType::from_number(*number).ok_or(FrameError::UnknownType(*number))?;
    // Only messages are large. A PING has an answer of the same size, which is as good as free for its sender.
    let max = if kind == FrameType::Message { max } else { max.min(MAX_CONTROL_SIZE) };
    if size > max {
        return Err(FrameError::TooLarge { size, max });
    }
    // A size that does not fit in memory never arrives.
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let received = bytes.len() - HEAD;
    if received < size {
        bytes.reserve((size - received).min(received.max(MAX_RESERVED)));
        return Ok(None);
    }
    bytes.advance(HEAD);
    Ok(Some(Frame { kind, payload: bytes.split_to(size).freeze() }))
}

/// The size of the payload of the frame at the start of the bytes, if its length has arrived.
pub(super) fn size(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk::<4>().map(|head| u32::from_be_bytes(*head).saturating_sub(1))
}

impl fmt::Display for FrameType {
    /// The name in the specification, such as `HANDSHAKE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Message => "AMP_MESSAGE",
            Self::Handshake => "HANDSHAKE",
            Self::Ping => "PING",
            Self::Pong => "PONG",
            Self::Goaway => "GOAWAY",
            Self::Error => "ERROR",
        })
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the length of a frame must be at least 1, because it counts the type"),
            Self::TooLarge { size, max } => write!(f, "a payload has {size} bytes; the maximum is {max}"),
            Self::UnknownType(number) => write!(f, "the type of a frame is 0x{number:02x}; expected 0x01 to 0x06"),
        }
    }
}

impl std::error::Error for FrameError {}
