//! The client's side of a carrier.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::BoxFuture;
use crate::message::Rejection;

/// An agent that messages are sent to. All methods are safe to call from several tasks at once.
pub trait Peer: Send + Sync + 'static {
    /// Sends a message. `timeout` covers the connection, the message and its answers.
    ///
    /// # Errors
    ///
    /// See [`PeerError`]. Sending the same bytes again is safe: a provider answers duplicates with the same result
    /// (decision 13).
    fn request(&self, message: Bytes, timeout: Duration) -> BoxFuture<'_, Result<Answers, PeerError>>;

    /// Sends a message and returns its first answer. Other providers may send progress before the result; for these use
    /// [`request`](Self::request).
    ///
    /// # Errors
    ///
    /// See [`PeerError`].
    fn call(&self, message: Bytes, timeout: Duration) -> BoxFuture<'_, Result<Bytes, PeerError>> {
        Box::pin(async move {
            let mut answers = self.request(message, timeout).await?;
            answers.next().await.unwrap_or(Err(PeerError::NoAnswer))
        })
    }
}

/// The messages that refer to a request. Nothing proves that they are valid answers; a [requester](crate::requester)
/// checks that.
pub struct Answers {
    receiver: mpsc::Receiver<Result<Bytes, PeerError>>,
    deadline: Instant,
    /// Runs when no more answers are expected.
    _end: Option<Box<dyn Send>>,
}

impl Answers {
    pub(super) fn new(
        receiver: mpsc::Receiver<Result<Bytes, PeerError>>,
        deadline: Instant,
        end: Option<Box<dyn Send>>,
    ) -> Self {
        Self { receiver, deadline, _end: end }
    }

    /// The answers of a carrier that has at most one.
    pub(super) fn one(answer: Option<Bytes>) -> Self {
        let (sender, receiver) = mpsc::channel(1);
        if let Some(answer) = answer {
            // There is room for one.
            let _ = sender.try_send(Ok(answer));
        }
        Self::new(receiver, Instant::now(), None)
    }

    /// The next answer; `None` if there are no more. After an error there are no more. Cancel safe.
    ///
    /// # Errors
    ///
    /// [`PeerError::Timeout`], [`PeerError::Refused`] or [`PeerError::Disconnected`].
    pub async fn next(&mut self) -> Option<Result<Bytes, PeerError>> {
        let answer = match timeout_at(self.deadline, self.receiver.recv()).await {
            Ok(answer) => answer?,
            Err(_) => Err(PeerError::Timeout),
        };
        if answer.is_err() {
            self.receiver.close();
        }
        Some(answer)
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PeerError {
    /// There is no connection. The message was not sent.
    Unreachable(String),
    /// The message is larger than the peer accepts. It was not sent.
    TooLarge {
        /// The size of the message in bytes.
        size: usize,
        /// The maximum in bytes.
        max: u32,
    },
    /// The message cannot be sent over this carrier.
    Invalid(String),
    /// Too many messages wait for their answers. It was not sent.
    Overloaded,
    /// The peer has refused the message. It does not work on it.
    Refused {
        /// The code, such as 1002; 0 if the peer states none.
        code: u64,
        /// The text of the peer.
        message: String,
    },
    /// The message was accepted and has no answer.
    NoAnswer,
    /// There was no answer in time. It is unknown whether the peer works on the message.
    Timeout,
    /// The connection ended. It is unknown whether the peer works on the message.
    Disconnected(String),
}

impl fmt::Display for PeerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(reason) => write!(f, "not connected: {reason}"),
            Self::TooLarge { size, max } => write!(f, "the message has {size} bytes; the maximum is {max}"),
            Self::Invalid(reason) => f.write_str(reason),
            Self::Overloaded => f.write_str("too many messages wait for their answers"),
            Self::Refused { code: 0, message } => write!(f, "refused: {message}"),
            Self::Refused { code, message } => write!(f, "refused: {code}: {message}"),
            Self::NoAnswer => f.write_str("the message has no answer"),
            Self::Timeout => f.write_str("there was no answer in time"),
            Self::Disconnected(reason) => write!(f, "the connection ended: {reason}"),
        }
    }
}

impl std::error::Error for PeerError {}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers").finish_non_exhaustive()
    }
}

impl PeerError {
    pub(super) fn rejected(rejection: &Rejection) -> Self {
        Self::Refused { code: u64::from(rejection.code.number()), message: rejection.message.clone() }
    }
}
