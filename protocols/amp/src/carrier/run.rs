//! Running a provider: the real clock, its timers, its handlers, and the answers to the messages that wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use capgen_time::{Clock as _, SystemClock};
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::{BoxFuture, Handled, Proved, Service};

pub use super::execute::{Execute, Watch};
use crate::catalogue::Catalogue;
use crate::message::Did;
use crate::provider::{
    HandlerOutcome, Input, InvocationId, NoPermissions, Output, Provider, Received, Record, Start, State, Store, Ticket,
};

/// The longest time between two ticks: expired answers are forgotten no later. Answers are kept for up to an hour
/// (decision 13), so ten seconds more matter little, and an idle provider wakes up rarely.
const TICK: Duration = Duration::from_secs(10);

/// A provider that runs. Clones are the same provider.
///
/// It needs the runtime of tokio. Its background task ends when the last clone is dropped.
#[derive(Clone)]
pub struct Runner(Arc<Inner>);

struct Inner {
    provider: Provider,
    execute: Arc<dyn Execute>,
    held: Mutex<Held>,
    runtime: Handle,
    /// The deadlines have changed, or the runner was dropped.
    changed: Arc<Notify>,
    /// Whether every invocation has ended after a shutdown.
    is_drained: watch::Sender<bool>,
}

struct Held {
    state: State,
    /// `None` if nothing outlives the process.
    store: Option<Box<dyn Store>>,
    /// The messages that wait for an answer.
    waiting: HashMap<Ticket, oneshot::Sender<Handled>>,
    running: HashMap<InvocationId, AbortHandle>,
    /// Those that watch running invocations.
    watches: HashMap<InvocationId, Arc<dyn Watch>>,
    /// The number of invocations that have ended, and whose result is not sent yet.
    recording: usize,
    next_ticket: u64,
    /// The end of a shutdown, in Unix ms.
    until: Option<u64>,
    /// Whether every invocation has ended after a shutdown.
    is_drained: bool,
}

/// The record of an invocation, and the answers that wait for it.
struct Recording {
    record: BoxFuture<'static, ()>,
    answers: Vec<(Ticket, Handled)>,
    /// The number of answers.
    expected: usize,
}

/// Answers that are sent when their invocation is recorded: when this is dropped, which also happens after a panic.
struct Recorded {
    inner: Arc<Inner>,
    answers: Vec<(Ticket, Handled)>,
}

impl Runner {
    /// Runs a provider with its handlers, from a state on.
    ///
    /// Its memory ends with the process. So invocations that were created before now are refused with 1003: an earlier
    /// process may have run them (decision 22). [`with_store`](Self::with_store) has no such limit.
    ///
    /// # Errors
    ///
    /// The handlers cannot run with the policy of the provider: the reason of [`Execute::check`].
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn new(provider: Provider, state: State, execute: Arc<dyn Execute>) -> Result<Self, String> {
        execute.check(provider.policy())?;
        Ok(Self::start(provider, state.since(SystemClock.now_ms()), execute, None))
    }

    /// Runs a provider with its handlers, from a state on. The ids and the results of invocations are in a store, so
    /// that a later process neither runs an invocation again nor refuses those from before its start.
    ///
    /// Each invocation waits until its id is written, and no other step of the provider runs meanwhile.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or the handlers cannot run with the policy of the provider.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn with_store(
        provider: Provider,
        state: State,
        execute: Arc<dyn Execute>,
        mut store: Box<dyn Store>,
    ) -> Result<Self, String> {
        execute.check(provider.policy())?;
        let (now, mut state) = (SystemClock.now_ms(), state.since(store.since()));
        store.read(now, &mut |record| state.restore(record, now))?;
        state.write_records();
        Ok(Self::start(provider, state, execute, Some(store)))
    }

    fn start(provider: Provider, state: State, execute: Arc<dyn Execute>, store: Option<Box<dyn Store>>) -> Self {
        let mut held = Held {
            state,
            store,
            waiting: HashMap::new(),
            running: HashMap::new(),
            watches: HashMap::new(),
            recording: 0,
            next_ticket: 0,
            until: None,
            is_drained: false,
        };
        if execute.is_watching() {
            held.state.report_ends();
        }
        let changed = Arc::new(Notify::new());
        let inner = Arc::new(Inner {
            provider,
            execute,
            held: Mutex::new(held),
            runtime: Handle::current(),
            changed: Arc::clone(&changed),
            is_drained: watch::channel(false).0,
        });
        tokio::spawn(tick(Arc::downgrade(&inner), changed));
        Self(inner)
    }

    /// Publishes other capabilities. Queries that have started continue with the former ones.
    pub fn publish(&self, catalogue: Arc<Catalogue>) {
        self.0.step(Input::Publish(catalogue));
    }

    /// Starts no new work. Running invocations have the time `grace`; then they end with 5002. The future ends when
    /// every invocation has its result. Later messages are answered, invocations with 5002.
    pub async fn shutdown(&self, grace: Duration) {
        let until = SystemClock.now_ms().saturating_add(u64::try_from(grace.as_millis()).unwrap_or(u64::MAX));
        let mut is_drained = self.0.is_drained.subscribe();
        self.0.held().until = Some(until);
        self.0.step(Input::Shutdown { until });
        // The sender is in `self`.
        let _ = is_drained.wait_for(|is_drained| *is_drained).await;
    }

    /// The number of invocations that run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.0.held().state.running()
    }
}

impl Service for Runner {
    fn handle(&self, message: Bytes, principal: Option<Did>, proved: Proved) -> BoxFuture<'static, Handled> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            // Before the state is locked: signatures are most of the work.
            let received = match inner.provider.verify(&message, SystemClock.now_ms()) {
                Ok(received) => received,
                Err(rejection) => {
                    inner.execute.rejected(&rejection);
                    return Handled::Rejected(rejection);
                }
            };
            proved.by(received.sender());
            let received = inner.authorized(received).await;
            let answer = inner.receive(received, principal.as_ref());
            drop((message, inner));
            // Without a sender, the provider has no answer.
            answer.await.unwrap_or(Handled::Nothing)
        })
    }

    fn replace_large_answer(&self, answer: &Bytes) -> Option<Bytes> {
        self.0.provider.replace_large_answer(answer, SystemClock.now_ms()).map(Bytes::from_owner)
    }
}

impl Inner {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The message with the permissions of its sender. They are decided before the state is locked, because a rule may
    /// wait.
    async fn authorized(&self, received: Received) -> Received {
        let asked = self.provider.asked(&received);
        let Some(decided) = self.execute.authorize(&received, asked.as_ref()) else { return received };
        let now = SystemClock.now_ms();
        // A replay must not ask the rule again. If the first message is forgotten meanwhile, its sender may use
        // nothing.
        let is_duplicate = self.provider.is_duplicate(&self.held().state, &received, now);
        let limit = received.expires().saturating_sub(now).min(self.provider.settings().max_timeout_ms);
        let decided =
            async { if is_duplicate { None } else { timeout(Duration::from_millis(limit), decided).await.ok() } };
        let permissions = decided.await.unwrap_or_else(|| Arc::new(NoPermissions));
        received.with_permissions(permissions)
    }

    fn receive(self: &Arc<Self>, received: Received, principal: Option<&Did>) -> oneshot::Receiver<Handled> {
        let (sender, receiver) = oneshot::channel();
        let mut held = self.held();
        let ticket = Ticket(held.next_ticket);
        held.next_ticket += 1;
        held.waiting.insert(ticket, sender);
        self.step_held(&mut held, Input::Verified { received, ticket, principal });
        receiver
    }

    fn step(self: &Arc<Self>, input: Input<'_>) {
        self.step_held(&mut self.held(), input);
    }

    fn step_held(self: &Arc<Self>, held: &mut Held, input: Input<'_>) {
        let before = held.state.next_deadline();
        // An impossible input changes nothing; none is ever given, as numbers of invocations come from the provider.
        let outputs = self.provider.step(&mut held.state, input, SystemClock.now_ms()).unwrap_or_default();
        let is_written = self.write(held, &outputs);
        // The answers after the end of an invocation, which wait for its record.
        let mut recorded: Option<Recording> = None;
        for output in outputs {
            match output {
                // It could run again after a restart.
                Output::Start(start) if !is_written => {
                    self.step_held(held, Input::NotStored { invocation: start.invocation });
                }
                Output::Ended { invocation, answers, end } => {
                    let watch = held.watches.remove(&invocation);
                    recorded = watch.map(|watch| Recording::new(held, answers, async { watch.ended(end).await }));
                }
                Output::Refused(refused) => {
                    let execute = Arc::clone(&self.execute);
                    recorded = Some(Recording::new(held, 1, async move { execute.refused(*refused).await }));
                }
                Output::Send { ticket, message } => {
                    let answer = (ticket, Handled::Answer(Bytes::from_owner(message)));
                    match recorded.take() {
                        Some(recording) => recorded = self.send_recorded(recording, answer),
                        None => held.end(answer.0, answer.1),
                    }
                }
                output => self.act(held, output),
            }
        }
        recorded.into_iter().for_each(|recording| self.record(recording));
        if held.state.next_deadline() != before || held.until.is_some() {
            self.changed.notify_one();
        }
    }

    /// Adds an answer to a record, and starts it if that is the last one.
    fn send_recorded(self: &Arc<Self>, mut recording: Recording, answer: (Ticket, Handled)) -> Option<Recording> {
        recording.answers.push(answer);
        if recording.answers.len() < recording.expected {
            return Some(recording);
        }
        self.record(recording);
        None
    }

    /// Starts a record. In a task, and so not while the state is locked: it may take long, or panic.
    fn record(self: &Arc<Self>, Recording { record, answers, .. }: Recording) {
        let inner = Arc::clone(self);
        self.runtime.spawn(async move {
            // Not before the task runs: a runtime that ends drops it here, where the state is locked.
            let _answers = Recorded { inner, answers };
            record.await;
        });
    }

    /// Writes the records among some outputs. False if that is not possible.
    fn write(&self, held: &mut Held, outputs: &[Output]) -> bool {
        let Some(store) = &mut held.store else { return true };
        let records = outputs.iter().filter_map(|output| match output {
            Output::Record(record) => Some(record.clone()),
            _ => None,
        });
        let records: Vec<Record> = records.collect();
        let written = if records.is_empty() { Ok(()) } else { store.write(&records, SystemClock.now_ms()) };
        if let Err(reason) = &written {
            let (execute, reason) = (Arc::clone(&self.execute), reason.clone());
            self.runtime.spawn(async move { execute.store_failed(&reason) });
        }
        written.is_ok()
    }

    fn act(self: &Arc<Self>, held: &mut Held, output: Output) {
        match output {
            // Written before the other outputs.
            Output::Record(_) => {}
            Output::Rejected { ticket, rejection } => held.end(ticket, Handled::Rejected(rejection)),
            Output::Ignored { ticket } => held.end(ticket, Handled::Nothing),
            Output::Start(start) => {
                let invocation = start.invocation;
                let watch = self.execute.watch(&start);
                let task = self.runtime.spawn(run(Arc::clone(self), *start, watch.clone()));
                held.running.insert(invocation, task.abort_handle());
                held.watches.extend(watch.map(|watch| (invocation, watch)));
            }
            Output::Stop(invocation) => {
                if let Some(task) = held.running.remove(&invocation) {
                    task.abort();
                }
            }
            Output::InvalidResult { id, violations } => {
                // Not while the state is locked: it may take long, or panic.
                let execute = Arc::clone(&self.execute);
                self.runtime.spawn(async move { execute.invalid_result(&id, &violations) });
            }
            Output::Drained => {
                held.is_drained = true;
                self.report_drained(held);
            }
            // Sent or recorded before.
            Output::Send { .. } | Output::Ended { .. } | Output::Refused(_) => {}
        }
    }

    /// Reports once that a shutdown has ended: every invocation has its result, and is recorded.
    fn report_drained(&self, held: &Held) {
        if held.is_drained && held.recording == 0 {
            self.is_drained.send_replace(true);
        }
    }

    /// The time until the next tick.
    fn pause(&self) -> Duration {
        let held = self.held();
        let until = held.until.filter(|_| held.state.running() > 0);
        let next = [held.state.next_deadline(), until].into_iter().flatten().min();
        next.map_or(TICK, |next| Duration::from_millis(next.saturating_sub(SystemClock.now_ms())).min(TICK))
    }
}

impl Held {
    fn end(&mut self, ticket: Ticket, handled: Handled) {
        if let Some(waiting) = self.waiting.remove(&ticket) {
            // The connection may have ended.
            let _ = waiting.send(handled);
        }
    }
}

impl Recording {
    fn new(held: &mut Held, expected: usize, record: impl Future<Output = ()> + Send + 'static) -> Self {
        held.recording += 1;
        Self { record: Box::pin(record), answers: Vec::with_capacity(expected), expected }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let mut held = self.inner.held();
        held.recording = held.recording.saturating_sub(1);
        self.answers.drain(..).for_each(|(ticket, handled)| held.end(ticket, handled));
        self.inner.report_drained(&held);
    }
}

/// Reports the outcome of a handler when it is dropped, which also happens after a panic.
struct Report {
    inner: Arc<Inner>,
    invocation: InvocationId,
    outcome: HandlerOutcome,
}

impl Drop for Report {
    fn drop(&mut self) {
        let outcome = std::mem::replace(&mut self.outcome, HandlerOutcome::Panic);
        let mut held = self.inner.held();
        held.running.remove(&self.invocation);
        // After `Output::Stop`, the provider ignores the outcome.
        self.inner.step_held(&mut held, Input::Finished { invocation: self.invocation, outcome });
    }
}

/// Runs a handler. A panic unwinds through the report, and ends the task.
async fn run(inner: Arc<Inner>, start: Start, watch: Option<Arc<dyn Watch>>) {
    let execute = Arc::clone(&inner.execute);
    let mut report = Report { inner, invocation: start.invocation, outcome: HandlerOutcome::Panic };
    report.outcome = match watch {
        Some(watch) => watch.around(Box::pin(async move { execute.execute(start).await })).await,
        None => execute.execute(start).await,
    };
}

async fn tick(inner: Weak<Inner>, changed: Arc<Notify>) {
    while let Some(pause) = inner.upgrade().map(|inner| inner.pause()) {
        tokio::select! {
            () = tokio::time::sleep(pause) => {
                let Some(inner) = inner.upgrade() else { return };
                inner.step(Input::Tick);
            }
            () = changed.notified() => {}
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.changed.notify_one();
    }
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("provider", &self.0.provider).finish_non_exhaustive()
    }
}
