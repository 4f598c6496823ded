//! The rulings about commands: keys of the kernel (11), lines that nest deeply (13), and dry runs (15).

use serde_json::{Value, json};

use super::logs::append;
use super::{Folder, event, fleet, id, registered};

/// RFC 8032, section 7.1, test 1.
const SEED: &str = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";
const PUBLIC: &str = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
/// Another seed.
const OTHER: &str = "TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=";

/// A contract of the agent `atlas`.
const MANIFEST: &str = "version: 1\nagent: agent://atlas\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities:\n  - name: sort\n    version: 1.0.0\n";

/// A folder with a configuration with the kernel's key, and two seeds.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.0.write("config.json", &json!({"keys": {"capgen.kernel": {"k": PUBLIC}}}).to_string());
    folder.0.write("seed", SEED);
    folder.0.write("other", OTHER);
    folder
}

fn request(number: u32) -> Value {
    let payload = json!({"capability_id": "text.summarize", "requirement": "1.2.0", "input": null});
    event(number, "caller", "capability.requested", payload)
}

fn id_of(line: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap();
    event["event_id"].as_str().unwrap().to_owned()
}

#[test]
fn ruling_11_every_command_that_reads_a_log_refuses_an_unsigned_first_event_of_the_kernel() {
    let folder = folder();
    let mut events = fleet();
    events.push(request(10));
    append(&folder, &events, "sqlite:log.db", 0);
    folder.run("snapshot before.snapshot --log sqlite:log.db").ended(0);
    let answer = folder.run("step --log sqlite:log.db").ended(0).stdout;
    let all: String = events.iter().map(|event| format!("{event}\n")).chain([answer.clone()]).collect();
    folder.0.write("log.jsonl", &all);
    folder.0.write("capabilities.yaml", MANIFEST);
    folder.0.write("monitor.json", &json!({"keys": {"capgen.kernel": {"k": PUBLIC}}, "monitors": ["ops"]}).to_string());
    for log in ["sqlite:log.db", "log.jsonl"] {
        for command in [
            "append empty.jsonl",
            "fold",
            "find text.summarize",
            "find text.summarize --snapshot before.snapshot",
            "resolve text.summarize --requirement 1.2.0",
            "explain text.summarize --requirement 1.2.0",
            "step --dry-run --signing-key k=seed",
            "snapshot after.snapshot",
            "tail",
            "watch --no-follow",
            "register --capabilities capabilities.yaml --dry-run",
            "monitor --agent ops --once",
            "verify",
        ] {
            folder.0.write("empty.jsonl", &format!("{}\n", event(90, "z", "agent.heartbeat", json!({}))));
            let config = if command.starts_with("monitor") { "monitor.json" } else { "config.json" };
            let run = folder.run(&format!("{command} --log {log} --config {config}")).ended(1);
            assert!(run.stderr.contains(&id_of(&answer)) && run.stdout.is_empty(), "{command} {log}: {run:?}");
            assert!(run.stderr.contains("before the kernel's first event"), "{command} {log}: {run:?}");
        }
    }
    folder.run("step --log sqlite:log.db --config config.json --signing-key k=seed").ended(1);
    // Without the key, nothing is wrong, and the refused commands have changed nothing.
    assert_eq!(folder.run("verify --log sqlite:log.db").ended(0).json()["rows"], events.len() + 1);
}

#[test]
fn ruling_11_an_unsigned_copy_of_an_answer_is_answered_again() {
    let folder = folder();
    append(&folder, &[event(1, "a", "agent.heartbeat", json!({"reason": 1}))], "sqlite:log.db", 0);
    let step = "step --log sqlite:log.db";
    let keyed = format!("{step} --config config.json --signing-key k=seed");
    assert_eq!(folder.run(&keyed).ended(0).stdout.lines().count(), 1);
    append(&folder, &[registered(2, "a", "1.2.0", json!({})), request(3)], "sqlite:log.db", 0);
    // Without the key, the first notice is invalid and not present.
    let unsigned = folder.run(step).ended(0).stdout;
    assert!(unsigned.lines().all(|line| !line.contains("signature\":{")), "{unsigned}");
    let dry = folder.run(&format!("{keyed} --dry-run")).ended(0).stdout;
    let signed = folder.run(&keyed).ended(0).stdout;
    assert_eq!(dry, signed);
    assert!(signed.lines().any(|line| line.contains("capability.invoked")), "{signed}");
    assert!(signed.lines().all(|line| line.contains("\"public_key_id\":\"k\"")), "{signed}");
    assert_eq!(folder.run(&keyed).ended(0).stdout, "");
    assert_eq!(folder.run("verify --log sqlite:log.db --config config.json").ended(0).json()["ok"], true);
}

#[test]
fn ruling_13_a_line_of_more_than_128_levels_has_the_reason_json() {
    let folder = Folder::new();
    let line = |levels: usize| {
        let inner = format!("{}{}", "[".repeat(levels - 2), "]".repeat(levels - 2));
        event(1, "a", "agent.heartbeat", json!({"x": "HERE"})).to_string().replace("\"HERE\"", &inner)
    };
    folder.0.write("events.jsonl", &format!("{}\n{}\n", line(129), line(128)));
    let run = folder.run("append events.jsonl --log sqlite:log.db --import").ended(1);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({"error": {"reason": "json", "paths": []}}));
    assert_eq!(lines[1]["offset"], 0);
}

#[test]
fn ruling_15_a_step_without_the_key_of_the_kernel_is_incorrect_usage() {
    let folder = folder();
    append(&folder, &[event(1, "a", "agent.heartbeat", json!({"reason": 1}))], "sqlite:log.db", 0);
    for command in ["step", "step --dry-run"] {
        let run = folder.run(&format!("{command} --log sqlite:log.db --config config.json")).ended(2);
        assert!(run.stderr.contains("--signing-key") && run.stdout.is_empty(), "{run:?}");
    }
    // Also if there is nothing to emit, and for a log that does not exist.
    for log in ["sqlite:missing.db", "missing.jsonl"] {
        folder.run(&format!("step --dry-run --log {log} --config config.json")).ended(2);
    }
}

#[test]
fn ruling_15_a_dry_run_uses_no_key_that_the_log_would_refuse() {
    let folder = folder();
    append(&folder, &[event(1, "a", "agent.heartbeat", json!({"reason": 1}))], "sqlite:log.db", 0);
    for (key, config) in [("k=other", "--config config.json"), ("z=seed", "--config config.json"), ("k=seed", "")] {
        for command in ["step", "step --dry-run"] {
            let run = folder.run(&format!("{command} --log sqlite:log.db {config} --signing-key {key}")).ended(1);
            assert!(run.stderr.contains("error[E0692]") && run.stdout.is_empty(), "{key}: {run:?}");
        }
    }
}

/// The same for the other command with a dry run.
#[test]
fn a_dry_run_of_a_registration_fails_if_the_log_would_reject_the_events() {
    let folder = folder();
    folder.0.write("capabilities.yaml", MANIFEST);
    folder.0.write("config.json", &json!({"keys": {"atlas": {"k": PUBLIC}}}).to_string());
    let command = "register --capabilities capabilities.yaml --log sqlite:log.db --config config.json";
    for signing in ["", " --signing-key k=other"] {
        let dry = folder.run(&format!("{command} --dry-run{signing}")).ended(1);
        let run = folder.run(&format!("{command}{signing}")).ended(1);
        assert_eq!((&dry.stdout, &dry.stderr), (&run.stdout, &run.stderr));
    }
    assert!(
        folder.run(&format!("{command} --dry-run --signing-key k=seed")).ended(0).stdout.contains("would register")
    );
}

#[test]
fn ruling_15_a_dry_run_prints_exactly_the_events_of_a_step() {
    let folder = folder();
    let mut events = fleet();
    events.extend([request(10), event(11, "caller", "agent.heartbeat", json!({"reason": 1})), request(12)]);
    // The same request twice, a request without a target, and an invalid registration.
    events.push(request(10));
    let missing = json!({"capability_id": "text.none", "requirement": "1.0.0", "input": 1});
    events.push(event(13, "caller", "capability.requested", missing));
    let contract = json!({"capability_id": "text.x", "version": "1.0.0", "input_schema": {"type": "text"}});
    events.push(event(14, "a", "capability.registered", contract));
    for (config, signing) in [("", ""), ("--config config.json", "--signing-key k=seed")] {
        let log = format!("sqlite:log{}.db", config.len());
        append(&folder, &events, &log, 0);
        let mut all = 0;
        loop {
            let dry = folder.run(&format!("step --dry-run --log {log} {config} {signing}").replace("  ", " ")).ended(0);
            let run = folder.run(&format!("step --log {log} {config} {signing}").replace("  ", " ")).ended(0);
            assert_eq!(dry.stdout, run.stdout);
            if run.stdout.is_empty() {
                break;
            }
            all += run.stdout.lines().count();
            // An output that violates the schema, by the target, leads to one more notice later.
            let extra = event(20 + u32::try_from(all).unwrap(), "b", "agent.heartbeat", json!({"reason": all}));
            if all < 6 {
                append(&folder, &[extra], &log, 0);
            }
        }
        assert_eq!(all, 6, "{log}");
    }
    assert_eq!(id(10), "019ab000-0000-7000-8000-000000000010");
}
