//! The cost of contracts that grow: no contract makes `capgen` abort, and the output grows as the contract does.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod shapes;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use shapes::{SHAPES, combined, contract, contracts};

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

fn measure(text: &str) -> Measurement {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.json"), text).unwrap();
    let check = run(folder.path(), &["check", "c.json"]);
    let languages = "rust,typescript,javascript";
    let generate = run(folder.path(), &["gen", "--capabilities", "c.json", "--lang", languages, "--out", "out"]);
    let files = fs::read_dir(folder.path().join("out")).into_iter().flatten();
    let output = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    Measurement { input: text.len() as u64, check, generate, output }
}

#[test]
fn no_contract_aborts_and_output_grows_as_the_contract_does() {
    for (name, contract) in contracts() {
        let [small, large] = [250, 1_000].map(|n| measure(&contract(n)));
        for (measured, n) in [(&small, 250), (&large, 1_000)] {
            // A contract may be rejected, for example because its patterns cost too much.
            let ends = |cost: &Cost| matches!(cost.status.code(), Some(0 | 1));
            assert!(ends(&measured.check), "check: {name}, {n}: {}", measured.check.status);
            assert!(ends(&measured.generate), "gen: {name}, {n}: {}", measured.generate.status);
            assert_eq!(measured.check.status.code(), measured.generate.status.code(), "{name}");
        }
        // Numbers in names become longer too.
        let (input, output) = (large.input - small.input, large.output.saturating_sub(small.output));
        let factor = small.output.div_ceil(small.input).max(1);
        assert!(2 * output <= 3 * input * factor, "{name}: {} to {} bytes", small.output, large.output);
    }
}

#[test]
fn capabilities_share_the_amount_that_their_types_may_repeat() {
    let schemas: Vec<String> = (0..40).map(|capability| combined(capability, 20)).collect();
    let Measurement { input, output, generate, .. } = measure(&contract(&schemas));
    assert!(generate.status.success(), "{}", generate.status);
    assert!(output < 100 * input, "{input} to {output} bytes");
}

#[test]
fn types_do_not_depend_on_the_capabilities_after_theirs() {
    let generated = |schemas: &[String]| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("c.json"), contract(schemas)).unwrap();
        assert!(run(folder.path(), &["gen", "--capabilities", "c.json", "--out", "out"]).status.success());
        let text = fs::read_to_string(folder.path().join("out/a.ts")).unwrap();
        let types =
            text.lines().skip_while(|line| !line.contains("C0Request")).take_while(|line| !line.contains("C1Request"));
        types.map(str::to_owned).collect::<Vec<_>>()
    };
    // Definitions of one name that differ would have long names.
    let first = (0..12).fold(combined(0, 12), |schema, i| schema.replace(&format!("d{i}\""), &format!("e{i}\"")));
    let schemas = [first, r#"{"type": "string"}"#.to_owned(), combined(2, 30), combined(3, 30)];
    assert!(generated(&schemas[..2]) == generated(&schemas), "the first types differ");
}

#[test]
fn an_object_with_16_000_properties_and_alternatives_has_code_in_every_language() {
    let shape = SHAPES.iter().find(|shape| shape.name == "n alternatives of a closed object").unwrap();
    let schema = (shape.schema)(16_000).replace("\"property", "\"p");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.json"), contract(&[schema.replace(r#"{"type": "string"}"#, "{}")])).unwrap();
    let languages = "rust,typescript,javascript";
    let cost = run(folder.path(), &["gen", "--capabilities", "c.json", "--lang", languages, "--out", "out"]);
    assert!(cost.status.success(), "{}", cost.status);
    assert!(cost.memory < 1_000_000, "{} KiB", cost.memory);
}

/// Prints the table of `tools/benches/README.md`.
#[test]
#[ignore = "measures; run it with --release"]
fn print_the_growth_table() {
    println!("| shape | n | contract, kB | `check`, s | `check`, MB | `gen`, s | `gen`, MB | output, kB |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for (name, contract) in contracts() {
        for n in [1_000, 2_000, 4_000] {
            let Measurement { input, check, generate, output } = measure(&contract(n));
            println!(
                "| {} | {n} | {} | {:.2} | {} | {:.2} | {} | {} |",
                name,
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
