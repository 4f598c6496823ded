//! The state machine of one `amp://` connection, without IO and clock.
//!
//! A program passes the received bytes and the time, and does as the returned events state. Times are Unix ms, or any
//! other count of ms that does not go backwards.

use std::fmt;

use bytes::{Bytes, BytesMut};
use capgen_net::Growth;

use super::control::{
    ControlError, ErrorFrame, Goaway, Handshake, MAX_CONTROL_SIZE, VERSION, Welcome, reason as goaway_reason,
};
use super::frame::{self, DEFAULT_MAX_SIZE, Frame, FrameError, FrameType, MAX_MAX_SIZE, MIN_MAX_SIZE};
use crate::message::Did;

/// The limits of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The largest payload that this side accepts, in bytes. Less than [`MIN_MAX_SIZE`] means that, as every side must
    /// accept it.
    pub max_msg_size: u32,
    /// The time until the handshakes of both sides are complete, in ms.
    pub handshake_ms: u64,
    /// The time, in ms, in which a frame that has begun must grow by 1 kB for each second of it, or be complete. Time
    /// in which this side does not read does not count.
    pub frame_ms: u64,
    /// Server: the time until a client has sent a message with a valid signature, in ms, from the start of the
    /// connection, unless it was authenticated. A first message that takes longer, because it is large and the network
    /// slow, needs a small one before it, such as a query.
    pub proof_ms: u64,
    /// The time without a frame of the peer until it gets a PING, in ms.
    pub ping_ms: u64,
    /// The time until the peer answers a PING, in ms.
    pub pong_ms: u64,
    /// The time without messages until the connection is closed, in ms. PINGs are not messages.
    pub idle_ms: u64,
}

impl Default for Settings {
    /// 16 MiB; 10 s for the handshake, the same for a valid signature, and for 10 kB of a frame; a PING after 30 s and
    /// 20 s for its answer; and 2 minutes without messages.
    fn default() -> Self {
        Self {
            max_msg_size: DEFAULT_MAX_SIZE,
            handshake_ms: 10_000,
            frame_ms: 10_000,
            proof_ms: 10_000,
            ping_ms: 30_000,
            pong_ms: 20_000,
            idle_ms: 120_000,
        }
    }
}

impl Settings {
    /// The largest payload that this side accepts, in bytes.
    pub(super) fn max_msg_size(&self) -> u32 {
        self.max_msg_size.clamp(MIN_MAX_SIZE, MAX_MAX_SIZE)
    }
}

/// The identity that a client states in its handshake.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Credentials {
    /// The agent that it claims to be.
    pub did: Option<Did>,
    /// A secret that proves it.
    pub token: Option<Vec<u8>>,
}

/// One side of a connection.
#[derive(Clone, Debug)]
pub struct Connection {
    is_server: bool,
    settings: Settings,
    phase: Phase,
    /// The effective maximum of payloads.
    max: u32,
    opened: u64,
    /// When the last frame was complete.
    heard: u64,
    /// When a PING was sent that has not been answered.
    pinged: Option<u64>,
    /// When a message was last sent or received, or work ended.
    active: u64,
    /// The frame that has begun.
    partial: Option<Growth>,
    is_proved: bool,
    is_busy: bool,
    is_paused: bool,
    sent_goaway: bool,
    received_goaway: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Waits for the handshake of the peer.
    Handshake,
    /// The handshake of the client is being authenticated.
    Authenticating,
    Open,
    Closed,
}

/// An event of a connection, with the action of the program.
#[derive(Clone, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// Server: decide who the client is, then call [`Connection::accept`] or [`Connection::refuse`]. Until then, read
    /// no more.
    Authenticate(Credentials),
    /// Client: messages may be sent.
    Open,
    /// A message was received.
    Message(Bytes),
    /// Server: a message was received after GOAWAY. Answer it with an ERROR, and start no work.
    Refuse(Bytes),
    /// Send this frame.
    Write(Frame),
    /// The peer has refused a message, or reports an error of the connection.
    Error(ErrorFrame),
    /// The peer starts no new work.
    Goaway(Goaway),
    /// Send the last frame, if there is one, and close the connection.
    Close {
        /// It explains the reason to the peer.
        last: Option<Frame>,
        /// The reason.
        reason: CloseReason,
    },
}

/// Why a connection ends.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CloseReason {
    /// The peer sent bytes that are not a frame.
    Frame(FrameError),
    /// The payload of a frame is invalid.
    Control(FrameType, ControlError),
    /// A frame came at the wrong time.
    Unexpected(FrameType),
    /// The peers do not agree. The text is for logs.
    Refused(String),
    /// The handshake took too long.
    HandshakeTimeout,
    /// A frame grew too slowly.
    SlowFrame,
    /// No message with a valid signature came in time.
    Unproved,
    /// The peer did not answer a PING.
    NoPong,
    /// There were no messages for too long.
    Idle,
}

/// Why a message cannot be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendError {
    /// The handshake is not complete, or the connection is closed.
    NotOpen,
    /// The message is larger than the agreed maximum.
    TooLarge {
        /// The size of the message in bytes.
        size: usize,
        /// The agreed maximum in bytes.
        max: u32,
    },
}

impl Connection {
    /// The server's side of a connection that has been accepted. It waits for the handshake of the client.
    #[must_use]
    pub fn server(settings: Settings, now: u64) -> Self {
        Self::new(true, settings, now)
    }

    /// The client's side of a connection that has been opened, and the frame to send.
    #[must_use]
    pub fn client(settings: Settings, credentials: Credentials, now: u64) -> (Self, Frame) {
        let connection = Self::new(false, settings, now);
        let hello = Handshake {
            version: VERSION,
            max_msg_size: u64::from(settings.max_msg_size()),
            did: credentials.did,
            token: credentials.token,
            extensions: Vec::new(),
        };
        (connection, hello.to_frame())
    }

    const fn new(is_server: bool, settings: Settings, now: u64) -> Self {
        Self {
            is_server,
            settings,
            phase: Phase::Handshake,
            max: MAX_CONTROL_SIZE,
            opened: now,
            heard: now,
            pinged: None,
            active: now,
            partial: None,
            is_proved: !is_server,
            is_busy: false,
            is_paused: false,
            sent_goaway: false,
            received_goaway: false,
        }
    }

    /// Takes at most one frame from the start of the received bytes. `None` if more bytes are needed.
    ///
    /// Call it again after an event. Read no more bytes between [`ConnectionEvent::Authenticate`] and its decision.
    pub fn receive(&mut self, bytes: &mut BytesMut, now: u64) -> Option<ConnectionEvent> {
        while matches!(self.phase, Phase::Handshake | Phase::Open) {
            let frame = match frame::take(bytes, self.max) {
                Ok(Some(frame)) => frame,
                Ok(None) => {
                    let begun = (!bytes.is_empty()).then(|| Growth::new(self.settings.frame_ms, 0, now));
                    self.partial = self.partial.or(begun);
                    if let Some(partial) = &mut self.partial {
                        partial.grow(bytes.len(), now);
                    }
                    return None;
                }
                Err(error) => return Some(self.fail(error, CloseReason::Frame(error))),
            };
            self.partial = None;
            self.heard = now;
            self.pinged = None;
            let event = match self.phase {
                Phase::Open => self.frame(frame, now),
                _ if self.is_server => Some(self.hello(&frame)),
                _ => Some(self.welcome(&frame, now)),
            };
            if event.is_some() {
                return event;
            }
        }
        None
    }

    /// The frame of a client that has no right to send anything else.
    fn hello(&mut self, frame: &Frame) -> ConnectionEvent {
        if frame.kind != FrameType::Handshake {
            return self.unexpected(frame.kind);
        }
        let hello = match Handshake::read(&frame.payload) {
            Ok(hello) => hello,
            Err(error) => {
                let text = error.to_string();
                return self.close(Some(self.refusal(text)), CloseReason::Control(frame.kind, error));
            }
        };
        if let Err(text) = self.agree(hello.version, hello.max_msg_size) {
            return self.refuse(&text);
        }
        self.phase = Phase::Authenticating;
        ConnectionEvent::Authenticate(Credentials { did: hello.did, token: hello.token })
    }

    fn welcome(&mut self, frame: &Frame, now: u64) -> ConnectionEvent {
        match frame.kind {
            FrameType::Handshake => {}
            FrameType::Error => {
                let text =
                    ErrorFrame::read(&frame.payload).map_or_else(|error| error.to_string(), |error| error.to_string());
                return self.close(None, CloseReason::Refused(text));
            }
            kind => return self.unexpected(kind),
        }
        let welcome = match Welcome::read(&frame.payload) {
            Ok(welcome) => welcome,
            Err(error) => return self.fail(error.to_string(), CloseReason::Control(frame.kind, error)),
        };
        if !welcome.accepted {
            let text = welcome.error.unwrap_or_else(|| "without a reason".to_owned());
            return self.close(None, CloseReason::Refused(text));
        }
        if let Err(text) = self.agree(welcome.version, welcome.max_msg_size) {
            return self.fail(&text, CloseReason::Refused(text.clone()));
        }
        self.open(now);
        ConnectionEvent::Open
    }

    /// Checks the numbers of the peer's handshake, and sets the effective maximum.
    fn agree(&mut self, version: u64, max_msg_size: u64) -> Result<(), String> {
        if version != VERSION {
            return Err(format!("version {version} is not supported; expected {VERSION}"));
        }
        if max_msg_size < u64::from(MIN_MAX_SIZE) {
            return Err(format!("max_msg_size {max_msg_size} is too small; expected at least {MIN_MAX_SIZE}"));
        }
        self.max = u32::try_from(max_msg_size).unwrap_or(MAX_MAX_SIZE).min(self.settings.max_msg_size());
        Ok(())
    }

    /// Server: accepts the client after [`ConnectionEvent::Authenticate`], and returns the frame to send. `None` at
    /// another time.
    pub fn accept(&mut self, now: u64) -> Option<Frame> {
        if self.phase != Phase::Authenticating {
            return None;
        }
        self.open(now);
        Some(self.answer(true, None))
    }

    /// Server: refuses the client after [`ConnectionEvent::Authenticate`].
    pub fn refuse(&mut self, text: &str) -> ConnectionEvent {
        self.close(Some(self.refusal(text.to_owned())), CloseReason::Refused(text.to_owned()))
    }

    fn refusal(&self, text: String) -> Frame {
        self.answer(false, Some(text))
    }

    fn answer(&self, accepted: bool, error: Option<String>) -> Frame {
        let max_msg_size = u64::from(self.settings.max_msg_size());
        Welcome { version: VERSION, accepted, max_msg_size, error, extensions: Vec::new() }.to_frame()
    }

    const fn open(&mut self, now: u64) {
        self.phase = Phase::Open;
        self.heard = now;
        self.active = now;
    }

    /// A frame after the handshakes. `None` if there is nothing to do.
    fn frame(&mut self, frame: Frame, now: u64) -> Option<ConnectionEvent> {
        let Frame { kind, payload } = frame;
        Some(match kind {
            FrameType::Message => {
                self.active = now;
                let is_late = self.is_server && (self.sent_goaway || self.received_goaway);
                if is_late { ConnectionEvent::Refuse(payload) } else { ConnectionEvent::Message(payload) }
            }
            FrameType::Ping => ConnectionEvent::Write(Frame::new(FrameType::Pong, payload)),
            FrameType::Pong => return None,
            FrameType::Handshake => self.unexpected(kind),
            FrameType::Goaway => match Goaway::read(&payload) {
                Ok(goaway) => {
                    self.received_goaway = true;
                    ConnectionEvent::Goaway(goaway)
                }
                Err(error) => self.fail(error.to_string(), CloseReason::Control(kind, error)),
            },
            FrameType::Error => match ErrorFrame::read(&payload) {
                Ok(error) => ConnectionEvent::Error(error),
                // An ERROR is never answered with an ERROR.
                Err(error) => self.close(None, CloseReason::Control(kind, error)),
            },
        })
    }

    /// The frame of a message.
    ///
    /// # Errors
    ///
    /// See [`SendError`]. The connection is as before.
    pub fn send(&mut self, message: Bytes, now: u64) -> Result<Frame, SendError> {
        if self.phase != Phase::Open {
            return Err(SendError::NotOpen);
        }
        let size = message.len();
        if u32::try_from(size).map_or(true, |size| size > self.max) {
            return Err(SendError::TooLarge { size, max: self.max });
        }
        self.active = now;
        Ok(Frame::new(FrameType::Message, message))
    }

    /// Starts no new work from now on: the frame to send. `None` if it was sent before, or the connection is not open.
    pub fn goaway(&mut self, reason: u64, text: &str) -> Option<Frame> {
        if self.phase != Phase::Open || self.sent_goaway {
            return None;
        }
        self.sent_goaway = true;
        Some(Goaway { reason, message: Some(text.to_owned()), last_id: None }.to_frame())
    }

    /// Whether messages may be sent that start new work: the handshakes are complete, and neither side has sent GOAWAY.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.phase == Phase::Open && !self.sent_goaway && !self.received_goaway
    }

    /// Whether the handshakes are complete.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// The effective maximum of payloads, in bytes: the smaller of both sides. Before the handshakes: of handshakes.
    #[must_use]
    pub const fn max_msg_size(&self) -> u32 {
        self.max
    }

    /// States whether a message waits for its answer. Then the connection is not idle.
    pub const fn set_busy(&mut self, is_busy: bool, now: u64) {
        if self.is_busy && !is_busy {
            self.active = now;
        }
        self.is_busy = is_busy;
    }

    /// Server: states that the client has proved who it is, by a message with a valid signature or its token.
    pub const fn set_proved(&mut self) {
        self.is_proved = true;
    }

    /// Whether a frame has begun to arrive, and is not complete.
    #[must_use]
    pub const fn is_receiving(&self) -> bool {
        self.partial.is_some()
    }

    /// States whether the program reads no bytes at the moment. Then the peer is not expected to send any in time.
    pub fn set_paused(&mut self, is_paused: bool, now: u64) {
        if self.is_paused && !is_paused {
            self.heard = now;
            self.pinged = None;
            if let Some(partial) = &mut self.partial {
                partial.restart(now);
            }
        }
        self.is_paused = is_paused;
    }

    /// The time at which [`tick`](Self::tick) has an effect; `None` if there is none.
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        match self.phase {
            Phase::Closed => None,
            Phase::Handshake | Phase::Authenticating => Some(self.opened.saturating_add(self.settings.handshake_ms)),
            Phase::Open => {
                let peer = (!self.is_paused).then(|| self.peer_deadline());
                let idle = (!self.is_busy).then(|| self.active.saturating_add(self.settings.idle_ms));
                peer.into_iter().chain(idle).chain(self.proof_deadline()).min()
            }
        }
    }

    /// Also while this side does not read: otherwise many clients that wait for memory would keep their memory. While a
    /// message is handled, it is not known yet whether it is the proof.
    fn proof_deadline(&self) -> Option<u64> {
        (!self.is_proved && !self.is_busy).then(|| self.opened.saturating_add(self.settings.proof_ms))
    }

    fn peer_deadline(&self) -> u64 {
        let Settings { ping_ms, pong_ms, .. } = self.settings;
        match (self.partial, self.pinged) {
            (Some(partial), _) => partial.deadline(),
            (None, Some(pinged)) => pinged.saturating_add(pong_ms),
            (None, None) => self.heard.saturating_add(ping_ms),
        }
    }

    /// Time has passed. Call it again after an event.
    pub fn tick(&mut self, now: u64) -> Option<ConnectionEvent> {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return None;
        }
        if self.phase != Phase::Open {
            let last = ErrorFrame::invalid("the handshake took too long").to_frame();
            return Some(self.close(self.is_server.then_some(last), CloseReason::HandshakeTimeout));
        }
        if self.proof_deadline().is_some_and(|deadline| now >= deadline) {
            let text = format!("no message with a valid signature came in {} ms", self.settings.proof_ms);
            return Some(self.fail(text, CloseReason::Unproved));
        }
        if self.is_paused || now < self.peer_deadline() {
            let last = self.goaway(goaway_reason::IDLE, "there were no messages for too long");
            return Some(self.close(last, CloseReason::Idle));
        }
        Some(match (self.partial, self.pinged) {
            (Some(_), _) => self.fail("a frame grew by less than 1 kB per second", CloseReason::SlowFrame),
            (None, Some(_)) => self.close(None, CloseReason::NoPong),
            (None, None) => {
                self.pinged = Some(now);
                ConnectionEvent::Write(Frame::new(FrameType::Ping, Bytes::new()))
            }
        })
    }

    fn unexpected(&mut self, kind: FrameType) -> ConnectionEvent {
        let text = match self.phase {
            Phase::Handshake => "the first frame must be a HANDSHAKE",
            _ => "a second HANDSHAKE",
        };
        self.fail(text, CloseReason::Unexpected(kind))
    }

    /// Ends the connection with an ERROR.
    fn fail(&mut self, text: impl fmt::Display, reason: CloseReason) -> ConnectionEvent {
        self.close(Some(ErrorFrame::invalid(text).to_frame()), reason)
    }

    const fn close(&mut self, last: Option<Frame>, reason: CloseReason) -> ConnectionEvent {
        self.phase = Phase::Closed;
        ConnectionEvent::Close { last, reason }
    }
}

impl fmt::Debug for Credentials {
    /// Leaves out the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("did", &self.did).finish_non_exhaustive()
    }
}

impl fmt::Debug for ConnectionEvent {
    /// Leaves out the contents of messages and frames.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authenticate(credentials) => f.debug_tuple("Authenticate").field(credentials).finish(),
            Self::Open => f.write_str("Open"),
            Self::Message(message) => f.debug_tuple("Message").field(&message.len()).finish(),
            Self::Refuse(message) => f.debug_tuple("Refuse").field(&message.len()).finish(),
            Self::Write(frame) => f.debug_tuple("Write").field(&frame.kind).finish(),
            Self::Error(error) => f.debug_tuple("Error").field(error).finish(),
            Self::Goaway(goaway) => f.debug_tuple("Goaway").field(goaway).finish(),
            Self::Close { last, reason } => {
                let last = last.as_ref().map(|frame| frame.kind);
                f.debug_struct("Close").field("last", &last).field("reason", reason).finish()
            }
        }
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(error) => error.fmt(f),
            Self::Control(kind, error) => write!(f, "invalid payload of {kind}: {error}"),
            Self::Unexpected(kind) => write!(f, "unexpected {kind}"),
            Self::Refused(text) => write!(f, "refused: {text}"),
            Self::HandshakeTimeout => f.write_str("the handshake took too long"),
            Self::SlowFrame => f.write_str("a frame grew by less than 1 kB per second"),
            Self::Unproved => f.write_str("no message with a valid signature came in time"),
            Self::NoPong => f.write_str("the peer did not answer a PING"),
            Self::Idle => f.write_str("there were no messages for too long"),
        }
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpen => f.write_str("the connection is not open"),
            Self::TooLarge { size, max } => write!(f, "the message has {size} bytes; the maximum is {max}"),
        }
    }
}

impl std::error::Error for CloseReason {}
impl std::error::Error for SendError {}
