//! The checks of events.

use std::sync::Arc;

use capgen_registry::{Checked, Checker, Configuration, Event, Kernel, Reason};
use serde_json::{Value, json};

fn check(producer: &str, id: &str, kind: &str, payload: Value) -> Checked {
    let event = json!({
        "spec_version": "1.0", "event_id": id, "event_type": kind, "event_version": "1.0.0",
        "timestamp": "2026-11-23T10:00:00.000Z",
        "producer": {"agent_id": producer, "agent_type": "", "runtime_id": "", "instance_id": ""},
        "trace": {"trace_id": "", "span_id": "", "depth": 0}, "payload": payload, "metadata": {},
    });
    Checker::new(Configuration::default().into()).check(&Event::new(event))
}

const ID: &str = "019ab000-0000-7000-8000-000000000001";
const DERIVED: &str = "019ab000-0000-8000-8000-000000000001";

/// Unknown members of a payload are ignored, also if other payloads have a member of that name.
#[test]
fn a_request_may_have_any_unknown_member() {
    let payload = json!({"capability_id": "a.b", "requirement": "1.0.0", "input": null, "version": "1.0.0-01"});
    assert!(matches!(check("a", ID, "capability.requested", payload), Checked::Valid(..)));
    let payload = json!({"capability_id": "a.b", "version": "1.0.0-01", "metadata": {"priority": 1}});
    let Checked::Invalid(invalid) = check("a", ID, "capability.updated", payload) else {
        panic!("the version is invalid")
    };
    assert_eq!((invalid.reason, invalid.paths), (Reason::Payload, vec!["/payload/version".to_owned()]));
}

/// Completions are checked against the schema that an invocation pins (ruling 8).
#[test]
fn the_schema_that_an_invocation_pins_is_part_of_the_subset() {
    let payload = |schema: Value| {
        json!({
            "request_id": ID, "caller_agent_id": "a", "target_agent_id": "b", "capability_id": "a.b", "version": "1.0.0",
            "registration_id": ID, "contract_hash": "", "registry_hash": "", "resolution_hash": "", "input": 1,
            "output_schema": schema,
        })
    };
    let checked = check("capgen.kernel", DERIVED, "capability.invoked", payload(json!({"type": "string"})));
    assert!(matches!(checked, Checked::Valid(..)), "{checked:?}");
    let checked = check("capgen.kernel", DERIVED, "capability.invoked", payload(json!({"items": {"type": "strnig"}})));
    let Checked::Invalid(invalid) = checked else { panic!("the schema is invalid") };
    assert_eq!(
        (invalid.reason, invalid.paths),
        (Reason::Contract, vec!["/payload/output_schema/items/type".to_owned()])
    );
}

/// The requirement of an answer has the form of that of the request.
#[test]
fn the_requirement_of_an_answer_is_checked() {
    let payload = |requirement: &str| {
        json!({
            "request_id": ID, "caller_agent_id": "a", "capability_id": "a.b", "requirement": requirement, "reason": "unhealthy",
            "registry_hash": "", "resolution_hash": "",
        })
    };
    let checked = check("capgen.kernel", DERIVED, "capability.unresolved", payload("1.0.0"));
    assert!(matches!(checked, Checked::Valid(..)), "{checked:?}");
    let checked = check("capgen.kernel", DERIVED, "capability.unresolved", payload("1.x"));
    let Checked::Invalid(invalid) = checked else { panic!("the requirement is invalid") };
    assert_eq!((invalid.reason, invalid.paths), (Reason::Payload, vec!["/payload/requirement".to_owned()]));
}

/// A forged event does not keep the kernel from answering a request.
#[test]
fn only_events_of_the_kernel_reserve_derived_ids() {
    let registry = Arc::new(Checker::new(Configuration::default().into()));
    let event = |producer: &str, id: &str, kind: &str, spec_version: &str| {
        Event::new(json!({
            "spec_version": spec_version, "event_id": id, "event_type": kind, "event_version": "1.0.0",
            "timestamp": "2026-11-23T10:00:00.000Z",
            "producer": {"agent_id": producer, "agent_type": "", "runtime_id": "", "instance_id": ""},
            "trace": {"trace_id": "", "span_id": "", "depth": 0}, "metadata": {},
            "payload": {"capability_id": "a.b", "requirement": "1.0.0", "input": null},
        }))
    };
    let request = event("a", ID, "capability.requested", "1.0");
    let answer = Kernel::new(registry.clone(), None).step(&request).pop().unwrap();
    let id = answer.id().unwrap().to_string();
    for forged in [event("a", &id, "x.y", "1.0"), event("capgen.kernel", &id, "x.y", "2.0")] {
        let mut kernel = Kernel::new(registry.clone(), None);
        kernel.note(&forged);
        kernel.step(&forged);
        assert_eq!(kernel.step(&request), std::slice::from_ref(&answer));
    }
    let mut kernel = Kernel::new(registry, None);
    kernel.note(&answer);
    assert_eq!(kernel.step(&request), []);
}
