//! The cost of contracts that grow: no contract makes `capgen` abort, and the output grows as the contract does.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod shapes;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use shapes::{SHAPES, Shape, contract};

/// The cost of one command.
struct Cost {
    status: ExitStatus,
    time: Duration,
    /// The most memory that it used, in KiB, as far as it was observed; 0 on systems without `/proc`.
    memory: u64,
}

fn run(folder: &Path, arguments: &[&str]) -> Cost {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capgen"));
    command.current_dir(folder).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut memory = 0;
    loop {
        memory = memory.max(peak(&child));
        if let Some(status) = child.try_wait().unwrap() {
            return Cost { status, time: start.elapsed(), memory };
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The peak of the memory of a process so far, in KiB.
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

/// The costs of `check` and `gen`, and the size of the contract and of all generated files, in bytes.
struct Measurement {
    input: u64,
    check: Cost,
    generate: Cost,
    output: u64,
}

fn measure(shape: &Shape, n: usize) -> Measurement {
    let folder = tempfile::tempdir().unwrap();
    let text = contract(&(shape.schema)(n));
    fs::write(folder.path().join("c.json"), &text).unwrap();
    let check = run(folder.path(), &["check", "c.json"]);
    let languages = "rust,typescript,javascript";
    let generate = run(folder.path(), &["gen", "--capabilities", "c.json", "--lang", languages, "--out", "out"]);
    let files = fs::read_dir(folder.path().join("out")).into_iter().flatten();
    let output = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    Measurement { input: text.len() as u64, check, generate, output }
}

#[test]
fn no_contract_aborts_and_output_grows_as_the_contract_does() {
    for shape in SHAPES {
        let [small, large] = [250, 1_000].map(|n| measure(shape, n));
        for (measured, n) in [(&small, 250), (&large, 1_000)] {
            // A contract may be rejected, for example because its patterns cost too much.
            let ends = |cost: &Cost| matches!(cost.status.code(), Some(0 | 1));
            assert!(ends(&measured.check), "check: {}, {n}: {}", shape.name, measured.check.status);
            assert!(ends(&measured.generate), "gen: {}, {n}: {}", shape.name, measured.generate.status);
            assert_eq!(measured.check.status.code(), measured.generate.status.code(), "{}", shape.name);
        }
        // Numbers in names become longer too.
        let (input, output) = (large.input - small.input, large.output.saturating_sub(small.output));
        let factor = small.output.div_ceil(small.input).max(1);
        assert!(2 * output <= 3 * input * factor, "{}: {} to {} bytes", shape.name, small.output, large.output);
    }
}

/// Prints the table of `benches/README.md`.
#[test]
#[ignore = "measures; run it with --release"]
fn print_the_growth_table() {
    println!("| shape | n | contract, kB | `check`, s | `check`, MB | `gen`, s | `gen`, MB | output, kB |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for shape in SHAPES {
        for n in [1_000, 2_000, 4_000] {
            let Measurement { input, check, generate, output } = measure(shape, n);
            println!(
                "| {} | {n} | {} | {:.2} | {} | {:.2} | {} | {} |",
                shape.name,
                input / 1_000,
                check.time.as_secs_f64(),
                check.memory / 1_000,
                generate.time.as_secs_f64(),
                generate.memory / 1_000,
                output / 1_000,
            );
        }
    }
}
