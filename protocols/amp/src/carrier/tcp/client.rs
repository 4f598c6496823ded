//! The client of `amp://`.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::link::{End, Link, run};
use super::pending::Pending;
use crate::carrier::connection::{Connection, ConnectionEvent, Credentials, Settings};
use crate::carrier::control::reason;
use crate::carrier::frame::Frame;
use crate::carrier::ids::Ids;
use crate::carrier::net::{Connector, Endpoint, InvalidUrl};
#[cfg(feature = "tls")]
use crate::carrier::tls::ClientTls;
use crate::carrier::{Answers, BoxFuture, Peer, PeerError};
use crate::message::MessageId;

/// The number of messages that wait to be written. Further senders wait for a place, so a slow server does not fill the
/// memory of its client.
const QUEUE: usize = 16;

/// The number of connections that one request tries, if they end before the message was sent. A server that closed an
/// idle connection costs one; a server that closes every connection must not cause an endless loop.
const ATTEMPTS: usize = 3;

/// The options of a client.
#[derive(Clone)]
pub struct ClientOptions {
    /// The limits of the connection.
    pub settings: Settings,
    /// The identity for the handshake.
    pub credentials: Credentials,
    /// The number of requests that wait for answers.
    pub max_in_flight: usize,
    /// The time until the server reads, for small amounts.
    pub write_timeout: Duration,
    /// The certificates that `amps://` trusts.
    #[cfg(feature = "tls")]
    pub tls: Option<ClientTls>,
}

impl Default for ClientOptions {
    /// The default limits, no identity, 1024 requests, 30 s for writes, no TLS.
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            credentials: Credentials::default(),
            // As many as a provider runs for one sender.
            max_in_flight: 1024,
            // As long as the server waits for this side.
            write_timeout: Duration::from_secs(30),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

/// A client of `amp://` with one connection, which all requests share. Their answers are found by `reply_to`, in any
/// order.
///
/// It connects at the first request, and again at the first request after the connection has ended. It needs the
/// runtime of tokio. Dropping it ends the connection when the requests that wait have their answers.
pub struct TcpPeer {
    connector: Connector,
    options: ClientOptions,
    current: Mutex<Option<Current>>,
}

/// A connection whose handshake is complete.
#[derive(Clone)]
struct Current {
    commands: mpsc::Sender<Command>,
    pending: Pending,
    max: u32,
}

/// A message to send.
struct Command {
    message: Bytes,
    /// Used when the message was sent; see [`is_sent`].
    sent: oneshot::Sender<()>,
}

impl TcpPeer {
    /// A client of `amp://HOST:PORT` or `amps://HOST:PORT`. It does not connect yet.
    ///
    /// # Errors
    ///
    /// The URL has another form, or its scheme is `amps` and there is no TLS.
    pub fn new(url: &str, options: ClientOptions) -> Result<Self, InvalidUrl> {
        let connector = Connector {
            endpoint: Endpoint::parse(url, [("amp", None), ("amps", None)])?,
            write_timeout: options.write_timeout,
            #[cfg(feature = "tls")]
            tls: options.tls.clone(),
        };
        Ok(Self { connector: connector.checked()?, options, current: Mutex::new(None) })
    }

    /// The connection that can take a new request.
    async fn current(&self) -> Result<Current, PeerError> {
        let mut current = self.current.lock().await;
        let is_usable = |current: &&Current| !current.commands.is_closed() && !current.pending.is_closed();
        if let Some(current) = current.as_ref().filter(is_usable) {
            return Ok(current.clone());
        }
        let opened = self.open().await?;
        *current = Some(opened.clone());
        Ok(opened)
    }

    /// Opens a connection, and waits for the handshake of the server.
    async fn open(&self) -> Result<Current, PeerError> {
        let unreachable = |reason: String| PeerError::Unreachable(reason);
        let started = Instant::now();
        let (connection, hello) = Connection::client(self.options.settings, self.options.credentials.clone(), 0);
        let deadline = started + Duration::from_millis(self.options.settings.handshake_ms);
        let stream = timeout_at(deadline, self.connector.connect()).await;
        let stream = stream.map_err(|_| unreachable("the connection took too long".to_owned()))?;
        let stream = stream.map_err(|error| unreachable(error.to_string()))?;
        let (commands, receiver) = mpsc::channel(QUEUE);
        let (ready, opened) = oneshot::channel();
        let pending = Pending::default();
        let for_session = pending.clone();
        tokio::spawn(run(stream, connection, started, None, move |link| {
            let session = Session { link, commands: receiver, pending: for_session };
            Box::pin(session.run(hello, ready))
        }));
        match opened.await {
            Ok(Ok(max)) => Ok(Current { commands, pending, max }),
            Ok(Err(reason)) => Err(unreachable(reason)),
            Err(_) => Err(unreachable("the connection is broken".to_owned())),
        }
    }

    /// Sends a message over the connection. `None` if the connection has ended before the message was sent.
    async fn send(&self, id: MessageId, message: &Bytes, deadline: Instant) -> Result<Option<Answers>, PeerError> {
        let current = self.current().await?;
        let size = message.len();
        if u32::try_from(size).map_or(true, |size| size > current.max) {
            return Err(PeerError::TooLarge { size, max: current.max });
        }
        let (receiver, entry) = match current.pending.add(id, self.options.max_in_flight) {
            Err(PeerError::Unreachable(_)) => return Ok(None),
            added => added?,
        };
        let (sent, was_sent) = oneshot::channel();
        let command = Command { message: message.clone(), sent };
        if current.commands.send(command).await.is_err() || !is_sent(&current.commands, was_sent).await {
            return Ok(None);
        }
        Ok(Some(Answers::new(receiver, deadline, Some(Box::new(entry)))))
    }
}

/// Waits until it is known whether a queued command is sent.
///
/// `sent` alone is not enough: a command that comes into the queue while the session drops the queue remains in it
/// until the last of its senders is dropped, and the caller has one.
async fn is_sent(commands: &mpsc::Sender<Command>, mut sent: oneshot::Receiver<()>) -> bool {
    tokio::select! {
        biased;
        sent = &mut sent => sent.is_ok(),
        // From now on, the session sends nothing.
        () = commands.closed() => sent.try_recv().is_ok(),
    }
}

impl Peer for TcpPeer {
    fn request(&self, message: Bytes, timeout: Duration) -> BoxFuture<'_, Result<Answers, PeerError>> {
        let deadline = Instant::now() + timeout;
        Box::pin(async move {
            let Some(id) = Ids::read(&message).id else {
                return Err(PeerError::Invalid("the message has no `id`, so that no answer could be found".to_owned()));
            };
            let request = async {
                for _ in 0..ATTEMPTS {
                    if let Some(answers) = self.send(id, &message, deadline).await? {
                        return Ok(answers);
                    }
                }
                Err(PeerError::Unreachable("the connection ended before the message was sent".to_owned()))
            };
            timeout_at(deadline, request).await.unwrap_or(Err(PeerError::Timeout))
        })
    }
}

struct Session<'a> {
    link: &'a mut Link,
    commands: mpsc::Receiver<Command>,
    pending: Pending,
}

/// Ends the requests that wait, also if the connection breaks while the session waits.
struct CloseOnDrop(Pending, String);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(&PeerError::Disconnected(std::mem::take(&mut self.1)));
    }
}

impl Session<'_> {
    async fn run(mut self, hello: Frame, ready: oneshot::Sender<Result<u32, String>>) {
        let mut guard = CloseOnDrop(self.pending.clone(), "the connection is broken".to_owned());
        if let Err(end) = self.open(hello).await {
            let _ = ready.send(Err(end.to_string()));
            return;
        }
        if ready.send(Ok(self.link.connection.max_msg_size())).is_err() {
            return;
        }
        if let Err(end) = self.until_end().await {
            guard.1 = end.to_string();
        }
    }

    async fn open(&mut self, hello: Frame) -> Result<(), End> {
        self.link.write(hello).await?;
        loop {
            match self.link.event(true).await? {
                ConnectionEvent::Open => return Ok(()),
                ConnectionEvent::Close { last, reason } => return Err(self.link.end(last, reason).await),
                _ => {}
            }
        }
    }

    async fn until_end(&mut self) -> Result<(), End> {
        loop {
            if !self.link.connection.is_usable() {
                // The requests whose messages are still in the queue send them over another connection.
                self.commands.close();
                while self.commands.try_recv().is_ok() {}
                if self.pending.is_empty() {
                    return Ok(());
                }
            }
            tokio::select! {
                event = self.link.event(true) => {
                    let event = event?;
                    self.react(event).await?;
                }
                command = self.commands.recv(), if self.link.connection.is_usable() => match command {
                    Some(command) => self.send(command).await?,
                    None => self.leave().await?,
                },
            }
            let now = self.link.now();
            self.link.connection.set_busy(!self.pending.is_empty(), now);
        }
    }

    /// The client was dropped.
    async fn leave(&mut self) -> Result<(), End> {
        match self.link.connection.goaway(reason::SHUTDOWN, "the client ends") {
            Some(frame) => self.link.write(frame).await,
            None => Ok(()),
        }
    }

    async fn send(&mut self, command: Command) -> Result<(), End> {
        let now = self.link.now();
        // The size was checked before.
        if let Ok(frame) = self.link.connection.send(command.message, now) {
            self.link.write(frame).await?;
            let _ = command.sent.send(());
        }
        Ok(())
    }

    async fn react(&mut self, event: ConnectionEvent) -> Result<(), End> {
        match event {
            ConnectionEvent::Message(message) => {
                if let Some(id) = Ids::read(&message).reply_to {
                    self.pending.answer(&id, &Ok(message));
                }
                Ok(())
            }
            ConnectionEvent::Error(error) => {
                if let Some(id) = error.msg_id {
                    let refused = PeerError::Refused { code: error.code, message: error.message };
                    self.pending.answer(&id, &Err(refused));
                }
                Ok(())
            }
            ConnectionEvent::Write(frame) => self.link.write(frame).await,
            ConnectionEvent::Close { last, reason } => Err(self.link.end(last, reason).await),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Eof => f.write_str("the peer has closed it"),
            Self::Broken(reason) => f.write_str(reason),
            Self::Closed(reason) => reason.fmt(f),
        }
    }
}

impl std::fmt::Debug for TcpPeer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TcpPeer").field("endpoint", &self.connector.endpoint).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut options = f.debug_struct("ClientOptions");
        options.field("settings", &self.settings).field("credentials", &self.credentials).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// The outcome for a command whose sender has its place in the queue before the session ends it, and fills it
    /// afterwards.
    fn outcome(end: impl FnOnce(&mut Option<mpsc::Receiver<Command>>)) -> Poll<bool> {
        let (commands, receiver) = mpsc::channel(QUEUE);
        let mut receiver = Some(receiver);
        let (sent, was_sent) = oneshot::channel();
        let place = commands.try_reserve().unwrap();
        end(&mut receiver);
        place.send(Command { message: Bytes::new(), sent });
        pin!(is_sent(&commands, was_sent)).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_command_that_comes_too_late_is_not_sent() {
        assert_eq!(outcome(|receiver| *receiver = None), Poll::Ready(false), "the connection is broken");
        assert_eq!(outcome(|receiver| receiver.as_mut().unwrap().close()), Poll::Ready(false), "after GOAWAY");
        assert_eq!(outcome(|_| {}), Poll::Pending, "the session can still send it");
    }

    #[test]
    fn a_command_that_was_sent_before_the_end_is_sent() {
        let (commands, receiver) = mpsc::channel(QUEUE);
        let (sent, was_sent) = oneshot::channel();
        sent.send(()).unwrap();
        drop(receiver);
        let outcome = pin!(is_sent(&commands, was_sent)).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(outcome, Poll::Ready(true));
    }
}
