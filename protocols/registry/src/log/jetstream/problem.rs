//! Failed operations, and trying them again.

use std::time::{Duration, Instant};

use crate::log::LogError;
use capgen_nats::async_nats::jetstream;

/// The pause before the second attempt to repeat an operation. It doubles up to [`LONGEST_PAUSE`]; the first attempt is made at once.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Why an operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Problem {
    /// It may succeed later, such as after a restart of the server.
    Transient(String),
    /// It will not succeed.
    Lasting(String),
    /// The log is refused as a whole.
    Refused(LogError),
}

impl Problem {
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
    pause: Duration,
}

impl Retry {
    pub(super) fn new(patience: Duration) -> Self {
        Self { end: Instant::now().checked_add(patience), pause: Duration::ZERO }
    }

    /// Fails if there is no other attempt.
    pub(super) fn at_once(&self, problem: Problem) -> Result<(), Problem> {
        let is_over = self.end.is_some_and(|end| Instant::now() >= end);
        let may_succeed = matches!(problem, Problem::Transient(_));
        if is_over || !may_succeed { Err(problem) } else { Ok(()) }
    }

    /// Waits for the next attempt. Fails if there is none.
    pub(super) async fn after(&mut self, problem: Problem) -> Result<(), Problem> {
        self.at_once(problem)?;
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).clamp(PAUSE, LONGEST_PAUSE);
        Ok(())
    }
}
