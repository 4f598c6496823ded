//! The agent `worker`, which the tests call.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use capgen::Capability;
use capgen::call::{Context, Failure, Handlers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// The id of the agent.
pub const AGENT: &str = "worker";
/// The address of its requests.
pub const ADDRESS: &str = "agents.worker.requests";

/// Does a piece of work.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Capability)]
#[serde(deny_unknown_fields)]
#[capability(name = "work", response = Done, idempotent = true)]
pub struct Work {
    /// Identifies the call.
    #[schemars(range(max = 1_000_000_000))]
    pub number: u64,
    /// Makes the request larger.
    pub padding: String,
}

/// The result of [`Work`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// The number of the request.
    pub number: u64,
    /// Not empty.
    #[schemars(length(min = 1))]
    pub by: String,
}

impl Work {
    /// A small request.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self { number, padding: "x".repeat(16) }
    }
}

/// Counts how often the handler runs for each number, and can make it wait.
#[derive(Debug)]
pub struct Runs {
    counts: Mutex<BTreeMap<u64, u32>>,
    total: watch::Sender<u32>,
    gate: Semaphore,
}

impl Default for Runs {
    fn default() -> Self {
        Self { counts: Mutex::default(), total: watch::Sender::new(0), gate: Semaphore::new(0) }
    }
}

impl Runs {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, u32>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a run.
    pub fn begin(&self, number: u64) {
        *self.lock().entry(number).or_default() += 1;
        self.total.send_modify(|total| *total += 1);
    }

    /// The number of runs for a number.
    #[must_use]
    pub fn of(&self, number: u64) -> u32 {
        self.lock().get(&number).copied().unwrap_or(0)
    }

    /// The runs of each number.
    #[must_use]
    pub fn all(&self) -> BTreeMap<u64, u32> {
        self.lock().clone()
    }

    /// Waits until the handler has been started this often.
    pub async fn started(&self, runs: u32) {
        let _ = self.total.subscribe().wait_for(|total| *total >= runs).await;
    }

    /// Waits until [`open`](Self::open) is called.
    pub async fn pass(&self) {
        let _ = self.gate.acquire().await;
    }

    /// Lets the handlers that wait and all later ones go on.
    pub fn open(&self) {
        self.gate.add_permits(1 << 20);
    }
}

/// The behaviour of the handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Behaviour {
    /// Answers at once.
    Answer,
    /// Never answers.
    Never,
    /// Answers when the gate is open.
    Gated,
    /// Returns a response that violates its schema, which the provider checks.
    Invalid,
    /// The same without a check.
    Unchecked,
    /// Returns a response that is larger than a message may be.
    Large,
}

/// Handlers that count their runs and answer after a pause.
pub fn handlers(runs: &Arc<Runs>, pause: Duration) -> Handlers {
    let runs = Arc::clone(runs);
    Handlers::new(AGENT).with::<Work, _, _>(move |_: Context, request: Work| {
        let runs = Arc::clone(&runs);
        async move {
            runs.begin(request.number);
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            Ok::<_, Failure>(capgen::Checked(Done { number: request.number, by: AGENT.to_owned() }))
        }
    })
}

/// Handlers with a behaviour.
pub(crate) fn behaving(runs: &Arc<Runs>, behaviour: Behaviour) -> Handlers {
    let runs = Arc::clone(runs);
    if behaviour == Behaviour::Unchecked {
        return Handlers::new(AGENT).with_loose("work", move |_: Context, request: serde_json::Value| {
            let runs = Arc::clone(&runs);
            async move {
                runs.begin(request["number"].as_u64().unwrap_or_default());
                Ok(serde_json::json!({"number": "one", "by": ""}))
            }
        });
    }
    Handlers::new(AGENT).with::<Work, _, _>(move |_: Context, request: Work| {
        let runs = Arc::clone(&runs);
        async move {
            runs.begin(request.number);
            let by = match behaviour {
                Behaviour::Never => std::future::pending().await,
                Behaviour::Gated => {
                    runs.pass().await;
                    AGENT.to_owned()
                }
                Behaviour::Invalid => String::new(),
                Behaviour::Large => "y".repeat(1 << 20),
                Behaviour::Answer | Behaviour::Unchecked => AGENT.to_owned(),
            };
            Ok::<_, Failure>(capgen::Checked(Done { number: request.number, by }))
        }
    })
}
