//! Reading a state, which may come from anyone.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use capgen_schema::Hash;
use serde_json::{Map, Value};

use super::{List, MAX_CONTRACTS, STATE_FORMAT, State};
use crate::Configuration;
use crate::canonical::canonical;
use crate::event::{EventType, Member, Offer, Offers, members, pinned_errors, plain};
use crate::fact::{Fact, Field, KernelAnswer, Stamp, Stamped, Terminal};

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
    /// Reads a state. Everything is checked that can be checked without the events: forms, hashes of contracts,
    /// producers under the configuration, the order of entries, and that no id is ahead of `latest`, in Unix ms, if
    /// there is one (decision 2, ruling 7). The hashes of events cannot be checked, because a state has no events. So
    /// states only come from the same trust domain.
    ///
    /// # Errors
    ///
    /// See [`InvalidState`].
    pub fn parse(value: &Value, config: &Configuration, latest: Option<u64>) -> Result<Self, InvalidState> {
        let mut state = State::new(config.hash());
        let mut reader = StateReader::new(config, latest);
        for (name, member) in value.as_object().into_iter().flatten() {
            match (List::of(name), member) {
                (Some(list), Value::Array(entries)) => {
                    reader.start(list);
                    entries.iter().filter_map(|entry| reader.entry(list, entry)).for_each(|fact| state.join(fact));
                }
                _ => reader.member(name, member),
            }
        }
        reader.finish()?;
        Ok(state)
    }
}

/// Reads the members of a state in any order, entry by entry. The facts count only if [`finish`](Self::finish)
/// succeeds.
pub(crate) struct StateReader<'c> {
    reader: Reader<'c>,
    /// Whether the members `format` and `config_hash` are the expected ones, once they are read.
    format: Option<bool>,
    config_hash: Option<bool>,
    lists: BTreeMap<List, ListState>,
    /// Whether there is a member that no state has, or an entry that a fold does not write like this or at this place.
    is_other: bool,
}

/// A list, as far as it is read.
#[derive(Default)]
struct ListState {
    count: usize,
    /// The parts of the key of the last entry.
    last: Vec<Option<String>>,
    /// How many of the last entries are contracts of the same version.
    contracts: usize,
    error: Option<InvalidState>,
}

impl<'c> StateReader<'c> {
    pub(crate) fn new(config: &'c Configuration, latest: Option<u64>) -> Self {
        let reader = Reader { config, latest, offers: Offers::default() };
        Self { reader, format: None, config_hash: None, lists: BTreeMap::new(), is_other: false }
    }

    /// Whether a member `format` was read.
    pub(super) fn has_format(&self) -> bool {
        self.format.is_some()
    }

    /// Reads a member that is not a list.
    pub(crate) fn member(&mut self, name: &str, value: &Value) {
        let (place, is_expected) = match name {
            "format" => (&mut self.format, value == STATE_FORMAT),
            "config_hash" => (&mut self.config_hash, *value == *self.reader.config.hash().to_string()),
            _ => return self.is_other = true,
        };
        self.is_other |= place.replace(is_expected).is_some();
    }

    /// Notes a member that no state has.
    pub(super) fn other_member(&mut self) {
        self.is_other = true;
    }

    /// Starts a list.
    pub(crate) fn start(&mut self, list: List) {
        self.is_other |= self.lists.insert(list, ListState::default()).is_some();
    }

    /// The fact of the next entry of a list.
    pub(crate) fn entry(&mut self, list: List, entry: &Value) -> Option<Stamped> {
        let index = self.lists.entry(list).or_default().count;
        let fact = self.reader.fact(list, entry, &format!("/{}/{index}", list.as_str()));
        let parts = list.key_parts().iter();
        let key = parts.map(|part| entry.get(part).and_then(Value::as_str).map(str::to_owned)).collect();
        // The members of the key, the id, the producer, the hash and the value; the value of a request also has two
        // members.
        let has_its_members = entry.as_object().is_some_and(|entry| entry.len() == list.key_parts().len() + 4)
            && (!matches!(list, List::Outcomes | List::Terminals)
                || entry.get("value").and_then(Value::as_object).is_some_and(|value| value.len() == 2));
        self.is_other |= !has_its_members;
        self.add(list, key, fact)
    }

    /// The fact of the next entry of a list, from its canonical text in a document that this program has written, whose
    /// hash the caller checks. So the schemas of registrations, and the hashes of their contracts, are not checked
    /// again.
    pub(crate) fn written_entry(&mut self, list: List, text: &str) -> Option<Stamped> {
        if list == List::Registrations
            && let Some((key, fact)) = self.reader.written_registration(text)
        {
            return self.add(list, key, Ok(fact));
        }
        self.entry(list, &crate::fact::parsed(text))
    }

    fn add(&mut self, list: List, key: Vec<Option<String>>, fact: Result<Stamped, InvalidState>) -> Option<Stamped> {
        let state = self.lists.entry(list).or_default();
        let is_first = state.count == 0;
        state.count += 1;
        let is_same_version = !is_first && list == List::Registrations && state.last.get(..3) == key.get(..3);
        state.contracts = if is_same_version { state.contracts + 1 } else { 1 };
        self.is_other |= (!is_first && state.last >= key) || state.contracts > MAX_CONTRACTS;
        state.last = key;
        match fact {
            Ok(fact) => Some(fact),
            Err(error) => {
                state.error.get_or_insert(error);
                None
            }
        }
    }

    /// Whether everything is the state of a fold.
    ///
    /// # Errors
    ///
    /// See [`InvalidState`].
    pub(crate) fn finish(mut self) -> Result<(), InvalidState> {
        if self.format != Some(true) {
            return Err(InvalidState::Format);
        }
        if self.config_hash != Some(true) {
            return Err(InvalidState::Configuration);
        }
        for list in List::ALL {
            match self.lists.remove(&list) {
                None => return Err(InvalidState::Entry(format!("/{}", list.as_str()))),
                Some(ListState { error: Some(error), .. }) => return Err(error),
                Some(_) => {}
            }
        }
        if self.is_other { Err(InvalidState::NotCanonical) } else { Ok(()) }
    }
}

struct Reader<'c> {
    config: &'c Configuration,
    latest: Option<u64>,
    offers: Offers,
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
        let offer = match self.offers.get(&canonical(payload)) {
            Some(offer) => offer,
            None => {
                is_valid(EventType::Registered, payload).then_some(())?;
                self.offers.remember(Offer::read(payload).ok()?)
            }
        };
        let named = payload.get("agent_id").and_then(Value::as_str);
        let fits = Some(&*offer.capability) == text("capability")
            && text("version") == Some(offer.version.to_string().as_str())
            && Some(offer.contract_hash.to_string().as_str()) == text("contract_hash")
            && named.is_none_or(|named| Some(named) == text("agent"));
        fits.then_some(offer)
    }

    /// The key and the fact of a registration in canonical form; none if it has another form, or does not fit together.
    fn written_registration(&mut self, text: &str) -> Option<(Vec<Option<String>>, Stamped)> {
        let members: [Member<'_>; 8] = members(text)?.try_into().ok()?;
        let names = members.map(|member| member.name);
        let expected = ["agent", "capability", "contract_hash", "event_id", "hash", "producer", "value", "version"];
        (names == expected).then_some(())?;
        let [agent, capability, contract, event_id, hash, producer, value, version] =
            members.map(|member| member.value);
        let (agent, capability, contract) = (plain(agent)?, plain(capability)?, plain(contract)?);
        let (version, producer, contract_hash) = (plain(version)?, plain(producer)?, contract.parse::<Hash>().ok()?);
        let offer = match self.offers.get(value) {
            Some(offer) => offer,
            None => self.offers.remember(Offer::as_checked(value, contract_hash)?),
        };
        let stamp = Stamp {
            event_id: plain(event_id)?.parse().ok()?,
            producer: producer.into(),
            hash: plain(hash)?.parse().ok()?,
        };
        let fits = *offer.capability == *capability
            && offer.version.to_string() == version
            && offer.contract_hash == contract_hash
            && agent == producer
            && !stamp.event_id.is_derived();
        fits.then_some(())?;
        let key = [agent, capability, version, contract].map(|part| Some(part.to_owned())).to_vec();
        Some((key, Stamped { stamp, fact: Fact::Registration { agent: agent.into(), offer } }))
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
        let outcome = KernelAnswer { invoked, payload: canonical(stated).into() };
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
