//! `capgen dci record`.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::Fleet;

const STATE: &str = ".dci/state/reliability.v1.json";

fn state(fleet: &Fleet) -> Value {
    serde_json::from_str(&fleet.read(STATE)).unwrap()
}

#[test]
fn outcomes_are_recorded_with_their_time() {
    let fleet = Fleet::new(&[]);
    let run = fleet.run("dci record a::skills/a --success --now 2026-11-23T10:00:00Z").ended(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "✓ `a::skills/a`: 1 of the last 1 use succeeded\n"));
    fleet.run("dci record a::skills/a --failure --now 2026-11-24T10:00:00+01:00").ended(0);
    let expected = r#"{
  "candidates": {
    "a::skills/a": {
      "last_used_at": "2026-11-24T10:00:00+01:00",
      "outcomes_last_20": [
        1,
        0
      ],
      "sample_size": 2,
      "success_rate_last_20": 0.5
    }
  },
  "schema_version": "1",
  "updated_at": "2026-11-24T10:00:00+01:00"
}
"#;
    assert_eq!(fleet.read(STATE), expected);
    // The current time.
    fleet.run("dci record b::. --success").ended(0);
    assert!(state(&fleet)["updated_at"].as_str().unwrap() > "2026");
}

#[test]
fn the_state_is_that_of_the_repository_of_the_workspace() {
    let fleet = Fleet::new(&[]);
    fleet.write("repository/.git/HEAD", "");
    fleet.write("repository/inner/file", "");
    fleet.run("dci record a::b --success --workspace repository/inner").ended(0);
    assert_eq!(fleet.names("repository/.dci/state"), ["reliability.lock", "reliability.v1.json"]);
    let run = fleet.run("dci record a::b --success --workspace missing").ended(1);
    assert!(run.stderr.contains("error[E0841]"), "{}", run.stderr);
}

#[test]
fn invalid_arguments_record_nothing() {
    let fleet = Fleet::new(&[]);
    for arguments in ["a::b", "a::b --success --failure", "--success", "a::b --success --now tomorrow"] {
        fleet.run(&format!("dci record {arguments}")).ended(2);
    }
    for candidate in ["a", "a:b", "::b"] {
        let run = fleet.run(&format!("dci record {candidate} --success")).ended(1);
        assert!(run.stderr.contains("error[E0840]"), "{}", run.stderr);
    }
    assert_eq!(fleet.names(".dci"), [""; 0]);
}

#[test]
fn an_invalid_state_is_shown_and_not_replaced() {
    let fleet = Fleet::new(&[]);
    fleet.run("dci record a::b --success").ended(0);
    let text = fleet.read(STATE).replace("\"sample_size\": 1", "\"sample_size\": 21");
    fleet.write(STATE, &text);
    let run = fleet.run("dci record a::b --success").ended(1);
    assert!(run.stderr.contains("error[E0839]: `sample_size` must be an integer from 0 to 20"), "{}", run.stderr);
    assert!(run.stderr.contains(&format!("{STATE}:8:")), "{}", run.stderr);
    assert_eq!(fleet.read(STATE), text);
}

/// Starts a run that records an outcome.
fn start(fleet: &Fleet, candidate: &str) -> Child {
    let mut child = fleet.command(&format!("dci record {candidate} --success")).spawn().unwrap();
    drop(child.stdin.take());
    child
}

#[test]
fn runs_at_the_same_time_lose_nothing() {
    let fleet = Fleet::new(&[]);
    let names: Vec<String> = (0..50).map(|index| format!("s{}::a", index.max(14))).collect();
    let children: Vec<Child> = names.iter().map(|name| start(&fleet, name)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let state = state(&fleet);
    assert_eq!(state["candidates"].as_object().unwrap().len(), 36);
    assert_eq!(state["candidates"]["s14::a"]["sample_size"], 15);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_leaves_the_old_or_the_new_state() {
    let fleet = Fleet::new(&[]);
    let (mut recorded, mut killed) = (Vec::new(), 0);
    for round in 0..60 {
        let name = format!("s{round}::a");
        let mut child = start(&fleet, &name);
        std::thread::sleep(std::time::Duration::from_micros(round * 200));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            recorded.push(name);
        } else {
            killed += 1;
        }
        if fleet.path(STATE).exists() {
            let state = state(&fleet);
            let lost: Vec<_> = recorded.iter().filter(|name| state["candidates"][name.as_str()].is_null()).collect();
            assert_eq!(lost, [""; 0], "round {round}");
        }
    }
    assert!(killed > 0, "no run was killed in time");
    // A lock of a killed process is not held, and its temporary files are removed.
    fleet.run("dci record last::a --success").ended(0);
    assert_eq!(fleet.names(".dci/state"), ["reliability.lock", "reliability.v1.json"]);
}

/// Runs a shell script in the folder of the fleet, in which `$capgen` is the program.
#[cfg(unix)]
fn shell(fleet: &Fleet, script: &str) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(fleet.path("")).env("capgen", env!("CARGO_BIN_EXE_capgen"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn if_the_state_cannot_be_written_the_old_one_remains() {
    let fleet = Fleet::new(&[]);
    fleet.run("dci record a::b --success").ended(0);
    let old = fleet.read(STATE);
    // No file may grow, as on a full disk.
    let record = "\"$capgen\" dci record a::b --failure";
    let (status, stderr) = shell(&fleet, &format!("trap '' XFSZ; ulimit -f 0; exec {record}"));
    assert!(status == Some(1) && stderr.contains("error[E0841]"), "{status:?} {stderr}");
    assert_eq!(fleet.read(STATE), old);
    // `root` may write to any folder.
    let (status, _) = shell(&fleet, "chmod 0555 .dci/state; touch .dci/state/x 2>/dev/null");
    if status != Some(0) {
        let (status, stderr) = shell(&fleet, record);
        assert!(status == Some(1) && stderr.contains("error[E0841]"), "{status:?} {stderr}");
        assert_eq!(fleet.read(STATE), old);
    }
    shell(&fleet, "chmod 0755 .dci/state; rm -f .dci/state/x");
    assert_eq!(fleet.names(".dci/state"), ["reliability.lock", "reliability.v1.json"]);
}
