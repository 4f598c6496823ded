//! The state of a server, its life, and its numbers.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use capgen_descriptor::Skew;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

use super::cancels::Cancels;
use super::control_rate::ControlRates;
use super::due::Clocks;
use super::gate::Gate;
use super::idempotency::KeyedResponses;
use super::seen::Seen;
#[cfg(feature = "tower")]
use super::served::HandlerLayers;
use super::skew::Comparisons;
use super::tokens::Tokens;
use super::versions::Versions;
use crate::authorization::Authorization;
use crate::envelope::Keys;
use crate::idempotency_store::IdempotencyStore;
use crate::journal::Journal;
#[cfg(feature = "otel")]
use crate::otel::Instruments;

/// The state of a server that all its calls share.
pub(super) struct Shared {
    pub(super) agent: String,
    /// By the name of the capability. In a hash table, whose time does not show which names there are.
    pub(super) entries: HashMap<String, Versions>,
    /// The number of versions of the capability that has the most.
    pub(super) most_versions: usize,
    #[cfg(feature = "tower")]
    pub(super) layers: Option<HandlerLayers>,
    pub(super) journal: Journal,
    pub(super) keys: Option<Keys>,
    pub(super) tokens: Option<Tokens>,
    pub(super) authorization: Authorization,
    pub(super) tenants: BTreeSet<String>,
    /// Which callers with other contracts are served.
    pub(super) policy: Skew,
    pub(super) comparisons: Arc<Comparisons>,
    pub(super) once: Arc<KeyedResponses>,
    /// The answers of all instances.
    pub(super) store: Option<Arc<dyn IdempotencyStore>>,
    pub(super) seen: Seen,
    pub(super) cancels: Cancels,
    pub(super) control_rates: ControlRates,
    /// Places for handlers.
    pub(super) running: Arc<Gate>,
    /// Places for requests that run or wait, if callers have shares.
    pub(super) places: Option<Arc<Gate>>,
    /// Permits for requests that run or wait, also those of which the caller is not known yet.
    pub(super) admitted: Arc<Semaphore>,
    /// The number of permits of `admitted`.
    pub(super) total: usize,
    pub(super) max_message: usize,
    pub(super) clocks: Clocks,
    pub(super) counters: Counters,
    #[cfg(feature = "otel")]
    pub(super) instruments: Instruments,
    pub(super) phase: watch::Sender<Phase>,
    /// The runtime of the server. Messages may arrive on the threads of others.
    pub(super) runtime: Handle,
}

/// The life of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Phase {
    /// Requests are received.
    Serving,
    /// No new requests are received; the others finish.
    Draining,
    /// Calls that still run are abandoned.
    Stopped,
}

/// The numbers of requests since the start, which all calls count.
#[derive(Default, Debug)]
pub(super) struct Counters {
    pub(super) received: AtomicU64,
    pub(super) handled: AtomicU64,
    pub(super) errors: AtomicU64,
    pub(super) unsent: AtomicU64,
    pub(super) handling_us: AtomicU64,
}

impl Shared {
    /// The number of requests that wait or run.
    pub(super) fn in_flight(&self) -> usize {
        self.total.saturating_sub(self.admitted.available_permits())
    }

    /// Waits until no request waits or runs.
    pub(super) async fn idle(&self) {
        let all = u32::try_from(self.total).unwrap_or(u32::MAX);
        let _ = self.admitted.acquire_many(all).await;
    }
}

/// Waits until a server has reached a phase.
pub(super) async fn reached(phase: &mut watch::Receiver<Phase>, least: Phase) {
    // An error means that the server was dropped, which also stops it.
    let _ = phase.wait_for(|phase| *phase >= least).await;
}
