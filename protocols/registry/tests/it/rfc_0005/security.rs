//! Section 11: access control and isolation.

use capgen_registry::{Access, Checker, Event, EventType, Fold, Kernel};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{
    Followed, KERNEL, access, completed, config, derived_id, event, health, id, key, registered, registry, requested,
    target, value, verdict,
};

#[test]
fn section_11_1_a_caller_has_all_required_roles_and_scopes() {
    let required = json!({"required_roles": ["reader", "editor"], "required_scopes": ["text"]});
    let events = [registered("a", 1, COUNT, "1.0.0", required)];
    let answer = |access: &Access| target(&mut registry(&events), COUNT, "1.0.0", access);
    assert_eq!(answer(&access(&["editor", "reader", "more"], &["text", "more"])), "a 1.0.0");
    for (roles, scopes) in [
        (&["editor", "reader"][..], &[][..]),
        (&["editor"], &["text"]),
        (&[], &["text"]),
        (&["text"], &["editor", "reader"]),
        (&["Editor", "reader"], &["text"]),
    ] {
        assert_eq!(answer(&access(roles, scopes)), "access-denied", "{roles:?} {scopes:?}");
    }
}

#[test]
fn section_11_1_the_kernel_takes_roles_from_the_configuration() {
    let mut followed = Followed::new(&json!({"grants": {"trusted": {"roles": ["reader"]}}}));
    followed.append(&registered("a", 1, COUNT, "1.0.0", json!({"required_roles": ["reader"]})));
    let claims = json!({"roles": ["reader"], "required_roles": [], "metadata": {"roles": ["reader"]}});
    let mut request = |caller: &str, time: u64| {
        let mut payload = claims.clone();
        payload["capability_id"] = COUNT.into();
        payload["requirement"] = "1.0.0".into();
        payload["input"] = Value::Null;
        let mut request = value(caller, time, EventType::Requested, payload);
        request["metadata"] = claims.clone();
        followed.answer(&Event::new(request)).event_type().unwrap()
    };
    assert_eq!(request("trusted", 2), EventType::Invoked);
    assert_eq!(request("stranger", 3), EventType::Unresolved);
}

/// The check of an event, and that the fold of an invalid event changes nothing.
fn refused(config: &Value, event: &Event) -> String {
    let config = self::config(config);
    let mut fold = Fold::new(config.clone());
    let empty = fold.registry().state().to_json();
    fold.event(event);
    assert_eq!(fold.registry().state().to_json(), empty, "{}", event.text());
    verdict(&config, event)
}

#[test]
fn section_11_2_an_agent_cannot_act_for_another() {
    let about = |kind: EventType, mut payload: Value| {
        payload["agent_id"] = "victim".into();
        event("attacker", 5, kind, payload)
    };
    let capability = json!({"capability_id": COUNT, "version": "1.0.0"});
    let updated = json!({"capability_id": COUNT, "version": "1.0.0", "metadata": {"priority": -9}});
    let ended = json!({"invocation_id": derived_id(1), "output": 1, "reason": "timeout"});
    for (kind, payload) in [
        (EventType::Registered, capability.clone()),
        (EventType::Updated, updated),
        (EventType::Deprecated, capability),
        (EventType::Heartbeat, json!({})),
        (EventType::Recovered, json!({})),
        (EventType::Unavailable, json!({})),
        (EventType::Completed, ended.clone()),
        (EventType::Failed, ended),
    ] {
        assert_eq!(refused(&json!({}), &about(kind, payload)), "producer /payload/agent_id", "{kind:?}");
    }
    let mut request = requested("attacker", 5, COUNT, "1.0.0", Value::Null).value().clone();
    request["payload"]["caller_agent_id"] = "victim".into();
    assert_eq!(refused(&json!({}), &Event::new(request)), "producer /payload/caller_agent_id");
}

#[test]
fn section_11_2_an_agent_cannot_displace_the_facts_of_another() {
    // Events with the ids of the victim's events and with the same subjects in their payloads.
    let victim =
        [registered("victim", 5, COUNT, "1.0.0", json!({"priority": 3})), health("victim", 6, EventType::Heartbeat)];
    let attacks = [
        registered("attacker", 5, COUNT, "1.0.0", json!({"priority": -3})),
        health("attacker", 6, EventType::Unavailable),
        event("attacker", 7, EventType::Deprecated, json!({"capability_id": COUNT})),
        event(
            "attacker",
            8,
            EventType::Updated,
            json!({"capability_id": COUNT, "version": "1.0.0", "metadata": {"priority": -9}}),
        ),
    ];
    let row = |events: &[Event]| {
        let mut registry = registry(events);
        let rows = registry.view().find(&capgen_registry::Query::All);
        rows.into_iter().find(|row| row.agent == "victim").unwrap()
    };
    assert_eq!(row(&[&attacks[..], &victim].concat()), row(&victim));
}

#[test]
fn section_11_2_an_agent_cannot_bypass_the_kernel() {
    // Without the kernel's events there is no invocation, and an agent cannot emit them.
    let mut followed = Followed::new(&json!({}));
    followed.append(&registered("target", 1, COUNT, "1.0.0", json!({})));
    let invoked = followed.answer(&requested("caller", 2, COUNT, "1.0.0", Value::Null));
    let notice = followed.answer(&Event::new(json!({"event_type": "agent.heartbeat"})));
    let unresolved = followed.answer(&requested("caller", 3, COUNT, "9.0.0", Value::Null));
    for emitted in [&invoked, &notice, &unresolved] {
        let mut forged = emitted.value().clone();
        forged["producer"]["agent_id"] = "caller".into();
        assert_eq!(refused(&json!({}), &Event::new(forged.clone())), "envelope /event_id");
        forged["event_id"] = id(9).into();
        assert_eq!(refused(&json!({}), &Event::new(forged)), "producer /producer/agent_id");
    }
    // The kernel's agent emits nothing else (ruling 9).
    let own = event(KERNEL, 1, EventType::Registered, json!({"capability_id": COUNT, "version": "1.0.0"}));
    assert_eq!(refused(&json!({}), &own), "producer /producer/agent_id");
}

#[test]
fn section_11_2_only_the_target_ends_an_invocation() {
    let mut followed = Followed::new(&json!({"monitors": ["monitor"]}));
    followed.append(&registered("target", 1, COUNT, "1.0.0", json!({})));
    let invoked = followed.answer(&requested("caller", 2, COUNT, "1.0.0", Value::Null));
    let invocation = invoked.id().unwrap().to_string();
    let ended = |agent: &str, represented: &str, reason: &str| {
        let payload = json!({"invocation_id": invocation, "reason": reason, "agent_id": represented});
        event(agent, 9, EventType::Failed, payload)
    };
    followed.append(&completed("stranger", 3, &invocation, json!("forged")));
    followed.append(&completed("caller", 4, &invocation, json!("forged")));
    let status = |followed: &mut Followed| followed.kernel.registry().view().invocations()[0].status;
    assert_eq!(status(&mut followed), capgen_registry::Status::Pending);
    // A monitor reports nothing but timeouts for the target.
    let refused = ended("monitor", "target", "broken");
    assert_eq!(verdict(&config(&json!({"monitors": ["monitor"]})), &refused), "producer /payload/agent_id");
    followed.append(&ended("monitor", "target", "timeout"));
    assert_eq!(followed.kernel.registry().view().invocations()[0].reason.as_deref(), Some("timeout"));
}

#[test]
fn section_11_2_forged_ids_of_the_kernel_do_not_suppress_its_answers() {
    let key = key("kernel");
    let config = config(&json!({"keys": {KERNEL: {"kernel": key.public_key()}}}));
    let kernel = || Kernel::new(Checker::new(config.clone()).into(), Some(key.clone()));
    let request = requested("caller", 2, COUNT, "1.0.0", Value::Null);
    let answer = kernel().step(&request);
    // Events with the id that the answer will have, as a file of events can contain them: of an agent, without the
    // kernel's signature, and of a type whose signature is not checked.
    let mut of_agent = value("attacker", 1, EventType::Heartbeat, json!({}));
    of_agent["event_id"] = answer[0].value()["event_id"].clone();
    let mut unsigned = answer[0].value().clone();
    unsigned.as_object_mut().unwrap().remove("signature");
    let mut unknown = unsigned.clone();
    unknown["event_type"] = "agent.moved".into();
    for forged in [of_agent, unsigned, unknown] {
        let forged = Event::new(forged);
        let mut kernel = kernel();
        kernel.note(&forged);
        kernel.step(&forged);
        assert_eq!(kernel.step(&request), answer, "{}", forged.text());
    }
}
