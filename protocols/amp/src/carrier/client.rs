//! Calling a provider over a carrier: the real clock, random ids, and sending again.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_schema::{Validator, Violations};
use capgen_time::{Backoff, Clock as _, SystemClock};

use super::{Peer, PeerError};
use crate::body::{CapDeclare, CapInvoke, CapQuery, ErrorBody, ResultError};
use crate::cbor::Value;
use crate::descriptor::Descriptor;
use crate::message::{Did, Rejection};
use crate::requester::{Answer, Exchange, ExchangeEvent, Reaction, Requester};

/// The longest pause before a message is sent again, and the time for which the answer to a last message is awaited.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// The pauses before a message is sent again.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(20), MAX_PAUSE);

/// A provider that is called over a carrier.
///
/// If a connection ends before the answer, the same message is sent again until its time is over. The provider answers
/// it once, however often it arrives (decision 13).
pub struct Client {
    requester: Requester,
    provider: Did,
    peer: Arc<dyn Peer>,
    timeout: Duration,
    #[cfg(feature = "handlers")]
    pub(super) observer: super::outgoing::Observer,
}

/// A message that is sent: its time, in Unix ms, and the random part of its id.
#[derive(Clone, Copy)]
pub(super) struct Sending {
    now: u64,
    random: [u8; 8],
}

/// Why a request has no usable answer.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The provider did not accept the request (`ERROR`).
    Refused(ErrorBody),
    /// The provider accepted the invocation, and it failed (`CAP_RESULT` with `error`).
    Failed(ResultError),
    /// The result violates the output schema.
    InvalidResult {
        /// The result as received.
        result: Value,
        /// The violations.
        violations: Violations,
    },
    /// There was no answer in time. It is unknown whether the provider has run the invocation.
    Timeout {
        /// The last reason for which there was no answer, such as a carrier that cannot be reached or a message that
        /// was not the answer; `None` if there was only silence.
        reason: Option<String>,
    },
    /// The carrier did not accept the message.
    Carrier(PeerError),
    /// The answer has another type than the request demands.
    Unexpected,
    /// The system has no source of randomness.
    NoRandomness,
}

impl Client {
    /// The default of [`with_timeout`](Self::with_timeout). It is the same as for calls over brokers, and half of the
    /// usual `ttl` of answers (decision 13).
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

    /// A client of a provider.
    #[must_use]
    pub fn new(requester: Requester, provider: Did, peer: Arc<dyn Peer>) -> Self {
        Self {
            requester,
            provider,
            peer,
            timeout: Self::DEFAULT_TIMEOUT,
            #[cfg(feature = "handlers")]
            observer: super::outgoing::Observer::new(),
        }
    }

    /// The time from a request to its answer. It is the `ttl` of the message.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// One page of descriptors.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn query(&self, query: &CapQuery) -> Result<CapDeclare, ClientError> {
        let exchange = self.requester.query(self.provider.clone(), query, self.ttl(), SystemClock.now_ms(), random()?);
        match self.exchange(exchange, &|| ()).await? {
            Answer::Declared(declare) => Ok(declare),
            answer => Err(error(answer)),
        }
    }

    /// The descriptors of all pages, at most `max` of them.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn query_all(&self, mut query: CapQuery, max: usize) -> Result<Vec<Descriptor>, ClientError> {
        let mut descriptors = Vec::new();
        loop {
            let CapDeclare { capabilities, cursor, .. } = self.query(&query).await?;
            descriptors.extend(capabilities.into_iter().take(max - descriptors.len()));
            match cursor {
                Some(cursor) if descriptors.len() < max => query.cursor = Some(cursor),
                _ => return Ok(descriptors),
            }
        }
    }

    /// The result of an invocation. If there is an output schema, the result is validated.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn invoke(&self, invoke: &CapInvoke, output: Option<Validator>) -> Result<Value, ClientError> {
        let sending = Sending::now()?;
        #[cfg(feature = "handlers")]
        {
            let name = super::outgoing::name(&invoke.target);
            let call = self.start(super::outgoing::Called { capability: name, contract: "", errors: &[] }, sending);
            let checked = self.observer.is_audited().then(|| output.clone()).flatten();
            let result = call.within(self.invoke_as(invoke, output, sending, &|| call.retried())).await;
            call.end(super::outgoing::End::of(&result, checked)).await;
            result
        }
        #[cfg(not(feature = "handlers"))]
        self.invoke_as(invoke, output, sending, &|| ()).await
    }

    /// Starts to record and to measure a call.
    #[cfg(feature = "handlers")]
    pub(super) fn start<'a>(
        &'a self,
        called: super::outgoing::Called<'a>,
        sending: Sending,
    ) -> super::outgoing::Outgoing<'a> {
        let id = crate::message::MessageId::new(sending.now, sending.random);
        self.observer.start(called, &self.provider, id, sending.now.saturating_add(self.ttl()))
    }

    /// The result of an invocation with this message. `retried` is called each time that it is sent again.
    pub(super) async fn invoke_as(
        &self,
        invoke: &CapInvoke,
        output: Option<Validator>,
        Sending { now, random }: Sending,
        retried: &(dyn Fn() + Sync),
    ) -> Result<Value, ClientError> {
        let exchange = self.requester.invoke(self.provider.clone(), invoke, output, self.ttl(), now, random);
        match self.exchange(exchange, retried).await? {
            Answer::Result(result) => Ok(result),
            answer => Err(error(answer)),
        }
    }

    /// Sends a request, as often as the carrier loses it, and returns how it ends.
    async fn exchange(&self, mut exchange: Exchange, retried: &(dyn Fn() + Sync)) -> Result<Answer, ClientError> {
        let (mut attempts, mut reason) = (0, None);
        loop {
            let remaining = Duration::from_millis(exchange.expires().saturating_sub(SystemClock.now_ms()));
            if remaining.is_zero() {
                return Err(ClientError::Timeout { reason });
            }
            if attempts > 0 {
                retried();
            }
            match self.attempt(&mut exchange, remaining, &mut reason).await {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(error) => match error {
                    PeerError::Unreachable(_)
                    | PeerError::Overloaded
                    | PeerError::NoAnswer
                    | PeerError::Disconnected(_) => reason = Some(error.to_string()),
                    PeerError::Timeout => return Err(ClientError::Timeout { reason }),
                    error => return Err(ClientError::Carrier(error)),
                },
            }
            attempts = u32::saturating_add(attempts, 1);
            tokio::time::sleep(BACKOFF.pause(attempts).min(remaining)).await;
        }
    }

    /// Sends a request once. `None` if the carrier has no more messages for it.
    async fn attempt(
        &self,
        exchange: &mut Exchange,
        remaining: Duration,
        reason: &mut Option<String>,
    ) -> Result<Option<Answer>, PeerError> {
        let mut answers = self.peer.request(Bytes::from_owner(exchange.bytes()), remaining).await?;
        while let Some(message) = answers.next().await {
            match self.requester.step(exchange, ExchangeEvent::Received(&message?), SystemClock.now_ms()) {
                Reaction::Done(answer) => return Ok(Some(answer)),
                Reaction::Progress(..) | Reaction::None => {}
                Reaction::Invalid { rejection: Rejection { code, message }, reply } => {
                    *reason = Some(format!("{code}: {message}"));
                    self.report(reply).await;
                }
            }
        }
        Ok(None)
    }

    /// Reports a wrong answer to its sender (section 9). An `ERROR` has no answer, so nothing depends on its delivery.
    async fn report(&self, reply: Option<Vec<u8>>) {
        if let Some(reply) = reply {
            let _ = self.peer.request(reply.into(), MAX_PAUSE).await;
        }
    }

    fn ttl(&self) -> u64 {
        u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX)
    }
}

fn error(answer: Answer) -> ClientError {
    match answer {
        Answer::Refused(error) => ClientError::Refused(error),
        Answer::Failed(error) => ClientError::Failed(error),
        Answer::InvalidResult { result, violations } => ClientError::InvalidResult { result, violations },
        Answer::TimedOut => ClientError::Timeout { reason: None },
        Answer::Declared(_) | Answer::Result(_) => ClientError::Unexpected,
    }
}

impl Sending {
    /// Now, with a new id.
    pub(super) fn now() -> Result<Self, ClientError> {
        Ok(Self { now: SystemClock.now_ms(), random: random()? })
    }
}

/// The random part of an id.
fn random() -> Result<[u8; 8], ClientError> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|_| ClientError::NoRandomness)?;
    Ok(random)
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(ErrorBody { code, message, .. }) => write!(f, "refused: {code}: {message}"),
            Self::Failed(ResultError { code, message, .. }) => {
                write!(f, "failed: {code}: {}", message.as_deref().unwrap_or("no message"))
            }
            Self::InvalidResult { violations, .. } => match violations.first() {
                Some(violation) => write!(f, "the result is invalid at `{}`: {}", violation.path, violation.message),
                None => f.write_str("the result is invalid"),
            },
            Self::Timeout { reason: Some(reason) } => write!(f, "there was no answer in time: {reason}"),
            Self::Timeout { reason: None } => f.write_str("there was no answer in time"),
            Self::Carrier(error) => error.fmt(f),
            Self::Unexpected => f.write_str("the answer has the wrong type"),
            Self::NoRandomness => f.write_str("the system has no source of randomness"),
        }
    }
}

impl std::error::Error for ClientError {}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("provider", &self.provider)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
