//! Random sets of events, which have few agents, capabilities, versions and ids, so that their subjects collide.

use std::sync::{Arc, LazyLock};

use capgen_registry::{Access, Checker, Configuration, Event, EventId, EventType, Kernel, SigningKey};
use serde_json::{Value, json};

pub(crate) use capgen_testkit::Random;

use super::{KERNEL, START, config, derived_id, key, value};

/// A configuration, its JSON, and the kernel's key if it has one.
pub(crate) struct Setting {
    pub(crate) json: Value,
    pub(crate) config: Arc<Configuration>,
    pub(crate) kernel_key: Option<SigningKey>,
}

const AGENTS: [&str; 5] = ["a", "b", "c", "é", "signed"];
const MONITORS: [&str; 2] = ["monitor", "b"];
pub(crate) const CAPABILITIES: [&str; 3] = ["core.text.count", "core.text", "Core.text"];
const VERSIONS: [&str; 7] = ["1.0.0", "1.2.0", "1.10.0", "1.2.0-rc.1", "2.0.0", "0.1.0", "0.2.0-a.1"];
pub(crate) const REQUIREMENTS: [&str; 9] =
    ["1.0.0", "=1.2.0", ">=1.0.0 <2.0.0", "1.2.0-rc.1", "0.1.0", "9.0.0", ">=0.0.0", "<2.0.0-z", "=0.2.0-a.1+b"];
pub(crate) const TAGS: [&str; 3] = ["text", "fast", "é"];
const NAMES: [&str; 3] = ["admin", "reader", "é"];
/// The number of times that ids have.
const TIMES: u64 = 24;

/// The settings, of which each set of events uses one.
pub(crate) static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let time = |at: u64| EventId::at(START + at, 0).to_string();
    let one = json!({"key": key("one").public_key(), "from": time(4), "until": time(16)});
    let two = json!({"key": key("two").public_key(), "from": time(8)});
    let grants = json!({"a": {"roles": ["admin", "reader"]}, "b": {"scopes": ["admin"], "roles": ["é"]}, "c": {}});
    let settings = [
        (json!({}), None),
        (json!({"grants": grants, "monitors": ["monitor"], "priority_cap": {"a": 1, "é": -3}}), None),
        (
            json!({
                "grants": grants,
                "monitors": [{"agent": "monitor", "until": time(12)}, {"agent": "b", "from": time(6), "until": time(18)}],
                "keys": {"signed": {"one": one, "two": two}},
            }),
            None,
        ),
        (json!({"keys": {KERNEL: {"kernel": key("kernel").public_key()}}, "monitors": ["b"]}), Some(key("kernel"))),
    ];
    let setting = |(json, kernel_key)| Setting { config: config(&json), json, kernel_key };
    settings.into_iter().map(setting).collect()
});

/// A set of events, in a random order: those of seeds, the kernel's answers, ends of invocations, and repeated events.
pub(crate) fn events(setting: &Setting, seeds: &[u64]) -> Vec<Event> {
    let mut events: Vec<Event> =
        seeds.iter().map(|seed| Source { random: Random::new(*seed), setting }.event()).collect();
    let mut random = Random::new(seeds.iter().fold(0, |all, seed| all.rotate_left(7) ^ seed));
    if random.one_in(5) {
        // More contracts of one version than a state keeps.
        let first = random.below(8);
        events.extend((first..first + 24).map(|number| contract(&mut random, number)));
    }
    let answers = answers(setting, &events);
    let invoked = answers.iter().filter(|answer| answer.event_type() == Some(EventType::Invoked));
    let ends: Vec<Event> = invoked
        .flat_map(|invoked| {
            (0..random.below(3))
                .map(|_| Source { random: Random::new(random.bits()), setting }.end(invoked))
                .collect::<Vec<_>>()
        })
        .collect();
    events.extend(answers);
    events.extend(ends);
    for _ in 0..random.below(4) {
        events.extend(events.get(random.below(events.len() + 1)).cloned());
    }
    random.shuffle(&mut events);
    events
}

/// The kernel's answers to the events of a log.
pub(crate) fn answers(setting: &Setting, log: &[Event]) -> Vec<Event> {
    let mut kernel = kernel(setting);
    log.iter().for_each(|event| kernel.note(event));
    let mut answers: Vec<Event> = log.iter().flat_map(|event| kernel.step(event)).collect();
    let mut next = 0;
    while let Some(event) = answers.get(next).cloned() {
        answers.extend(kernel.step(&event));
        next += 1;
    }
    answers
}

pub(crate) fn kernel(setting: &Setting) -> Kernel {
    Kernel::new(Checker::new(setting.config.clone()).into(), setting.kernel_key.clone())
}

/// A caller's roles and scopes.
pub(crate) fn access(random: &mut Random) -> Access {
    let names =
        |random: &mut Random| NAMES.iter().filter(|_| random.one_in(2)).map(|name| (*name).to_owned()).collect();
    Access { roles: names(random), scopes: names(random) }
}

fn contract(random: &mut Random, number: usize) -> Event {
    let payload = json!({"capability_id": CAPABILITIES[0], "version": "1.0.0", "input_schema": {"const": number}});
    let time = random.bits() % TIMES;
    let mut event = value("a", time, EventType::Registered, payload);
    event["event_id"] = EventId::at(START + time, random.bits() as u128 % 4).to_string().into();
    Event::new(event)
}

struct Source<'s> {
    random: Random,
    setting: &'s Setting,
}

impl Source<'_> {
    fn event(&mut self) -> Event {
        let kind = match self.random.below(40) {
            0..12 => EventType::Registered,
            12..17 => EventType::Updated,
            17..21 => EventType::Deprecated,
            21..24 => EventType::Heartbeat,
            24 => EventType::Recovered,
            25..28 => EventType::Unavailable,
            28..34 => EventType::Requested,
            34 => EventType::Completed,
            35 => EventType::Failed,
            36 => EventType::Invoked,
            37 => EventType::Unresolved,
            38 => EventType::ValidationFailed,
            _ => return self.strange(),
        };
        let agent = self.agent(kind);
        let payload = self.payload(kind, agent);
        let mut event = self.envelope(agent, kind, payload);
        if self.random.one_in(6) {
            self.damage(&mut event);
        }
        self.sign(agent, event)
    }

    /// The end of an invocation: by the target, another agent, or a monitor.
    fn end(&mut self, invoked: &Event) -> Event {
        let target = invoked.payload()["target_agent_id"].as_str().unwrap();
        let invocation = invoked.value()["event_id"].clone();
        let agent = match self.random.below(6) {
            0 => self.random.pick(&AGENTS),
            1 => self.random.pick(&MONITORS),
            _ => target,
        };
        let output = self.random.pick(&[json!("text"), json!(7), json!({"n": 1}), json!({"n": "1"}), Value::Null]);
        let completed = json!({"invocation_id": invocation, "output": output});
        let failed = json!({"invocation_id": invocation, "reason": self.random.pick(&["timeout", "broken"]), "agent_id": target});
        let (kind, payload) =
            if self.random.one_in(3) { (EventType::Failed, failed) } else { (EventType::Completed, completed) };
        let event = self.envelope(agent, kind, payload);
        self.sign(agent, event)
    }

    /// A value of another form, an event of an unknown type, or one with most members missing.
    fn strange(&mut self) -> Event {
        let unknown = value("a", 1, EventType::Heartbeat, json!({"n": 1}));
        let mut unknown_type = unknown.clone();
        unknown_type["event_type"] = "agent.moved".into();
        Event::new(self.random.pick(&[
            Value::Null,
            json!([1.0, {"a": null}]),
            json!({"event_type": "capability.requested", "signature": null}),
            json!({"event_type": "system.event.validation_failed"}),
            json!({"event_id": super::id(3), "producer": {"agent_id": "a"}}),
            json!({"event_id": derived_id(3), "producer": {"agent_id": "a"}, "event_type": "agent.heartbeat"}),
            unknown_type,
        ]))
    }

    fn agent(&mut self, kind: EventType) -> &'static str {
        match kind {
            EventType::Invoked | EventType::Unresolved | EventType::ValidationFailed => KERNEL,
            EventType::Unavailable | EventType::Failed if self.random.one_in(2) => self.random.pick(&MONITORS),
            _ if self.random.one_in(3) => self.random.pick(&AGENTS),
            _ => self.random.pick(&AGENTS[..2]),
        }
    }

    fn envelope(&mut self, agent: &str, kind: EventType, payload: Value) -> Value {
        let random = &mut self.random;
        let time = random.bits() % TIMES;
        let mut event = value(agent, time, kind, payload);
        if agent != KERNEL && random.one_in(3) {
            event["event_id"] = EventId::at(START + time, u128::from(random.bits() % 3)).to_string().into();
        }
        for name in ["causation_id", "correlation_id", "idempotency_key", "partition_key", "ttl_ms", "signature"] {
            if random.one_in(12) {
                event[name] = Value::Null;
            }
        }
        if random.one_in(8) {
            event["correlation_id"] = random.pick(&["task-1", "", "é"]).into();
        }
        if random.one_in(12) {
            event["trace"]["parent_span_id"] = random.pick(&[Value::Null, "p".into()]);
            event["trace"]["depth"] = random.pick(&[1.into(), 2.0.into(), u64::MAX.into(), 1e30.into()]);
        }
        if random.one_in(12) {
            event["unknown"] = random.pick(&[Value::Null, json!([1.5, -0.0]), json!({"\u{e000}": 1, "😀": 2})]);
        }
        if random.one_in(12) {
            event["payload"]["unknown"] = random.pick(&[Value::Null, json!(1e3), json!("\u{2028}")]);
        }
        event
    }

    fn payload(&mut self, kind: EventType, agent: &str) -> Value {
        let random = &mut self.random;
        let capability = if random.one_in(4) { random.pick(&CAPABILITIES) } else { CAPABILITIES[0] };
        let version = if random.one_in(3) { random.pick(&VERSIONS) } else { random.pick(&VERSIONS[..2]) };
        let invocation = derived_id(random.bits() % TIMES);
        let request = super::id(random.bits() % TIMES);
        let mut payload = match kind {
            EventType::Registered => self.registration(capability, version),
            EventType::Updated => {
                let metadata = self.properties(true);
                json!({"capability_id": capability, "version": version, "metadata": metadata})
            }
            EventType::Deprecated if random.one_in(2) => json!({"capability_id": capability, "reason": "old"}),
            EventType::Deprecated => json!({"capability_id": capability, "version": version}),
            EventType::Heartbeat | EventType::Recovered => json!({}),
            EventType::Unavailable => json!({"agent_id": random.pick(&[agent, agent, "a", "stranger", ""])}),
            EventType::Requested => {
                let input = random.pick(&[json!("text"), json!({"n": 1}), json!({"n": 1.5}), Value::Null]);
                json!({"capability_id": capability, "requirement": random.pick(&REQUIREMENTS), "input": input})
            }
            EventType::Completed => {
                json!({"invocation_id": invocation, "output": random.pick(&[json!(1), json!("text")])})
            }
            EventType::Failed => {
                let reason = random.pick(&["timeout", "broken"]);
                json!({"invocation_id": invocation, "reason": reason, "agent_id": random.pick(&[agent, "a"])})
            }
            EventType::Invoked => json!({
                "request_id": request, "caller_agent_id": "a", "target_agent_id": random.pick(&AGENTS),
                "capability_id": capability, "version": version, "registration_id": super::id(1), "contract_hash": "",
                "input": {"n": 1.0}, "output_schema": random.pick(&[json!(true), json!({"type": "string"}), json!(7)]),
                "registry_hash": "", "resolution_hash": "",
            }),
            EventType::Unresolved => json!({
                "request_id": request, "caller_agent_id": "a", "capability_id": capability, "requirement": "1.0.0",
                "reason": random.pick(&["not-found", "unhealthy"]), "registry_hash": "", "resolution_hash": "",
            }),
            _ => {
                json!({"original_event_id": null, "original_hash": "", "failure_reason": "envelope", "validation_trace": []})
            }
        };
        let is_of_agent = !kind.is_of_kernel() && payload.get("agent_id").is_none() && kind != EventType::Requested;
        if is_of_agent && self.random.one_in(6) {
            payload["agent_id"] = agent.into();
        }
        payload
    }

    fn registration(&mut self, capability: &str, version: &str) -> Value {
        let mut metadata = self.properties(false);
        let random = &mut self.random;
        if random.one_in(3) {
            metadata["side_effects"] = random.pick(&["pure", "idempotent", "external"]).into();
        }
        if random.one_in(2) {
            metadata["determinism_class"] = random.pick(&["deterministic", "nondeterministic"]).into();
        }
        if random.one_in(3) {
            let name = random.pick(&["required_roles", "required_scopes"]);
            metadata[name] =
                random.pick(&[json!(["reader", "admin"]), json!(["admin", "reader"]), json!(["é"]), json!([])]);
        }
        let mut payload = json!({"capability_id": capability, "version": version});
        let object = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let schemas =
            [json!(true), json!({}), json!({"type": "string"}), json!({"type": "string", "title": "T"}), object];
        for name in ["input_schema", "output_schema"] {
            if random.one_in(2) {
                payload[name] = random.pick(&schemas);
            }
        }
        if random.one_in(10) {
            // Every contract is another one.
            payload["input_schema"] = json!({"const": random.below(40)});
        }
        if !random.one_in(4) {
            payload["metadata"] = metadata;
        }
        payload
    }

    /// The properties that updates may change; of an update, at least one.
    fn properties(&mut self, is_update: bool) -> Value {
        let random = &mut self.random;
        let mut metadata = json!({});
        if is_update || random.one_in(2) {
            metadata["priority"] = random.pick(&[0_i64, 1, 2, -1, (1 << 53) - 1]).into();
        }
        if random.one_in(2) {
            let big: [Value; 3] = [u64::MAX.into(), 1.8446744073709552e19.into(), (u64::MAX - 1).into()];
            metadata["weight"] = random.pick(&[
                1.into(),
                1.0.into(),
                0.5.into(),
                (-1).into(),
                big[0].clone(),
                big[1].clone(),
                big[2].clone(),
            ]);
        }
        if random.one_in(2) {
            metadata["tags"] = TAGS.iter().filter(|_| random.one_in(2)).copied().collect();
        }
        if random.one_in(3) {
            metadata["latency_class"] = random.pick(&["fast", "slow"]).into();
        }
        metadata
    }

    /// Makes an event invalid for one of the reasons, most of the time.
    fn damage(&mut self, event: &mut Value) {
        let random = &mut self.random;
        let (pointer, value) = random.pick(&[
            ("/spec_version", json!("2")),
            ("/event_id", json!("018F0000-0000-7000-8000-000000000001")),
            ("/event_id", json!(derived_id(5))),
            ("/event_id", json!(super::id(5))),
            ("/timestamp", json!("2026-02-30T00:00:00.000Z")),
            ("/producer/agent_id", json!("")),
            ("/producer/agent_id", json!("b")),
            ("/producer/agent_id", json!(KERNEL)),
            ("/trace", json!([])),
            ("/payload", Value::Null),
            ("/event_version", json!("2.0.0")),
            ("/event_version", json!("1")),
            ("/event_version", json!("1.7.0-rc.1")),
            ("/payload/capability_id", json!("core")),
            ("/payload/version", json!("1.0.0+build")),
            ("/payload/requirement", json!("^1.0.0")),
            ("/payload/agent_id", json!("c")),
            ("/payload/metadata", json!({})),
            ("/payload/metadata/tags", json!(["a", "a"])),
            ("/payload/metadata/priority", json!(1_u64 << 53)),
            ("/payload/input_schema", json!({"$ref": "#/nowhere"})),
            ("/payload/output_schema", json!({"properties": {"a/b": {"if": true}}})),
            ("/signature", json!({"algorithm": "Ed25519", "public_key_id": "one", "signature": "AA=="})),
        ]);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        if let Some(Value::Object(members)) = event.pointer_mut(parent) {
            members.insert(name.to_owned(), value);
        }
    }

    /// Signs events of agents that have keys, most of the time with a valid key.
    fn sign(&mut self, agent: &str, event: Value) -> Event {
        let event = Event::new(event);
        let key = match agent {
            "signed" if self.setting.json["keys"].get("signed").is_some() => {
                key(self.random.pick(&["one", "two", "other"]))
            }
            KERNEL if self.setting.kernel_key.is_some() => key("kernel"),
            _ => return event,
        };
        if self.random.one_in(6) { event } else { key.sign(&event) }
    }
}
