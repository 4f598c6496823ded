//! The keys of an issuer, kept and refreshed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::fetch::{FetchError, FetchJwks};
use crate::jwks::KeySet;

/// How long a set is used without asking for a newer one: as long as a key that the issuer has withdrawn may stay
/// valid while tokens arrive.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// How long a set is used if no newer one can be had, so that an issuer may be out of order for a night.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
/// The pause after an attempt. Attempts for keys that are unknown have a pause of their own: anyone can send a token
/// with an unknown key, and must not make the issuer busy; and an attempt because the set is old must not delay the
/// one for a key that the issuer has just begun to use.
const PAUSE: Duration = Duration::from_secs(60);
/// The same while there are no keys at all, and no token can be verified.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// How long an attempt may take. Requests whose key is not known yet wait for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The keys of an issuer, and the attempts to get them.
pub(crate) struct Cache {
    state: Mutex<State>,
    source: Box<dyn FetchJwks>,
}

#[derive(Default)]
struct State {
    /// The last set, and when it arrived.
    set: Option<(Arc<KeySet>, Instant)>,
    /// The start of the last attempt because the set was old or missing.
    of_age: Option<Instant>,
    /// The start of the last attempt because a key was unknown.
    of_key: Option<Instant>,
    /// Why the last attempt failed; `None` if it did not.
    failure: Option<String>,
    /// The attempt that runs. There is one at a time.
    running: Option<Running>,
}

/// An attempt that runs.
#[derive(Clone)]
struct Running {
    start: Instant,
    /// Closed at its end, also if it panics.
    end: watch::Receiver<()>,
}

/// Why a newer set is needed.
#[derive(Clone, Copy)]
enum Reason {
    Age,
    Key,
}

/// The next step for a token.
enum Next {
    Use(Result<Arc<KeySet>, String>),
    Wait(Running),
}

impl Cache {
    pub(crate) fn new(source: impl FetchJwks) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), source: Box::new(source) })
    }

    /// The keys to look for one in. Only a token whose key is not known waits for a newer set.
    ///
    /// # Errors
    ///
    /// There are no keys, or the key is unknown and the last attempt to get newer ones failed: why.
    pub(crate) async fn keys(self: &Arc<Self>, id: &str) -> Result<Arc<KeySet>, String> {
        let arrival = Instant::now();
        loop {
            let mut running = match self.next(id) {
                Next::Use(keys) => return keys,
                Next::Wait(running) => running,
            };
            let _ = running.end.changed().await;
            // An attempt that began before may have read the set before the issuer published the key.
            if running.start >= arrival {
                return self.state().last(id);
            }
        }
    }

    fn next(self: &Arc<Self>, id: &str) -> Next {
        let mut state = self.state();
        let now = Instant::now();
        let usable = state.usable();
        if let Some((set, arrived)) = usable.as_ref().filter(|(set, _)| set.has(id)) {
            let is_old = now.saturating_duration_since(*arrived) >= FRESH;
            if is_old && state.running().is_none() && state.may_try(Reason::Age, PAUSE) {
                self.start(&mut state, Reason::Age);
            }
            return Next::Use(Ok(Arc::clone(set)));
        }
        if let Some(running) = state.running() {
            return Next::Wait(running.clone());
        }
        let (reason, pause) = if usable.is_some() { (Reason::Key, PAUSE) } else { (Reason::Age, FIRST_PAUSE) };
        if state.may_try(reason, pause) {
            Next::Wait(self.start(&mut state, reason))
        } else {
            Next::Use(state.last(id))
        }
    }

    /// Starts an attempt, in a task of its own: a request that its caller cancels does not end it.
    fn start(self: &Arc<Self>, state: &mut State, reason: Reason) -> Running {
        let (ended, end) = watch::channel(());
        let running = Running { start: Instant::now(), end };
        *state.attempt(reason) = Some(running.start);
        state.running = Some(running.clone());
        let cache = Arc::clone(self);
        tokio::spawn(async move {
            cache.fetch().await;
            drop(ended);
        });
        running
    }

    /// Gets a newer set.
    async fn fetch(&self) {
        let fetched = timeout(PATIENCE, self.source.fetch()).await;
        let fetched = fetched.unwrap_or_else(|_| Err(FetchError::new("the issuer takes too long")));
        let read = fetched.map_err(|error| error.to_string()).and_then(|text| Ok(KeySet::read(&text)?));
        let mut state = self.state();
        state.running = None;
        match read {
            Ok(set) => (state.set, state.failure) = (Some((Arc::new(set), Instant::now())), None),
            Err(reason) => state.failure = Some(reason),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn attempt(&mut self, reason: Reason) -> &mut Option<Instant> {
        match reason {
            Reason::Age => &mut self.of_age,
            Reason::Key => &mut self.of_key,
        }
    }

    /// Whether the last attempt for a reason is long ago.
    fn may_try(&mut self, reason: Reason, pause: Duration) -> bool {
        self.attempt(reason).is_none_or(|start| start.elapsed() >= pause)
    }

    /// The attempt that runs, if one does.
    fn running(&self) -> Option<&Running> {
        // One that panicked is still in its place.
        self.running.as_ref().filter(|running| running.end.has_changed().is_ok())
    }

    /// The last set, unless it is too old.
    fn usable(&self) -> Option<(Arc<KeySet>, Instant)> {
        self.set.clone().filter(|(_, arrived)| arrived.elapsed() < STALE)
    }

    /// The keys without another attempt. If the last one failed, it is not known whether an unknown key is valid.
    fn last(&self, id: &str) -> Result<Arc<KeySet>, String> {
        match (self.usable(), &self.failure) {
            (Some((set, _)), None) => Ok(set),
            (Some((set, _)), Some(_)) if set.has(id) => Ok(set),
            (_, Some(failure)) => Err(failure.clone()),
            (None, None) => Err("the keys of the issuer are too old".to_owned()),
        }
    }
}
