//! The checks of payloads, and the facts in them.

use std::sync::Arc;

use capgen_payload::Payload;
use capgen_schema::pointer;
use semver::Version;
use serde_json::Value;

use super::contract::reported;
use super::envelope::text;
use super::{Event, EventType, Offer};
use crate::canonical::canonical;
use crate::fact::{Fact, Field, KernelAnswer, Terminal};
use crate::{Configuration, Requirement};

/// The JSON Pointers, into the event, of the errors of a payload; none if it is valid.
pub(crate) fn errors(kind: EventType, payload: &Value) -> Vec<String> {
    let mut paths: Vec<String> = match kind.validator() {
        Some(validator) if !validator.is_valid(payload) => {
            reported(validator, payload).into_iter().map(|path| format!("/payload{path}")).collect()
        }
        _ => Vec::new(),
    };
    // The schema cannot express the rest.
    let has_version =
        matches!(kind, EventType::Registered | EventType::Updated | EventType::Deprecated | EventType::Invoked);
    if has_version && text(payload, "version").is_some_and(|version| Version::parse(version).is_err()) {
        paths.push("/payload/version".to_owned());
    }
    if matches!(kind, EventType::Requested | EventType::Unresolved)
        && text(payload, "requirement").is_some_and(|requirement| requirement.parse::<Requirement>().is_err())
    {
        paths.push("/payload/requirement".to_owned());
    }
    let metadata = payload.get("metadata").and_then(Value::as_object);
    if kind == EventType::Updated && metadata.is_some_and(serde_json::Map::is_empty) {
        paths.push("/payload/metadata".to_owned());
    }
    paths
}

/// A payload that the registry creates, as a value.
///
/// Only the depth of a payload can be an error. The values in it come from valid events and from contracts, whose depth
/// has a limit too. A payload that is too deep becomes null, which every schema of a payload rejects.
pub(crate) fn value_of(payload: &impl Payload) -> Value {
    serde_json::to_value(payload).unwrap_or_default()
}

/// Whether the event is about health and has no payload, as most heartbeats.
pub(super) fn is_empty_health(event: &Event, kind: EventType) -> bool {
    let is_health = matches!(kind, EventType::Heartbeat | EventType::Recovered | EventType::Unavailable);
    is_health && event.payload_text() == Some("{}")
}

/// The JSON Pointer of the value that shows that this producer must not emit the event (decision 4, ruling 9).
pub(super) fn producer_error(event: &Event, kind: EventType, config: &Configuration) -> Option<&'static str> {
    let (agent, id) = (event.agent()?, event.id()?);
    if (agent == config.kernel()) != kind.is_of_kernel() {
        return Some("/producer/agent_id");
    }
    if kind.is_of_kernel() {
        return None;
    }
    // A payload without such a member need not be read.
    let may_name = event.payload_text().is_none_or(|text| text.contains("agent_id\""));
    let names_another = |name: &str| may_name && text(event.payload(), name).is_some_and(|named| named != agent);
    if kind == EventType::Requested {
        return names_another("caller_agent_id").then_some("/payload/caller_agent_id");
    }
    let may_represent = match kind {
        EventType::Unavailable => true,
        EventType::Failed => text(event.payload(), "reason") == Some("timeout"),
        _ => false,
    };
    (names_another("agent_id") && !(may_represent && config.is_monitor(agent, id))).then_some("/payload/agent_id")
}

/// The facts of a valid event.
pub(super) fn facts(event: &Event, kind: EventType, offer: Option<Arc<Offer>>) -> Vec<Fact> {
    if let (Some(offer), Some(agent)) = (offer, event.agent()) {
        return vec![Fact::Registration { agent: agent.into(), offer }];
    }
    if is_empty_health(event, kind) {
        let agent = event.agent().unwrap_or_default().into();
        return vec![Fact::Health { agent, healthy: kind != EventType::Unavailable }];
    }
    let payload = event.payload();
    let agent: Arc<str> = match kind {
        EventType::Requested => event.agent(),
        _ => text(payload, "agent_id").or_else(|| event.agent()),
    }
    .unwrap_or_default()
    .into();
    let string = |name: &str| -> Arc<str> { text(payload, name).unwrap_or_default().into() };
    match kind {
        EventType::Updated => updates(&agent, payload),
        EventType::Deprecated => vec![Fact::Deprecation {
            agent,
            capability: string("capability_id"),
            version: text(payload, "version").map(Into::into),
            reason: text(payload, "reason").map(Into::into),
        }],
        EventType::Heartbeat | EventType::Recovered => vec![Fact::Health { agent, healthy: true }],
        EventType::Unavailable => vec![Fact::Health { agent, healthy: false }],
        EventType::Completed | EventType::Failed => vec![Fact::Terminal {
            invocation: string("invocation_id"),
            agent,
            terminal: Terminal { completed: kind == EventType::Completed, payload: canonical(payload).into() },
        }],
        EventType::Invoked | EventType::Unresolved => vec![Fact::Outcome {
            caller: string("caller_agent_id"),
            request: string("request_id"),
            outcome: KernelAnswer { invoked: kind == EventType::Invoked, payload: without_input(payload) },
        }],
        // A valid registration has an offer.
        EventType::Registered | EventType::Requested | EventType::ValidationFailed => Vec::new(),
    }
}

fn updates(agent: &Arc<str>, payload: &Value) -> Vec<Fact> {
    let metadata = payload.get("metadata").and_then(Value::as_object).into_iter().flatten();
    let fields = metadata.filter_map(|(name, value)| Some((Field::of(name)?, value)));
    let string = |name: &str| -> Arc<str> { text(payload, name).unwrap_or_default().into() };
    let update = |(field, value): (Field, &Value)| Fact::Update {
        agent: agent.clone(),
        capability: string("capability_id"),
        version: string("version"),
        field,
        value: value.clone(),
    };
    fields.map(update).collect()
}

/// The payload of an outcome in the state, in canonical form.
fn without_input(payload: &Value) -> Box<str> {
    let mut payload = payload.clone();
    if let Value::Object(members) = &mut payload {
        members.remove("input");
    }
    canonical(&payload).into()
}

/// The JSON Pointers, into the event, of errors below `parent`.
pub(super) fn below(parent: &str, paths: Vec<String>) -> Vec<String> {
    let parent = pointer::join("", parent);
    paths.into_iter().map(|path| format!("{parent}{path}")).collect()
}
