//! The cost of contracts that grow: no contract makes `capgen` abort, and the output grows as the contract does.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod shapes;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use shapes::{SHAPES, Shape, contract};

/// The cost of one command.
struct Cost {
    status: ExitStatus,
    time: Duration,
    /// The most memory that it used, in KiB; 0 without [`TIME`].
    memory: u64,
}

/// GNU time, which measures the memory of a command. On other systems, a program of this path has other options.
const TIME: &str = "/usr/bin/time";

fn run(folder: &Path, arguments: &[&str]) -> Cost {
    let binary = env!("CARGO_BIN_EXE_capgen");
    let mut command = Command::new(binary);
    if cfg!(target_os = "linux") && Path::new(TIME).is_file() {
        command = Command::new(TIME);
        command.args(["-f", "%M", "-o", "memory", binary]);
    }
    command.current_dir(folder).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().unwrap();
    let time = start.elapsed();
    let report = fs::read_to_string(folder.join("memory")).unwrap_or_default();
    let memory = report.lines().last().and_then(|line| line.parse().ok()).unwrap_or(0);
    Cost { status, time, memory }
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

#[test]
fn an_object_with_16_000_properties_and_alternatives_has_code_in_every_language() {
    let shape = SHAPES.iter().find(|shape| shape.name == "n alternatives of a closed object").unwrap();
    let schema = (shape.schema)(16_000).replace("\"property", "\"p");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.json"), contract(&schema.replace(r#"{"type": "string"}"#, "{}"))).unwrap();
    let languages = "rust,typescript,javascript";
    let cost = run(folder.path(), &["gen", "--capabilities", "c.json", "--lang", languages, "--out", "out"]);
    assert!(cost.status.success(), "{}", cost.status);
    assert!(cost.memory < 1_000_000, "{} KiB", cost.memory);
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
                check.memory * 1_024 / 1_000_000,
                generate.time.as_secs_f64(),
                generate.memory * 1_024 / 1_000_000,
                output / 1_000,
            );
        }
    }
}
