//! `capgen registry step`.

use serde_json::{Value, json};

use super::{Folder, event, fleet, id};

fn request(number: u32, capability: &str) -> Value {
    let payload = json!({"capability_id": capability, "requirement": "1.2.0", "input": {"text": "x"}});
    event(number, "caller", "capability.requested", payload)
}

#[test]
fn a_dry_run_prints_the_answers_and_a_replay_prints_nothing() {
    let mut events = fleet();
    events.push(request(10, "text.summarize"));
    events.push(request(11, "text.translate"));
    events.push(event(12, "a", "agent.heartbeat", json!({"agent_id": "b"})));
    let folder = Folder::with(&events);
    let run = folder.run("step --dry-run --log events.jsonl").ended(0);
    let emitted: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary: Vec<_> = emitted.iter().map(|event| (&event["event_type"], &event["causation_id"])).collect();
    assert_eq!(
        summary,
        [
            (&json!("capability.invoked"), &json!(id(10))),
            (&json!("capability.unresolved"), &json!(id(11))),
            (&json!("system.event.validation_failed"), &json!(id(12))),
        ]
    );
    assert_eq!(emitted[0]["payload"]["target_agent_id"], "b");
    assert_eq!(emitted[1]["payload"]["reason"], "not-found");
    assert_eq!(emitted[2]["payload"]["validation_trace"], json!(["/payload/agent_id"]));
    assert_eq!(folder.run("step --dry-run --log events.jsonl").ended(0).stdout, run.stdout);
    folder.log("replay.jsonl", &events.iter().chain(&emitted).cloned().collect::<Vec<_>>());
    assert_eq!(folder.run("step --dry-run --log replay.jsonl").ended(0).stdout, "");
}

/// The input of a request without access reveals nothing: the answer is that of a capability that does not exist.
#[test]
fn a_caller_without_access_does_not_learn_what_exists() {
    let folder = Folder::with(&[fleet()[3].clone(), request(10, "text.summarize")]);
    let reason = |config: &str| {
        folder.0.write("config.json", config);
        let run = folder.run("step --dry-run --log events.jsonl --config config.json").ended(0);
        run.json()["payload"]["reason"].as_str().map(str::to_owned)
    };
    assert_eq!(reason("{}").as_deref(), Some("not-found"));
    assert_eq!(reason(r#"{"grants": {"caller": {"roles": ["admin"]}}}"#), None);
}
