//! `capgen registry`.
#![cfg(feature = "registry")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod fold;
#[cfg(unix)]
mod guide;
mod live;
mod logs;
mod resolve;
mod rulings;
#[cfg(unix)]
use crate::common::guide as shown;
mod step;

use crate::common::{Fleet, Run};
use serde_json::{Value, json};

/// A folder in which the binary runs.
struct Folder(Fleet);

impl Folder {
    fn new() -> Self {
        Self(Fleet::new(&[]))
    }

    /// A folder with the log `events.jsonl`.
    fn with(events: &[Value]) -> Self {
        let folder = Self::new();
        folder.log("events.jsonl", events);
        folder
    }

    fn log(&self, name: &str, events: &[Value]) {
        self.0.write(name, &events.iter().map(|event| format!("{event}\n")).collect::<String>());
    }

    /// Runs `capgen registry` with arguments that contain no spaces.
    fn run(&self, arguments: &str) -> Run {
        self.0.run(&format!("registry {arguments}"))
    }
}

/// The id of the event with this number.
fn id(number: u32) -> String {
    format!("019ab000-0000-7000-8000-{number:012}")
}

/// An event with this number.
fn event(number: u32, agent: &str, kind: &str, payload: Value) -> Value {
    json!({
        "spec_version": "1.0", "event_id": id(number), "event_type": kind, "event_version": "1.0.0",
        "timestamp": "2026-11-23T10:00:00.000Z",
        "producer": {"agent_id": agent, "agent_type": "llm", "runtime_id": "r", "instance_id": "i"},
        "trace": {"trace_id": "t", "span_id": "s", "depth": 0}, "payload": payload, "metadata": {},
    })
}

fn registered(number: u32, agent: &str, version: &str, metadata: Value) -> Value {
    let payload = json!({"capability_id": "text.summarize", "version": version, "metadata": metadata});
    event(number, agent, "capability.registered", payload)
}

/// Agents that offer `text.summarize`: one has a high priority but is unhealthy, one needs a role, one is deprecated,
/// and `b` is best.
fn fleet() -> Vec<Value> {
    vec![
        registered(1, "a", "1.2.0", json!({"priority": 1, "tags": ["text"], "determinism_class": "deterministic"})),
        registered(2, "b", "1.4.0", json!({"priority": 5})),
        registered(3, "c", "1.3.0", json!({"priority": 9})),
        registered(4, "d", "1.2.0", json!({"priority": 9, "required_roles": ["admin"]})),
        registered(5, "e", "2.0.0", json!({})),
        registered(6, "f", "1.9.0", json!({"priority": 9})),
        event(7, "c", "agent.unavailable", json!({})),
        event(8, "f", "capability.deprecated", json!({"capability_id": "text.summarize", "reason": "use b"})),
    ]
}

#[test]
fn every_help_page_has_examples() {
    for subcommand in commands() {
        let run = Folder::new().run(&format!("{subcommand} --help")).ended(0);
        assert!(run.stdout.contains("Examples:\n  ") && run.stdout.contains("  capgen registry "), "{run:?}");
    }
    Folder::new().run("--help").ended(0);
}

/// The subcommands that the help lists.
fn commands() -> Vec<String> {
    let help = Folder::new().run("--help").ended(0).stdout;
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
        line.strip_prefix("  ").filter(|line| !line.starts_with(' ')).and_then(|line| line.split_whitespace().next())
    });
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_subcommand_has_a_section_in_the_documentation_and_is_completed() {
    let names = commands();
    assert!(names.contains(&"fold".to_owned()) && names.contains(&"explain".to_owned()), "{names:?}");
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cli-registry.md")).unwrap();
    let script = Fleet::new(&[]).run("completions fish").ended(0).stdout;
    for name in names {
        assert!(
            page.contains(&format!("\n## `capgen registry {name}`\n")),
            "docs/cli-registry.md has no section about `{name}`"
        );
        assert!(script.contains(&format!("-a \"{name}\"")), "the completions lack `{name}`");
    }
}

#[test]
fn incorrect_usage_exits_with_2() {
    let folder = Folder::with(&fleet());
    for (arguments, hint) in [
        ("", "Usage"),
        ("examine", "unrecognized subcommand"),
        ("fold", "--log <LOG>"),
        ("fold --log registry.db", "sqlite:FILE"),
        ("fold --log sqlite:", "sqlite:FILE"),
        ("merge", "<STATE>"),
        ("find --log events.jsonl", "ID"),
        ("find a.b --tag x --log events.jsonl", "cannot be used with"),
        ("find --tag x --range 1.0.0 --log events.jsonl", "cannot be used with"),
        ("find a.b --range ^1.0 --log events.jsonl", "expected a version"),
        ("find --determinism perhaps --log events.jsonl", "nondeterministic"),
        ("resolve a.b --log events.jsonl", "--requirement <REQUIREMENT>"),
        ("resolve a.b --requirement 1 --log events.jsonl", "expected a version"),
        ("step --log events.jsonl", "--dry-run"),
    ] {
        let run = folder.run(arguments).ended(2);
        assert!(run.stderr.contains(hint) && run.stdout.is_empty(), "{arguments}: {run:?}");
    }
}

#[test]
fn files_that_cannot_be_used_exit_with_1_and_are_named() {
    let folder = Folder::with(&fleet());
    folder.0.write("list.json", "[]");
    folder.0.write("config.json", r#"{"monitor": [], "keys": {"a": {"k": "x"}}, "quota": -1}"#);
    for (arguments, parts) in [
        ("fold --log none.jsonl", &["error[E0691]", "none.jsonl"][..]),
        ("fold --log .jsonl", &["error[E0691]"]),
        ("fold --log events.jsonl --config none.json", &["error[E0691]", "none.json"]),
        (
            "fold --log events.jsonl --config config.json",
            &["error[E0692]", "config.json", "/monitor: unknown", "/keys/a/k: expected an Ed25519", "/quota: expected"],
        ),
        ("fold --log events.jsonl --config list.json", &["error[E0692]", "expected an object"]),
        ("merge none.json", &["error[E0691]", "none.json"]),
        ("merge list.json", &["error[E0694]", "list.json", "/format"]),
        ("merge events.jsonl", &["error[E0694]", "not JSON"]),
    ] {
        let run = folder.run(arguments).ended(1);
        assert!(parts.iter().all(|part| run.stderr.contains(part)) && run.stdout.is_empty(), "{arguments}: {run:?}");
    }
}
