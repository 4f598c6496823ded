//! Requests with idempotency keys, which run once.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{timeout, timeout_at};

use super::idempotency::{First, Key, Origin, Turn};
use super::respond::Answer;
use super::run::{Interruption, Processed, audit_patience};
use super::shared::Shared;
use super::stored::{Claimed, Running, claim};
use super::versions::Candidates;
use crate::envelope::header;
use crate::outcome::{code, in_ms};

impl Shared {
    /// The answer to a request that passed the checks: for duplicates, the first one's.
    pub(super) async fn once(&self, processed: &Processed<'_>, candidates: &Candidates<'_>) -> Answer {
        match processed.key() {
            // In a box of its own: allocators take much longer for the future of the whole request, which would be
            // larger than 1 KiB.
            None => Box::pin(self.run(processed, candidates)).await,
            // In a box, because most requests have no key, and should not have its size.
            Some(key) => Box::pin(self.keyed(processed, candidates, key)).await,
        }
    }

    /// The answer to a request with a key.
    async fn keyed(&self, processed: &Processed<'_>, candidates: &Candidates<'_>, key: Key) -> Answer {
        let request = processed.request;
        loop {
            let now = self.journal.clock.now_ms();
            match self.once.turn((key, &processed.sender().caller), request.message_id(), &request.payload, now) {
                Turn::First(first) => return self.run_first(first, processed, candidates, &key).await,
                Turn::Later(mut answer) => {
                    let waited = timeout_at(processed.due.end, answer.wait_for(Option::is_some)).await;
                    match waited {
                        Ok(Ok(answer)) => {
                            if let Some(answer) = answer.as_ref() {
                                return answer.clone();
                            }
                        }
                        // The first one ended without an answer: this one runs, unless the first one ended because of
                        // the deadline that they share.
                        Ok(Err(_)) if !processed.rest().is_zero() => {}
                        Ok(Err(_)) | Err(_) => return too_late(),
                    }
                }
                Turn::Conflict => return conflict(),
                Turn::Full => return Answer::error(code::BUSY, "the provider cannot remember more requests"),
            }
        }
    }

    /// The answer to a request that is the first one with its key at this instance.
    async fn run_first(
        &self,
        first: First,
        processed: &Processed<'_>,
        candidates: &Candidates<'_>,
        key: &Key,
    ) -> Answer {
        let answer = match &self.store {
            None => self.run(processed, candidates).await,
            Some(store) => {
                let keep = Duration::from_millis(self.kept_for(processed));
                let claimed = pin!(claim(store, key, &processed.request.payload, keep));
                match self.uninterrupted(processed.due.end, claimed).await {
                    Err(Interruption::TooLate) => return too_late(),
                    Err(Interruption::Stopped) => return Answer::not_started(),
                    Ok(Err(error)) => {
                        tracing::warn!(%error, "a request is refused");
                        return Answer::error(code::BUSY, "the provider cannot remember requests now");
                    }
                    Ok(Ok(Claimed::Conflict)) => return conflict(),
                    Ok(Ok(Claimed::Answered(answer))) => answer,
                    Ok(Ok(Claimed::First(claim))) => self.run_claimed(claim, processed, candidates).await,
                }
            }
        };
        if answer.is_final {
            let end = self.journal.clock.now_ms().saturating_add(self.kept_for(processed));
            first.answer(answer.clone(), end, origin(processed));
        }
        answer
    }

    /// Runs a request whose key is claimed for this instance, and stores its answer. If another instance takes this one
    /// for dead meanwhile, it goes on: its effects cannot be undone.
    async fn run_claimed(&self, claim: Running, processed: &Processed<'_>, candidates: &Candidates<'_>) -> Answer {
        let answer = self.run(processed, candidates).await;
        if answer.is_final {
            let contract = answer.contract.as_ref().or(candidates.first.contract.as_ref()).cloned();
            // The caller waits for it, so that a duplicate finds the answer, but not for a store that is slow.
            let _ = timeout(audit_patience(processed), claim.answer(answer.clone(), contract)).await;
        }
        answer
    }

    /// How long the answer to a request is kept for its duplicates, in ms.
    fn kept_for(&self, processed: &Processed<'_>) -> u64 {
        let request = processed.request;
        let key = request.header(header::IDEMPOTENCY_KEY);
        // Only attempts of the same call have the id of the call as their key. They share its deadline, after which
        // they are rejected anyway.
        let is_own = key.is_none_or(|key| key == request.correlation_id());
        if is_own && (request.deadline().is_some() || request.header(header::TIMEOUT).is_some()) {
            in_ms(processed.rest())
        } else {
            self.once.window
        }
    }
}

/// The origin of the key of a request. A broker that stores a message relies on the answer as a caller does: it may
/// deliver the message again.
fn origin(processed: &Processed<'_>) -> Origin {
    let request = processed.request;
    let is_own = request.header(header::IDEMPOTENCY_KEY) == Some(request.correlation_id());
    if is_own && !processed.arrival.is_stored { Origin::Attempts } else { Origin::Caller }
}

fn too_late() -> Answer {
    Answer::error(code::TIMEOUT, "the deadline passed while the first request ran")
}

fn conflict() -> Answer {
    Answer::error(code::KEY_REUSED, "the idempotency key was used for another request")
}
