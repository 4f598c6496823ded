//! Failed operations, and trying them again.

use std::time::{Duration, Instant};

use capgen_nats::async_nats::jetstream;
use capgen_time::Backoff;

use crate::log::LogError;

/// The pauses before the attempts to repeat an operation. The first one is made at once. A server that restarts is back
/// after some seconds, so two attempts per second lose little time and cost little.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(20), Duration::from_millis(500));

/// Why an operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum OperationError {
    /// It may succeed later, such as after a restart of the server.
    Transient(String),
    /// It will not succeed.
    Lasting(String),
    /// The log is refused as a whole.
    Refused(LogError),
}

impl OperationError {
    pub(super) fn transient(reason: &str) -> Self {
        Self::Transient(reason.to_owned())
    }

    /// The answer of the server to a request.
    pub(super) fn of_answer(error: &jetstream::Error) -> Self {
        // 503: the server or its cluster is not ready.
        if error.code() == 503 { Self::Transient(error.to_string()) } else { Self::Lasting(error.to_string()) }
    }

    pub(super) fn into_reason(self) -> String {
        match self {
            Self::Transient(reason) | Self::Lasting(reason) => reason,
            Self::Refused(error) => error.to_string(),
        }
    }
}

/// Limits the time for which an operation is tried again.
pub(super) struct Retry {
    end: Option<Instant>,
    /// How many attempts to repeat the operation have been made.
    attempts: u32,
}

impl Retry {
    pub(super) fn new(patience: Duration) -> Self {
        Self { end: Instant::now().checked_add(patience), attempts: 0 }
    }

    /// Fails if there is no other attempt.
    pub(super) fn at_once(&self, problem: OperationError) -> Result<(), OperationError> {
        let is_over = self.end.is_some_and(|end| Instant::now() >= end);
        let may_succeed = matches!(problem, OperationError::Transient(_));
        if is_over || !may_succeed { Err(problem) } else { Ok(()) }
    }

    /// Waits for the next attempt. Fails if there is none.
    pub(super) async fn after(&mut self, problem: OperationError) -> Result<(), OperationError> {
        self.at_once(problem)?;
        tokio::time::sleep(BACKOFF.pause(self.attempts)).await;
        self.attempts = self.attempts.saturating_add(1);
        Ok(())
    }
}
