//! After each of many changes, a watching process reports and writes the same as a new one.

use std::collections::BTreeMap;
use std::fs;

use capgen_testkit::Random;

use crate::common::{Fleet, REVIEWER, Run, loose};
use crate::watch::replace;
use crate::watch::watching::Watching;

const STEPS: usize = 60;

/// The agents that join, change, leave and get errors. `base` stays valid, because a fleet without agents is an error
/// of its own.
const AGENTS: [&str; 5] = ["a", "A", "b", "pr-reviewer", "base"];

fn manifest(id: &str) -> String {
    format!("agents/{id}/capabilities.yaml")
}

fn valid(id: &str, version: usize) -> String {
    match id {
        "pr-reviewer" => REVIEWER.replace("summary", &format!("summary{version}")),
        id => loose(id).replace("ping", &format!("ping-{version}")),
    }
}

/// Makes one change, by one system call as far as the watching processes see it.
fn change(fleet: &Fleet, random: &mut Random, step: usize) {
    let id = random.pick(&AGENTS[..4]);
    let folder = fleet.path(&format!("agents/{id}"));
    let exists = folder.exists();
    match random.below(9) {
        0 | 1 if exists => replace(fleet, &manifest(id), &valid(id, step)),
        2 if exists => {
            let text = valid(id, step);
            let errors = [
                text.replace("version: 1", "version: 9"),
                text.replace("agent://", "agent://x-"),
                text.split_at(text.len() / 2).0.to_owned(),
                "\u{feff}".to_owned(),
                format!("{text}widget: 1\n"),
            ];
            replace(fleet, &manifest(id), errors.get(random.below(errors.len())).unwrap());
        }
        // The same text again.
        3 if exists => replace(fleet, &manifest(id), &fleet.read(&manifest(id))),
        4 if exists => fs::rename(folder, fleet.path(&format!("left-{step}"))).unwrap(),
        5 if exists => {
            let target = fleet.path(&format!("agents/{}", random.pick(&AGENTS[..4])));
            if !target.exists() {
                fs::rename(folder, target).unwrap();
            }
        }
        0..=5 => {
            fleet.write(&format!("joining-{step}/capabilities.yaml"), &valid(id, step));
            fs::rename(fleet.path(&format!("joining-{step}")), folder).unwrap();
        }
        6 => {
            let fleets = [
                "agents: []\n",
                "agents: []\ngenerate: { calls: true }\n",
                "agents: [{ id: b, path: agents/a }]\n",
                "agents: [{ id: listed, path: missing }]\n",
                "agents: {}\n",
            ];
            replace(fleet, "fleet.yaml", random.pick(&fleets));
        }
        7 => {
            fleet.run("lock");
        }
        _ => {
            // A lock that misses what changed since, or one with an error.
            let text = fs::read_to_string(fleet.path("capgen.lock")).unwrap_or_default();
            let text = if random.below(3) == 0 { "widget: 1\n".to_owned() } else { format!("{text}# {step}\n") };
            replace(fleet, "capgen.lock", &text);
        }
    }
}

/// The findings of a run, and the number of contracts with their errors if the command prints it.
fn findings(run: &Run) -> (Vec<String>, Option<String>) {
    let lines = run.stderr.replace("fresh/", "generated/");
    let is_file = |line: &&str| line.starts_with("✓ wrote ") || line.starts_with("  unchanged ");
    let mut lines: Vec<String> = lines.lines().filter(|line| !is_file(line)).map(str::to_owned).collect();
    let summary = lines.pop_if(|line| line.trim_start_matches("✓ ").starts_with("checked "));
    (lines, summary.map(|line| line.trim_start_matches("✓ ").to_owned()))
}

fn files(fleet: &Fleet, folder: &str) -> BTreeMap<String, String> {
    fleet.names(folder).into_iter().map(|name| (name.clone(), fleet.read(&format!("{folder}/{name}")))).collect()
}

/// Waits until a line about a change follows these findings, and `is_current` holds.
fn wait(watching: &Watching, (findings, summary): &(Vec<String>, Option<String>), is_current: impl Fn() -> bool) {
    loop {
        let mut lines = watching.until_any(&[" written, ", ": checked ", ": 1 error, ", " errors, "]);
        let last = lines.pop().unwrap();
        if lines == *findings && summary.as_ref().is_none_or(|summary| last.ends_with(summary)) && is_current() {
            return;
        }
    }
}

#[test]
fn after_each_change_the_result_is_that_of_a_new_run() {
    let fleet = Fleet::new(&AGENTS);
    fs::remove_dir_all(fleet.path("agents/A")).unwrap();
    let generate = Watching::start(&fleet, "gen --all --watch");
    let check = Watching::start(&fleet, "check --watch");
    let mut random = Random::new(16);
    for step in 0..STEPS {
        // The new process starts from the same files.
        files(&fleet, "generated").iter().for_each(|(name, text)| fleet.write(&format!("fresh/{name}"), text));
        change(&fleet, &mut random, step);
        // Some changes have no effect on the fleet, and no line. This one has.
        replace(&fleet, &manifest("base"), &fleet.read(&manifest("base")));
        let fresh = fleet.run("gen --all --out fresh");
        wait(&generate, &findings(&fresh), || files(&fleet, "generated") == files(&fleet, "fresh"));
        wait(&check, &findings(&fleet.run("check")), || true);
    }
}
