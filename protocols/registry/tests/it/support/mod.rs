//! Events and registries of the tests.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod naive;
pub(crate) mod random;

use std::sync::Arc;

use capgen_registry::{
    Access, Checked, Checker, Configuration, Event, EventId, EventType, Fold, Kernel, Query, Registry, Requirement,
    Row, SigningKey,
};
use serde_json::{Value, json};

/// The time of the first event of every test, in Unix ms.
pub(crate) const START: u64 = 1_770_000_000_000;

/// The kernel of every configuration of the tests.
pub(crate) const KERNEL: &str = capgen_registry::DEFAULT_KERNEL;

/// The id of an event that is created `millis` after the start.
pub(crate) fn id(millis: u64) -> String {
    EventId::at(START + millis, 0).to_string()
}

/// The id of an event of the kernel.
pub(crate) fn derived_id(number: u64) -> String {
    format!("00000000-0000-8000-8000-{number:012x}")
}

/// The events of a log, in which each event has an id greater than the ones before it. The tests add events by name.
pub(crate) fn event(agent: &str, millis: u64, kind: EventType, payload: Value) -> Event {
    Event::new(value(agent, millis, kind, payload))
}

/// The value of [`event`], to change it.
pub(crate) fn value(agent: &str, millis: u64, kind: EventType, payload: Value) -> Value {
    let id = if agent == KERNEL { derived_id(millis) } else { id(millis) };
    json!({
        "spec_version": "1.0",
        "event_id": id,
        "event_type": kind.as_str(),
        "event_version": "1.0.0",
        "timestamp": "2026-02-02T02:40:00.000Z",
        "producer": {"agent_id": agent, "agent_type": "test", "runtime_id": "r", "instance_id": "i"},
        "trace": {"trace_id": "t", "span_id": "s", "depth": 0},
        "payload": payload,
        "metadata": {},
    })
}

/// An agent registers a version of a capability with these properties.
pub(crate) fn registered(agent: &str, millis: u64, capability: &str, version: &str, metadata: Value) -> Event {
    let payload = json!({"capability_id": capability, "version": version, "metadata": metadata});
    event(agent, millis, EventType::Registered, payload)
}

/// An agent changes properties of a version of its capability.
pub(crate) fn updated(agent: &str, millis: u64, capability: &str, version: &str, metadata: Value) -> Event {
    let payload = json!({"capability_id": capability, "version": version, "metadata": metadata});
    event(agent, millis, EventType::Updated, payload)
}

/// An agent deprecates a version of its capability, or all versions.
pub(crate) fn deprecated(agent: &str, millis: u64, capability: &str, version: Option<&str>) -> Event {
    let mut payload = json!({"capability_id": capability, "reason": "old"});
    version.into_iter().for_each(|version| payload["version"] = version.into());
    event(agent, millis, EventType::Deprecated, payload)
}

/// An agent reports its health.
pub(crate) fn health(agent: &str, millis: u64, kind: EventType) -> Event {
    event(agent, millis, kind, json!({}))
}

/// A caller requests an invocation.
pub(crate) fn requested(caller: &str, millis: u64, capability: &str, requirement: &str, input: Value) -> Event {
    let payload = json!({"capability_id": capability, "requirement": requirement, "input": input});
    event(caller, millis, EventType::Requested, payload)
}

/// A target completes an invocation.
pub(crate) fn completed(target: &str, millis: u64, invocation: &str, output: Value) -> Event {
    event(target, millis, EventType::Completed, json!({"invocation_id": invocation, "output": output}))
}

/// A configuration of JSON.
pub(crate) fn config(json: &Value) -> Arc<Configuration> {
    Configuration::parse(json.to_string().as_bytes()).unwrap().into()
}

/// The fold of events under a configuration.
pub(crate) fn fold_under<'e>(config: &Arc<Configuration>, events: impl IntoIterator<Item = &'e Event>) -> Fold {
    let mut fold = Fold::new(config.clone());
    events.into_iter().for_each(|event| fold.event(event));
    fold
}

/// The registry of valid events under the default configuration.
pub(crate) fn registry(events: &[Event]) -> Registry {
    let fold = fold_under(&Arc::default(), events);
    assert_eq!(fold.invalid(), []);
    fold.into_registry()
}

/// The verdict of a check: `valid`, `ignored`, or a reason with its paths.
pub(crate) fn verdict(config: &Arc<Configuration>, event: &Event) -> String {
    match Checker::new(config.clone()).check(event) {
        Checked::Valid(..) => "valid".to_owned(),
        Checked::Ignored => "ignored".to_owned(),
        Checked::Invalid(invalid) => format!("{} {}", invalid.reason, invalid.paths.join(" ")),
    }
}

/// The requirement of a text.
pub(crate) fn requirement(text: &str) -> Requirement {
    text.parse().unwrap()
}

/// Roles and scopes.
pub(crate) fn access(roles: &[&str], scopes: &[&str]) -> Access {
    let texts = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
    Access { roles: texts(roles), scopes: texts(scopes) }
}

/// The target of a question as `agent version`, or the reason why there is none. `resolve` and `explain` must agree.
pub(crate) fn target(registry: &mut Registry, capability: &str, requirement: &str, access: &Access) -> String {
    let requirement = self::requirement(requirement);
    let view = registry.view();
    let (row, explanation) = view.explain(capability, &requirement, access, None);
    let resolved = view.resolve(capability, &requirement, access);
    assert_eq!(resolved.ok().and_then(|resolution| resolution.row()), row);
    let reason = resolved.err().map(|reason| reason.as_str());
    assert_eq!(reason, explanation.reason);
    row.map_or_else(|| reason.unwrap().to_owned(), |row| format!("{} {}", row.agent, row.version))
}

/// The registrations that a query finds, as `agent capability version`.
pub(crate) fn found(registry: &mut Registry, query: &Query<'_>) -> Vec<String> {
    let text = |row: Row| format!("{} {} {}", row.agent, row.capability, row.version);
    registry.view().find(query).into_iter().map(text).collect()
}

/// A key of an agent, and its id.
pub(crate) fn key(id: &str) -> SigningKey {
    use base64::Engine as _;
    let mut seed = [7; 32];
    seed.iter_mut().zip(id.bytes()).for_each(|(to, from)| *to = from);
    SigningKey::from_base64(id, &base64::engine::general_purpose::STANDARD.encode(seed)).unwrap()
}

/// A log, and a kernel that follows it. Each answer of the kernel is appended.
pub(crate) struct Followed {
    pub(crate) kernel: Kernel,
    pub(crate) log: Vec<Event>,
}

impl Followed {
    pub(crate) fn new(config: &Value) -> Self {
        let checker = Checker::new(self::config(config));
        Self { kernel: Kernel::new(checker.into(), None), log: Vec::new() }
    }

    /// Appends an event, lets the kernel process it, and appends the kernel's answers, which are returned.
    pub(crate) fn append(&mut self, event: &Event) -> Vec<Event> {
        self.log.push(event.clone());
        let answers = self.kernel.step(event);
        for answer in &answers {
            self.log.push(answer.clone());
            assert_eq!(self.kernel.step(answer), []);
        }
        answers
    }

    /// Appends an event that the kernel answers with one event.
    pub(crate) fn answer(&mut self, event: &Event) -> Event {
        let [answer] = &*self.append(event) else { panic!("one answer to {}", event.text()) };
        answer.clone()
    }
}

/// The member of an event's payload as text.
pub(crate) fn field<'e>(event: &'e Event, name: &str) -> &'e str {
    event.payload()[name].as_str().unwrap()
}
