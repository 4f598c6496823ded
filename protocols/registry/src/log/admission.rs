//! The checks of an append, which are the same for every log (decisions 2, 5 and 6, rulings 5 and 6).

use capgen_schema::Hash;
use serde_json::{Value, json};

use super::{AppendOptions, Appended, Rate, Rejection};
use crate::canonical::{canonical, hash_of};
use crate::fact::Field;
use crate::{Checked, Checker, Event, EventId, EventType, Invalid, Reason};

/// How far an id may be ahead of the clock, behind the producer's last one, and behind the clock if a monitor emits it;
/// in ms. A minute covers usual differences between clocks, and terminals that are older are final (decisions 2 and 10,
/// ruling 5).
const WINDOW: u64 = 60_000;
/// How far the first id of a producer may be behind the clock, in ms. A new producer can thus add no fact before the
/// last day, and so displace no older one (decision 2).
const FIRST_WINDOW: u64 = 86_400_000;

/// What to do with an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Append it.
    Append(Admission),
    /// Append nothing: the log has it already. This is the result.
    Duplicate(Appended),
    /// Append nothing: a check has failed.
    Reject(Rejection),
}

/// An event that passed the checks, with the parts that the log keeps in its indexes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Admission {
    /// Whether the log has an event of the same identity with another content.
    pub integrity_fault: bool,
    /// Whether the event is valid, or of an unknown type. Only such events claim their idempotency keys.
    pub(crate) valid: bool,
    /// The subjects of the facts; none if the event is invalid or the kernel's.
    pub(crate) subjects: Vec<Subject>,
}

/// The subject of a fact of a producer, as canonical JSON, for the quota: all contracts of a version are one, and each
/// request is one (ruling 6).
pub(crate) type Subject = String;

/// The place of an event in a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) partition: String,
    pub(crate) offset: u64,
}

/// The event that has claimed an idempotency key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) place: Place,
    pub(crate) id: EventId,
    /// [`request_hash`] of the event.
    pub(crate) hash: Hash,
}

/// The events of an identity that a log has.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Known {
    /// The event of this content.
    pub(crate) same: Option<Place>,
    /// Whether there is an event of another content.
    pub(crate) has_other: bool,
}

/// Questions about the events that a log has.
pub(crate) trait Lookup {
    /// Why the log cannot answer.
    type Error;

    /// The events of an identity.
    fn known(&mut self, agent: &str, id: EventId, content: Hash) -> Result<Known, Self::Error>;

    /// The first event of an identity whose signature is valid under the configuration of a checker. The log may have
    /// been written under another one.
    fn authentic(&mut self, agent: &str, id: EventId, checker: &Checker) -> Result<Option<Place>, Self::Error>;

    /// The greatest time in the ids of a producer, in Unix ms.
    fn latest(&mut self, agent: &str) -> Result<Option<u64>, Self::Error>;

    /// The event that has claimed an idempotency key.
    fn claim(&mut self, agent: &str, partition: &str, key: &str) -> Result<Option<Claim>, Self::Error>;

    /// The number of subjects of a producer, and how many of these ones are new.
    fn subjects(&mut self, agent: &str, subjects: &[Subject]) -> Result<(u64, u64), Self::Error>;
}

/// Decides about an event. Counts it in `rate` if it is an invalid one that is appended.
pub(crate) fn admit<L: Lookup>(
    event: &Event,
    options: &AppendOptions,
    checker: &Checker,
    rate: &mut Rate,
    lookup: &mut L,
) -> Result<Decision, L::Error> {
    let checked = checker.check_to_append(event);
    if let Checked::Invalid(invalid) = &checked
        && is_rejected(invalid)
    {
        return Ok(Decision::Reject(Rejection::Invalid(invalid.clone())));
    }
    // The envelope is valid, so the event has both.
    let (Some(agent), Some(id)) = (event.agent(), event.id()) else {
        let invalid = Invalid { reason: Reason::Envelope, paths: Vec::new() };
        return Ok(Decision::Reject(Rejection::Invalid(invalid)));
    };
    let is_kernel = agent == checker.config().kernel();
    let known = lookup.known(agent, id, event.hash())?;
    let integrity_fault = known.has_other;
    // Of a derived id, the first content is kept, but an event without a valid signature does not count as present
    // (ruling 11).
    let present = if is_kernel { lookup.authentic(agent, id, checker)? } else { known.same };
    if let Some(place) = present {
        return Ok(duplicate(place, id, integrity_fault));
    }
    if !is_kernel && let Some(rejection) = outside_window(agent, id, options, checker, lookup)? {
        return Ok(Decision::Reject(rejection));
    }
    if let Some(key) = event.member("idempotency_key")
        && let Some(claim) = lookup.claim(agent, event.partition(), key)?
    {
        let is_same = claim.hash == request_hash(event);
        let rejected = Decision::Reject(Rejection::IdempotencyKey);
        return Ok(if is_same { duplicate(claim.place, claim.id, integrity_fault) } else { rejected });
    }
    let subjects = match &checked {
        Checked::Valid(kind, _) if !is_kernel => subjects(event, *kind),
        _ => Vec::new(),
    };
    let valid = !matches!(checked, Checked::Invalid(_));
    if !valid && !is_kernel && !rate.count(agent, options.now) {
        return Ok(Decision::Reject(Rejection::Quota));
    }
    if let Some(quota) = checker.config().quota()
        && !subjects.is_empty()
    {
        let (count, new) = lookup.subjects(agent, &subjects)?;
        if new > 0 && count.saturating_add(new) > quota {
            return Ok(Decision::Reject(Rejection::Quota));
        }
    }
    Ok(Decision::Append(Admission { integrity_fault, valid, subjects }))
}

/// The parts for the indexes of an event that the log already contains. None if an append would have rejected it for
/// its envelope or its signature: then it has an offset, but changes nothing for its alleged producer.
pub(crate) fn replay(event: &Event, checker: &Checker) -> Option<Admission> {
    let checked = checker.check_to_append(event);
    let subjects = match &checked {
        Checked::Invalid(invalid) if is_rejected(invalid) => return None,
        Checked::Valid(kind, _) => subjects(event, *kind),
        _ => Vec::new(),
    };
    Some(Admission { integrity_fault: false, valid: !matches!(checked, Checked::Invalid(_)), subjects })
}

/// Whether an append rejects an event that is invalid for this reason. All other invalid events are stored and
/// answered.
fn is_rejected(invalid: &Invalid) -> bool {
    matches!(invalid.reason, Reason::Envelope | Reason::Signature)
}

fn duplicate(Place { partition, offset }: Place, of: EventId, integrity_fault: bool) -> Decision {
    Decision::Duplicate(Appended { offset, partition, duplicate_of: Some(of.to_string()), integrity_fault })
}

/// The checks `future` and `past`.
fn outside_window<L: Lookup>(
    agent: &str,
    id: EventId,
    options: &AppendOptions,
    checker: &Checker,
    lookup: &mut L,
) -> Result<Option<Rejection>, L::Error> {
    let (now, Some(millis)) = (options.now, id.millis()) else { return Ok(None) };
    if millis > now.saturating_add(WINDOW) {
        return Ok(Some(Rejection::Future));
    }
    if options.import {
        return Ok(None);
    }
    let is_behind = |time: u64, window: u64| millis.saturating_add(window) < time;
    let is_past = match lookup.latest(agent)? {
        Some(latest) => is_behind(latest, WINDOW),
        None => is_behind(now, FIRST_WINDOW),
    };
    let is_past = is_past || (checker.config().is_monitor(agent, id) && is_behind(now, WINDOW));
    Ok(is_past.then_some(Rejection::Past))
}

/// The hash over what must be equal if two events have the same idempotency key (decision 6).
pub(crate) fn request_hash(event: &Event) -> Hash {
    let member = |name: &str| event.value().get(name).cloned().unwrap_or_default();
    hash_of(&Value::Array(vec![member("event_type"), member("event_version"), member("payload")]))
}

/// The subjects of the facts of a valid event. The kernel's events have none.
pub(crate) fn subjects(event: &Event, kind: EventType) -> Vec<Subject> {
    let payload = event.payload();
    let of = |name: &str| payload.get(name).unwrap_or(&Value::Null);
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    // A monitor's event names the agent that it represents.
    let agent = text("agent_id").or_else(|| event.agent());
    let keys = match kind {
        EventType::Registered => vec![json!(["registrations", of("capability_id"), of("version")])],
        EventType::Updated => {
            let fields = of("metadata").as_object().into_iter().flatten().filter_map(|(name, _)| Field::of(name));
            fields.map(|field| json!(["updates", of("capability_id"), of("version"), field.as_str()])).collect()
        }
        EventType::Deprecated => vec![json!(["deprecations", of("capability_id"), of("version")])],
        EventType::Heartbeat | EventType::Recovered | EventType::Unavailable => vec![json!(["health", agent])],
        EventType::Completed | EventType::Failed => vec![json!(["terminals", of("invocation_id"), agent])],
        EventType::Requested => vec![json!(["requests", event.member("event_id")])],
        EventType::Invoked | EventType::Unresolved | EventType::ValidationFailed => Vec::new(),
    };
    keys.iter().map(canonical).collect()
}
