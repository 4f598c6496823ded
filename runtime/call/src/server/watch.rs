//! Requests that wait or run: heartbeats for their callers, and their end if they are cancelled.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::numbers::heartbeat;
use super::respond::Answer;
use super::run::Processed;
use super::shared::Shared;
use crate::envelope::MessageKind;
use crate::transport::BoxFuture;
use crate::wait::at_once;

/// How often a request that is cancelled looks whether others still wait for its answer. A cancel takes effect within
/// 50 ms.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Sends the proof that a request waits or runs. It ends at once.
pub(super) type SendHeartbeat<'a> = &'a (dyn Fn() -> BoxFuture<'a, ()> + Sync);

impl Shared {
    /// The answer to a request, by work that makes it; `None` if the request is cancelled before its handler ended. The
    /// caller drops the work then.
    pub(super) async fn watched(
        &self,
        processed: &Processed<'_>,
        mut work: Pin<&mut impl Future<Output = Answer>>,
        send_heartbeat: SendHeartbeat<'_>,
    ) -> Option<Answer> {
        // Most requests end before anything else happens, and cost no timer.
        if let Some(answer) = at_once(&mut work).await {
            return Some(answer);
        }
        if processed.request.kind() != MessageKind::Request {
            return Some(work.await);
        }
        // In a box, because the future of work that ends at once should not have its size.
        Box::pin(self.watch(processed, work, send_heartbeat)).await
    }

    async fn watch(
        &self,
        processed: &Processed<'_>,
        mut work: Pin<&mut impl Future<Output = Answer>>,
        send_heartbeat: SendHeartbeat<'_>,
    ) -> Option<Answer> {
        let running = self.cancels.run(processed.request);
        let interval = heartbeat(processed.request).ok().flatten().map(Duration::from_millis);
        let mut beat = pin!(interval.map(|interval| sleep_until(processed.arrival.at + interval)));
        let mut look_again: Option<Instant> = None;
        loop {
            tokio::select! {
                biased;
                answer = &mut work => return Some(answer),
                () = running.cancelled(), if look_again.is_none() => {}
                () = sleep_until(look_again.unwrap_or_else(Instant::now)), if look_again.is_some() => {}
                () = due(beat.as_mut().as_pin_mut()) => {
                    send_heartbeat().await;
                    if let (Some(beat), Some(interval)) = (beat.as_mut().as_pin_mut(), interval) {
                        beat.reset(Instant::now() + interval);
                    }
                    continue;
                }
            }
            // A handler that has ended is not undone: its answer and its records are complete.
            if processed.has_ended.load(Ordering::Relaxed) {
                return Some(work.await);
            }
            if !self.has_waiters(processed) {
                return None;
            }
            look_again = Some(Instant::now() + LOOK_AGAIN);
        }
    }

    /// Whether other requests with the same idempotency key wait for the answer to this one.
    fn has_waiters(&self, processed: &Processed<'_>) -> bool {
        processed.key().is_some_and(|key| self.once.has_waiters(&key, processed.request.message_id()))
    }
}

/// Waits for a timer; forever if there is none.
async fn due(timer: Option<Pin<&mut tokio::time::Sleep>>) {
    match timer {
        Some(timer) => timer.await,
        None => std::future::pending().await,
    }
}
