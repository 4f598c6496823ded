//! The keys of an issuer, kept and refreshed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::fetch::{FetchError, FetchJwks};
use crate::jwks::KeySet;

/// How long a set is used without asking for a newer one: as long as a key that the issuer has withdrawn may stay
/// valid.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// How long a set is used if no newer one can be had, so that an issuer may be out of order for a night.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
/// The pause after an attempt: anyone can send a token with an unknown key, and must not make the issuer busy.
const PAUSE: Duration = Duration::from_secs(60);
/// The same while there are no keys at all, and no token can be verified.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// How long an attempt may take. Requests wait for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The keys of an issuer, and the attempts to get them.
pub(crate) struct Cache {
    state: Mutex<State>,
    /// Held during an attempt, so that there is one at a time.
    fetching: tokio::sync::Mutex<()>,
    source: Box<dyn FetchJwks>,
}

#[derive(Default)]
struct State {
    /// The last set, and when it arrived.
    set: Option<(Arc<KeySet>, Instant)>,
    /// The start of the last attempt, and why it failed.
    attempt: Option<(Instant, Option<String>)>,
}

impl Cache {
    pub(crate) fn new(source: impl FetchJwks) -> Arc<Self> {
        let (state, fetching) = (Mutex::default(), tokio::sync::Mutex::default());
        Arc::new(Self { state, fetching, source: Box::new(source) })
    }

    /// The keys to look for one in: a newer set if that is due, or if the last one does not have it.
    pub(crate) async fn keys(self: &Arc<Self>, id: &str) -> Result<Arc<KeySet>, String> {
        let usable = self.usable();
        if let Some((set, arrived)) = &usable
            && set.has(id)
            && (arrived.elapsed() < FRESH || self.fetching.try_lock().is_err())
        {
            // Another request gets a newer set; this one does not wait.
            return Ok(Arc::clone(set));
        }
        if !self.may_try(usable.is_some()) && self.fetching.try_lock().is_ok() {
            return usable.map(|(set, _)| set).ok_or_else(|| self.failure());
        }
        // In a task of its own, so that a request that its caller cancels does not use up the attempt.
        let cache = Arc::clone(self);
        let _ = tokio::spawn(async move { cache.refresh().await }).await;
        self.usable().map(|(set, _)| set).ok_or_else(|| self.failure())
    }

    /// Gets a newer set, unless another request has just tried.
    async fn refresh(&self) {
        let _turn = self.fetching.lock().await;
        if !self.may_try(self.usable().is_some()) {
            return;
        }
        self.state().attempt = Some((Instant::now(), None));
        let fetched = timeout(PATIENCE, self.source.fetch()).await;
        let fetched = fetched.unwrap_or_else(|_| Err(FetchError::new("the issuer takes too long")));
        let read = fetched.map_err(|error| error.to_string()).and_then(|text| Ok(KeySet::read(&text)?));
        let mut state = self.state();
        match read {
            Ok(set) => state.set = Some((Arc::new(set), Instant::now())),
            Err(reason) => {
                if let Some((_, failure)) = &mut state.attempt {
                    *failure = Some(reason);
                }
            }
        }
    }

    /// Whether the last attempt is long ago.
    fn may_try(&self, has_keys: bool) -> bool {
        let pause = if has_keys { PAUSE } else { FIRST_PAUSE };
        self.state().attempt.as_ref().is_none_or(|(start, _)| start.elapsed() >= pause)
    }

    /// The last set, unless it is too old.
    fn usable(&self) -> Option<(Arc<KeySet>, Instant)> {
        self.state().set.clone().filter(|(_, arrived)| arrived.elapsed() < STALE)
    }

    fn failure(&self) -> String {
        let failure = self.state().attempt.as_ref().and_then(|(_, failure)| failure.clone());
        failure.unwrap_or_else(|| "the keys of the issuer are too old".to_owned())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
