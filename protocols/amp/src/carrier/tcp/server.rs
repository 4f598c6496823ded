//! The server of `amp://`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_net::{Budget, Server, Share, Stop, Work};
use tokio::net::TcpListener;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout};

use super::link::{End, LINGER, Link, Memory, run};
use crate::Code;
use crate::carrier::connection::{Connection, ConnectionEvent, Credentials, SendError};
use crate::carrier::control::{ErrorFrame, reason};
use crate::carrier::frame::Frame;
use crate::carrier::ids::Ids;
use crate::carrier::net::{Handling, ServerOptions, listen, prove};
use crate::carrier::weight::weight;
use crate::carrier::{Handled, Service};
use crate::message::{Did, MessageId, Rejection};

/// The small messages of one connection, of at most 64 KiB with their values, that are handled without waiting for
/// memory: enough for a peer that waits for each answer, also while its large messages use up its share.
const QUICK: usize = 4;

/// Serves a service on a listener.
///
/// # Errors
///
/// The address of the listener is unknown.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub fn serve(listener: TcpListener, service: Arc<dyn Service>, options: ServerOptions) -> io::Result<Server> {
    let accept = options.accept();
    let budget = Budget::memory(options.limits.max_memory, true);
    let options = Arc::new(options);
    listen(listener, accept, move |stream, seat, stop| {
        let (service, options) = (Arc::clone(&service), Arc::clone(&options));
        let memory = Memory { budget: budget.clone(), seat };
        Box::pin(async move {
            let connection = Connection::server(options.settings, 0);
            run(stream, connection, Instant::now(), Some(memory.clone()), move |link| {
                let work = JoinSet::new();
                Box::pin(Session { link, service, options, stop, memory, principal: None, waiting: None, work }.run())
            })
            .await;
        })
    })
}

struct Session<'a> {
    link: &'a mut Link,
    service: Arc<dyn Service>,
    options: Arc<ServerOptions>,
    stop: Stop,
    memory: Memory,
    principal: Option<Did>,
    /// The message that waits for the memory that it needs while it is handled. Until then, nothing more is read.
    waiting: Option<Waiting>,
    /// The messages that are being handled.
    work: JoinSet<(Option<MessageId>, Handled)>,
}

/// A message that has arrived, its share, and the memory that it needs.
struct Waiting {
    message: Bytes,
    share: Share,
    weight: usize,
    work: Work,
}

impl Waiting {
    /// Waits for the memory; for ever if there is no message.
    async fn room(waiting: &mut Option<Self>) {
        match waiting {
            Some(Self { share, weight, .. }) => share.grow(*weight).await,
            None => std::future::pending().await,
        }
    }
}

impl Session<'_> {
    async fn run(mut self) {
        // The peer learns the reason from the last frame.
        let _ = self.until_end().await;
    }

    async fn until_end(&mut self) -> Result<(), End> {
        let mut is_stopping = false;
        loop {
            if self.work.is_empty()
                && self.waiting.is_none()
                && (self.link.is_ended() || (self.link.connection.is_open() && !self.link.connection.is_usable()))
            {
                return self.drain().await;
            }
            let has_room = self.waiting.is_none() && self.work.len() < self.options.max_in_flight.max(1);
            if self.memory.seat.is_proved() {
                self.link.connection.set_proved();
            }
            let is_open = self.link.connection.is_open();
            tokio::select! {
                event = self.link.event(has_room) => match event {
                    Ok(event) => self.react(event).await?,
                    // The client waits for the answers, or has gone.
                    Err(End::Eof) => {}
                    Err(end) => return Err(end),
                },
                () = Waiting::room(&mut self.waiting) => self.start(),
                Some(done) = self.work.join_next() => self.answer(done).await?,
                () = self.stop.stopped(), if !is_stopping => {
                    is_stopping = true;
                    if !is_open {
                        return Ok(());
                    }
                    if let Some(frame) = self.link.connection.goaway(reason::SHUTDOWN, "the server is shutting down") {
                        self.link.write(frame).await?;
                    }
                }
            }
            let now = self.link.now();
            self.link.connection.set_busy(!self.work.is_empty() || self.waiting.is_some(), now);
        }
    }

    /// All work has ended. Messages that were sent before the client read GOAWAY are refused, so that it need not wait
    /// for answers.
    async fn drain(&mut self) -> Result<(), End> {
        let refuse = async {
            while !self.link.is_ended() {
                let event = self.link.event(true).await?;
                self.react(event).await?;
            }
            Ok(())
        };
        timeout(LINGER, refuse).await.unwrap_or(Ok(()))
    }

    async fn react(&mut self, event: ConnectionEvent) -> Result<(), End> {
        match event {
            ConnectionEvent::Authenticate(credentials) => self.authenticate(credentials).await,
            ConnectionEvent::Message(message) => {
                let Memory { budget, seat } = &self.memory;
                let mut share = self.link.take_share().unwrap_or_else(|| budget.share(seat.caller()));
                if self.work.len() >= QUICK {
                    share = share.always_waits();
                }
                self.waiting = Some(Waiting { weight: weight(&message), message, share, work: seat.work() });
                Ok(())
            }
            ConnectionEvent::Refuse(message) => {
                let rejection = Rejection::new(Code::Unavailable, "the connection is being closed");
                self.refuse(&rejection, Ids::read(&message).id).await
            }
            ConnectionEvent::Write(frame) => self.link.write(frame).await,
            ConnectionEvent::Close { last, reason } => Err(self.link.end(last, reason).await),
            ConnectionEvent::Open | ConnectionEvent::Error(_) | ConnectionEvent::Goaway(_) => Ok(()),
        }
    }

    /// Handles the message that has its memory now.
    fn start(&mut self) {
        let Some(Waiting { message, share, work, .. }) = self.waiting.take() else { return };
        let id = Ids::read(&message).id;
        let seat = self.memory.seat.clone();
        let handling = Handling::new(self.service.as_ref(), message, self.principal.clone(), seat, share, work);
        self.work.spawn(async move { (id, handling.run().await) });
    }

    async fn authenticate(&mut self, credentials: Credentials) -> Result<(), End> {
        let principal = match &self.options.authenticate {
            None => Ok(None),
            Some(authenticate) => {
                let rest = self.options.settings.handshake_ms.saturating_sub(self.link.now());
                let decision = authenticate.authenticate(credentials);
                let decision = timeout(Duration::from_millis(rest), decision).await;
                decision.unwrap_or_else(|_| Err("the authentication took too long".to_owned()))
            }
        };
        match principal {
            Ok(principal) => {
                if let Some(principal) = &principal {
                    prove(&self.memory.seat, principal);
                }
                self.principal = principal;
                let now = self.link.now();
                match self.link.connection.accept(now) {
                    Some(frame) => self.link.write(frame).await,
                    None => Ok(()),
                }
            }
            Err(text) => match self.link.connection.refuse(&text) {
                ConnectionEvent::Close { last, reason } => Err(self.link.end(last, reason).await),
                _ => Ok(()),
            },
        }
    }

    async fn answer(&mut self, done: Result<(Option<MessageId>, Handled), JoinError>) -> Result<(), End> {
        // The service has panicked.
        let Ok((id, handled)) = done else {
            return self.refuse(&Rejection::new(Code::InternalError, "the message could not be handled"), None).await;
        };
        match handled {
            Handled::Nothing => Ok(()),
            Handled::Rejected(rejection) => self.refuse(&rejection, id).await,
            Handled::Answer(answer) => match self.answer_frame(answer) {
                Ok(frame) => self.link.write(frame).await,
                Err(SendError::NotOpen) => Ok(()),
                Err(error @ SendError::TooLarge { .. }) => {
                    let rejection = Rejection::new(Code::InternalError, format!("the answer cannot be sent: {error}"));
                    self.refuse(&rejection, id).await
                }
            },
        }
    }

    /// The frame of an answer, or of the one that replaces it if the client does not accept its size.
    fn answer_frame(&mut self, answer: Bytes) -> Result<Frame, SendError> {
        let now = self.link.now();
        match self.link.connection.send(answer.clone(), now) {
            Err(error @ SendError::TooLarge { .. }) => match self.service.replace_large_answer(&answer) {
                Some(answer) => self.link.connection.send(answer, now),
                None => Err(error),
            },
            result => result,
        }
    }

    async fn refuse(&mut self, rejection: &Rejection, id: Option<MessageId>) -> Result<(), End> {
        self.link.write(ErrorFrame::new(rejection, id).to_frame()).await
    }
}
