//! The receiver of messages.

use std::pin::Pin;

use bytes::Bytes;
use tokio::sync::oneshot;

use super::connection::Credentials;
use crate::message::{Did, Rejection};

/// A future that a trait object returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The receiver of the messages of a server, such as a [`Runner`](super::run::Runner).
pub trait Service: Send + Sync + 'static {
    /// Handles one message. `principal` is the agent that the carrier has authenticated, if it has; only messages from
    /// it may be accepted (3001). As soon as the signature of the message is known to be valid, the service reports it
    /// with `proved`: a carrier closes the connections of peers that prove nothing.
    ///
    /// The future may be dropped before its end, because the connection of the sender has ended. Work that has begun
    /// continues, so that a duplicate of the message gets its answer.
    fn handle(&self, message: Bytes, principal: Option<Did>, proved: Proved) -> BoxFuture<'static, Handled>;

    /// The answer to send instead of one that is larger than the client accepts. Without one, the carrier reports an
    /// error.
    fn replace_large_answer(&self, answer: &Bytes) -> Option<Bytes> {
        let _ = answer;
        None
    }
}

/// The report that the signature of a message is valid. Dropping it reports nothing.
#[derive(Debug)]
pub struct Proved(oneshot::Sender<Did>);

impl Proved {
    /// A report, and its receiver.
    #[must_use]
    pub fn channel() -> (Self, oneshot::Receiver<Did>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), receiver)
    }

    /// The sender has signed the message.
    pub fn by(self, sender: &Did) {
        // Not every carrier needs the report.
        let _ = self.0.send(sender.clone());
    }
}

/// The end of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Handled {
    /// A message answers it.
    Answer(Bytes),
    /// It is accepted, and has no answer.
    Nothing,
    /// Nothing proves its sender, so it has no signed answer. The carrier reports the reason.
    Rejected(Rejection),
}

/// Decides who a client is.
pub trait Authenticate: Send + Sync + 'static {
    /// The principal of a connection or an HTTP request; `None` if anyone may send messages over it.
    ///
    /// The DID of the credentials is only a claim. The token is that of the handshake, or the text after `Bearer ` in
    /// the HTTP header `Authorization`. Compare tokens in constant time.
    ///
    /// # Errors
    ///
    /// The client is refused. It gets the text, which must not contain secrets.
    fn authenticate(&self, credentials: Credentials) -> BoxFuture<'_, Result<Option<Did>, String>>;
}
