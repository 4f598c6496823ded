//! The kernel: it answers requests and reports invalid events (section 7, decision 10).

use std::collections::HashSet;
use std::sync::Arc;

use capgen_payload::Payload;
use serde_json::{Value, json};

use crate::canonical::hash_of;
use crate::event::generated::{
    CapabilityInvokedRequest, CapabilityUnresolvedRequest, SystemEventValidationFailedRequest,
};
use crate::event::{self, Event, EventType, Invalid, Reason};
use crate::fact::Fact;
use crate::paths::limited;
use crate::registry::{Question, Registered, output_violations};
use crate::{Checked, Checker, EventId, Producer, Registry, Requirement, SigningKey, Stamped};

/// The kernel over the events of a log, in the log's order.
///
/// It reads no clock and no random numbers: equal logs lead to equal events, with equal ids. Two kernels over one log
/// do no harm, since a log drops a derived id that it already has.
#[derive(Debug)]
pub struct Kernel {
    checker: Arc<Checker>,
    registry: Registry,
    key: Option<SigningKey>,
    /// Requests and derived ids that later events of the log contain.
    answered: HashSet<(String, String)>,
    known: HashSet<EventId>,
}

impl Kernel {
    /// A kernel without events. It signs with `key`, if there is one. If the configuration [has a key of the
    /// kernel](crate::Configuration::has_kernel_key), pass [one of them](crate::Configuration::is_kernel_key):
    /// otherwise logs reject the events.
    #[must_use]
    pub fn new(checker: Arc<Checker>, key: Option<SigningKey>) -> Self {
        let registry = Registry::new(checker.config().clone());
        Self { checker, registry, key, answered: HashSet::new(), known: HashSet::new() }
    }

    /// The registry of the events so far.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// Notes that the log has an event, which may come later than the next steps. A request whose outcome is in the log
    /// is not answered again, and an id that is in the log is not emitted again. Call this for the events of a replay
    /// before the first step.
    pub fn note(&mut self, event: &Event) {
        self.learn(event);
        if !event.event_type().is_some_and(EventType::is_of_kernel) {
            return;
        }
        for Stamped { fact, .. } in self.checker.check(event).into_facts() {
            if let Fact::Outcome { caller, request, .. } = fact {
                self.answered.insert((caller.to_string(), request.to_string()));
            }
        }
    }

    /// Processes the next event of the log in the state of the events before it, and returns the events to append.
    pub fn step(&mut self, event: &Event) -> Vec<Event> {
        let checked = self.checker.check(event);
        let emitted = match &checked {
            Checked::Ignored => None,
            Checked::Invalid(invalid) => notice_of(event, invalid),
            Checked::Valid(EventType::Requested, _) => self.outcome(event),
            Checked::Valid(EventType::Completed, _) => self.notice_of_output(event),
            Checked::Valid(..) => None,
        };
        self.registry.join_all(checked.into_facts());
        self.learn(event);
        let emitted = emitted.filter(|draft| self.known.insert(draft.id));
        emitted.map(|draft| self.emit(event, draft)).into_iter().collect()
    }

    /// Remembers a derived id. An event that is not the kernel's, or whose signature is not valid, reserves none
    /// (ruling 11).
    fn learn(&mut self, event: &Event) {
        let derived = event.id().filter(|id| id.is_derived());
        self.known.extend(derived.filter(|_| self.checker.is_authentic(event)));
    }

    /// The answer to a valid request; none if it has one.
    fn outcome(&mut self, event: &Event) -> Option<Draft> {
        let (caller, id) = (event.agent()?, event.id()?.to_string());
        let is_answered =
            self.registry.state().has_outcome(caller, &id) || !self.answered.insert((caller.to_owned(), id.clone()));
        if is_answered {
            return None;
        }
        let payload = event.payload();
        let (capability, requirement) = (text(payload, "capability_id"), text(payload, "requirement"));
        let parsed: Requirement = requirement.parse().ok()?;
        let config = self.checker.config().clone();
        let access = config.access(caller);
        let view = self.registry.view();
        let (target, explanation) = view.choose(capability, &parsed, access, Some(caller));
        let registry_hash = view.registry_hash();
        let correlation_id = event.member("correlation_id").map(str::to_owned);
        let (reason, violations, resolution_hash) = match target {
            Some(Registered { agent, stamp, offer, .. }) => {
                let input = payload.get("input").unwrap_or(&Value::Null);
                let violations = limited(offer.input_violations(input));
                if violations.is_empty() {
                    let invoked = CapabilityInvokedRequest {
                        request_id: id,
                        caller_agent_id: caller.to_owned(),
                        target_agent_id: agent.to_owned(),
                        capability_id: capability.to_owned(),
                        version: offer.version.to_string(),
                        registration_id: stamp.event_id.to_string(),
                        contract_hash: offer.contract_hash.to_string(),
                        correlation_id,
                        input: input.clone(),
                        output_schema: offer.output_schema(),
                        registry_hash,
                        resolution_hash: explanation.hash(),
                    };
                    return Some(Draft::outcome(event, EventType::Invoked, &invoked));
                }
                (Reason::SchemaViolation.as_str(), Some(violations), explanation.hash())
            }
            None => {
                // Neither the reason nor the hash depends on registrations that the caller may not use (ruling 14).
                let reason = view.reason_within_access(capability, &parsed, access).as_str();
                let question = Question::new(capability, &parsed, access, Some(caller));
                let reduced = json!({"question": question, "reason": reason, "registry_hash": registry_hash});
                (reason, None, hash_of(&reduced).to_string())
            }
        };
        let unresolved = CapabilityUnresolvedRequest {
            request_id: id,
            caller_agent_id: caller.to_owned(),
            capability_id: capability.to_owned(),
            requirement: requirement.to_owned(),
            correlation_id,
            reason: reason.to_owned(),
            violations,
            registry_hash,
            resolution_hash,
        };
        Some(Draft::outcome(event, EventType::Unresolved, &unresolved))
    }

    /// The notice about a completion by the target whose output violates the pinned schema.
    fn notice_of_output(&self, event: &Event) -> Option<Draft> {
        let payload = event.payload();
        let invocation = text(payload, "invocation_id").parse().ok()?;
        let invoked = self.registry.state().invocations(invocation);
        let own = invoked.filter(|invoked| event.agent() == event::text(invoked, "target_agent_id"));
        let violations = own.map(|invoked| output_violations(&invoked, payload)).find(|paths| !paths.is_empty())?;
        let paths = limited(violations.into_iter().map(|path| format!("/payload/output{path}")));
        Some(Draft::notice(event, Reason::SchemaViolation, paths))
    }

    /// The event of a draft (formats page, "Emitted envelopes").
    fn emit(&self, cause: &Event, draft: Draft) -> Event {
        let kernel = Producer {
            agent_id: self.checker.config().kernel().to_owned(),
            agent_type: "kernel".to_owned(),
            runtime_id: String::new(),
            instance_id: String::new(),
        };
        let mut event = kernel.envelope(draft.kind, draft.payload, draft.id, 0, "");
        if let Some(id) = cause.id() {
            set(&mut event, "causation_id", id.to_string());
        }
        if draft.is_readable {
            copy_envelope(cause, &mut event);
        }
        let event = Event::new(event);
        self.key.as_ref().map(|key| key.sign(&event)).unwrap_or(event)
    }
}

/// The timestamp, the correlation and the trace of a cause whose envelope is valid.
fn copy_envelope(cause: &Event, event: &mut Value) {
    for name in ["timestamp", "correlation_id"] {
        if let Some(text) = cause.member(name) {
            set(event, name, text);
        }
    }
    let Some(trace) = cause.value().get("trace") else { return };
    if let Some(copy) = event.get_mut("trace") {
        set(copy, "trace_id", text(trace, "trace_id"));
        set(copy, "parent_span_id", text(trace, "span_id"));
        set(copy, "depth", trace.get("depth").map_or(Value::from(0), next));
    }
}

/// A depth plus one. The schema has no upper limit, so the sum may not be a 64-bit integer.
fn next(depth: &Value) -> Value {
    match depth.as_u64().and_then(|depth| depth.checked_add(1)) {
        Some(depth) => depth.into(),
        None => (depth.as_f64().unwrap_or(0.0) + 1.0).into(),
    }
}

/// An event to emit, without the envelope.
struct Draft {
    id: EventId,
    kind: EventType,
    payload: Value,
    /// Whether the cause has a valid envelope.
    is_readable: bool,
}

impl Draft {
    fn outcome(cause: &Event, kind: EventType, payload: &impl Payload) -> Self {
        let id = EventId::derive(cause.agent(), cause.member("event_id"), "outcome", 0.into());
        Self { id, kind, payload: event::value_of(payload), is_readable: true }
    }

    fn notice(cause: &Event, reason: Reason, paths: Vec<String>) -> Self {
        let (hash, id) = (cause.hash().to_string(), cause.id().map(|id| id.to_string()));
        let derived = EventId::derive(cause.agent(), id.as_deref(), "notice", hash.clone().into());
        let payload = event::value_of(&SystemEventValidationFailedRequest {
            original_event_id: id,
            original_hash: hash,
            failure_reason: reason.as_str().to_owned(),
            validation_trace: paths,
        });
        Self { id: derived, kind: EventType::ValidationFailed, payload, is_readable: reason != Reason::Envelope }
    }
}

/// The notice about an invalid event. There is none about an invalid notice, so that two kernels never answer each
/// other.
fn notice_of(event: &Event, invalid: &Invalid) -> Option<Draft> {
    let is_notice = event.member("event_type") == Some(EventType::ValidationFailed.as_str());
    (!is_notice).then(|| Draft::notice(event, invalid.reason, invalid.paths.clone()))
}

fn set(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), value.into());
    }
}

/// The string at a member that a valid event has.
fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    event::text(value, name).unwrap_or_default()
}
