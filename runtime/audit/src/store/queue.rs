//! The bounded queue between callers and the writer thread.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use capgen_call::AuditError;
use tokio::sync::oneshot;

use super::metrics::Metrics;
use super::room::{Caller, Room};
use super::{Lost, WhenFull};
use crate::append::NewRow;

/// The result that someone waits for.
pub(super) type Answer = oneshot::Sender<Result<(), AuditError>>;

/// A record in the queue, with the one who waits until it is durable.
pub(super) struct Item {
    pub(super) row: NewRow,
    /// The caller whose share the record takes.
    pub(super) caller: Caller,
    pub(super) answer: Option<Answer>,
}

/// An entry of the queue.
pub(super) enum Entry {
    Record(Item),
    /// Answered if every record before it is durable.
    Flush(Answer),
}

/// Limits of the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) records: usize,
    pub(super) bytes: usize,
    /// Whether each caller has a share.
    pub(super) is_shared: bool,
    pub(super) when_full: WhenFull,
}

pub(super) struct Queue {
    limits: Limits,
    state: Mutex<State>,
    /// Signals the writer: there are entries, or the queue closes.
    filled: Condvar,
    /// Signals the timer: there is a new deadline, or the writer ended.
    deadline: Condvar,
    full: AtomicU64,
    closed: AtomicU64,
    failed: AtomicU64,
    metrics: Metrics,
}

struct State {
    entries: VecDeque<Entry>,
    records: usize,
    room: Room,
    /// The records that the writer has taken and not yet finished.
    taken: usize,
    waiting: BTreeMap<u64, (Instant, Waker)>,
    next_ticket: u64,
    is_closing: bool,
    /// The result of the writer, once it has ended.
    end: Option<Result<(), AuditError>>,
    closers: Vec<Answer>,
}

impl State {
    fn new(room: Room) -> Self {
        Self {
            entries: VecDeque::new(),
            records: 0,
            room,
            taken: 0,
            waiting: BTreeMap::new(),
            next_ticket: 0,
            is_closing: false,
            end: None,
            closers: Vec::new(),
        }
    }
}

/// Why an entry was not accepted.
enum Refused {
    Full(Box<Item>),
    Closed,
}

impl Queue {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: Mutex::new(State::new(Room::new(limits.records, limits.bytes, limits.is_shared))),
            filled: Condvar::new(),
            deadline: Condvar::new(),
            full: AtomicU64::new(0),
            closed: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            metrics: Metrics::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lost(&self) -> Lost {
        Lost { full: self.full.load(Relaxed), closed: self.closed.load(Relaxed), failed: self.failed.load(Relaxed) }
    }

    pub(super) fn count_failed(&self, records: usize) {
        self.failed.fetch_add(u64::try_from(records).unwrap_or(u64::MAX), Relaxed);
        self.metrics.lost(records, "failed");
    }

    fn count_closed(&self, records: usize) {
        self.closed.fetch_add(u64::try_from(records).unwrap_or(u64::MAX), Relaxed);
        self.metrics.lost(records, "closed");
    }

    fn count_full(&self) {
        self.full.fetch_add(1, Relaxed);
        self.metrics.lost(1, "full");
    }

    /// Adds a record at once if there is room, so that it is accepted even if its caller never polls the future.
    pub(super) fn push(self: &Arc<Self>, item: Item) -> Push {
        let push = |outcome| Push { queue: Arc::clone(self), outcome };
        match (self.offer(&mut self.lock(), item), self.limits.when_full) {
            (Ok(()), _) => push(PushOutcome::Ready(Ok(()))),
            (Err(Refused::Closed), _) => {
                self.count_closed(1);
                push(PushOutcome::Ready(Err(AuditError::Closed)))
            }
            (Err(Refused::Full(_)), WhenFull::Drop) => {
                self.count_full();
                push(PushOutcome::Ready(Err(AuditError::Full)))
            }
            (Err(Refused::Full(item)), WhenFull::Block { at_most }) => {
                let deadline = Instant::now().checked_add(at_most);
                push(PushOutcome::Waiting { item: Some(*item), ticket: None, deadline })
            }
        }
    }

    fn offer(&self, state: &mut State, item: Item) -> Result<(), Refused> {
        if state.is_closing || state.end.is_some() {
            return Err(Refused::Closed);
        }
        if !state.room.add(&item.caller, item.row.size()) {
            return Err(Refused::Full(Box::new(item)));
        }
        state.records += 1;
        self.metrics.added(1);
        state.entries.push_back(Entry::Record(item));
        self.filled.notify_one();
        Ok(())
    }

    /// Asks for an answer as soon as every accepted record is durable. Does not count as a record.
    pub(super) fn flush(&self, answer: Answer) {
        let mut state = self.lock();
        match state.end.clone() {
            // If the receiver is gone, no one is interested.
            Some(end) => drop(answer.send(end)),
            None => {
                state.entries.push_back(Entry::Flush(answer));
                self.filled.notify_one();
            }
        }
    }

    /// Accepts no more records. The answer comes when the writer has ended.
    pub(super) fn close(&self, answer: Option<Answer>) {
        let mut state = self.lock();
        state.is_closing = true;
        match (answer, state.end.clone()) {
            (Some(answer), Some(end)) => drop(answer.send(end)),
            (answer, _) => state.closers.extend(answer),
        }
        self.filled.notify_all();
        self.wake(state);
    }

    /// Wakes everyone who waits for room. Those who find none wait again.
    fn wake(&self, mut state: MutexGuard<'_, State>) {
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_values().for_each(|(_, waker)| waker.wake());
    }

    /// The next entries, with at most `most` records; waits until there are any. `None` if there are none and the queue
    /// is closed.
    pub(super) fn take(&self, most: usize) -> Option<Vec<Entry>> {
        let mut state = self.lock();
        while state.entries.is_empty() {
            if state.is_closing {
                return None;
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let mut entries = Vec::new();
        let mut records = 0;
        while records < most.max(1) {
            let Some(entry) = state.entries.pop_front() else { break };
            if let Entry::Record(item) = &entry {
                records += 1;
                state.room.remove(&item.caller, item.row.size());
            }
            entries.push(entry);
        }
        state.records -= records;
        state.taken += records;
        self.wake(state);
        Some(entries)
    }

    /// Reports that the writer is done with some of the records that it took.
    pub(super) fn finish(&self, records: usize) {
        let mut state = self.lock();
        let records = records.min(state.taken);
        state.taken -= records;
        self.metrics.removed(records);
    }

    /// Removes the entries whose callers wait for an answer.
    pub(super) fn take_waiting(&self) -> Vec<Entry> {
        let mut state = self.lock();
        let (waiting, rest): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut state.entries).into_iter().partition(Entry::is_awaited);
        for entry in &waiting {
            if let Entry::Record(item) = entry {
                state.records -= 1;
                self.metrics.removed(1);
                state.room.remove(&item.caller, item.row.size());
            }
        }
        state.entries = rest;
        self.wake(state);
        waiting.into()
    }

    /// Waits, but not longer than until the queue closes. Returns whether it is closing.
    pub(super) fn pause(&self, duration: Duration) -> bool {
        let state = self.lock();
        let closed = self.filled.wait_timeout_while(state, duration, |state| !state.is_closing);
        closed.unwrap_or_else(PoisonError::into_inner).0.is_closing
    }

    /// Reports that the writer has ended. Records that it has not stored are lost.
    pub(super) fn end(&self, result: Result<(), AuditError>) {
        let mut state = self.lock();
        let lost = state.records + state.taken;
        match result {
            Err(AuditError::Failed(_)) => self.count_failed(lost),
            _ => self.count_closed(lost),
        }
        self.metrics.removed(lost);
        (state.records, state.taken) = (0, 0);
        let result = if lost > 0 { result.and(Err(AuditError::Closed)) } else { result };
        state.end = Some(result.clone());
        let entries = std::mem::take(&mut state.entries);
        let closers = std::mem::take(&mut state.closers);
        self.deadline.notify_all();
        self.wake(state);
        let answers = entries.into_iter().filter_map(|entry| match entry {
            Entry::Record(item) => item.answer,
            Entry::Flush(answer) => Some(answer),
        });
        answers.chain(closers).for_each(|answer| drop(answer.send(result.clone())));
    }

    /// The timer thread: wakes those who have waited for too long. Futures have no timers without an async runtime, and
    /// the writer may be busy.
    pub(super) fn watch_deadlines(&self) {
        let mut state = self.lock();
        while state.end.is_none() {
            let now = Instant::now();
            let (late, rest) = std::mem::take(&mut state.waiting).into_iter().partition(|(_, (end, _))| *end <= now);
            state.waiting = rest;
            let late: BTreeMap<u64, (Instant, Waker)> = late;
            if !late.is_empty() {
                drop(state);
                late.into_values().for_each(|(_, waker)| waker.wake());
                state = self.lock();
                continue;
            }
            let next = state.waiting.values().map(|(end, _)| *end).min();
            state = match next {
                Some(end) => {
                    let waited = self.deadline.wait_timeout(state, end.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.deadline.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Entry {
    fn is_awaited(&self) -> bool {
        match self {
            Self::Record(item) => item.answer.is_some(),
            Self::Flush(_) => true,
        }
    }
}

/// Hands over a record. If the future is dropped while it waits for room, the record is lost, and counted.
pub(super) struct Push {
    queue: Arc<Queue>,
    outcome: PushOutcome,
}

enum PushOutcome {
    Ready(Result<(), AuditError>),
    Waiting {
        item: Option<Item>,
        ticket: Option<u64>,
        /// `None` if it is too far in the future to represent.
        deadline: Option<Instant>,
    },
}

impl Future for Push {
    type Output = Result<(), AuditError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { queue, outcome } = &mut *self;
        let (waiting, ticket, deadline) = match outcome {
            PushOutcome::Ready(result) => return Poll::Ready(result.clone()),
            PushOutcome::Waiting { item, ticket, deadline } => (item, ticket, deadline),
        };
        let Some(item) = waiting.take() else { return Poll::Ready(Ok(())) };
        let mut state = queue.lock();
        let result = match queue.offer(&mut state, item) {
            Ok(()) => Ok(()),
            Err(Refused::Closed) => {
                queue.count_closed(1);
                Err(AuditError::Closed)
            }
            Err(Refused::Full(_)) if deadline.is_some_and(|end| Instant::now() >= end) => {
                queue.count_full();
                Err(AuditError::Full)
            }
            Err(Refused::Full(item)) => {
                *waiting = Some(*item);
                let number = *ticket.get_or_insert_with(|| {
                    state.next_ticket += 1;
                    state.next_ticket
                });
                let end = deadline.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
                state.waiting.insert(number, (end, context.waker().clone()));
                queue.deadline.notify_all();
                return Poll::Pending;
            }
        };
        if let Some(ticket) = ticket {
            state.waiting.remove(ticket);
        }
        drop(state);
        *outcome = PushOutcome::Ready(result.clone());
        Poll::Ready(result)
    }
}

impl Drop for Push {
    fn drop(&mut self) {
        if let PushOutcome::Waiting { item: Some(_), ticket, .. } = &self.outcome {
            self.queue.count_full();
            if let Some(ticket) = ticket {
                self.queue.lock().waiting.remove(ticket);
            }
        }
    }
}
