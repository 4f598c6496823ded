//! Running the handler of a request.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use capgen_manifest::Side;
use capgen_payload::Violations;
use tokio::time::{Instant, timeout_at};

use super::admit::{Admitted, Identified};
use super::authorize::Refused;
use super::callers::Sender;
use super::due::{Arrival, Due, too_late_to_start};
use super::entry::{Entry, Handled, InvalidSide, Unhandled};
use super::idempotency::Key;
use super::outgoing::InvalidDetails;
use super::respond::Answer;
use super::shared::{Phase, Shared, reached};
use super::versions::{Candidates, Versions};
use crate::context::Context;
use crate::envelope::{Envelope, header};
use crate::journal::{Journal, Subject};
use crate::outcome::{code, in_ms};
use crate::transport::BoxFuture;
use crate::wait::{at_once, caught};

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

    /// A request that the provider cannot read.
    fn invalid_request(request: &Envelope, candidates: &Candidates<'_>, invalid: InvalidSide) -> Self {
        let difference = candidates.versions.difference(request, candidates.first);
        let Some(difference) = difference else { return Self::invalid(Side::Request, invalid) };
        Self { answer: Answer::unreadable(&difference, &invalid.0), invalid: Some((Side::Request, invalid)) }
    }
}

impl Ended {
    /// The same end, with the version of the capability if there are several.
    fn of_version(self, versions: &Versions, entry: &Entry) -> Self {
        if !versions.are_several() {
            return self;
        }
        Self { answer: self.answer.of_contract(entry.contract.as_ref()), ..self }
    }
}

/// A request that is being processed.
pub(super) struct Processed<'a> {
    pub(super) request: &'a Arc<Envelope>,
    pub(super) identified: Identified,
    pub(super) is_redelivered: bool,
    pub(super) arrival: Arrival,
    /// When it ends.
    pub(super) due: Due,
    /// Whether its handler has ended.
    pub(super) has_ended: AtomicBool,
    /// The version of the capability that it would be read by first, if calls are recorded.
    pub(super) first: OnceLock<Arc<Entry>>,
    /// The version of the capability that runs it, if there are several.
    pub(super) chosen: OnceLock<Arc<Entry>>,
}

impl Processed<'_> {
    /// The sender, as far as it is proved by now.
    pub(super) fn sender(&self) -> &Sender {
        self.identified.sender()
    }

    /// The time until the request ends.
    pub(super) fn rest(&self) -> Duration {
        self.due.end.saturating_duration_since(Instant::now())
    }

    /// The key that the request shares with its duplicates, if it has one.
    pub(super) fn key(&self) -> Option<Key> {
        let request = self.request;
        // A broker may deliver a stored message again, also if its sender gave no key.
        let id_as_key = || self.arrival.is_stored.then(|| request.message_id());
        let key = request.header(header::IDEMPOTENCY_KEY).or_else(id_as_key)?;
        Some(Key::of(request, self.sender().principal.as_deref(), key))
    }
}

/// A request that a version of its capability has read.
struct Ready<'a> {
    entry: &'a Arc<Entry>,
    running: BoxFuture<'static, Handled>,
    context: Context,
    /// When the provider began to read it.
    start: Instant,
}

/// Why work did not end.
pub(super) enum Interruption {
    TooLate,
    Stopped,
}

impl Interruption {
    /// The answer to a request whose handler did not start.
    pub(super) fn before_start(self, due: Due) -> Answer {
        match self {
            Self::TooLate => too_late_to_start(due),
            Self::Stopped => Answer::not_started(),
        }
    }

    /// The answer to a request whose handler started.
    pub(super) fn after_start(self) -> Answer {
        match self {
            Self::TooLate => Answer::error(code::TIMEOUT, "the deadline passed before the handler ended"),
            Self::Stopped => Answer::abandoned(),
        }
    }
}

impl Shared {
    /// The answer to a request.
    pub(super) async fn answer(&self, processed: &Processed<'_>) -> Answer {
        let Processed { request, is_redelivered, arrival, due, .. } = *processed;
        let start = self.journal.records_calls.then(Instant::now);
        let admitted = pin!(self.admit(request, is_redelivered, (arrival, due), &processed.identified));
        let ended = match self.uninterrupted(due.end, admitted).await {
            Ok(Ok(admitted)) => self.answer_admitted(processed, &admitted).await,
            Ok(Err(refused)) => Err(refused),
            Err(interruption) => {
                Err(interruption.before_start(due).unproved_unless(processed.sender().is_authentic()).into())
            }
        };
        processed.has_ended.store(true, Ordering::Relaxed);
        let answer = match ended {
            Ok(answer) | Err(Refused { answer, reason: None }) => answer,
            Err(Refused { answer, reason: Some(reason) }) => {
                let latency = in_ms(arrival.at.elapsed());
                Box::pin(self.journal.denied(subject(processed, ""), reason, latency, audit_patience(processed))).await;
                return answer;
            }
        };
        if let Some(start) = start {
            let latency = in_ms(start.elapsed());
            let contract = answer.contract.as_ref().or_else(|| processed.first.get()?.contract.as_ref());
            let contract = contract.map_or("", |contract| &contract.hash);
            let (subject, limit) = (subject(processed, contract), audit_patience(processed));
            let recorded = self.journal.call(subject, answer.status(), answer.code.as_deref(), latency, limit);
            // In a box, because most calls are not recorded, and should not have its size.
            Box::pin(recorded).await;
        }
        answer
    }

    /// The answer to a request whose caller may call the capability, through the layers of the agent if it has any.
    async fn answer_admitted(&self, processed: &Processed<'_>, admitted: &Admitted<'_>) -> Result<Answer, Refused> {
        #[cfg(feature = "tower")]
        if let Some(layers) = &self.layers {
            // In a box, because requests without layers should not have its size.
            return Box::pin(self.answer_through(layers, processed, admitted)).await;
        }
        self.answer_by_version(processed, admitted).await
    }

    /// The answer to a request by a version of its capability.
    pub(super) async fn answer_by_version(
        &self,
        processed: &Processed<'_>,
        admitted: &Admitted<'_>,
    ) -> Result<Answer, Refused> {
        let Processed { request, due, .. } = *processed;
        let candidates =
            self.uninterrupted(due.end, pin!(self.candidates(request, admitted, processed.sender()))).await;
        let candidates = candidates.map_err(|interruption| interruption.before_start(due))??;
        if self.journal.records_calls {
            // For the record. A request that layers repeat has the same candidates.
            let _ = processed.first.set(Arc::clone(candidates.first));
        }
        Ok(self.once(processed, &candidates).await)
    }

    /// Validates the request, runs its handler and validates the response.
    pub(super) async fn run(&self, processed: &Processed<'_>, candidates: &Candidates<'_>) -> Answer {
        let due = processed.due;
        let has_started = AtomicBool::new(false);
        let work = pin!(async {
            let _place = self.running.enter(&processed.sender().caller).await;
            let start = Instant::now();
            if start >= due.end {
                return too_late_to_start(due).into();
            }
            self.handle(processed, candidates, start, &has_started).await
        });
        let ended = self.uninterrupted(due.end, work).await.unwrap_or_else(|interruption| {
            let has_started = has_started.load(Ordering::Relaxed);
            if has_started { interruption.after_start() } else { interruption.before_start(due) }.into()
        });
        processed.has_ended.store(true, Ordering::Relaxed);
        // Not within the deadline of the handler: the record must not be lost because the deadline passes.
        if let Some((side, InvalidSide(violations))) = ended.invalid {
            let chosen = ended.answer.contract.as_ref();
            let contract = chosen.map_or(candidates.first.hash(), |contract| &contract.hash);
            let (subject, limit) = (subject(processed, contract), audit_patience(processed));
            Box::pin(self.journal.violation(subject, side, violations, limit)).await;
        }
        ended.answer
    }

    /// Runs the first version that accepts the payload, from a time.
    async fn handle(
        &self,
        processed: &Processed<'_>,
        candidates: &Candidates<'_>,
        start: Instant,
        has_started: &AtomicBool,
    ) -> Ended {
        let context = processed.sender().context(processed.request, processed.due.stated);
        let mut unreadable = None;
        for entry in candidates.iter() {
            let payload = processed.request.payload.clone();
            // Generated code does not panic, but serde implementations in it may be user code.
            match catch_unwind(AssertUnwindSafe(|| entry.start(context.clone(), payload))) {
                Ok(Ok(running)) => {
                    let ready = Ready { entry, running, context, start };
                    let ended = self.run_version(processed, candidates.versions, ready, has_started).await;
                    return ended.of_version(candidates.versions, entry);
                }
                Ok(Err(invalid)) => drop(unreadable.get_or_insert(invalid)),
                Err(_) => return Ended::from(Answer::panicked()).of_version(candidates.versions, entry),
            }
        }
        // There is at least one version, and none accepted the payload.
        let invalid = unreadable.unwrap_or_else(|| InvalidSide(Violations::default()));
        Ended::invalid_request(processed.request, candidates, invalid).of_version(candidates.versions, candidates.first)
    }

    /// Runs a version that accepted the payload.
    async fn run_version(
        &self,
        processed: &Processed<'_>,
        versions: &Versions,
        Ready { entry, running, context, start }: Ready<'_>,
        has_started: &AtomicBool,
    ) -> Ended {
        if versions.are_several() {
            let _ = processed.chosen.set(Arc::clone(entry));
        }
        if let Some(answer) = self.check_response(processed.request, versions, entry, &processed.sender().caller).await
        {
            return answer.into();
        }
        has_started.store(true, Ordering::Relaxed);
        self.counters.handled.fetch_add(1, Ordering::Relaxed);
        let result = context.serve(caught(running)).await;
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.counters.handling_us.fetch_add(micros, Ordering::Relaxed);
        match result {
            None => Answer::panicked().into(),
            Some(Ok(response)) => Answer::ok(response).into(),
            Some(Err(Unhandled::Failure(failure))) => Answer::failure(failure).into(),
            Some(Err(Unhandled::Invalid(invalid))) => Ended::invalid(Side::Response, invalid),
            Some(Err(Unhandled::InvalidDetails(InvalidDetails { code, violations }))) => {
                let invalid = Some((Side::Response, InvalidSide(violations)));
                Ended { answer: Answer::invalid_details(&code), invalid }
            }
        }
    }

    /// The result of work, unless the deadline of the request passes or the server stops first.
    pub(super) async fn uninterrupted<T>(
        &self,
        end: Instant,
        mut work: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, Interruption> {
        if let Some(done) = at_once(&mut work).await {
            return Ok(done);
        }
        // In a box, because the future of work that ends at once should not have its size.
        let interrupted = Box::pin(async {
            let mut phase = self.phase.subscribe();
            tokio::select! {
                done = timeout_at(end, work) => done.map_err(|_| Interruption::TooLate),
                () = reached(&mut phase, Phase::Stopped) => Err(Interruption::Stopped),
            }
        });
        interrupted.await
    }
}

/// How long an audit may delay a response: half of the time that the caller still waits, so that an audit that is stuck
/// does not hide a violation from the caller.
pub(super) fn audit_patience(processed: &Processed<'_>) -> Duration {
    Journal::MAX_DELAY.min(processed.rest() / 2)
}

pub(super) fn subject<'a>(processed: &'a Processed<'_>, contract: &'a str) -> Subject<'a> {
    let request = processed.request;
    Subject {
        tenant: request.tenant(),
        session: request.header(header::SESSION),
        principal: processed.sender().principal.as_ref(),
        contract,
        ..Subject::new([request.capability(), request.from(), request.correlation_id()])
    }
}
