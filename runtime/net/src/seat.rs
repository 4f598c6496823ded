//! The place of one connection in its server.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::{Caller, Host};

/// The place of one connection in its server. The function that serves the connection states here whether it is idle,
/// so that the server can find an idle connection when it needs a place. Clones are the same place.
#[derive(Clone)]
pub struct Seat(Arc<Inner>);

struct Inner {
    host: Host,
    opened: Instant,
    state: Mutex<State>,
    /// The connection has become idle, or its peer has proved who it is.
    changed: Notify,
    /// The same, for the server.
    server: Arc<Notify>,
}

#[derive(Debug)]
struct State {
    /// The messages that are being handled, and the answers that the peer has not read.
    working: usize,
    is_receiving: bool,
    /// The end of the last work, or the start of the connection.
    idle_since: Instant,
    proved: Option<Arc<str>>,
}

/// Work of a connection. While there is any, the connection is not idle.
#[derive(Debug)]
pub struct Work(Seat);

/// How readily a connection gives its place to a new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Readiness {
    /// It is idle.
    Idle,
    /// It receives a message, and its peer has not proved who it is.
    Receiving,
}

impl Seat {
    pub(crate) fn new(host: Host, server: Arc<Notify>) -> Self {
        let opened = Instant::now();
        let state = State { working: 0, is_receiving: false, idle_since: opened, proved: None };
        Self(Arc::new(Inner { host, opened, state: Mutex::new(state), changed: Notify::new(), server }))
    }

    /// The host of the peer.
    #[must_use]
    pub fn host(&self) -> Host {
        self.0.host
    }

    /// The peer: the name that it has proved last, or its host.
    #[must_use]
    pub fn caller(&self) -> Caller {
        self.state().proved.clone().map_or(Caller::Host(self.0.host), Caller::Named)
    }

    /// The peer has proved its name.
    pub fn prove(&self, name: &str) {
        let mut state = self.state();
        if state.proved.as_deref() != Some(name) {
            state.proved = Some(name.into());
        }
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Whether the peer has proved a name.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.state().proved.is_some()
    }

    /// When a peer must have proved its name that has so much time.
    #[must_use]
    pub fn proof_deadline(&self, time: Duration) -> Instant {
        self.0.opened + time
    }

    /// Waits until the time for a proof is over without one. While a message is being handled, it is not known whether
    /// it is one.
    pub async fn unproved(&self, time: Duration) {
        sleep_until(self.proof_deadline(time)).await;
        loop {
            let mut changed = std::pin::pin!(self.0.changed.notified());
            changed.as_mut().enable();
            let (is_proved, is_working) = {
                let state = self.state();
                (state.proved.is_some(), state.working > 0)
            };
            match (is_proved, is_working) {
                (true, _) => std::future::pending().await,
                (false, true) => changed.await,
                (false, false) => return,
            }
        }
    }

    /// Work begins, such as that on a message. It ends when the returned value is dropped.
    #[must_use]
    pub fn work(&self) -> Work {
        self.state().working += 1;
        Work(self.clone())
    }

    /// Whether a message has begun to arrive, and is not complete.
    pub fn set_receiving(&self, is_receiving: bool) {
        let mut state = self.state();
        let has_ended = std::mem::replace(&mut state.is_receiving, is_receiving) && !is_receiving;
        drop(state);
        if has_ended {
            self.0.server.notify_one();
        }
    }

    /// How readily the connection gives its place to a new one, and since when; `None` if it does not.
    pub(crate) fn readiness(&self) -> Option<(Readiness, Instant)> {
        let state = self.state();
        match *state {
            State { working: 1.., .. } => None,
            State { is_receiving: false, idle_since, .. } => Some((Readiness::Idle, idle_since)),
            State { proved: None, idle_since, .. } => Some((Readiness::Receiving, idle_since)),
            State { .. } => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.working = state.working.saturating_sub(1);
        state.idle_since = Instant::now();
        let is_idle = state.working == 0;
        drop(state);
        if is_idle {
            self.0.0.changed.notify_waiters();
            self.0.0.server.notify_one();
        }
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat").field("host", &self.0.host).finish_non_exhaustive()
    }
}
