//! The payloads of the frames HANDSHAKE, GOAWAY and ERROR.
//!
//! They are read as strictly as messages: deterministic CBOR, with every error at once. Unknown keys are ignored.

use std::fmt;

use bytes::Bytes;

use super::frame::{Frame, FrameType};
use crate::Code;
use crate::body::BodyError;
use crate::cbor::{DecodeError, Limits, Map, Value, decode_unsorted, encode};
use crate::message::{Did, MessageId, Rejection};
use crate::reader::Reader;

/// The version of the transport. Of AMP RFC 002.
pub const VERSION: u64 = 1;

/// The reasons of a [`Goaway`]. The specification defines no numbers; these are for logs, and no peer depends on them.
pub mod reason {
    /// The program ends.
    pub const SHUTDOWN: u64 = 0;
    /// There were no messages for too long.
    pub const IDLE: u64 = 1;
}

/// The largest payload of HANDSHAKE, GOAWAY and ERROR, in bytes: a peer has no right to more before it is known, and
/// needs no more.
pub const MAX_CONTROL_SIZE: u32 = 64 * 1024;

/// The longest text that is sent in these frames, in code points. Longer ones are cut. So a text has at most 4 KiB, far
/// less than the [`MAX_CONTROL_SIZE`] that a peer reads.
const MAX_TEXT: usize = 1024;

/// The HANDSHAKE of a client.
#[derive(Clone, PartialEq, Eq)]
pub struct Handshake {
    /// The version that the client speaks.
    pub version: u64,
    /// The largest payload that the client accepts, in bytes.
    pub max_msg_size: u64,
    /// The agent that the client claims to be. Nothing proves it.
    pub did: Option<Did>,
    /// A secret that may prove it.
    pub token: Option<Vec<u8>>,
    /// The extensions that the client knows.
    pub extensions: Vec<String>,
}

/// The HANDSHAKE of a server: the answer to that of the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Welcome {
    /// The version that the server speaks.
    pub version: u64,
    /// Whether messages may follow. If not, the server closes the connection.
    pub accepted: bool,
    /// The largest payload that the server accepts, in bytes.
    pub max_msg_size: u64,
    /// Why it is not accepted.
    pub error: Option<String>,
    /// The extensions that are in effect.
    pub extensions: Vec<String>,
}

/// GOAWAY: the sender starts no new work, and closes the connection when all work has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goaway {
    /// A number; see [`reason`].
    pub reason: u64,
    /// A text for logs.
    pub message: Option<String>,
    /// The last message that the sender has started to work on.
    pub last_id: Option<MessageId>,
}

/// ERROR: a message was refused, or the connection ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorFrame {
    /// A number, such as those of [`Code`].
    pub code: u64,
    /// A text for logs.
    pub message: String,
    /// The message that was refused. Without it, the error is about the connection.
    pub msg_id: Option<MessageId>,
}

/// Why a payload is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ControlError {
    /// It is not CBOR with lengths in their shortest form and unique keys, or larger than [`MAX_CONTROL_SIZE`].
    Decode(DecodeError),
    /// It has another form. All errors.
    Form(Vec<BodyError>),
}

impl Handshake {
    /// Reads the payload of a frame.
    ///
    /// # Errors
    ///
    /// Every error. No message contains the token.
    pub fn read(payload: &[u8]) -> Result<Self, ControlError> {
        read(payload, |reader, map| {
            let version = reader.required(map, "version", Reader::unsigned);
            let max_msg_size = reader.required(map, "max_msg_size", Reader::unsigned);
            let did = reader.optional(map, "did", Reader::parsed);
            let token = reader.optional(map, "token", Reader::bytes).map(<[u8]>::to_vec);
            let extensions = extensions(reader, map);
            Some(Self { version: version?, max_msg_size: max_msg_size?, did, token, extensions })
        })
    }

    /// The frame.
    #[must_use]
    pub fn to_frame(&self) -> Frame {
        let mut map = start(self.version, self.max_msg_size, &self.extensions);
        insert(&mut map, "did", self.did.as_ref().map(Did::as_str));
        insert(&mut map, "token", self.token.clone());
        frame(FrameType::Handshake, map)
    }
}

impl Welcome {
    /// Reads the payload of a frame.
    ///
    /// # Errors
    ///
    /// Every error.
    pub fn read(payload: &[u8]) -> Result<Self, ControlError> {
        read(payload, |reader, map| {
            let version = reader.required(map, "version", Reader::unsigned);
            let accepted = reader.required(map, "accepted", Reader::bool);
            let max_msg_size = reader.required(map, "max_msg_size", Reader::unsigned);
            let error = reader.optional(map, "error", Reader::string);
            let extensions = extensions(reader, map);
            Some(Self { version: version?, accepted: accepted?, max_msg_size: max_msg_size?, error, extensions })
        })
    }

    /// The frame.
    #[must_use]
    pub fn to_frame(&self) -> Frame {
        let mut map = start(self.version, self.max_msg_size, &self.extensions);
        map.insert("accepted", self.accepted);
        insert(&mut map, "error", self.error.as_deref().map(short));
        frame(FrameType::Handshake, map)
    }
}

impl Goaway {
    /// Reads the payload of a frame.
    ///
    /// # Errors
    ///
    /// Every error.
    pub fn read(payload: &[u8]) -> Result<Self, ControlError> {
        read(payload, |reader, map| {
            let reason = reader.required(map, "reason", Reader::unsigned);
            let message = reader.optional(map, "message", Reader::string);
            let last_id = reader.optional(map, "last_id", message_id);
            Some(Self { reason: reason?, message, last_id })
        })
    }

    /// The frame.
    #[must_use]
    pub fn to_frame(&self) -> Frame {
        let mut map = Map::new();
        map.insert("reason", self.reason);
        insert(&mut map, "message", self.message.as_deref().map(short));
        insert(&mut map, "last_id", self.last_id.as_ref().map(|id| id.as_bytes().as_slice()));
        frame(FrameType::Goaway, map)
    }
}

impl ErrorFrame {
    /// The error of a rejected message.
    #[must_use]
    pub fn new(rejection: &Rejection, msg_id: Option<MessageId>) -> Self {
        Self { code: u64::from(rejection.code.number()), message: rejection.message.clone(), msg_id }
    }

    /// The error of bytes or frames that are invalid: 1001.
    #[must_use]
    pub fn invalid(message: impl fmt::Display) -> Self {
        Self::new(&Rejection::new(Code::InvalidMessage, message.to_string()), None)
    }

    /// Reads the payload of a frame.
    ///
    /// # Errors
    ///
    /// Every error.
    pub fn read(payload: &[u8]) -> Result<Self, ControlError> {
        read(payload, |reader, map| {
            let code = reader.required(map, "code", Reader::unsigned);
            let message = reader.required(map, "message", Reader::string);
            let msg_id = reader.optional(map, "msg_id", message_id);
            Some(Self { code: code?, message: message?, msg_id })
        })
    }

    /// The frame.
    #[must_use]
    pub fn to_frame(&self) -> Frame {
        let mut map = Map::new();
        map.insert("code", self.code);
        map.insert("message", short(&self.message));
        insert(&mut map, "msg_id", self.msg_id.as_ref().map(|id| id.as_bytes().as_slice()));
        frame(FrameType::Error, map)
    }
}

fn read<T>(
    payload: &[u8],
    read: impl for<'v> FnOnce(&mut Reader<'v>, &'v Map) -> Option<T>,
) -> Result<T, ControlError> {
    let bytes = usize::try_from(MAX_CONTROL_SIZE).unwrap_or(usize::MAX);
    let limits = Limits { bytes, depth: 16, items: 1024 };
    let value = decode_unsorted(payload, &limits).map_err(ControlError::Decode)?;
    Reader::read(&value, |reader, value| {
        let map = reader.map(value)?;
        read(reader, map)
    })
    .map_err(ControlError::Form)
}

fn extensions<'v>(reader: &mut Reader<'v>, map: &'v Map) -> Vec<String> {
    let read = |reader: &mut Reader<'v>, value: &'v Value| reader.elements(value, Reader::string);
    reader.optional(map, "extensions", read).unwrap_or_default()
}

fn message_id<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<MessageId> {
    let bytes = reader.bytes(value)?;
    match <[u8; 16]>::try_from(bytes) {
        Ok(bytes) => Some(MessageId::from(bytes)),
        Err(_) => reader.expected("16 bytes"),
    }
}

fn start(version: u64, max_msg_size: u64, extensions: &[String]) -> Map {
    let mut map = Map::new();
    map.insert("version", version);
    map.insert("max_msg_size", max_msg_size);
    if !extensions.is_empty() {
        map.insert("extensions", extensions.iter().map(|name| Value::from(name.as_str())).collect::<Vec<_>>());
    }
    map
}

fn insert(map: &mut Map, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(key, value);
    }
}

fn frame(kind: FrameType, map: Map) -> Frame {
    Frame::new(kind, Bytes::from(encode(&Value::Map(map))))
}

fn short(text: &str) -> &str {
    text.char_indices().nth(MAX_TEXT).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

impl fmt::Debug for Handshake {
    /// Leaves out the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut handshake = f.debug_struct("Handshake");
        handshake.field("version", &self.version).field("max_msg_size", &self.max_msg_size);
        handshake.field("did", &self.did).field("extensions", &self.extensions).finish_non_exhaustive()
    }
}

impl fmt::Display for ErrorFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Code::from_number(self.code) {
            Some(code) => write!(f, "{code}: {}", self.message),
            None => write!(f, "{}: {}", self.code, self.message),
        }
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::Form(errors) => {
                let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&errors.join("; "))
            }
        }
    }
}

impl std::error::Error for ControlError {}
