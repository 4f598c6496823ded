//! `capgen registry fold`, `merge` and `find`.

use serde_json::json;

use super::{Folder, event, fleet, id, registered};

#[test]
fn an_empty_log_has_the_empty_state() {
    let run = Folder::with(&[]).run("fold --log events.jsonl").ended(0);
    let empty = "0".repeat(64);
    let expected = format!(
        "{{\"hash\":\"{}\",\"invalid\":[],\"registry_hash\":\"{empty}\",\"state\":{{\"config_hash\":\"{}\",\"deprecations\":[],\
         \"format\":\"capgen.registry.state/1\",\"health\":[],\"outcomes\":[],\"registrations\":[],\"terminals\":[],\"updates\":[]}},\
         \"view\":{{\"health\":{{}},\"invocations\":[],\"registrations\":[],\"requests\":[]}}}}\n",
        run.json()["hash"].as_str().unwrap(),
        run.json()["state"]["config_hash"].as_str().unwrap(),
    );
    assert_eq!(run.stdout, expected);
}

#[test]
fn order_repetition_and_partition_have_no_effect() {
    let events = fleet();
    let folder = Folder::with(&events);
    let whole = folder.run("fold --log events.jsonl").ended(0);
    let shuffled: Vec<_> = events.iter().rev().chain(&events[2..4]).cloned().collect();
    folder.log("shuffled.jsonl", &shuffled);
    assert_eq!(folder.run("fold --log shuffled.jsonl").ended(0).stdout, whole.stdout);
    folder.log("north.jsonl", &events[..5]);
    folder.log("south.jsonl", &events[3..]);
    for side in ["north", "south"] {
        let state = folder.run(&format!("fold --log {side}.jsonl")).ended(0).stdout;
        folder.0.write(&format!("{side}.json"), &state);
    }
    let merged = folder.run("merge south.json north.json south.json").ended(0).json();
    let mut expected = whole.json();
    expected.as_object_mut().unwrap().remove("invalid");
    assert_eq!(merged, expected);
    // The member `state` alone is a state, too, and so is the output of a merge on standard input.
    folder.0.write("state.json", &merged["state"].to_string());
    let again = folder.0.run_with("registry merge state.json -", merged.to_string()).ended(0);
    assert_eq!(again.json(), expected);
}

/// Payloads are deeper in a state than in their events.
#[test]
fn states_of_the_deepest_events_merge() {
    let folder = Folder::new();
    let fold = |levels: usize| {
        let nested = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let event = registered(1, "a", "1.0.0", json!({"x": "NESTED"})).to_string().replace("\"NESTED\"", &nested);
        folder.0.write("events.jsonl", &event);
        folder.run("fold --log events.jsonl").ended(0)
    };
    let state = fold(125);
    assert_eq!(state.stderr, "");
    folder.0.write("state.json", &state.stdout);
    let merged = folder.run("merge state.json").ended(0);
    // `{"hash":"..."`
    assert_eq!(merged.stdout.get(..74), state.stdout.get(..74));
    assert!(fold(126).stderr.contains("warning[W0691]"));
}

#[test]
fn states_of_other_configurations_and_of_the_future_do_not_merge() {
    let folder = Folder::with(&fleet());
    let state = folder.run("fold --log events.jsonl").ended(0).stdout;
    folder.0.write("state.json", &state);
    folder.0.write("config.json", r#"{"monitors": ["m"]}"#);
    let run = folder.run("merge state.json --config config.json").ended(1);
    assert!(run.stderr.contains("error[E0694]") && run.stderr.contains("/config_hash"), "{run:?}");
    // The ids of the fleet are from 2025-11-22.
    let run = folder.run("merge state.json --now 1000").ended(1);
    assert!(run.stderr.contains("/registrations/0/event_id: the id is more than 60 s ahead"), "{run:?}");
    folder.0.write("edited.json", &state.replace("\"value\":false", "\"value\":true"));
    folder.run("merge edited.json").ended(0);
    folder.0.write("edited.json", &state.replace("\"version\":\"1.4.0\"", "\"version\":\"1.4.1\""));
    assert!(folder.run("merge edited.json").ended(1).stderr.contains("error[E0694]"));
}

#[test]
fn snapshots_do_not_merge_because_they_may_be_pruned() {
    let folder = Folder::with(&fleet());
    folder.run("snapshot fleet.snapshot --keep 0 --log events.jsonl").ended(0);
    let run = folder.run("merge fleet.snapshot").ended(1);
    assert!(run.stderr.contains("error[E0694]") && run.stderr.contains("/format"), "{run:?}");
}

#[test]
fn invalid_events_are_listed_and_lines_that_are_not_json_are_skipped_with_a_warning() {
    let folder = Folder::new();
    let mut forged = registered(1, "a", "1.0.0", json!({}));
    forged["payload"]["agent_id"] = json!("b");
    let long = format!("\"{}\"", "x".repeat(16 << 20));
    folder
        .0
        .write("events.jsonl", &format!("{forged}\n\n  \n{{\n{long}\n{}", event(2, "a", "agent.heartbeat", json!({}))));
    let run = folder.run("fold --log events.jsonl").ended(0);
    let fold = run.json();
    assert_eq!(fold["invalid"][0]["event_id"], id(1));
    assert_eq!(
        (&fold["invalid"][0]["reason"], &fold["invalid"][0]["paths"]),
        (&json!("producer"), &json!(["/payload/agent_id"]))
    );
    assert_eq!(fold["view"]["health"], json!({"a": {"event_id": id(2), "healthy": true}}));
    let lines: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("warning[W0691]")).collect();
    assert!(lines.len() == 2 && lines[0].contains("line 4: ") && lines[1].contains("line 5: "), "{lines:?}");
}

#[test]
fn warnings_about_many_lines_are_few() {
    let folder = Folder::new();
    folder.0.write("events.jsonl", &"{\n".repeat(22));
    let run = folder.run("fold --log events.jsonl").ended(0);
    assert_eq!(run.stderr.matches("warning[W0691]").count(), 20);
    assert!(run.stderr.ends_with("`events.jsonl`: 2 more lines are skipped\n"), "{run:?}");
}

#[test]
fn queries_list_rows_in_order() {
    let folder = Folder::with(&fleet());
    let agents = |arguments: &str| -> Vec<String> {
        let results = folder.run(&format!("find {arguments} --log events.jsonl")).ended(0).json();
        let rows = results["results"].as_array().unwrap().clone();
        rows.iter().map(|row| row["agent"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(agents("text.summarize"), ["e", "f", "b", "c", "a", "d"]);
    assert_eq!(agents("text.summarize --range 1.2.0"), ["a", "d"]);
    assert_eq!(agents("text.summarize --range >=1.3.0"), ["e", "f", "b", "c"]);
    assert_eq!(agents("--tag text"), ["a"]);
    assert_eq!(agents("--determinism deterministic"), ["a"]);
    assert_eq!(agents("--tag other"), [""; 0]);
    let row = &folder.run("find --tag text --log events.jsonl").ended(0).json()["results"][0];
    let expected = json!({
        "agent": "a", "capability": "text.summarize", "version": "1.2.0", "event_id": id(1),
        "contract_hash": row["contract_hash"], "conflicts": [], "deprecated": null, "healthy": true, "priority": 1, "weight": 1,
        "tags": ["text"], "latency_class": null, "side_effects": null, "determinism_class": "deterministic",
        "required_roles": [], "required_scopes": [],
    });
    assert_eq!(*row, expected);
}

/// Machine output is canonical to the byte, also if a terminal would act on it.
#[test]
fn output_that_is_not_a_terminal_is_canonical() {
    let folder = Folder::with(&[registered(1, "a\u{9b}\u{202e}\u{1b}", "1.0.0", json!({"weight": 1e21}))]);
    let run = folder.run("find text.summarize --log events.jsonl").ended(0);
    assert!(
        run.stdout.contains("\"agent\":\"a\u{9b}\u{202e}\\u001b\",") && run.stdout.contains("\"weight\":1e+21"),
        "{run:?}"
    );
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_ends_a_run_quietly() {
    use std::process::{Command, Stdio};
    let folder = Folder::with(&fleet());
    let capgen = env!("CARGO_BIN_EXE_capgen");
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" registry fold --log events.jsonl | true", capgen]);
    let output = shell.current_dir(folder.0.path("")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
