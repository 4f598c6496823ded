//! The time from bytes to a validated, typed value. Every round runs every way, so that other load affects all of them.
//!
//! `cargo run --release -p validation [rounds]`

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use bare::{calibrate, nanoseconds};
use validation::{Subject, WAYS, subjects};

/// The duration of one way in one round.
const BATCH: Duration = Duration::from_millis(4);

/// The minimum times, in nanoseconds.
struct Times {
    ways: [f64; WAYS.len()],
    /// The first of [`WAYS`], in a program with only the default features of serde_json.
    alone: f64,
}

fn main() -> io::Result<()> {
    let rounds: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(30);
    let bare = build_bare()?;
    let subjects = subjects();
    let runs = subjects.each_ref().map(calibrated);
    let mut least: Vec<Times> =
        subjects.iter().map(|_| Times { ways: [f64::INFINITY; WAYS.len()], alone: f64::INFINITY }).collect();
    for round in 0..rounds {
        for ((subject, runs), times) in subjects.iter().zip(&runs).zip(&mut least) {
            for i in 0..WAYS.len() {
                // Each round starts with another way.
                let way = (i + round) % WAYS.len();
                let time = nanoseconds(runs[way], || subject.runs[way](subject.case.payload));
                times.ways[way] = times.ways[way].min(time);
            }
        }
        for (time, times) in alone(&bare)?.into_iter().zip(&mut least) {
            times.alone = times.alone.min(time);
        }
    }
    print(&subjects, &least, rounds);
    Ok(())
}

/// The number of runs in a batch, for each way. Every way must accept the payload.
fn calibrated(subject: &Subject) -> [u32; WAYS.len()] {
    std::array::from_fn(|way| {
        let run = || subject.runs[way](subject.case.payload);
        assert!(run(), "{}: {}", subject.case.name, WAYS[way]);
        calibrate(BATCH, run)
    })
}

/// The program `bare`. It is built alone, because cargo unifies the features of serde_json over all packages of a
/// command.
fn build_bare() -> io::Result<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args(["build", "-q", "--release", "-p", "bare"]);
    if !cargo.status()?.success() {
        return Err(io::Error::other("`bare` does not build"));
    }
    Ok(std::env::current_exe()?.with_file_name("bare"))
}

fn alone(bare: &PathBuf) -> io::Result<Vec<f64>> {
    let output = Command::new(bare).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.parse().ok()).collect())
}

fn print(subjects: &[Subject], least: &[Times], rounds: usize) {
    println!("Microseconds, the least of {rounds} rounds:\n");
    let cells = |cell: &dyn Fn(&Times) -> f64| least.iter().map(cell).collect::<Vec<f64>>();
    let head: String = subjects.iter().map(|subject| format!(" {} |", subject.case.name)).collect();
    println!("| |{head}\n|---|{}", "---|".repeat(subjects.len()));
    row("bare, built without features", &cells(&|times| times.alone / 1000.0), "");
    for (way, name) in WAYS.iter().enumerate() {
        row(name, &cells(&|times| times.ways[way] / 1000.0), "");
    }
    println!("\n| ratio |{head} geometric mean |\n|---|{}", "---|".repeat(subjects.len() + 1));
    let ratio = |name: &str, cell: &dyn Fn(&Times) -> f64| {
        let cells = cells(cell);
        row(name, &cells, &format!(" {:.2} |", geometric_mean(&cells)));
    };
    ratio("bare with features / without", &|times| times.ways[0] / times.alone);
    ratio("capgen / bare without features", &|times| times.ways[1] / times.alone);
    for (way, name) in WAYS.iter().enumerate() {
        match way {
            0 => {}
            1 => ratio("capgen / bare", &|times| times.ways[1] / times.ways[0]),
            _ => ratio(&format!("{name} / capgen"), &|times| times.ways[way] / times.ways[1]),
        }
    }
}

fn row(name: &str, cells: &[f64], end: &str) {
    let cells: String = cells.iter().map(|cell| format!(" {cell:.2} |")).collect();
    println!("| {name} |{cells}{end}");
}

fn geometric_mean(of: &[f64]) -> f64 {
    (of.iter().map(|x| x.ln()).sum::<f64>() / of.len() as f64).exp()
}
