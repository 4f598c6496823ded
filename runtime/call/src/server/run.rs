//! Running the handler of a request.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use capgen_manifest::Side;
use tokio::time::Instant;

use super::admit::MAX_TIMEOUT;
use super::handlers::{Entry, Handled, InvalidSide, Unhandled};
use super::once::{First, Key, Turn};
use super::respond::Answer;
use super::serve::Shared;
use super::{Phase, reached};
use crate::context::Context;
use crate::envelope::{Envelope, header};
use crate::journal::Subject;
use crate::outcome::{code, in_ms};
use crate::transport::BoxFuture;
use crate::wait::at_once;

/// How long an audit may delay a response, at most. The caller waits for the response, so a disk that is slow or full
/// must not use up its time.
const PATIENCE: Duration = Duration::from_secs(5);

/// The end of a request, and the violations to record.
struct Ended {
    answer: Answer,
    invalid: Option<(Side, InvalidSide)>,
}

impl From<Answer> for Ended {
    fn from(answer: Answer) -> Self {
        Self { answer, invalid: None }
    }
}

impl Ended {
    fn invalid(side: Side, invalid: InvalidSide) -> Self {
        Self { answer: Answer::violation(side, &invalid.0), invalid: Some((side, invalid)) }
    }
}

/// A request that is being processed.
pub(super) struct Processed<'a> {
    pub(super) request: &'a Arc<Envelope>,
    pub(super) is_redelivered: bool,
    pub(super) is_stored: bool,
    /// When it was received, as Unix time in ms.
    pub(super) now: u64,
}

/// Why work did not end.
enum Interruption {
    TooLate,
    Stopped,
}

impl Shared {
    /// The answer to a request.
    pub(super) async fn answer(&self, processed: &Processed<'_>) -> Answer {
        let Processed { request, is_redelivered, now, .. } = *processed;
        let start = self.journal.records_calls.then(Instant::now);
        let admitted = self.uninterrupted(request, pin!(self.admit(request, is_redelivered, now))).await;
        let admitted = admitted.unwrap_or_else(|interruption| {
            Err(match interruption {
                Interruption::TooLate => {
                    Answer::error(code::TIMEOUT, "the deadline passed before the contracts were compared")
                }
                Interruption::Stopped => Answer::abandoned(),
            })
        });
        let (answer, contract) = match admitted {
            Ok(entry) => (self.once(processed, entry).await, entry.hash()),
            Err(answer) => (answer, ""),
        };
        if let Some(start) = start {
            let latency = in_ms(start.elapsed());
            let (subject, limit) = (subject(request, contract), self.audit_patience(request));
            let recorded = self.journal.call(subject, answer.status(), answer.code.as_deref(), latency, limit);
            // In a box, because most calls are not recorded, and should not have its size.
            Box::pin(recorded).await;
        }
        answer
    }

    /// How long an audit may delay a response: half of the time that the caller still waits, so that an audit that is stuck does not
    /// hide a violation from the caller.
    fn audit_patience(&self, request: &Envelope) -> Duration {
        let now = self.journal.clock.now_ms();
        let rest = request.deadline().map(|deadline| deadline.saturating_add(self.tolerance).saturating_sub(now));
        rest.map_or(PATIENCE, |rest| PATIENCE.min(Duration::from_millis(rest / 2)))
    }

    /// The answer to a request that passed the checks: for duplicates, the first one's.
    async fn once(&self, processed: &Processed<'_>, entry: &Entry) -> Answer {
        let Processed { request, is_stored, .. } = *processed;
        // A broker may deliver a stored message again, also if its sender gave no key.
        let id_as_key = || is_stored.then(|| request.message_id());
        let Some(key) = request.header(header::IDEMPOTENCY_KEY).or_else(id_as_key) else {
            return self.run(processed, entry).await;
        };
        let key = Key {
            caller: request.from().to_owned(),
            tenant: request.tenant().map(str::to_owned),
            capability: request.capability().to_owned(),
            key: key.to_owned(),
        };
        // In a box, because most requests have no key, and should not have its size.
        Box::pin(self.keyed(processed, entry, key)).await
    }

    /// The answer to a request with a key.
    async fn keyed(&self, processed: &Processed<'_>, entry: &Entry, key: Key) -> Answer {
        let request = processed.request;
        loop {
            match self.once.turn(key.clone(), &request.payload, self.journal.clock.now_ms()) {
                Turn::First(first) => return self.run_first(first, processed, entry).await,
                Turn::Later(mut answer) => {
                    let waited = self.until_deadline(request, answer.wait_for(Option::is_some)).await;
                    match waited {
                        Some(Ok(answer)) => {
                            if let Some(answer) = answer.as_ref() {
                                return answer.clone();
                            }
                        }
                        // The first one ended without an answer: this one runs, unless the first one ended because of the deadline
                        // that they share.
                        Some(Err(_)) if !self.rest(request).is_zero() => {}
                        Some(Err(_)) | None => {
                            return Answer::error(code::TIMEOUT, "the deadline passed while the first request ran");
                        }
                    }
                }
                Turn::Conflict => {
                    let message = "the idempotency key was used for another request";
                    return Answer::error(code::INVALID_ENVELOPE, message);
                }
                Turn::Full => return Answer::error(code::BUSY, "the provider cannot remember more requests"),
            }
        }
    }

    async fn run_first(&self, first: First, processed: &Processed<'_>, entry: &Entry) -> Answer {
        let answer = self.run(processed, entry).await;
        if answer.is_final {
            first.answer(answer.clone(), self.kept_until(processed.request));
        }
        answer
    }

    /// The Unix time in ms until which the answer to a request is kept for its duplicates.
    fn kept_until(&self, request: &Envelope) -> u64 {
        let key = request.header(header::IDEMPOTENCY_KEY);
        match request.deadline() {
            // Only attempts of the same call have such a key. They share its deadline, after which they are rejected anyway.
            Some(deadline) if key.is_none_or(|key| key == request.correlation_id()) => {
                deadline.saturating_add(self.tolerance)
            }
            _ => self.once.end(self.journal.clock.now_ms()),
        }
    }

    /// Validates the request, runs its handler and validates the response.
    async fn run(&self, processed: &Processed<'_>, entry: &Entry) -> Answer {
        let request = processed.request;
        let work = pin!(async {
            let Ok(_permit) = self.running.acquire().await else {
                return Answer::abandoned().into();
            };
            self.handle(request, entry).await
        });
        let ended = self.uninterrupted(request, work).await.unwrap_or_else(|interruption| {
            match interruption {
                Interruption::TooLate => Answer::error(code::TIMEOUT, "the deadline passed before the handler ended"),
                Interruption::Stopped => Answer::abandoned(),
            }
            .into()
        });
        // Not within the deadline of the handler: the record must not be lost because the deadline passes.
        if let Some((side, InvalidSide(violations))) = ended.invalid {
            let (subject, limit) = (subject(request, entry.hash()), self.audit_patience(request));
            Box::pin(self.journal.violation(subject, side, violations, limit)).await;
        }
        ended.answer
    }

    async fn handle(&self, request: &Arc<Envelope>, entry: &Entry) -> Ended {
        let context = Context::new(Arc::clone(request), Arc::clone(&self.journal.clock));
        let payload = request.payload.clone();
        let start = Instant::now();
        // Generated code does not panic, but the part of a handler before its first `await` is user code too.
        let running = match catch_unwind(AssertUnwindSafe(|| entry.start(context, payload))) {
            Ok(Ok(running)) => running,
            Ok(Err(invalid)) => return Ended::invalid(Side::Request, invalid),
            Err(_) => return panicked().into(),
        };
        self.counters.handled.fetch_add(1, Ordering::Relaxed);
        let result = caught(running).await;
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.counters.handling_us.fetch_add(micros, Ordering::Relaxed);
        match result {
            None => panicked().into(),
            Some(Ok(response)) => Answer::ok(response).into(),
            Some(Err(Unhandled::Failure(failure))) => Answer::failure(failure).into(),
            Some(Err(Unhandled::Invalid(invalid))) => Ended::invalid(Side::Response, invalid),
        }
    }

    /// The result of work, unless the deadline of the request passes or the server stops first.
    async fn uninterrupted<T>(
        &self,
        request: &Envelope,
        mut work: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, Interruption> {
        if let Some(done) = at_once(&mut work).await {
            return Ok(done);
        }
        // In a box, because the future of work that ends at once should not have its size.
        let interrupted = Box::pin(async {
            let mut phase = self.phase.subscribe();
            tokio::select! {
                done = self.until_deadline(request, work) => done.ok_or(Interruption::TooLate),
                () = reached(&mut phase, Phase::Stopped) => Err(Interruption::Stopped),
            }
        });
        interrupted.await
    }

    /// The result of a future, or `None` if the deadline of the request passes first.
    async fn until_deadline<T>(&self, request: &Envelope, work: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout(self.rest(request), work).await.ok()
    }

    /// The time until the deadline of a request. One without a deadline ends after the longest timeout.
    fn rest(&self, request: &Envelope) -> Duration {
        let now = self.journal.clock.now_ms();
        let deadline = request.deadline().unwrap_or(now.saturating_add(MAX_TIMEOUT));
        Duration::from_millis(deadline.saturating_add(self.tolerance).saturating_sub(now))
    }
}

/// A handler that runs. Panics of user code end here, also those of destructors, when the handler is dropped.
struct Caught(Option<BoxFuture<'static, Handled>>);

/// The result of a handler; `None` if it panicked. A handler that panicked is not polled again.
async fn caught(running: BoxFuture<'static, Handled>) -> Option<Handled> {
    let mut running = Caught(Some(running));
    poll_fn(move |context| {
        let Some(future) = &mut running.0 else { return Poll::Ready(None) };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(handled)) => {
                running.end();
                Poll::Ready(Some(handled))
            }
            Err(_) => {
                running.end();
                Poll::Ready(None)
            }
        }
    })
    .await
}

impl Caught {
    fn end(&mut self) {
        let running = self.0.take();
        // Either the response is there, or the first panic is the answer already.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(running)));
    }
}

impl Drop for Caught {
    fn drop(&mut self) {
        self.end();
    }
}

/// The message of a panic may contain secrets.
fn panicked() -> Answer {
    Answer::error(code::HANDLER_FAILED, "the handler panicked")
}

fn subject<'a>(request: &'a Envelope, contract: &'a str) -> Subject<'a> {
    Subject {
        tenant: request.tenant(),
        session: request.header(header::SESSION),
        capability: request.capability(),
        peer: request.from(),
        contract,
        correlation_id: request.correlation_id(),
    }
}
