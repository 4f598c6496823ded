//! Whether an event is valid, and the facts that it states.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Event, EventType, Offer, Offers, contract, envelope, payload, signature};
use crate::Configuration;
use crate::fact::{Stamp, Stamped};
use crate::paths::limited;

/// The check that an event has failed first (formats page, "Envelope").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The envelope has another form, or the event is too large.
    Envelope,
    /// The signature is missing or invalid, or the producer has no key.
    Signature,
    /// The payload has an unknown major version.
    EventVersion,
    /// The payload has another form.
    Payload,
    /// A schema of the contract is not part of the subset.
    Contract,
    /// This producer must not emit the event.
    Producer,
    /// The output of an invocation violates the pinned schema. The event itself is valid.
    SchemaViolation,
}

impl Reason {
    /// The text in events and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::Signature => "signature",
            Self::EventVersion => "event-version",
            Self::Payload => "payload",
            Self::Contract => "contract",
            Self::Producer => "producer",
            Self::SchemaViolation => "schema-violation",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why an event is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// The first check that failed.
    pub reason: Reason,
    /// JSON Pointers into the event: distinct, sorted bytewise, the first 32.
    pub paths: Vec<String>,
}

/// The result of the checks of one event.
#[derive(Clone, Debug)]
pub enum Checked {
    /// The event is valid. It states these facts, which may be none.
    Valid(EventType, Vec<Stamped>),
    /// The type is unknown: the event changes nothing.
    Ignored,
    /// The event changes nothing.
    Invalid(Invalid),
}

impl Checked {
    /// The facts that the event states; none if it is not valid.
    #[must_use]
    pub fn into_facts(self) -> Vec<Stamped> {
        match self {
            Self::Valid(_, facts) => facts,
            Self::Ignored | Self::Invalid(_) => Vec::new(),
        }
    }
}

/// Decides whether events are valid under a configuration.
///
/// It remembers the contracts that it has checked, within a limit, so that equal registrations cost little and share
/// memory.
#[derive(Debug)]
pub struct Checker {
    config: Arc<Configuration>,
    offers: Mutex<Offers>,
}

impl Checker {
    /// A checker for a configuration.
    #[must_use]
    pub fn new(config: Arc<Configuration>) -> Self {
        Self { config, offers: Mutex::default() }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Arc<Configuration> {
        &self.config
    }

    /// Checks an event, in the order of [`Reason`]. Takes time linear in its size, apart from new contracts.
    #[must_use]
    pub fn check(&self, event: &Event) -> Checked {
        match self.envelope(event) {
            Ok(Some(kind)) => self.content(event, kind),
            Ok(None) => Checked::Ignored,
            Err(invalid) => Checked::Invalid(invalid),
        }
    }

    /// Checks only the envelope and the signature. The result is the type; none if it is unknown, and then the
    /// signature is not checked.
    ///
    /// # Errors
    ///
    /// The event is invalid.
    pub fn envelope(&self, event: &Event) -> Result<Option<EventType>, Invalid> {
        require(Reason::Envelope, envelope::errors(event, self.config.kernel()))?;
        let Some(kind) = event.event_type() else { return Ok(None) };
        if signature::is_valid(event, &self.config) {
            return Ok(Some(kind));
        }
        Err(invalid(Reason::Signature, vec!["/signature".to_owned()]))
    }

    /// The result of the checks for an append. Unlike [`check`](Self::check), it also checks the signature of unknown
    /// types: they change no state, but an append keeps their ids and idempotency keys for their producer (decision
    /// 15).
    pub(crate) fn check_to_append(&self, event: &Event) -> Checked {
        match self.check(event) {
            Checked::Ignored if !signature::is_valid(event, &self.config) => {
                Checked::Invalid(invalid(Reason::Signature, vec!["/signature".to_owned()]))
            }
            checked => checked,
        }
    }

    /// Whether the envelope is valid.
    pub(crate) fn has_valid_envelope(&self, event: &Event) -> bool {
        envelope::errors(event, self.config.kernel()).is_empty()
    }

    /// Whether the envelope and the signature are valid, also if the type is unknown: only such an event is its
    /// producer's.
    pub(crate) fn is_authentic(&self, event: &Event) -> bool {
        self.has_valid_envelope(event) && signature::is_valid(event, &self.config)
    }

    fn content(&self, event: &Event, kind: EventType) -> Checked {
        self.facts(event, kind).map_or_else(Checked::Invalid, |facts| Checked::Valid(kind, facts))
    }

    fn facts(&self, event: &Event, kind: EventType) -> Result<Vec<Stamped>, Invalid> {
        if !envelope::has_known_version(event) {
            return Err(invalid(Reason::EventVersion, vec!["/event_version".to_owned()]));
        }
        let offer = self.known_offer(event, kind);
        if offer.is_none() && !payload::is_empty_health(event, kind) {
            require(Reason::Payload, payload::errors(kind, event.payload()))?;
        }
        let offer = match offer {
            None if kind == EventType::Registered => Some(self.offer(event)?),
            offer => offer,
        };
        if kind == EventType::Invoked {
            require(Reason::Contract, payload::below("payload", contract::pinned_errors(event.payload())))?;
        }
        if let Some(path) = payload::producer_error(event, kind, &self.config) {
            return Err(invalid(Reason::Producer, vec![path.to_owned()]));
        }
        let Some(stamp) = Stamp::of(event) else { return Ok(Vec::new()) };
        let facts = payload::facts(event, kind, offer);
        Ok(facts.into_iter().map(|fact| Stamped { stamp: stamp.clone(), fact }).collect())
    }

    /// The offer of a registration whose payload is known, and therefore valid.
    fn known_offer(&self, event: &Event, kind: EventType) -> Option<Arc<Offer>> {
        let text = event.payload_text().filter(|_| kind == EventType::Registered)?;
        self.offers.lock().unwrap_or_else(PoisonError::into_inner).get(text)
    }

    /// The offer of a registration whose payload has the right form.
    fn offer(&self, event: &Event) -> Result<Arc<Offer>, Invalid> {
        let offer = Offer::read(event.payload())
            .map_err(|paths| invalid(Reason::Contract, payload::below("payload", paths)))?;
        Ok(self.offers.lock().unwrap_or_else(PoisonError::into_inner).remember(offer))
    }
}

fn require(reason: Reason, paths: Vec<String>) -> Result<(), Invalid> {
    if paths.is_empty() { Ok(()) } else { Err(invalid(reason, paths)) }
}

fn invalid(reason: Reason, paths: Vec<String>) -> Invalid {
    Invalid { reason, paths: limited(paths) }
}
