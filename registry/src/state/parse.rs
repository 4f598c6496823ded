//! Reading a state, which may come from anyone.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use capgen_schema::Hash;
use serde_json::{Map, Value};

use super::{List, STATE_FORMAT, State};
use crate::Configuration;
use crate::canonical::canonical;
use crate::event::{EventType, Offer, pinned_errors};
use crate::fact::{Fact, Field, Outcome, Stamp, Stamped, Terminal};

/// Why a value is not a state.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidState {
    /// Its `format` is another one.
    Format,
    /// It belongs to another configuration.
    Configuration,
    /// An entry, at this JSON Pointer, has another form, or no valid event leads to it.
    Entry(String),
    /// The id of a fact, at this JSON Pointer, is more than 60 s ahead of the clock.
    Ahead(String),
    /// The entries are not in order, or more than a fold keeps; or there are other members.
    NotCanonical,
}

impl State {
    /// Reads a state. Everything is checked that can be checked without the events: forms, hashes of contracts, producers under the
    /// configuration, the order of entries, and that no id is ahead of `latest`, in Unix ms, if there is one (decision 2, ruling 7). The
    /// hashes of events cannot be checked, because a state has no events. So states only come from the same trust domain.
    ///
    /// # Errors
    ///
    /// See [`InvalidState`].
    pub fn parse(value: &Value, config: &Configuration, latest: Option<u64>) -> Result<Self, InvalidState> {
        if value.get("format").and_then(Value::as_str) != Some(STATE_FORMAT) {
            return Err(InvalidState::Format);
        }
        if value.get("config_hash").and_then(Value::as_str) != Some(config.hash().to_string().as_str()) {
            return Err(InvalidState::Configuration);
        }
        let mut state = State::new(config.hash());
        let mut reader = Reader { config, latest, offers: HashMap::new() };
        for list in
            [List::Registrations, List::Updates, List::Deprecations, List::Health, List::Outcomes, List::Terminals]
        {
            let name = list.as_str();
            let Some(entries) = value.get(name).and_then(Value::as_array) else {
                return Err(InvalidState::Entry(format!("/{name}")));
            };
            for (index, entry) in entries.iter().enumerate() {
                let at = format!("/{name}/{index}");
                state.join(reader.fact(list, entry, &at)?);
            }
        }
        // This also finds duplicates, entries that are not the least or greatest, and unknown members.
        if state.to_json() == canonical(value) { Ok(state) } else { Err(InvalidState::NotCanonical) }
    }
}

struct Reader<'c> {
    config: &'c Configuration,
    latest: Option<u64>,
    /// Checked payloads of registrations by their text, so that equal ones are checked once and share memory.
    offers: HashMap<String, Arc<Offer>>,
}

impl Reader<'_> {
    fn fact(&mut self, list: List, entry: &Value, at: &str) -> Result<Stamped, InvalidState> {
        let invalid = || InvalidState::Entry(at.to_owned());
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let stamp = Stamp {
            event_id: text("event_id").and_then(|id| id.parse().ok()).ok_or_else(invalid)?,
            producer: text("producer").filter(|producer| is_agent(producer)).ok_or_else(invalid)?.into(),
            hash: text("hash").and_then(|hash| hash.parse::<Hash>().ok()).ok_or_else(invalid)?,
        };
        if stamp.event_id.is_derived() != (*stamp.producer == *self.config.kernel()) {
            return Err(invalid());
        }
        if let (Some(latest), Some(millis)) = (self.latest, stamp.event_id.millis())
            && millis > latest
        {
            return Err(InvalidState::Ahead(at.to_owned()));
        }
        let fact = self.stated(list, entry, &stamp).ok_or_else(invalid)?;
        Ok(Stamped { stamp, fact })
    }

    /// The fact of an entry, if the producer can state it.
    fn stated(&mut self, list: List, entry: &Value, stamp: &Stamp) -> Option<Fact> {
        let text = |name: &str| entry.get(name)?.as_str();
        let agent = || -> Option<Arc<str>> { Some(text("agent")?.into()) };
        let own = || agent().filter(|agent| *agent == stamp.producer && **agent != *self.config.kernel());
        let value = entry.get("value")?;
        Some(match list {
            List::Registrations => Fact::Registration { agent: own()?, offer: self.registration(entry, value)? },
            List::Updates => {
                let field = Field::of(text("field")?)?;
                let metadata: Map<String, Value> = [(field.as_str().to_owned(), value.clone())].into_iter().collect();
                let payload = self.payload(entry, [("metadata", metadata.into())]);
                is_valid(EventType::Updated, &payload).then_some(())?;
                let (capability, version) = (text("capability")?.into(), text("version")?.into());
                Fact::Update { agent: own()?, capability, version, field, value: value.clone() }
            }
            List::Deprecations => {
                let reason = if value.is_null() { None } else { Some(value.as_str()?.into()) };
                is_valid(EventType::Deprecated, &self.payload(entry, [])).then_some(())?;
                let version = text("version").map(Into::into);
                Fact::Deprecation { agent: own()?, capability: text("capability")?.into(), version, reason }
            }
            List::Health => {
                let (agent, healthy) = (agent().filter(|agent| agent.chars().count() <= 255)?, value.as_bool()?);
                let may = agent == stamp.producer || (!healthy && self.is_monitor(stamp));
                (may && *stamp.producer != *self.config.kernel()).then_some(Fact::Health { agent, healthy })?
            }
            List::Outcomes => self.outcome(entry, value, stamp)?,
            List::Terminals => self.terminal(entry, value, stamp)?,
        })
    }

    fn registration(&mut self, entry: &Value, payload: &Value) -> Option<Arc<Offer>> {
        let text = |name: &str| entry.get(name)?.as_str();
        let key = canonical(payload);
        let offer = match self.offers.get(&key) {
            Some(offer) => offer.clone(),
            None => {
                is_valid(EventType::Registered, payload).then_some(())?;
                let offer = Arc::new(Offer::read(payload).ok()?);
                self.offers.insert(key, offer.clone());
                offer
            }
        };
        let named = payload.get("agent_id").and_then(Value::as_str);
        let fits = Some(&*offer.capability) == text("capability")
            && Some(&*offer.version_text) == text("version")
            && Some(offer.contract_hash.to_string().as_str()) == text("contract_hash")
            && named.is_none_or(|named| Some(named) == text("agent"));
        fits.then_some(offer)
    }

    fn is_monitor(&self, stamp: &Stamp) -> bool {
        self.config.is_monitor(&stamp.producer, stamp.event_id)
    }

    /// The payload of an event about the capability and the version of an entry.
    fn payload<const N: usize>(&self, entry: &Value, members: [(&str, Value); N]) -> Value {
        let mut payload = Map::new();
        for (part, name) in [("capability", "capability_id"), ("version", "version")] {
            let value = entry.get(part).filter(|value| !value.is_null());
            value.into_iter().for_each(|value| drop(payload.insert(name.to_owned(), value.clone())));
        }
        payload.extend(members.map(|(name, value)| (name.to_owned(), value)));
        payload.into()
    }

    fn outcome(&self, entry: &Value, value: &Value, stamp: &Stamp) -> Option<Fact> {
        let text = |name: &str| entry.get(name)?.as_str();
        let (kind, stated) = typed(value)?;
        let mut payload = stated.clone();
        let invoked = kind == EventType::Invoked.as_str();
        if invoked {
            let input = payload.as_object_mut()?.insert("input".to_owned(), Value::Null);
            input.is_none().then_some(())?;
        }
        let kind = if invoked { EventType::Invoked } else { EventType::Unresolved };
        let is_same = |part: &str, name: &str| stated.get(name).and_then(Value::as_str) == text(part);
        let fits = value.get("event_type").and_then(Value::as_str) == Some(kind.as_str())
            && is_valid(kind, &payload)
            && (!invoked || pinned_errors(stated).is_empty())
            && is_same("caller", "caller_agent_id")
            && is_same("request_id", "request_id")
            && *stamp.producer == *self.config.kernel();
        let outcome = Outcome { invoked, payload: canonical(stated).into() };
        fits.then_some(Fact::Outcome { caller: text("caller")?.into(), request: text("request_id")?.into(), outcome })
    }

    fn terminal(&self, entry: &Value, value: &Value, stamp: &Stamp) -> Option<Fact> {
        let text = |name: &str| entry.get(name)?.as_str();
        let (kind, payload) = typed(value)?;
        let completed = kind == EventType::Completed.as_str();
        let kind = if completed { EventType::Completed } else { EventType::Failed };
        let agent = text("agent")?;
        let named = payload.get("agent_id").and_then(Value::as_str).unwrap_or(&stamp.producer);
        let represents = !completed && payload.get("reason")? == "timeout" && self.is_monitor(stamp);
        let fits = value.get("event_type").and_then(Value::as_str) == Some(kind.as_str())
            && is_valid(kind, payload)
            && payload.get("invocation_id").and_then(Value::as_str) == text("invocation_id")
            && named == agent
            && (agent == &*stamp.producer || represents)
            && *stamp.producer != *self.config.kernel();
        let terminal = Terminal { completed, payload: canonical(payload).into() };
        fits.then_some(Fact::Terminal { invocation: text("invocation_id")?.into(), agent: agent.into(), terminal })
    }
}

fn typed(value: &Value) -> Option<(&str, &Value)> {
    Some((value.get("event_type")?.as_str()?, value.get("payload")?))
}

fn is_valid(kind: EventType, payload: &Value) -> bool {
    payload.is_object() && crate::event::payload_errors(kind, payload).is_empty()
}

fn is_agent(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= 255
}

impl fmt::Display for InvalidState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format => write!(f, "/format: expected \"{STATE_FORMAT}\""),
            Self::Configuration => f.write_str(
                "/config_hash: the state belongs to another configuration; fold its log again under this one",
            ),
            Self::Entry(at) => write!(f, "{at}: the entry has an invalid form, or no valid event leads to it"),
            Self::Ahead(at) => write!(f, "{at}/event_id: the id is more than 60 s ahead of the clock"),
            Self::NotCanonical => {
                f.write_str("the entries are not those of a fold: they are not sorted, not distinct, or too many")
            }
        }
    }
}

impl std::error::Error for InvalidState {}
