//! The memory of a provider, and the state machine of the executor (section 7.3).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use capgen_manifest::Side;
use capgen_shares::Shares;

use super::answered::Seen;
use super::input::{HandlerOutcome, Impossible, Input, InvocationId, Output, RefusedInvocation, Start, Ticket};
use super::invoke::Accepted;
use super::memory::Memory;
use super::outcome::Ended;
use super::record::Record;
use super::refusal::Refusal;
use super::request::{MessageHash, RequestKey, SenderId};
use super::snapshots::Snapshots;
use super::{Adapter, CacheLimits, Provider, Settings};
use crate::author::ReplyTo;
use crate::catalogue::Catalogue;
use crate::code::Code;
use crate::message::{Did, MessageType};

/// The memory of a [`Provider`]: the published capabilities, the running invocations, and the answers for duplicates.
///
/// Its size is bounded by the [settings](super::Settings) of the provider.
#[derive(Clone, Debug)]
pub struct State {
    /// `None` if the published capabilities could not be loaded.
    snapshots: Option<Snapshots>,
    memory: Memory,
    /// The time since which this memory is complete, in Unix ms; 0 if nothing can have run before.
    since: u64,
    /// The latest time of any input, in Unix ms: messages that have expired then are forgotten, even if the clock is
    /// set back.
    latest: u64,
    running: BTreeMap<InvocationId, Running>,
    /// How many invocations of each sender run.
    places: Shares<SenderId>,
    by_request: BTreeMap<RequestKey, InvocationId>,
    deadlines: BTreeSet<(u64, InvocationId)>,
    next: u64,
    shutdown: Option<Shutdown>,
    /// Whether the ends of invocations are outputs.
    pub(super) reports_ends: bool,
}

/// A shutdown that has begun.
#[derive(Clone, Copy, Debug)]
struct Shutdown {
    until: u64,
    is_reported: bool,
}

/// A request whose envelope is valid.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) key: RequestKey,
    pub(super) hash: MessageHash,
    pub(super) reply_to: ReplyTo,
    pub(super) ttl: u64,
    /// `ts + ttl`.
    pub(super) expires: u64,
}

/// An accepted invocation that has no result yet.
#[derive(Clone, Debug)]
struct Running {
    request: Request,
    /// Those of the invocation and of its duplicates.
    tickets: Vec<Ticket>,
    catalogue: Arc<Catalogue>,
    index: usize,
    adapter: Option<Arc<Adapter>>,
    deadline: u64,
}

impl State {
    /// The state of a provider that publishes a catalogue.
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>, cache: CacheLimits) -> Self {
        Self { snapshots: Some(Snapshots::new(catalogue)), ..Self::unavailable(cache) }
    }

    /// The state of a provider whose capabilities could not be loaded: it answers 5002 where it would have looked up a
    /// capability, until [`Input::Publish`] (section 5.3).
    #[must_use]
    pub const fn unavailable(cache: CacheLimits) -> Self {
        Self {
            snapshots: None,
            memory: Memory::new(cache),
            since: 0,
            latest: 0,
            running: BTreeMap::new(),
            places: Shares::new(0),
            by_request: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            next: 0,
            shutdown: None,
            reports_ends: false,
        }
    }

    /// Refuses invocations that were created before this time, in Unix ms: an earlier process of the provider may have
    /// run them (decision 22). Without it, none is refused for its time.
    #[must_use]
    pub fn since(self, since: u64) -> Self {
        Self { since, ..self }
    }

    /// Reports [records](Output::Record) of accepted invocations and their results from now on, for a
    /// [`Store`](super::Store).
    pub const fn write_records(&mut self) {
        self.memory.write_records();
    }

    /// Reports from now on how each invocation [ended](Output::Ended), and which ones are [refused](Output::Refused),
    /// for audits and metrics.
    pub const fn report_ends(&mut self) {
        self.reports_ends = true;
    }

    /// Takes a record of an earlier process.
    pub fn restore(&mut self, record: Record, now: u64) {
        self.memory.restore(record, now);
    }

    /// The time of the next [`Input::Tick`] that has an effect on an invocation, in Unix ms; `None` if nothing runs.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// The number of running invocations.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.len()
    }

    pub(super) fn snapshots(&self) -> Result<&Snapshots, Refusal> {
        self.snapshots.as_ref().ok_or_else(|| Refusal::new(Code::Unavailable, "the registry is unavailable"))
    }

    pub(super) fn catalogue(&self) -> Result<Arc<Catalogue>, Refusal> {
        self.snapshots().map(Snapshots::current)
    }

    pub(super) fn find(&self, request: &Request, now: u64) -> Seen {
        match self.by_request.get(&request.key).and_then(|invocation| self.running.get(invocation)) {
            Some(running) if running.request.hash != request.hash => Seen::Different,
            Some(_) => Seen::Running,
            None => self.memory.find(request, now),
        }
    }

    /// Lets a duplicate of a running invocation wait for its result. False if too many wait. The places are those of
    /// one invocation, and so of its sender alone.
    pub(super) fn wait(&mut self, key: &RequestKey, ticket: Ticket, max_waiting: usize) -> bool {
        let running = self.by_request.get(key).and_then(|invocation| self.running.get_mut(invocation));
        let running = running.filter(|running| running.tickets.len() <= max_waiting);
        running.map(|running| running.tickets.push(ticket)).is_some()
    }

    /// Refuses an invocation that may have run before, without being remembered.
    pub(super) fn check_time(&self, ts: u64, expires: u64) -> Result<(), Refusal> {
        if expires < self.latest {
            // It is not remembered any more, but the clock may have been set back since it was.
            return Err(Refusal::new(Code::InvalidTimestamp, "the message has expired"));
        }
        match self.since.checked_sub(ts) {
            Some(before) if before > 0 => Err(Refusal::new(
                Code::InvalidTimestamp,
                format!(
                    "`ts` is {before} ms before the start of the provider, which may have run the invocation before; sign it again, with a new `id` and `ts`"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Takes a place for an invocation, and remembers its id. Refuses it during a shutdown, and if its sender has used
    /// up its share.
    pub(super) fn take_place(&mut self, request: &Request, settings: &Settings) -> Result<(), Refusal> {
        if self.shutdown.is_some() {
            return Err(Refusal::new(Code::Unavailable, "the provider is shutting down"));
        }
        self.places.set_capacity(settings.max_running as u64);
        if !self.places.try_take(&request.key.sender, 1) {
            return Err(Refusal::new(Code::Overloaded, "too many invocations of this sender are running"));
        }
        if !self.memory.accept(request) {
            self.places.give_back(&request.key.sender, 1);
            let text =
                "too many invocations of this sender are remembered; each is forgotten when its message has expired";
            return Err(Refusal::new(Code::Overloaded, text));
        }
        Ok(())
    }

    /// Remembers a refusal, or a message that is answered again.
    pub(super) fn remember(&mut self, request: &Request, answer: Option<Arc<[u8]>>, now: u64) {
        self.memory.refuse(request, answer, now);
    }

    /// Starts an invocation that has a place: from now on, it has exactly one result.
    pub(super) fn start(
        &mut self,
        request: Request,
        caller: &Did,
        ticket: Ticket,
        catalogue: Arc<Catalogue>,
        accepted: Accepted,
        deadline: u64,
    ) -> Option<Start> {
        let Accepted { index, rule, params, adapter, .. } = accepted;
        let id = catalogue.published().get(index)?.descriptor().id.clone();
        let invocation = InvocationId(self.next);
        self.next += 1;
        let message = request.reply_to.id;
        self.by_request.insert(request.key, invocation);
        self.deadlines.insert((deadline, invocation));
        self.running
            .insert(invocation, Running { request, tickets: vec![ticket], catalogue, index, adapter, deadline });
        Some(Start { invocation, caller: caller.clone(), message, id, rule, params, deadline })
    }

    fn end(&mut self, invocation: InvocationId) -> Option<Running> {
        let running = self.running.remove(&invocation)?;
        self.by_request.remove(&running.request.key);
        self.places.give_back(&running.request.key.sender, 1);
        self.deadlines.remove(&(running.deadline, invocation));
        Some(running)
    }
}

impl Provider {
    /// Takes an input at a time, in Unix ms, and returns the outputs in their order.
    ///
    /// Every input first ends the invocations whose deadline is over, as [`Input::Tick`] does.
    ///
    /// # Errors
    ///
    /// The input is impossible. Then the state has not changed.
    pub fn step(&self, state: &mut State, input: Input<'_>, now: u64) -> Result<Vec<Output>, Impossible> {
        if let Input::Finished { invocation, .. } | Input::NotStored { invocation } = &input
            && invocation.0 >= state.next
        {
            return Err(Impossible::UnknownInvocation(*invocation));
        }
        state.latest = state.latest.max(now);
        let mut outputs = self.expire(state, now);
        match input {
            Input::Message { bytes, ticket, principal } => match self.verify(bytes, now) {
                Ok(received) => outputs.extend(self.receive(state, received, ticket, principal, now)),
                // An answer could go to someone who never sent anything.
                Err(rejection) => outputs.push(Output::Rejected { ticket, rejection }),
            },
            Input::Verified { received, ticket, principal } => {
                outputs.extend(self.receive(state, received, ticket, principal, now));
            }
            // An invocation that has ended keeps its result: this outcome came too late.
            Input::Finished { invocation, outcome } => {
                if let Some(running) = state.end(invocation) {
                    outputs.extend(self.finish(state, (invocation, &running), outcome, now));
                }
            }
            Input::NotStored { invocation } => {
                if let Some(running) = state.end(invocation) {
                    outputs.extend(self.withdraw(state, running, now));
                }
            }
            Input::Tick => {}
            Input::Publish(catalogue) => match &mut state.snapshots {
                Some(snapshots) => snapshots.publish(catalogue, now),
                None => state.snapshots = Some(Snapshots::new(catalogue)),
            },
            Input::Shutdown { until } => {
                state.shutdown = Some(Shutdown { until, is_reported: false });
                outputs.extend(self.expire(state, now));
            }
        }
        outputs.extend(drained(state));
        let records = state.memory.take_records();
        // Before the start or the answer that they are about.
        Ok(records.into_iter().map(Output::Record).chain(outputs).collect())
    }

    /// Ends the invocations whose time is over, and forgets expired answers and snapshots.
    fn expire(&self, state: &mut State, now: u64) -> Vec<Output> {
        let mut outputs = Vec::new();
        while let Some((deadline, invocation)) = state.deadlines.first().copied()
            && deadline <= now
        {
            outputs.extend(self.cancel(state, invocation, Code::Timeout, "the invocation did not end in time", now));
        }
        if state.shutdown.is_some_and(|shutdown| shutdown.until <= now) {
            while let Some(invocation) = state.running.keys().next().copied() {
                outputs.extend(self.cancel(state, invocation, Code::Unavailable, "the provider was shut down", now));
            }
        }
        state.memory.forget_expired(now);
        if let Some(snapshots) = &mut state.snapshots {
            snapshots.drop_expired(now);
        }
        outputs
    }

    fn cancel(&self, state: &mut State, invocation: InvocationId, code: Code, message: &str, now: u64) -> Vec<Output> {
        let Some(running) = state.end(invocation) else { return Vec::new() };
        let mut outputs = vec![Output::Stop(invocation)];
        outputs.extend(self.send_result(state, (invocation, &running), Ended::with(code, message), now));
        outputs
    }

    /// Refuses an invocation that cannot start, because its id cannot be stored: it may be tried again.
    fn withdraw(&self, state: &mut State, running: Running, now: u64) -> Vec<Output> {
        let Running { request, tickets, catalogue, index, .. } = running;
        state.memory.withdraw(&request);
        let refusal = Refusal::new(Code::Unavailable, "the provider cannot store the invocation");
        let message = self.refuse(&request.reply_to, &refusal, now);
        let sent = tickets.iter().map(|ticket| Output::Send { ticket: *ticket, message: Arc::clone(&message) });
        let refused = state.reports_ends.then(|| {
            let id = catalogue.published().get(index).map(|published| published.descriptor().id.clone());
            Output::Refused(Box::new(RefusedInvocation {
                caller: request.reply_to.sender.clone(),
                message: request.reply_to.id,
                expires: request.expires,
                asked: None,
                id,
                code: Code::Unavailable,
                denied: None,
                violations: None,
                latency_ms: 0,
            }))
        });
        refused.into_iter().chain(sent).collect()
    }

    /// The result of an invocation whose handler has ended.
    fn finish(
        &self,
        state: &mut State,
        (invocation, running): (InvocationId, &Running),
        outcome: HandlerOutcome,
        now: u64,
    ) -> Vec<Output> {
        let published = running.catalogue.published().get(running.index);
        let mut ended = Ended::by(outcome, published, running.adapter.as_deref());
        let mut outputs = Vec::new();
        if let (Some(published), Some(violations)) = (published, ended.invalid_result.take()) {
            if state.reports_ends {
                ended.end.invalid = Some((Side::Response, violations.clone()));
            }
            outputs.push(Output::InvalidResult { id: published.descriptor().id.clone(), violations });
        }
        outputs.extend(self.send_result(state, (invocation, running), ended, now));
        outputs
    }

    /// Sends the one result to the invocation and its duplicates.
    fn send_result(
        &self,
        state: &mut State,
        (invocation, running): (InvocationId, &Running),
        mut ended: Ended,
        now: u64,
    ) -> Vec<Output> {
        let Running { request, tickets, .. } = running;
        let mut message = self.answer(&request.reply_to, MessageType::CapResult, ended.result.to_value(), now);
        if message.len() > self.settings.message.bytes {
            ended = Ended::with(Code::InternalError, "the result is too large");
            message = self.answer(&request.reply_to, MessageType::CapResult, ended.result.to_value(), now);
        }
        state.memory.answer(request, &message, now);
        let answers = tickets.len();
        let ended = state.reports_ends.then_some(Output::Ended { invocation, answers, end: ended.end });
        let sent = tickets.iter().map(|ticket| Output::Send { ticket: *ticket, message: Arc::clone(&message) });
        ended.into_iter().chain(sent).collect()
    }
}

/// Reports once that a shutdown has ended.
fn drained(state: &mut State) -> Option<Output> {
    let is_idle = state.running.is_empty();
    let shutdown = state.shutdown.as_mut().filter(|shutdown| is_idle && !shutdown.is_reported)?;
    shutdown.is_reported = true;
    Some(Output::Drained)
}
