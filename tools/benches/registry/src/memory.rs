//! The peak of the memory, and the time, of a fold, a merge, and resolutions without and with a snapshot. Each runs in
//! a process of its own, and does the work of the command of that name.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use capgen_registry::log::{JsonlReader, Log};
use capgen_registry::{Access, Checker, Configuration, Fold, FoldReport, Registry, Requirement, Restored};

use crate::{events, timed};

const SIZES: [u64; 3] = [10_000, 100_000, 200_000];

pub fn run() {
    println!("Bytes of memory for each registration, above those of the process without a log, and seconds.\n");
    println!(
        "| contracts | registrations | fold | merge | resolve | resolve with a snapshot |\n|---|---|---|---|---|---|"
    );
    for is_distinct in [false, true] {
        for registrations in SIZES {
            line(is_distinct, registrations);
        }
    }
}

fn line(is_distinct: bool, registrations: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut log = BufWriter::new(File::create(path("log.jsonl")).unwrap());
    for n in 0..registrations {
        let event = if is_distinct { events::distinct_registration(n) } else { events::registration(n) };
        writeln!(log, "{event}").unwrap();
    }
    log.into_inner().unwrap();
    let base = measured(&["nothing"]).0;
    let child = |arguments: &[&str]| {
        let (peak, seconds) = measured(arguments);
        format!("{}, {seconds:.2} s", peak.saturating_sub(base) / registrations)
    };
    let (log, state, snapshot) = (path("log.jsonl"), path("state.json"), path("snapshot"));
    let fold = child(&["fold", &log, &state]);
    let merge = child(&["merge", &state, &path("merged.json")]);
    let resolve = child(&["resolve", &log]);
    measured(&["snapshot", &log, &snapshot]);
    let short = child(&["resolve", &log, &snapshot]);
    let contracts = if is_distinct { "one each" } else { "a hundred share one" };
    println!("| {contracts} | {registrations} | {fold} | {merge} | {resolve} | {short} |");
}

/// The peak of the memory of a process in bytes, and its seconds.
fn measured(arguments: &[&str]) -> (u64, f64) {
    let output = Command::new(std::env::current_exe().unwrap()).arg("child").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let (peak, seconds) = text.trim().split_once(' ').unwrap();
    (peak.parse().unwrap(), seconds.parse().unwrap())
}

/// The work of a process.
pub fn child(arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ((), duration) = timed(|| match *arguments {
        ["fold", log, out] => fold(Path::new(log), Path::new(out)),
        ["merge", state, out] => {
            let mut registry = Registry::new(Arc::default());
            registry.read_state(BufReader::new(File::open(state).unwrap()), None).unwrap();
            write(&FoldReport::of(&mut registry), Path::new(out));
        }
        ["resolve", log] => resolve(start(log, None).1),
        ["resolve", log, snapshot] => resolve(start(log, Some(snapshot)).1),
        ["snapshot", log, out] => {
            let (mut log, mut restored) = start(log, None);
            std::fs::write(out, restored.snapshot(&mut log).unwrap().to_json()).unwrap();
        }
        _ => {}
    });
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    println!("{} {}", peak << 10, duration.as_secs_f64());
}

fn checker() -> Arc<Checker> {
    Arc::new(Checker::new(Configuration::default().into()))
}

fn fold(log: &Path, out: &Path) {
    let mut log = JsonlReader::open(log, checker()).unwrap();
    let mut fold = Fold::new(Arc::default());
    let mut after = 0;
    loop {
        let records = log.read(after, 1000).unwrap();
        let Some(last) = records.last() else { break };
        after = last.sequence;
        records.iter().for_each(|record| fold.event(&record.event));
    }
    write(&fold.report(), out);
}

fn write(report: &FoldReport<'_>, out: &Path) {
    let mut out = BufWriter::new(File::create(out).unwrap());
    report.parts().for_each(|part| out.write_all(part.as_bytes()).unwrap());
    out.flush().unwrap();
}

fn start(log: &str, snapshot: Option<&str>) -> (JsonlReader, Restored) {
    let mut log = JsonlReader::open(Path::new(log), checker()).unwrap();
    let (restored, dropped) = match snapshot {
        Some(snapshot) => {
            Restored::start_from(&mut log, BufReader::new(File::open(snapshot).unwrap()), checker()).unwrap()
        }
        None => Restored::start(&mut log, None, checker()).unwrap(),
    };
    assert_eq!(dropped, None);
    (log, restored)
}

fn resolve(mut restored: Restored) {
    let requirement: Requirement = "1.0.0".parse().unwrap();
    let view = restored.registry().view();
    assert!(view.resolve(&events::capability(7), &requirement, &Access::default()).is_ok());
}
