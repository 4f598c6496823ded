//! Probes run programs: their environment, and how they end.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use capgen_dci::files::Programs;
use capgen_dci::{Declared, Probe, ProbeRunner, Skill, Source};
use tempfile::TempDir;

fn skill(folder: &Path) -> Skill {
    Skill {
        name: "a b".to_owned(),
        description: "c".to_owned(),
        path: "skills/a".to_owned(),
        compatibility: Declared::Absent,
        contract: Declared::Absent,
        capabilities: Declared::Absent,
        source: Source::WorkspaceLocal,
        folder: folder.to_owned(),
        file: folder.join("SKILL.md"),
        boundary: folder.to_owned(),
    }
}

fn probe(command: &[&str], timeout_ms: u64) -> Probe {
    Probe { command: command.iter().map(|part| (*part).to_owned()).collect(), timeout_ms }
}

fn passes(command: &[&str], folder: &Path) -> bool {
    let mut programs = Programs::default();
    let passes = programs.passes(&probe(command, 60_000), &skill(folder));
    assert_eq!(programs.warnings, []);
    passes
}

#[test]
fn only_the_status_0_passes() {
    let folder = TempDir::new().unwrap();
    assert!(passes(&["true"], folder.path()));
    for command in [&["false"][..], &["sh", "-c", "exit 2"], &["sh", "-c", "kill -9 $$"]] {
        assert!(!passes(command, folder.path()), "{command:?}");
    }
}

#[test]
fn a_probe_runs_in_the_folder_of_the_skill_without_a_shell_and_without_input() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("probe");
    let checks = "#!/bin/sh\n[ \"$DCI_CANDIDATE\" = 'a b::skills/a' ] && [ \"$1\" = '$(touch x); *' ] && [ -f probe ] && ! read -r line\n";
    fs::write(&script, checks).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(passes(&["./probe", "$(touch x); *"], folder.path()));
    assert!(!folder.path().join("x").exists());
}

#[test]
fn the_output_of_a_probe_is_discarded() {
    let folder = TempDir::new().unwrap();
    assert!(passes(&["sh", "-c", "head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2"], folder.path()));
}

#[test]
fn a_program_that_cannot_be_started_fails_with_a_warning() {
    let folder = TempDir::new().unwrap();
    let mut programs = Programs::default();
    for command in [&["./missing"][..], &[], &["."]] {
        assert!(!programs.passes(&probe(command, 1000), &skill(folder.path())));
    }
    assert!(!programs.passes(&probe(&["true"], 1000), &skill(&folder.path().join("missing"))));
    let warnings: Vec<_> = programs.warnings.iter().map(|one| (one.code.as_str(), one.subject.as_str())).collect();
    assert_eq!(warnings, [("W0836", "a b::skills/a"); 4]);
}

/// Whether a process runs. One that has ended may wait for its parent.
#[cfg(target_os = "linux")]
fn runs(process: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_of_a_probe_remains() {
    for (end, expected) in [("exit 0", true), ("wait", false), ("trap '' TERM INT; while :; do sleep 1; done", false)] {
        let folder = TempDir::new().unwrap();
        let script = format!("sleep 1000 & echo $! > started; mv started child; {end}");
        let mut programs = Programs::default();
        let timeout = if expected { 60_000 } else { 1000 };
        assert_eq!(programs.passes(&probe(&["sh", "-c", &script], timeout), &skill(folder.path())), expected, "{end}");
        let child = fs::read_to_string(folder.path().join("child")).unwrap();
        // A signal takes effect a little later.
        while runs(child.trim()) {
            std::thread::yield_now();
        }
    }
}
