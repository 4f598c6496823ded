//! The attempts of a call.
//!
//! A call that would succeed with its first attempt alone also succeeds with further ones: no attempt ends before the deadline of the
//! call, and nothing that happens to a later attempt ends the call while the first one may still succeed.

use std::future::poll_fn;
use std::task::Poll;

use bytes::Bytes;
use tokio::time::{Instant, sleep_until};

use super::attempt::{Failed, Request};
use super::started::Started;
use super::{Client, Retry};
use crate::outcome::CallError;
use crate::transport::BoxFuture;

/// The attempts of a call that may wait at the same time. Each has a place in the memory of the client, and a policy may ask for
/// thousands of attempts that no one answers.
const MAX_WAITING: usize = 64;

/// Whether the text of a response is valid for the caller.
pub(super) type IsValid<'a> = &'a (dyn Fn(&Bytes) -> bool + Sync);

/// The attempts of one call.
struct Attempts<'a> {
    retry: Retry,
    deadline: Instant,
    /// Those that have not ended, with their numbers, which count from 1.
    waiting: Vec<(u32, BoxFuture<'a, Result<Bytes, Failed>>)>,
    /// The number of attempts so far.
    count: u32,
    /// When the next attempt starts.
    next: Option<Instant>,
    /// The result of the call if no attempt succeeds.
    fallback: Option<(Weight, Result<Bytes, CallError>)>,
}

/// How much the end of an attempt says about the call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// There is no answer: nothing was sent, or nothing came back.
    Silence,
    /// The provider answered that the same request may succeed later.
    Retryable,
    /// The provider answered, and a repeated request would not succeed.
    Final,
}

impl Client {
    /// The text of the response to a request, by as many attempts as the client's [`Retry`] allows.
    pub(super) async fn exchange(
        &self,
        started: &Started,
        request: Request<'_>,
        is_valid: IsValid<'_>,
    ) -> Result<Bytes, CallError> {
        if self.inner.retry.attempts > 1 && request.target.contract.is_idempotent() {
            let request = Request { is_repeated: true, ..request };
            return Box::pin(self.repeat(started, request, is_valid)).await;
        }
        let _permit = self.permit()?;
        self.attempt(started, request).await.map_err(|failed| failed.error)
    }

    async fn repeat(&self, started: &Started, request: Request<'_>, is_valid: IsValid<'_>) -> Result<Bytes, CallError> {
        let mut attempts = Attempts::new(self.inner.retry, started.deadline);
        // All attempts are one call in flight.
        let mut permit = None;
        loop {
            if let Some(result) = attempts.result() {
                return result;
            }
            let next = attempts.next;
            tokio::select! {
                biased;
                ended = attempts.end_of_one() => attempts.ended(ended, is_valid),
                () = sleep_until(next.unwrap_or(started.deadline)), if next.is_some() => {
                    if permit.is_none() {
                        permit = match self.permit() {
                            Ok(permit) => Some(permit),
                            Err(error) => {
                                attempts.not_started(error);
                                continue;
                            }
                        };
                    }
                    attempts.start(|| Box::pin(self.attempt(started, request)));
                }
            }
        }
    }
}

impl<'a> Attempts<'a> {
    fn new(retry: Retry, deadline: Instant) -> Self {
        Self { retry, deadline, waiting: Vec::new(), count: 0, next: Some(Instant::now()), fallback: None }
    }

    /// The result of the call, if no attempt waits that could change it and none follows.
    fn result(&mut self) -> Option<Result<Bytes, CallError>> {
        let is_final = matches!(&self.fallback, Some((Weight::Final, _))) && !self.first_may_succeed();
        let is_over = is_final || (self.waiting.is_empty() && self.next.is_none());
        if is_over { self.fallback.take().map(|(_, result)| result) } else { None }
    }

    fn first_may_succeed(&self) -> bool {
        self.waiting.iter().any(|(number, _)| *number == 1)
    }

    /// The next attempt that ends; never if none waits.
    async fn end_of_one(&mut self) -> Result<Bytes, Failed> {
        poll_fn(|context| {
            let mut waiting = self.waiting.iter_mut().enumerate();
            let ended = waiting.find_map(|(index, (_, attempt))| match attempt.as_mut().poll(context) {
                Poll::Ready(result) => Some((index, result)),
                Poll::Pending => None,
            });
            let Some((index, result)) = ended else { return Poll::Pending };
            drop(self.waiting.swap_remove(index));
            Poll::Ready(result)
        })
        .await
    }

    /// Starts an attempt. If it has no answer after its share of the remaining time, another one follows.
    fn start(&mut self, attempt: impl FnOnce() -> BoxFuture<'a, Result<Bytes, Failed>>) {
        if self.waiting.len() >= MAX_WAITING {
            // The end of an attempt starts the next one.
            self.next = None;
            return;
        }
        self.count += 1;
        self.waiting.push((self.count, attempt()));
        let now = Instant::now();
        let wait = self.retry.wait(self.count, self.deadline.saturating_duration_since(now));
        self.next = None;
        self.follow(now + wait);
    }

    /// An attempt for which the client has no room.
    fn not_started(&mut self, error: CallError) {
        self.count += 1;
        self.next = None;
        self.follow(Instant::now());
        self.remember(Weight::Silence, Err(error));
    }

    /// Handles the end of an attempt.
    fn ended(&mut self, result: Result<Bytes, Failed>, is_valid: IsValid<'_>) {
        match result {
            Ok(response) => {
                // While the first attempt may still have a valid response, an invalid one is not the result.
                if !self.first_may_succeed() || is_valid(&response) {
                    self.waiting.clear();
                }
                self.next = None;
                self.fallback = Some((Weight::Final, Ok(response)));
            }
            Err(Failed { error, is_answer }) => {
                let weight = match (is_answer, error.retryable) {
                    (false, _) => Weight::Silence,
                    (true, true) => Weight::Retryable,
                    (true, false) => Weight::Final,
                };
                if !error.retryable {
                    self.count = self.retry.attempts;
                    self.next = None;
                } else {
                    self.follow(Instant::now());
                }
                self.remember(weight, Err(error));
            }
        }
    }

    /// Starts the next attempt after a pause from a time on, unless one starts before. None starts at the deadline or later.
    fn follow(&mut self, from: Instant) {
        if self.count >= self.retry.attempts {
            return;
        }
        let at = from + self.retry.pause(self.count);
        if at < self.deadline {
            self.next = Some(self.next.map_or(at, |next| next.min(at)));
        }
    }

    /// Keeps a result, unless a better one is known.
    fn remember(&mut self, weight: Weight, result: Result<Bytes, CallError>) {
        if self.fallback.as_ref().is_none_or(|(known, _)| weight >= *known) {
            self.fallback = Some((weight, result));
        }
    }
}
