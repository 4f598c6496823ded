//! The entries of the lists of a state, as canonical text (formats page, "State").

use std::borrow::Cow;
use std::sync::Arc;

use capgen_schema::Hash;
use serde_json::Value;

use super::{Deprecation, Name, Row, State};
use crate::EventType;
use crate::canonical::{canonical, write_array, write_string};
use crate::event::{Offer, PayloadText};
use crate::fact::{Field, KernelAnswer, Stamp, Terminal};

/// A list of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum List {
    Registrations,
    Updates,
    Deprecations,
    Health,
    Outcomes,
    Terminals,
}

impl List {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Registrations => "registrations",
            Self::Updates => "updates",
            Self::Deprecations => "deprecations",
            Self::Health => "health",
            Self::Outcomes => "outcomes",
            Self::Terminals => "terminals",
        }
    }

    /// Every list, in the order in which their errors are reported.
    pub(crate) const ALL: [Self; 6] =
        [Self::Registrations, Self::Updates, Self::Deprecations, Self::Health, Self::Outcomes, Self::Terminals];

    /// The list of a name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|list| list.as_str() == name)
    }

    /// The names of the parts of a key.
    pub(crate) const fn key_parts(self) -> &'static [&'static str] {
        match self {
            Self::Registrations => &["agent", "capability", "version", "contract_hash"],
            Self::Updates => &["agent", "capability", "version", "field"],
            Self::Deprecations => &["agent", "capability", "version"],
            Self::Health => &["agent"],
            Self::Outcomes => &["caller", "request_id"],
            Self::Terminals => &["invocation_id", "agent"],
        }
    }
}

/// The parts of a key; `None` is null.
pub(crate) type Key<'s> = Vec<Option<Cow<'s, str>>>;

/// A fact of a list, with the parts of its key that are not in it.
#[derive(Clone, Copy)]
pub(super) enum EntryRef<'s> {
    Registration(&'s Row, &'s (Stamp, Arc<Offer>)),
    Update(&'s Row, &'s (Field, Stamp, Value)),
    Deprecation(&'s Row, &'s Deprecation),
    DeprecationOfAll((Name, Name), &'s Deprecation),
    Health(Name, &'s (Stamp, bool)),
    Outcome(&'s (Name, Arc<str>), &'s (Stamp, KernelAnswer)),
    Terminal(&'s (Arc<str>, Name), &'s (Stamp, Terminal)),
}

/// An entry: its key, and the rest.
pub(crate) struct Entry<'s> {
    pub(crate) list: List,
    pub(crate) key: Key<'s>,
    stamp: &'s Stamp,
    value: EntryValue<'s>,
}

/// The value of an entry, in canonical form.
enum EntryValue<'s> {
    Text(String),
    Payload(&'s PayloadText),
}

/// The value of a member.
enum Part<'p> {
    /// A string, or null.
    Text(Option<&'p str>),
    /// The value of an entry.
    Value(&'p EntryValue<'p>),
}

impl Part<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Self::Text(Some(text)) => write_string(out, text),
            Self::Text(None) => out.push_str("null"),
            Self::Value(EntryValue::Text(json)) => out.push_str(json),
            Self::Value(EntryValue::Payload(payload)) => payload.parts().for_each(|part| out.push_str(part)),
        }
    }
}

impl Entry<'_> {
    /// The canonical text of the entry.
    pub(crate) fn text(&self) -> String {
        let (event_id, hash) = (self.stamp.event_id.to_string(), self.stamp.hash.to_string());
        let mut members = vec![
            ("event_id", Part::Text(Some(&event_id))),
            ("hash", Part::Text(Some(&hash))),
            ("producer", Part::Text(Some(&self.stamp.producer))),
            ("value", Part::Value(&self.value)),
        ];
        let key = self.key.iter().map(|part| Part::Text(part.as_deref()));
        members.extend(self.list.key_parts().iter().copied().zip(key));
        members.sort_unstable_by_key(|(name, _)| *name);
        let mut text = String::with_capacity(1024);
        let mut separator = '{';
        for (name, part) in members {
            text.push(separator);
            write_string(&mut text, name);
            text.push(':');
            part.write(&mut text);
            separator = ',';
        }
        text.push('}');
        text
    }

    pub(crate) fn hash(&self) -> Hash {
        Hash::of(self.text())
    }

    /// The hash of the canonical key: an array of the list's name and the parts.
    pub(crate) fn key_hash(&self) -> Hash {
        key_hash(self.list, &self.key)
    }
}

pub(crate) fn key_hash(list: List, key: &Key<'_>) -> Hash {
    let mut text = String::new();
    let parts = std::iter::once(Some(list.as_str())).chain(key.iter().map(|part| part.as_deref()));
    write_array(&mut text, parts, |text, part| Part::Text(part).write(text));
    Hash::of(text)
}

/// The canonical text of an object whose members are canonical texts in order.
pub(crate) fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}

fn part_text(part: Option<&str>) -> String {
    part.map_or_else(|| "null".to_owned(), quoted)
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_string(&mut quoted, text);
    quoted
}

impl State {
    pub(super) fn entry<'s>(&'s self, entry: EntryRef<'s>) -> Entry<'s> {
        match entry {
            EntryRef::Registration(row, offer) => self.registration_entry(row, offer),
            EntryRef::Update(row, update) => self.update_entry(row, update),
            EntryRef::Deprecation(row, deprecation) => self.deprecation_entry(row, deprecation),
            EntryRef::DeprecationOfAll(key, deprecation) => self.deprecation_of_all_entry(key, deprecation),
            EntryRef::Health(agent, health) => self.health_entry(agent, health),
            EntryRef::Outcome((caller, request), outcome) => self.outcome_entry(*caller, request, outcome),
            EntryRef::Terminal((invocation, agent), end) => self.terminal_entry(invocation, *agent, end),
        }
    }

    fn row_key<'s>(&'s self, row: &Row) -> Key<'s> {
        let part = |name: Name| Some(self.names.text(name).into());
        vec![part(row.agent), part(row.capability), part(row.version)]
    }

    pub(crate) fn registration_key<'s>(&'s self, row: &Row, contract: Hash) -> Key<'s> {
        let mut key = self.row_key(row);
        key.push(Some(contract.to_string().into()));
        key
    }

    pub(crate) fn registration_entry<'s>(&'s self, row: &Row, (stamp, offer): &'s (Stamp, Arc<Offer>)) -> Entry<'s> {
        let key = self.registration_key(row, offer.contract_hash);
        Entry { list: List::Registrations, key, stamp, value: EntryValue::Payload(&offer.payload) }
    }

    pub(crate) fn update_entry<'s>(&'s self, row: &Row, (field, stamp, value): &'s (Field, Stamp, Value)) -> Entry<'s> {
        let mut key = self.row_key(row);
        key.push(Some(field.as_str().into()));
        Entry { list: List::Updates, key, stamp, value: EntryValue::Text(canonical(value)) }
    }

    pub(crate) fn deprecation_entry<'s>(&'s self, row: &Row, (stamp, reason): &'s Deprecation) -> Entry<'s> {
        Entry {
            list: List::Deprecations,
            key: self.row_key(row),
            stamp,
            value: EntryValue::Text(part_text(reason.as_deref())),
        }
    }

    pub(crate) fn deprecation_of_all_entry<'s>(
        &'s self,
        (agent, capability): (Name, Name),
        (stamp, reason): &'s Deprecation,
    ) -> Entry<'s> {
        let key = vec![Some(self.names.text(agent).into()), Some(self.names.text(capability).into()), None];
        Entry { list: List::Deprecations, key, stamp, value: EntryValue::Text(part_text(reason.as_deref())) }
    }

    pub(crate) fn health_entry<'s>(&'s self, agent: Name, (stamp, healthy): &'s (Stamp, bool)) -> Entry<'s> {
        let key = vec![Some(self.names.text(agent).into())];
        Entry { list: List::Health, key, stamp, value: EntryValue::Text(healthy.to_string()) }
    }

    fn outcome_entry<'s>(
        &'s self,
        caller: Name,
        request: &'s str,
        (stamp, outcome): &'s (Stamp, KernelAnswer),
    ) -> Entry<'s> {
        let key = vec![Some(self.names.text(caller).into()), Some(request.into())];
        Entry {
            list: List::Outcomes,
            key,
            stamp,
            value: EntryValue::Text(typed(outcome.event_type(), &outcome.payload)),
        }
    }

    fn terminal_entry<'s>(
        &'s self,
        invocation: &'s str,
        agent: Name,
        (stamp, terminal): &'s (Stamp, Terminal),
    ) -> Entry<'s> {
        let key = vec![Some(invocation.into()), Some(self.names.text(agent).into())];
        Entry {
            list: List::Terminals,
            key,
            stamp,
            value: EntryValue::Text(typed(terminal.event_type(), &terminal.payload)),
        }
    }
}

fn typed(kind: EventType, payload: &str) -> String {
    object(&[("event_type", quoted(kind.as_str())), ("payload", payload.to_owned())])
}
