//! Sections 5.3, 7 and 8: invocations and health.

use capgen_registry::{Checker, Event, EventType, Kernel, Query, Status};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{
    Followed, KERNEL, completed, config, event, field, health, id, registered, registry, requested, target, value,
    verdict,
};

/// A registration with schemas: texts to numbers.
fn typed(agent: &str, millis: u64) -> Event {
    let payload = json!({
        "capability_id": COUNT,
        "version": "1.2.0",
        "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "output_schema": {"type": "integer"},
    });
    event(agent, millis, EventType::Registered, payload)
}

fn invocations(followed: &mut Followed) -> Vec<(Status, Option<String>)> {
    let invocations = followed.kernel.registry().view().invocations();
    invocations.into_iter().map(|invocation| (invocation.status, invocation.reason)).collect()
}

#[test]
fn section_5_3_capability_invoked() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&typed("target", 1));
    let mut request = value("caller", 2, EventType::Requested, json!({}));
    request["payload"] = json!({"capability_id": COUNT, "requirement": "1.0.0", "input": {"text": "a b"}});
    request["correlation_id"] = "task-7".into();
    let registration = followed.log[0].clone();
    let invoked = followed.answer(&Event::new(request));
    assert_eq!(invoked.value()["event_type"], "capability.invoked");
    for (name, expected) in [
        ("caller_agent_id", "caller"),
        ("target_agent_id", "target"),
        ("capability_id", COUNT),
        ("correlation_id", "task-7"),
        ("version", "1.2.0"),
        ("request_id", &*id(2)),
        ("registration_id", &*registration.id().unwrap().to_string()),
    ] {
        assert_eq!(field(&invoked, name), expected, "{name}");
    }
    assert_eq!(invoked.payload()["input"], json!({"text": "a b"}));
    let row = followed.kernel.registry().view().find(&Query::All).remove(0);
    assert_eq!(field(&invoked, "contract_hash"), row.contract_hash);
    // Only the kernel emits it.
    let mut forged = invoked.value().clone();
    forged["producer"]["agent_id"] = "target".into();
    forged["event_id"] = id(9).into();
    assert_eq!(verdict(&config(&json!({})), &Event::new(forged)), "producer /producer/agent_id");
}

#[test]
fn section_7_the_invocation_flow() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&typed("target", 1));
    // 1. The caller emits a request. 2. The kernel resolves it. 3. The kernel emits the invocation.
    let mut request = value("caller", 2, EventType::Requested, json!({}));
    request["payload"] = json!({"capability_id": COUNT, "requirement": "1.0.0", "input": {"text": "a"}});
    request["trace"] = json!({"trace_id": "flow", "span_id": "s2", "parent_span_id": "s1", "depth": 4});
    request["timestamp"] = "2026-02-02T03:00:00.123Z".into();
    let invoked = followed.answer(&Event::new(request.clone()));
    let envelope = invoked.value();
    let own_id = envelope["event_id"].as_str().unwrap().to_owned();
    assert_eq!(envelope["causation_id"], id(2));
    assert_eq!(envelope["timestamp"], request["timestamp"]);
    assert_eq!(
        envelope["producer"],
        json!({"agent_id": KERNEL, "agent_type": "kernel", "runtime_id": "", "instance_id": ""})
    );
    let span: String = own_id.replace('-', "").chars().take(16).collect();
    assert_eq!(envelope["trace"], json!({"trace_id": "flow", "span_id": span, "parent_span_id": "s2", "depth": 5}));
    assert_eq!(invocations(&mut followed), [(Status::Pending, None)]);
    // 4. The target consumes the event. 5. The target emits the completion, which the kernel need not answer.
    assert_eq!(followed.append(&completed("target", 3, &own_id, json!(7))), []);
    assert_eq!(invocations(&mut followed), [(Status::Completed, None)]);
    // A request is answered once, also if it comes again.
    assert_eq!(followed.append(&Event::new(request)), []);
}

#[test]
fn section_7_an_input_that_violates_the_contract_is_not_delivered() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&typed("target", 1));
    for (time, input, path) in [(2, json!({"text": 7}), "/text"), (3, json!({}), "/text"), (4, json!("text"), "")] {
        let answer = followed.answer(&requested("caller", time, COUNT, "1.0.0", input));
        assert_eq!((answer.event_type(), field(&answer, "reason")), (Some(EventType::Unresolved), "schema-violation"));
        assert_eq!(answer.payload()["violations"], json!([path]));
    }
    assert_eq!(invocations(&mut followed), []);
}

#[test]
fn section_7_an_output_that_violates_the_contract_is_a_failure() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&typed("target", 1));
    let invoked = followed.answer(&requested("caller", 2, COUNT, "1.0.0", json!({"text": "a"})));
    // The schema is the one of the invocation, whatever the target registers later.
    followed.append(&registered("target", 3, COUNT, "1.2.0", json!({})));
    let invocation = invoked.id().unwrap().to_string();
    let notice = followed.answer(&completed("target", 4, &invocation, json!("seven")));
    assert_eq!(notice.event_type(), Some(EventType::ValidationFailed));
    assert_eq!((field(&notice, "failure_reason"), field(&notice, "original_event_id")), ("schema-violation", &*id(4)));
    assert_eq!(notice.payload()["validation_trace"], json!(["/payload/output"]));
    // A later completion does not repair it: the least terminal counts.
    followed.append(&completed("target", 5, &invocation, json!(7)));
    assert_eq!(invocations(&mut followed), [(Status::Failed, Some("schema-violation".to_owned()))]);
}

#[test]
fn section_7_a_target_can_fail() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&typed("target", 1));
    let invoked = followed.answer(&requested("caller", 2, COUNT, "1.0.0", json!({"text": "a"})));
    let failed = json!({"invocation_id": invoked.value()["event_id"], "reason": "overloaded", "message": "later"});
    followed.append(&event("target", 3, EventType::Failed, failed));
    assert_eq!(invocations(&mut followed), [(Status::Failed, Some("overloaded".to_owned()))]);
}

#[test]
fn section_8_health_is_the_greatest_report_of_an_agent() {
    let healthy = [EventType::Heartbeat, EventType::Recovered];
    let answer = |reports: &[(u64, EventType)]| {
        let mut events = vec![registered("a", 1, COUNT, "1.0.0", json!({}))];
        events.extend(reports.iter().map(|(time, kind)| health("a", *time, *kind)));
        target(&mut registry(&events), COUNT, "1.0.0", &Default::default())
    };
    assert_eq!(answer(&[]), "a 1.0.0");
    for kind in healthy {
        assert_eq!(answer(&[(2, kind)]), "a 1.0.0");
        assert_eq!(answer(&[(2, EventType::Unavailable)]), "unhealthy");
        assert_eq!(answer(&[(2, EventType::Unavailable), (3, kind)]), "a 1.0.0");
        assert_eq!(answer(&[(2, kind), (3, EventType::Unavailable)]), "unhealthy");
        // The order of arrival has no effect.
        assert_eq!(answer(&[(3, kind), (2, EventType::Unavailable)]), "a 1.0.0");
    }
    let mut view = registry(&[health("ghost", 5, EventType::Unavailable)]);
    let reported = view.view().health();
    assert_eq!((reported["ghost"].healthy, &*reported["ghost"].event_id), (false, &*id(5)));
}

#[test]
fn section_8_resolution_excludes_unhealthy_agents() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&registered("best", 1, COUNT, "1.0.0", json!({"priority": 5})));
    followed.append(&registered("other", 2, COUNT, "1.0.0", json!({})));
    let mut ask = |time: u64, kind: Option<EventType>| {
        kind.into_iter().for_each(|kind| drop(followed.append(&health("best", time, kind))));
        let answer = followed.answer(&requested("caller", time + 1, COUNT, "1.0.0", Value::Null));
        field(&answer, "target_agent_id").to_owned()
    };
    assert_eq!(ask(10, None), "best");
    assert_eq!(ask(20, Some(EventType::Unavailable)), "other");
    assert_eq!(ask(30, Some(EventType::Recovered)), "best");
}

/// Every byte of an answer is fixed, since kernels over one log must emit equal events. The requests have numbers and
/// characters with more than one notation, and traces of every depth.
#[test]
fn the_texts_of_answers_are_fixed() {
    let lines = |text: &'static str| text.split('\n').filter(|line| !line.is_empty());
    let mut kernel = Kernel::new(Checker::new(config(&json!({}))).into(), None);
    let events = lines(include_str!("../../kernel/events.jsonl")).map(|line| Event::parse(line.as_bytes()).unwrap());
    let answers: Vec<Event> = events.flat_map(|event| kernel.step(&event)).collect();
    let answers: Vec<&str> = answers.iter().map(Event::text).collect();
    assert_eq!(answers, lines(include_str!("../../kernel/answers.jsonl")).collect::<Vec<_>>());
}
