//! The attempts of a call.
//!
//! A new attempt starts only if one is lost, or if the client hedges. All attempts wait until the deadline of the call,
//! so that a call that succeeds with its first attempt alone also succeeds with further ones, unless the provider
//! answers one of them with an error that is not retryable.

mod answers;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};

use super::attempt::{Reply, Request, too_late};
use super::cancel::{Reason, Sent};
use super::instances::{Exchange, Search};
use super::known::Known;
use super::pending::{News, Slot, abandoned};
use super::started::Started;
use super::{Client, Retry};
use crate::id::Id;
use crate::outcome::{CallError, in_ms};
use crate::transport::BoxFuture;

/// The attempts of a call that may wait at the same time. Each has a place in the memory of the client, and a policy
/// may ask for thousands of attempts that no one answers.
const MAX_WAITING: usize = 64;

/// The number of heartbeats in a row that may be missing before a request counts as lost: one may be dropped by a
/// broker, and another one late.
const SILENT_HEARTBEATS: u32 = 3;

/// Whether the text of a response is valid for the caller.
pub(super) type IsValid<'a> = &'a (dyn Fn(&Bytes) -> bool + Sync);

/// The attempts of one call.
struct Attempts<'a> {
    client: &'a Client,
    started: &'a Started,
    request: Request<'a>,
    is_valid: IsValid<'a>,
    known: Arc<Known>,
    /// All attempts are one call in flight.
    permit: Option<OwnedSemaphorePermit>,
    /// Where the responses to all attempts arrive.
    slot: Option<Slot>,
    /// Those that wait for a response, oldest first.
    waiting: Vec<Attempt<'a>>,
    /// The number of attempts so far, also of those that were not sent.
    count: u32,
    /// The number of attempts that were sent.
    sent: u32,
    /// The number of attempts that may have reached the peer.
    reached: u32,
    /// When the next attempt starts.
    next: Option<Instant>,
    /// When the next attempt starts although none is lost.
    hedge: Option<Instant>,
    /// The attempts to find another instance, after one has refused the request because of its contract.
    search: Search<'a>,
    /// Whether an attempt did not start because too many wait.
    is_full: bool,
    /// The result of the call if no attempt succeeds.
    fallback: Option<(Weight, Result<Reply, CallError>)>,
    /// The result of the call.
    end: Option<Result<Reply, CallError>>,
}

/// An attempt that waits for a response.
struct Attempt<'a> {
    id: Id,
    number: u32,
    /// The rest of the work to send it.
    publish: Option<BoxFuture<'a, Result<(), CallError>>>,
    /// Whether it took a part of the budget.
    is_extra: bool,
    /// Whether it is for another instance, and the address of those instances, if they have one.
    is_search: bool,
    address: Option<&'a str>,
    is_described: bool,
    /// Whether another attempt may follow, or did. Its response counts nevertheless.
    is_lost: bool,
    started: Instant,
    /// When it was sent.
    published: Option<Instant>,
    /// When its silence is looked at next.
    check: Option<Instant>,
}

/// An attempt that is about to be sent.
struct Planned<'a> {
    number: u32,
    is_extra: bool,
    is_search: bool,
    address: Option<&'a str>,
    /// The contract of the caller, if the provider asked for it.
    descriptor: Option<String>,
}

/// What happens to an attempt.
enum Event {
    News(News),
    /// An attempt was sent, or not.
    Published(Id, Result<(), CallError>),
}

/// How much the end of an attempt says about the call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// There is no answer: nothing was sent, or nothing came back.
    Silence,
    /// The provider answered that the same request may succeed later.
    Retryable,
    /// The provider answered with an invalid response.
    Invalid,
}

impl Exchange<'_> {
    /// The response to a request, by as many attempts as the client's [`Retry`] allows.
    pub(super) async fn with_any(&self, request: &Request<'_>) -> Result<Reply, CallError> {
        if self.client.inner.retry.attempts > 1 {
            return Box::pin(self.repeat(request)).await;
        }
        let _permit = self.client.permit(self.started)?;
        self.client.attempt(self.started, request).await
    }

    async fn repeat(&self, request: &Request<'_>) -> Result<Reply, CallError> {
        let own = self.own_address();
        let mut attempts = Attempts::new(self, *request, own.as_deref());
        attempts.start();
        attempts.run().await
    }

    /// The response of another instance of the peer to a request that one has refused because of its contract.
    pub(super) async fn other_instance(&self, refused: CallError) -> Result<Reply, CallError> {
        let own = self.own_address();
        let mut attempts = Attempts::new(self, self.request, own.as_deref());
        (attempts.count, attempts.sent) = (self.client.inner.retry.attempts, self.request.attempt);
        attempts.refused(refused);
        attempts.run().await
    }
}

impl<'a> Attempts<'a> {
    /// No attempts yet, of a request. `own` is the address of the instances with the caller's contract.
    fn new(exchange: &Exchange<'a>, request: Request<'a>, own: Option<&'a str>) -> Self {
        let Exchange { client, started, known, is_valid, .. } = *exchange;
        let is_repeated = request.target.contract.is_repeatable();
        let is_watched = is_repeated && client.inner.retry.attempts > 1;
        let heartbeat = is_watched.then(|| in_ms(client.inner.retry.heartbeat));
        Self {
            client,
            started,
            request: Request { is_repeated, heartbeat, ..request },
            is_valid,
            known: Arc::clone(known),
            permit: None,
            slot: None,
            waiting: Vec::new(),
            count: 0,
            sent: 0,
            reached: 0,
            next: None,
            hedge: None,
            search: Search::new(own),
            is_full: false,
            fallback: None,
            end: None,
        }
    }

    /// The result of the call.
    async fn run(mut self) -> Result<Reply, CallError> {
        let mut sent = Sent::new(self.client, self.started, self.request.target, self.request.options);
        loop {
            if let Some(result) = self.result() {
                sent.end();
                self.cancel_others();
                return result;
            }
            let wake = self.wake();
            tokio::select! {
                biased;
                event = self.event() => self.handle(event),
                () = sleep_until(wake) => self.due(),
            }
        }
    }

    fn retry(&self) -> Retry {
        self.client.inner.retry
    }

    /// The result of the call, if there is one, or no attempt waits and none follows.
    fn result(&mut self) -> Option<Result<Reply, CallError>> {
        if self.end.is_none() && self.waiting.is_empty() && self.next.is_none() && self.search.next.is_none() {
            return Some(self.last());
        }
        self.end.take()
    }

    /// The result of a call that no attempt decides any more.
    fn last(&mut self) -> Result<Reply, CallError> {
        match self.fallback.take() {
            // An attempt that still waits may have run.
            Some((weight, result)) if weight > Weight::Silence || self.waiting.is_empty() => result,
            // If messages arrived that are not the response, the last one is the better explanation.
            _ => Err(self.slot.as_ref().and_then(Slot::rejected).unwrap_or_else(|| too_late(self.started))),
        }
    }

    /// Cancels the attempts that still wait at the end of the call.
    fn cancel_others(&self) {
        for attempt in &self.waiting {
            self.cancel(Reason::Superseded, Some(attempt.id));
        }
    }

    fn cancel(&self, reason: Reason, attempt: Option<Id>) {
        let Request { target, options, .. } = self.request;
        self.client.cancel(self.started, (target, options), reason, attempt);
    }

    /// Whether another attempt may follow one that has no answer.
    fn may_follow_silence(&self) -> bool {
        self.request.is_repeated && self.count < self.retry().attempts
    }

    /// The next time at which something may have to be done.
    fn wake(&self) -> Instant {
        let is_watched = self.may_follow_silence();
        let timeout = self.retry().attempt_timeout;
        let losses = self.waiting.iter().filter(|attempt| is_watched && !attempt.is_lost);
        let losses = losses.flat_map(|attempt| [timeout.map(|timeout| attempt.started + timeout), attempt.check]);
        let all = losses.chain([self.next, self.hedge, self.search.next]).flatten();
        all.fold(self.started.deadline, Instant::min)
    }

    /// The next event.
    async fn event(&mut self) -> Event {
        poll_fn(|context| {
            if let Some(slot) = &self.slot
                && let Poll::Ready(news) = slot.poll_news(context.waker())
            {
                return Poll::Ready(Event::News(news));
            }
            for attempt in &mut self.waiting {
                if let Some(publish) = &mut attempt.publish
                    && let Poll::Ready(result) = publish.as_mut().poll(context)
                {
                    attempt.publish = None;
                    return Poll::Ready(Event::Published(attempt.id, result));
                }
            }
            Poll::Pending
        })
        .await
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::News(News::Answer(id, response)) => self.answered(id, response),
            Event::News(News::NoResponders) => self.unreceived(),
            Event::News(News::Closed) => {
                self.waiting.clear();
                self.cancel(Reason::Closed, None);
                self.end = Some(Err(abandoned()));
            }
            Event::Published(id, Ok(())) => {
                let silence = self.request.heartbeat.map(|_| self.retry().heartbeat * SILENT_HEARTBEATS);
                if let Some(attempt) = self.waiting.iter_mut().find(|attempt| attempt.id == id) {
                    let now = Instant::now();
                    attempt.published = Some(now);
                    attempt.check = silence.map(|silence| now + silence);
                }
            }
            Event::Published(id, Err(error)) => {
                if let Some(attempt) = self.take(|attempt| attempt.id == id) {
                    self.not_received(&attempt, error);
                }
            }
        }
    }

    /// Removes the newest attempt with a property from those that wait.
    fn take(&mut self, is_wanted: impl Fn(&Attempt<'_>) -> bool) -> Option<Attempt<'a>> {
        let index = self.waiting.iter().rposition(is_wanted)?;
        Some(self.waiting.remove(index))
    }

    fn no_more(&mut self) {
        self.count = self.retry().attempts;
        (self.next, self.hedge, self.search.next) = (None, None, None);
    }

    /// Does the work of this time: finds attempts that are lost, and starts the next one.
    fn due(&mut self) {
        let now = Instant::now();
        if now >= self.started.deadline {
            self.end = Some(self.last());
            // Both sides know that the deadline has passed.
            self.waiting.clear();
            return;
        }
        if self.may_follow_silence() && self.find_lost(now) {
            self.follow(None);
        }
        if self.next.is_some_and(|next| next <= now) || self.hedge.is_some_and(|hedge| hedge <= now) {
            self.start();
        }
        if self.search.next.is_some_and(|next| next <= now) {
            self.start_search();
        }
    }

    /// Marks the attempts that are lost. Returns whether there are new ones.
    fn find_lost(&mut self, now: Instant) -> bool {
        let retry = self.retry();
        let mut is_found = false;
        for attempt in self.waiting.iter_mut().filter(|attempt| !attempt.is_lost) {
            let is_late = retry.attempt_timeout.is_some_and(|timeout| attempt.started + timeout <= now);
            let is_silent = attempt.check.is_some_and(|check| check <= now)
                && attempt.is_silent(now, retry.heartbeat * SILENT_HEARTBEATS, self.slot.as_ref(), &self.known);
            attempt.is_lost = is_late || is_silent;
            is_found |= attempt.is_lost;
        }
        is_found
    }

    /// Starts the next attempt after a pause, unless one starts before. None starts at the deadline or later.
    fn follow(&mut self, pause: Option<Duration>) {
        let now = Instant::now();
        let rest = self.started.deadline.saturating_duration_since(now);
        if self.count >= self.retry().attempts || rest.is_zero() {
            return;
        }
        // A pause that is too long is shortened, so that there is time for the attempt too.
        let pause = pause.unwrap_or_else(|| self.retry().pause(self.count)).min(rest / 2);
        let at = now + pause;
        self.next = Some(self.next.map_or(at, |next| next.min(at)));
    }

    /// Starts an attempt, if there is room in the client and in the budget.
    fn start(&mut self) {
        (self.next, self.hedge) = (None, None);
        self.is_full = self.waiting.len() >= MAX_WAITING;
        if self.is_full {
            // The end of an attempt starts the next one.
            return;
        }
        if self.permit.is_none() {
            match self.client.permit(self.started) {
                Ok(permit) => self.permit = Some(permit),
                Err(error) => {
                    self.count += 1;
                    self.follow(None);
                    return self.remember(Weight::Silence, Err(error));
                }
            }
        }
        let is_extra = self.reached > 0;
        if !is_extra || self.known.take_attempt() {
            self.count += 1;
            self.sent += 1;
            // Only the first attempt goes to the instances with the caller's contract alone.
            let address = self.request.address.take();
            let (number, is_search) = (self.sent, false);
            self.publish(Planned { number, is_extra, is_search, address, descriptor: None });
        }
        if self.may_follow_silence() {
            self.hedge = self.retry().hedge.map(|after| Instant::now() + after);
        }
    }

    fn publish(&mut self, planned: Planned<'a>) {
        let Planned { number, is_extra, is_search, address, descriptor } = planned;
        let (client, started, id) = (self.client, self.started, Id::random());
        let token = match &self.slot {
            Some(slot) => {
                slot.add(id);
                slot.token()
            }
            None => match client.slot(started, self.request.target, id, Some(Arc::clone(&self.known))) {
                Ok(slot) => self.slot.insert(slot).token(),
                Err(error) => {
                    self.end = Some(Err(error));
                    return;
                }
            },
        };
        let request = Request { attempt: number, address, ..self.request };
        #[cfg(feature = "otel")]
        if let Some(measured) = started.measured.as_ref().filter(|_| number > 1) {
            measured.retried();
        }
        let is_described = descriptor.is_some();
        let publish = async move {
            let trace = request.trace(started);
            client.publish_message(started, &request, token, id, &trace, descriptor.as_deref()).await
        };
        self.reached += 1;
        self.waiting.push(Attempt {
            id,
            number,
            publish: Some(Box::pin(publish)),
            is_extra,
            is_search,
            address,
            is_described,
            is_lost: false,
            started: Instant::now(),
            published: None,
            check: None,
        });
    }
}

impl Attempt<'_> {
    /// Whether the provider should have reported by now that it works on this attempt. If not, silence is looked at
    /// again later.
    fn is_silent(&mut self, now: Instant, silence: Duration, slot: Option<&Slot>, known: &Known) -> bool {
        let heard = slot.and_then(|slot| slot.heard(self.id));
        let end = heard.or(self.published).unwrap_or(now) + silence;
        let is_over = end <= now;
        self.check = Some(if is_over { now + silence } else { end });
        is_over && (heard.is_some() || known.sends_heartbeats())
    }
}
