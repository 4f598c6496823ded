//! `capgen registry append`, `verify` and `tail`, and `step` over a log of SQLite.

use serde_json::{Value, json};

use super::{Folder, event, fleet, id};

/// The time in the ids of the events, in Unix ms.
pub(crate) const NOW: u64 = 0x019a_b000_0000;

fn documents(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(super) fn append(folder: &Folder, events: &[Value], log: &str, status: i32) -> Vec<Value> {
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    let run = folder.0.run_with(&format!("registry append --now {NOW} --log {log}"), lines).ended(status);
    documents(&run.stdout)
}

#[test]
fn each_line_has_one_result() {
    for log in ["sqlite:registry.db", "registry.jsonl"] {
        let folder = Folder::new();
        let first = event(1, "a", "agent.heartbeat", json!({}));
        let mut keyed = event(3, "b", "agent.heartbeat", json!({}));
        keyed["idempotency_key"] = json!("k");
        let mut other = event(4, "b", "agent.unavailable", json!({}));
        other["idempotency_key"] = json!("k");
        let mut future = event(5, "a", "agent.heartbeat", json!({}));
        future["event_id"] = json!("019ab001-0000-7000-8000-000000000001");
        let mut past = event(5, "c", "agent.heartbeat", json!({}));
        past["event_id"] = json!("01900000-0000-7000-8000-000000000001");
        let lines = format!(
            "{first}\n\n{{\n{first}\n{}\n{}\n{keyed}\n{other}\n{future}\n{past}\n{}",
            event(1, "a", "agent.unavailable", json!({})),
            event(2, "a", "agent.heartbeat", json!({"agent_id": "b"})),
            json!({"event_type": "x"}),
        );
        let run = folder.0.run_with(&format!("registry append - --now {NOW} --log {log}"), &lines).ended(1);
        let result = |offset: u32, partition: &str, duplicate_of: Option<String>, integrity_fault: bool| json!({"offset": offset, "partition": partition, "duplicate_of": duplicate_of, "integrity_fault": integrity_fault});
        let error = |reason: &str, paths: &[&str]| json!({"error": {"reason": reason, "paths": paths}});
        let results = documents(&run.stdout);
        assert_eq!(
            results[..9],
            [
                result(0, "a", None, false),
                error("json", &[]),
                result(0, "a", Some(id(1)), false),
                result(1, "a", None, true),
                result(2, "a", None, false),
                result(0, "b", None, false),
                error("idempotency-key", &["/idempotency_key"]),
                error("future", &["/event_id"]),
                error("past", &["/event_id"]),
            ]
        );
        assert_eq!(results[9]["error"]["reason"], "envelope");
        assert_eq!((results.len(), run.stderr.as_str()), (10, "4 events appended, 1 duplicate, 5 rejected\n"));
        // An operator may import old events. A repetition has no effect.
        folder.0.write("past.jsonl", &past.to_string());
        for duplicate_of in [None, Some(past["event_id"].as_str().unwrap().to_owned())] {
            let run = folder.run(&format!("append past.jsonl --import --log {log}")).ended(0);
            assert_eq!(documents(&run.stdout), [result(0, "c", duplicate_of, false)]);
        }
        let fold = folder.run(&format!("fold --log {log}")).ended(0).json();
        assert_eq!(fold["view"]["health"].as_object().unwrap().len(), 3);
        assert_eq!(fold["invalid"][0]["paths"], json!(["/payload/agent_id"]));
    }
}

/// A program may wait for the result of an event before it sends the next one.
#[test]
fn each_event_of_a_program_is_answered_at_once() {
    use std::io::{BufRead, BufReader, Write};
    let folder = Folder::new();
    let mut child = folder.0.command(&format!("registry append --now {NOW} --log sqlite:registry.db")).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines().map(|line| line.unwrap());
    for (offset, event) in
        (0..).zip([event(1, "a", "agent.heartbeat", json!({})), event(2, "a", "agent.recovered", json!({}))])
    {
        writeln!(input, "{event}").unwrap();
        let result: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
        assert_eq!(result["offset"], offset);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_log_of_sqlite_has_the_state_of_its_events() {
    let folder = Folder::with(&fleet());
    append(&folder, &fleet(), "sqlite:registry.db", 0);
    for command in ["fold", "find text.summarize", "resolve text.summarize --requirement 1.2.0"] {
        let of = |log: &str| folder.run(&format!("{command} --log {log}")).ended(0).stdout;
        assert_eq!(of("sqlite:registry.db"), of("events.jsonl"));
    }
}

#[test]
fn a_step_appends_its_events_once() {
    let folder = Folder::new();
    let mut events = fleet();
    let request = json!({"capability_id": "text.summarize", "requirement": "1.2.0", "input": 1});
    events.push(event(10, "caller", "capability.requested", request));
    append(&folder, &events, "sqlite:registry.db", 0);
    let dry = folder.run("step --dry-run --log sqlite:registry.db").ended(0).stdout;
    let run = folder.run("step --log sqlite:registry.db").ended(0);
    assert_eq!((run.stdout.as_str(), dry.lines().count()), (dry.as_str(), 1));
    assert_eq!(folder.run("step --log sqlite:registry.db").ended(0).stdout, "");
    let view = folder.run("fold --log sqlite:registry.db").ended(0).json()["view"].clone();
    assert_eq!(
        (&view["invocations"][0]["target"], &view["invocations"][0]["status"]),
        (&json!("b"), &json!("pending"))
    );
}

#[test]
fn a_kernel_with_keys_signs_its_events() {
    let folder = Folder::new();
    let event = event(1, "a", "agent.heartbeat", json!({"agent_id": "b"}));
    append(&folder, &[event], "sqlite:registry.db", 0);
    // RFC 8032, section 7.1, test 1.
    let key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    folder.0.write("config.json", &json!({"keys": {"capgen.kernel": {"k=1": key}}}).to_string());
    folder.0.write("seed", "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n");
    assert_eq!(folder.run("key seed").ended(0).stdout, format!("{key}\n"));
    let log = "--log sqlite:registry.db --config config.json";
    folder.0.write("bad", "nWGxne");
    let run = folder.run(&format!("step {log} --signing-key k=1=bad")).ended(1);
    assert!(run.stderr.contains("error[E0678]") && !run.stderr.contains("nWGxne"), "{run:?}");
    folder.run(&format!("step {log} --signing-key bad")).ended(2);
    let run = folder.run(&format!("step {log} --signing-key k=1=seed")).ended(0);
    assert_eq!(run.json()["signature"]["public_key_id"], "k=1");
    let fold = folder.run(&format!("fold {log}")).ended(0).json();
    assert_eq!(fold["invalid"].as_array().unwrap().len(), 1);
}

#[test]
fn verify_finds_changes_and_compares_heads() {
    let folder = Folder::new();
    append(&folder, &fleet(), "sqlite:registry.db", 0);
    let run = folder.run("verify --log sqlite:registry.db").ended(0);
    assert!(
        run.stderr.starts_with("without --expect, a truncated end and a complete rewrite cannot be detected"),
        "{run:?}"
    );
    let verification = run.json();
    assert_eq!(
        (&verification["ok"], &verification["rows"], &verification["first_broken"]),
        (&json!(true), &json!(8), &Value::Null)
    );
    assert_eq!(verification["heads"]["c"]["offset"], 1);
    // The log may have grown.
    append(&folder, &[event(9, "c", "agent.recovered", json!({}))], "sqlite:registry.db", 0);
    folder.0.write("whole.json", &run.stdout);
    folder.0.write("heads.json", &verification["heads"].to_string());
    for heads in ["whole.json", "heads.json"] {
        let run = folder.run(&format!("verify --expect {heads} --log sqlite:registry.db")).ended(0);
        assert_eq!((run.stderr.as_str(), &run.json()["rows"]), ("", &json!(9)));
    }
    let mut other = verification["heads"].clone();
    other["c"]["row_hash"] = json!("0".repeat(64));
    folder.0.write("heads.json", &other.to_string());
    let run = folder.run("verify --expect heads.json --log sqlite:registry.db").ended(1);
    assert_eq!(run.json()["first_broken"], json!({"partition": "c", "offset": 1, "reason": "expected"}));
    folder.0.write("heads.json", "[]");
    assert!(folder.run("verify --expect heads.json --log sqlite:registry.db").ended(1).stderr.contains("error[E0695]"));
    let connection = rusqlite::Connection::open(folder.0.path("registry.db")).unwrap();
    let triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
    let names: Vec<String> =
        connection.prepare(triggers).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    names.iter().for_each(|name| connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
    connection.execute_batch("UPDATE events SET event = replace(event, '1.4.0', '1.4.1')").unwrap();
    drop(connection);
    let run = folder.run("verify --log sqlite:registry.db").ended(1);
    assert_eq!(run.json()["first_broken"], json!({"partition": "b", "offset": 0, "reason": "event"}));
}

#[test]
fn a_tail_starts_with_the_last_events() {
    let folder = Folder::new();
    append(&folder, &fleet(), "sqlite:registry.db", 0);
    let run = folder.run("tail -n 2 --json --log sqlite:registry.db").ended(0);
    assert_eq!(documents(&run.stdout), fleet()[6..]);
    let run = folder.run("tail --partition c --log sqlite:registry.db").ended(0);
    let expected = format!(
        "2026-11-23T10:00:00.000Z  {}  capability.registered  c  text.summarize  1.3.0\n\
         2026-11-23T10:00:00.000Z  {}  agent.unavailable  c\n",
        id(3),
        id(7)
    );
    assert_eq!(run.stdout, expected);
    assert_eq!(folder.run("tail -n 0 --log sqlite:registry.db").ended(0).stdout, "");
}

#[test]
fn a_tail_follows_a_log() {
    use std::io::{BufRead, BufReader};
    let folder = Folder::new();
    append(&folder, &fleet()[..1], "sqlite:registry.db", 0);
    let mut tail = folder.0.command("registry tail --follow --json --log sqlite:registry.db").spawn().unwrap();
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap()).unwrap();
    assert_eq!(next(), fleet()[0]);
    append(&folder, &fleet()[1..3], "sqlite:registry.db", 0);
    assert_eq!([next(), next()], fleet()[1..3]);
    tail.kill().unwrap();
    tail.wait().unwrap();
}

#[test]
#[cfg(feature = "registry-nats")]
fn a_log_can_be_a_stream_of_nats() {
    let Some(server) = capgen_testkit::brokers::NatsServer::start() else { return };
    let folder = Folder::with(&fleet());
    let log = server.url();
    assert!(folder.run(&format!("fold --log {log}")).ended(1).stderr.contains("error[E0693]"));
    append(&folder, &fleet(), &log, 0);
    let fold = folder.run(&format!("fold --log {log}")).ended(0).stdout;
    assert_eq!(fold, folder.run("fold --log events.jsonl").ended(0).stdout);
    let verification = folder.run(&format!("verify --log {log}")).ended(0).json();
    assert_eq!((&verification["ok"], &verification["rows"]), (&json!(true), &json!(8)));
    let request = json!({"capability_id": "text.summarize", "requirement": "1.2.0", "input": 1});
    append(&folder, &[event(10, "caller", "capability.requested", request)], &log, 0);
    assert_eq!(folder.run(&format!("step --log {log}")).ended(0).json()["payload"]["target_agent_id"], "b");
    assert_eq!(folder.run(&format!("step --log {log}")).ended(0).stdout, "");
    assert_eq!(
        folder.run(&format!("tail -n 1 --json --log {log}")).ended(0).json()["event_type"],
        "capability.invoked"
    );
}

#[test]
fn logs_that_cannot_be_used_exit_with_1() {
    let folder = Folder::with(&fleet());
    folder.0.write(
        "text.db",
        "this is not a database, but long enough to have a header of one hundred bytes, or even more than that",
    );
    for log in ["sqlite:none.db", "sqlite:text.db", "sqlite:agents", "nats://127.0.0.1:1"] {
        for command in ["fold", "step", "verify", "tail", "watch --no-follow"] {
            let run = folder.run(&format!("{command} --log {log}")).ended(1);
            assert!(run.stderr.contains("error[E0693]") && run.stdout.is_empty(), "{command} {log}: {run:?}");
        }
    }
    assert_eq!(folder.0.names("."), ["agents", "events.jsonl", "text.db"]);
    let run = folder.run("append none.jsonl --log sqlite:registry.db").ended(1);
    assert!(run.stderr.contains("error[E0691]") && !folder.0.path("registry.db").exists(), "{run:?}");
}

#[test]
fn a_snapshot_gives_the_same_answers_and_an_edited_one_is_dropped() {
    let folder = Folder::new();
    append(&folder, &fleet()[..5], "sqlite:registry.db", 0);
    let log = "--log sqlite:registry.db";
    let run = folder.run(&format!("snapshot registry.snapshot {log}")).ended(0);
    assert_eq!(run.stdout, "wrote registry.snapshot: up to sequence 5, 0 ended requests removed\n");
    append(&folder, &fleet()[5..], "sqlite:registry.db", 0);
    let with = |snapshot: &str| folder.run(&format!("find text.summarize {snapshot} {log}")).ended(0);
    let expected = with("").stdout;
    let run = with("--snapshot registry.snapshot");
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (expected.as_str(), ""));
    let text = folder.0.read("registry.snapshot");
    for (from, to) in
        [("\"priority\":9", "\"priority\":8"), ("\"sequence\":5", "\"sequence\":4"), ("\"pruned\":0", "\"pruned\":1")]
    {
        assert!(text.contains(from), "{text}");
        folder.0.write("edited.snapshot", &text.replacen(from, to, 1));
        let run = with("--snapshot edited.snapshot");
        assert_eq!(run.stdout, expected);
        let parts = ["warning[W0692]", "`edited.snapshot`", ": the hash is not that of the contents"];
        assert!(parts.iter().all(|part| run.stderr.contains(part)), "{run:?}");
        let run = folder.run(&format!("snapshot edited.snapshot --json {log}")).ended(0);
        assert!(run.json()["dropped"].is_string() && with("--snapshot edited.snapshot").stderr.is_empty(), "{run:?}");
    }
    append(&folder, &[event(1, "x", "agent.heartbeat", json!({}))], "sqlite:other.db", 0);
    let run = folder.run("find text.summarize --snapshot registry.snapshot --log sqlite:other.db").ended(0);
    assert!(run.stderr.contains("warning[W0692]"), "{run:?}");
    folder.0.write("notes.txt", "mine");
    let run = folder.run(&format!("snapshot notes.txt {log}")).ended(1);
    assert!(run.stderr.contains("error[E0697]") && folder.0.read("notes.txt") == "mine", "{run:?}");
    folder.run(&format!("find text.summarize --snapshot none {log}")).ended(1);
}
