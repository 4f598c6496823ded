//! `capgen registry register`, `monitor` and `watch`.

use std::time::{SystemTime, UNIX_EPOCH};

use capgen_testkit::manifests::offering;
use serde_json::{Value, json};

use super::{Folder, event};

const LOG: &str = "--log sqlite:registry.db";

fn contract(version: &str, tags: &str, input: &str) -> String {
    let capabilities = format!(
        "  - name: summarize\n    id: text.summarize\n    version: {version}\n    tags: [{tags}]\n    sideEffects: pure\n    requiredRoles: [editor]\n    \
         inputSchema: {{ type: {input} }}\n  - name: count\n    version: 1.0.0\n"
    );
    offering("texts", &capabilities)
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.0.write("agents/texts/capabilities.yaml", &contract("1.2.0", "text", "string"));
    folder
}

#[test]
fn a_manifest_is_registered_once() {
    let folder = folder();
    let run = folder.run(&format!("register --peer texts {LOG}")).ended(0);
    assert_eq!(run.stdout, "registered text.summarize 1.2.0 of texts\nregistered texts.count 1.0.0 of texts\n");
    let row = folder.run(&format!("find text.summarize {LOG}")).ended(0).json()["results"][0].clone();
    let parts = (&row["agent"], &row["tags"], &row["side_effects"], &row["required_roles"]);
    assert_eq!(parts, (&json!("texts"), &json!(["text"]), &json!("pure"), &json!(["editor"])));
    let run = folder.run(&format!("register --peer texts {LOG}")).ended(0);
    let expected = format!(
        "already registered text.summarize 1.2.0 of texts, by the event {}\n",
        row["event_id"].as_str().unwrap()
    );
    assert!(run.stdout.starts_with(&expected), "{run:?}");
    // Several agents may offer one contract, and tags may change.
    let run = folder.run(&format!("register --peer texts --agent texts-2 --json {LOG}")).ended(0);
    let first: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    let row = folder.run(&format!("find text.summarize {LOG}")).ended(0).json()["results"][1].clone();
    assert_eq!(row["agent"], "texts-2");
    let expected = json!({
        "agent": "texts-2", "capability": "text.summarize", "version": "1.2.0", "status": "registered",
        "event_id": row["event_id"],
    });
    assert_eq!(first, expected);
    folder.0.write("agents/texts/capabilities.yaml", &contract("1.2.0", "prose", "string"));
    let updated = "updated tags and latency of text.summarize 1.2.0 of texts\n";
    let planned = folder.run(&format!("register --peer texts --dry-run {LOG}")).ended(0);
    assert!(
        planned.stdout.starts_with("would update tags and latency of text.summarize 1.2.0 of texts\n"),
        "{planned:?}"
    );
    assert!(folder.run(&format!("register --peer texts {LOG}")).ended(0).stdout.starts_with(updated));
    let row = folder.run(&format!("find --tag prose {LOG}")).ended(0).json()["results"][0].clone();
    assert_eq!(row["agent"], "texts");
}

#[test]
fn a_registration_that_fails_appends_nothing_and_creates_no_log() {
    let folder = folder();
    let planned = folder.run(&format!("register --peer texts --dry-run {LOG}")).ended(0);
    assert!(planned.stdout.starts_with("would register text.summarize 1.2.0 of texts\n"), "{planned:?}");
    folder
        .0
        .write("agents/texts/capabilities.yaml", &contract("1.2.0", "text", "string").replace("version: 1.0.0", ""));
    let run = folder.run(&format!("register --peer texts {LOG}")).ended(1);
    assert!(run.stderr.contains("error[E0696]") && run.stderr.contains("capabilities.yaml:"), "{run:?}");
    assert!(folder.run(&format!("verify {LOG}")).ended(1).stderr.contains("does not exist"));
    // The first fits into the quota.
    folder.0.write("agents/texts/capabilities.yaml", &contract("1.2.0", "text", "string"));
    folder.0.write("quota.json", r#"{"quota": 1}"#);
    let run = folder.run(&format!("register --peer texts {LOG} --config quota.json")).ended(1);
    assert_eq!(run.stdout, "registered text.summarize 1.2.0 of texts\n");
    assert!(run.stderr.contains("texts.count 1.0.0: quota") && run.stderr.contains("raise `quota`"), "{run:?}");
}

#[test]
fn a_registered_contract_never_changes() {
    let folder = folder();
    folder.run(&format!("register --peer texts {LOG}")).ended(0);
    folder.0.write("agents/texts/capabilities.yaml", &contract("1.2.0", "text", "object"));
    let run = folder.run(&format!("register --peer texts {LOG}")).ended(1);
    assert!(run.stderr.contains("error[E0696]") && run.stderr.contains("registered with another contract"), "{run:?}");
    folder.0.write("agents/texts/capabilities.yaml", &contract("1.3.0+b", "text", "object"));
    assert!(folder.run(&format!("register --peer texts {LOG}")).ended(1).stderr.contains("build metadata"));
    assert_eq!(folder.run(&format!("verify {LOG}")).ended(0).json()["rows"], 2);
    folder.run(&format!("register --peer none {LOG}")).ended(1);
    folder.run(&format!("register {LOG}")).ended(2);
}

/// A UUIDv7 with the time some ms ago.
fn id_before(ms: u64, number: u32) -> String {
    let now = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap() - ms;
    format!("{:08x}-{:04x}-7000-8000-{number:012}", now >> 16, now & 0xffff)
}

#[test]
fn a_monitor_reports_silent_agents_once() {
    let folder = folder();
    let heartbeat = |agent: &str, ms: u64| {
        let mut event = event(1, agent, "agent.heartbeat", json!({}));
        event["event_id"] = json!(id_before(ms, 1));
        event
    };
    let lines = format!("{}\n{}\n", heartbeat("silent", 600_000), heartbeat("alive", 0));
    folder.0.run_with(&format!("registry append {LOG}"), lines).ended(0);
    let monitor = format!("monitor --agent ops --heartbeat 5m --once {LOG}");
    let run = folder.run(&monitor).ended(1);
    assert!(run.stderr.contains("error[E0692]") && run.stderr.contains("not a monitor"), "{run:?}");
    folder.0.write("config.json", r#"{"monitors": ["ops"]}"#);
    let run = folder.run(&format!("{monitor} --json --config config.json")).ended(0);
    let payload = json!({"agent_id": "silent", "reason": "missed heartbeats"});
    assert_eq!(run.json(), json!({"event_type": "agent.unavailable", "agent": "silent", "payload": payload}));
    assert_eq!(folder.run(&format!("{monitor} --config config.json")).ended(0).stdout, "");
    let health = folder.run(&format!("fold {LOG} --config config.json")).ended(0).json()["view"]["health"].clone();
    assert_eq!((&health["silent"]["healthy"], &health["alive"]["healthy"]), (&json!(false), &json!(true)));
    folder.run(&format!("{monitor} --interval 5 --config config.json")).ended(2);
}

#[test]
fn watch_prints_one_line_per_change() {
    let folder = Folder::with(&super::fleet());
    let run = folder.run("watch --no-follow --log events.jsonl").ended(0);
    let expected = format!(
        "\
registration  text.summarize  2.0.0  e
registration  text.summarize  1.9.0  f  deprecated
registration  text.summarize  1.4.0  b
registration  text.summarize  1.3.0  c  unhealthy
registration  text.summarize  1.2.0  a
registration  text.summarize  1.2.0  d
health  c  unhealthy  {}
",
        super::id(7)
    );
    assert_eq!(run.stdout, expected);
    let run = folder.run("watch --no-follow --json --log events.jsonl").ended(0);
    let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last, json!({"change": "health", "value": {"agent": "c", "event_id": super::id(7), "healthy": false}}));
}

#[test]
fn watch_follows_a_log() {
    use std::io::{BufRead, BufReader, Write};
    let folder = Folder::with(&[]);
    let mut watch = folder.0.command("registry watch --log events.jsonl").spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    let mut file = std::fs::OpenOptions::new().append(true).open(folder.0.path("events.jsonl")).unwrap();
    for (number, kind, health) in [(1, "agent.unavailable", "unhealthy"), (2, "agent.recovered", "healthy")] {
        writeln!(file, "{}", event(number, "a", kind, json!({}))).unwrap();
        assert_eq!(lines.next().unwrap(), format!("health  a  {health}  {}", super::id(number)));
    }
    watch.kill().unwrap();
    watch.wait().unwrap();
}
