//! Processes that are killed in the middle of appends, that append at once, and that fill the disk: the log verifies,
//! no acknowledged event is missing, and none is duplicated.
//!
//! ```sh
//! CAPGEN_LOG_KILLS=200 cargo test --release -p capgen-registry --test it logs::crashes -- --nocapture
//! ```

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use capgen_registry::log::AppendOptions;

use crate::logs::{FILES, Open, checker, heartbeats, number, records};
use crate::support::START;
use crate::support::random::Random;

/// The variables of a child: the file, its agent, the number of its first event, and how many events it appends.
const VARIABLES: [&str; 4] = ["CAPGEN_LOG_CHILD", "CAPGEN_LOG_AGENT", "CAPGEN_LOG_FIRST", "CAPGEN_LOG_COUNT"];

/// Appends events and writes `ack <number>` for each that is acknowledged, and `failed` if an append fails.
#[test]
#[ignore = "a process that other tests start"]
fn child() {
    let Ok(path) = std::env::var(VARIABLES[0]) else { return };
    let variable = |index: usize| std::env::var(VARIABLES[index]).unwrap();
    let (agent, mut next) = (variable(1), variable(2).parse::<u64>().unwrap());
    let end = next.saturating_add(variable(3).parse().unwrap());
    let mut log = open_of(Path::new(&path))(Path::new(&path), checker()).unwrap();
    let mut random = Random::new(next);
    let mut output = std::io::stdout();
    while next < end {
        let events = heartbeats(&agent, next..end.min(next + 1 + random.bits() % 8));
        let options = AppendOptions { now: START, import: false };
        let Ok(results) = log.append(&events, &options) else {
            return writeln!(output, "\nfailed").unwrap();
        };
        let mut lines = String::from("\n");
        for result in results {
            assert!(result.is_ok());
            lines += &format!("ack {next}\n");
            next += 1;
        }
        output.write_all(lines.as_bytes()).unwrap();
        output.flush().unwrap();
    }
}

fn open_of(path: &Path) -> Open {
    FILES.iter().find(|(ending, _)| path.extension().is_some_and(|found| found == *ending)).unwrap().1
}

/// Starts a child. `limit` is the size of the largest file that it may write, in units of 512 or 1024 bytes.
fn start(path: &Path, agent: &str, first: u64, count: u64, limit: Option<u32>) -> Child {
    let this = std::env::current_exe().unwrap();
    let mut command = match limit {
        Some(limit) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"")]).arg(this);
            shell
        }
        None => Command::new(this),
    };
    let values = [path.to_str().unwrap().to_owned(), agent.to_owned(), first.to_string(), count.to_string()];
    command
        .args(["logs::crashes::child", "--exact", "--ignored", "--nocapture"])
        .envs(VARIABLES.into_iter().zip(values));
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// The acknowledged events of a child, and whether an append failed. With a duration, it is killed that long after the
/// first one.
fn acknowledged(mut child: Child, kill_after: Option<Duration>) -> (Vec<u64>, bool) {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut numbers, mut has_failed, mut is_timed) = (Vec::new(), false, false);
    let shared = Mutex::new(&mut child);
    std::thread::scope(|scope| {
        for line in lines {
            let line = line.unwrap();
            has_failed |= line == "failed";
            numbers.extend(line.strip_prefix("ack ").map(|number| number.parse::<u64>().unwrap()));
            if let (Some(after), false, false) = (kill_after, is_timed, numbers.is_empty()) {
                is_timed = true;
                let shared = &shared;
                scope.spawn(move || {
                    std::thread::sleep(after);
                    shared.lock().unwrap().kill().unwrap();
                });
            }
        }
    });
    child.wait().unwrap();
    (numbers, has_failed)
}

/// How often each event of an agent is in a log, which must verify.
fn stored(path: &Path, agent: &str) -> HashMap<String, usize> {
    let mut log = open_of(path)(path, checker()).unwrap();
    let verification = log.verify(None).unwrap();
    assert!(verification.ok, "{verification:?}");
    let mut counts = HashMap::new();
    for record in records(&mut *log).into_iter().filter(|record| record.event.agent() == Some(agent)) {
        *counts.entry(record.event.id().unwrap().to_string()).or_default() += 1;
    }
    counts
}

fn assert_contains(counts: &HashMap<String, usize>, agent: &str, numbers: impl Iterator<Item = u64>) {
    assert!(counts.values().all(|count| *count == 1), "an event is duplicated");
    for number in numbers {
        let id = heartbeats(agent, number..number + 1)[0].id().unwrap().to_string();
        assert!(counts.contains_key(&id), "event {number} was acknowledged, but is missing");
    }
}

#[test]
fn a_killed_process_loses_nothing_acknowledged() {
    for (ending, _) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        let mut random = Random::new(1);
        let (mut next, mut unacknowledged) = (0, 0);
        let kills = number("CAPGEN_LOG_KILLS", 15);
        for _ in 0..kills {
            // Events that were appended but not acknowledged are appended again.
            let child = start(&path, "a", next, u64::MAX, None);
            let (numbers, has_failed) = acknowledged(child, Some(Duration::from_micros(random.bits() % 40_000)));
            assert!(!has_failed);
            next = numbers.last().map_or(next, |number| number + 1);
            let counts = stored(&path, "a");
            assert_contains(&counts, "a", 0..next);
            unacknowledged += u64::try_from(counts.len()).unwrap() - next;
        }
        println!("{ending}: {kills} kills, {next} acknowledged events, {unacknowledged} appended but not acknowledged");
    }
}

#[test]
fn several_processes_append_at_once() {
    for (ending, _) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        let agents = ["a", "b", "c"];
        let children = agents.map(|agent| start(&path, agent, 0, 100, None));
        for (agent, child) in agents.iter().zip(children) {
            let (numbers, has_failed) = acknowledged(child, None);
            assert_eq!((numbers, has_failed), ((0..100).collect(), false), "{ending}");
            assert_contains(&stored(&path, agent), agent, 0..100);
        }
        let mut log = open_of(&path)(&path, checker()).unwrap();
        assert_eq!(log.verify(None).unwrap().rows, 300);
    }
}

#[test]
#[cfg(unix)]
fn a_full_disk_loses_nothing_acknowledged() {
    for (ending, _) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        let (numbers, has_failed) = acknowledged(start(&path, "a", 0, u64::MAX, Some(200)), None);
        assert!(has_failed && !numbers.is_empty(), "{ending}: {} events", numbers.len());
        let acknowledged = u64::try_from(numbers.len()).unwrap();
        assert_contains(&stored(&path, "a"), "a", 0..acknowledged);
        // There is space again.
        let (numbers, has_failed) = self::acknowledged(start(&path, "a", acknowledged, 10, None), None);
        assert_eq!((numbers.len(), has_failed), (10, false));
        assert_contains(&stored(&path, "a"), "a", 0..acknowledged + 10);
    }
}
