//! Ideas that several crates need, each of which has one home.

use crate::architecture::repository::{files, text};
use crate::architecture::{LIBRARIES, code, dependencies, layer, members, name};

/// The lines of code of the crates that users link and of the program, without their tests, which contain `word`: `path:line`.
fn uses(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in files() {
        let in_program = LIBRARIES.iter().chain(&["cli"]).any(|krate| path.starts_with(&format!("{krate}/src/")));
        let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
        if !in_program || is_test || !path.ends_with(".rs") {
            continue;
        }
        let source = text(&path).unwrap();
        found.extend(
            code(&source).iter().filter(|(_, code)| code.contains(word)).map(|(line, _)| format!("{path}:{line}")),
        );
    }
    found
}

/// Checks that only `home` contains `word`, and that it does.
fn only(home: &str, word: &str) {
    let uses = uses(word);
    let elsewhere: Vec<_> = uses.iter().filter(|place| !place.starts_with(&format!("{home}:"))).collect();
    assert!(elsewhere.is_empty(), "only {home} should contain `{word}`: {elsewhere:?}");
    assert!(!uses.is_empty(), "{home} contains no `{word}`");
}

#[test]
fn the_clock_of_the_system_is_read_in_one_place() {
    only("contract/time/src/clock.rs", "SystemTime::now()");
    assert_eq!(uses("SystemTime::now()").len(), 1);
}

#[test]
fn times_are_read_and_written_in_one_place() {
    // Every such text has the minutes after a colon.
    only("contract/time/src/timestamp.rs", "minute:02}");
    for package in members().iter().filter(|package| layer(package["manifest_path"].as_str().unwrap()).is_some()) {
        let all = dependencies(package, &["normal", "build"]);
        let calendar = all.iter().map(name).find(|used| ["chrono", "jiff", "time"].contains(used));
        assert_eq!(calendar, None, "{} should use capgen-time", name(package));
    }
}

#[test]
fn pauses_between_attempts_are_computed_in_one_place() {
    only("contract/time/src/backoff.rs", "1 << doublings");
    for word in ["pause * 2", "delay * 2", "backoff * 2", ".mul_f64("] {
        assert_eq!(uses(word), Vec::<String>::new(), "use `Backoff` of capgen-time instead of `{word}`");
    }
}
