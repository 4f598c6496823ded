//! `cargo run --release -- --schemas 2000 --payloads 50`, and `cargo run --release -- pairs`: see `docs/agreement.md`.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

use capgen_agreement::containment::{self, Peer, peers};
use capgen_agreement::{Boon, JsonSchema, NodeOracles};
use capgen_tests::Failure;
use capgen_tests::agreement::compare::{Disagreement, Outcome, compare};
use capgen_tests::agreement::shrink::shrink;
use capgen_tests::agreement::{Engine, Rust, TypeScript, fixture, pairs};
use capgen_tests::node;

const USAGE: &str = "usage: capgen-agreement [--schemas N] [--payloads N] [--seed N] [--batch N] [--keep-going]
       capgen-agreement pairs [FILE]
       capgen-agreement random-pairs [--pairs N] [--seed N]";
/// The folder in which generated Rust is compiled.
const SCRATCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/generated");

/// The command line.
struct Arguments {
    schemas: usize,
    payloads: usize,
    seed: u64,
    batch: usize,
    keep_going: bool,
}

fn arguments() -> Option<Arguments> {
    let mut arguments = Arguments { schemas: 2000, payloads: 50, seed: 1, batch: 100, keep_going: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next()?.parse::<usize>().ok();
        match word.as_str() {
            "--schemas" => arguments.schemas = number()?,
            "--payloads" => arguments.payloads = number()?,
            "--seed" => arguments.seed = number()? as u64,
            "--batch" => arguments.batch = number()?.max(1),
            "--keep-going" => arguments.keep_going = true,
            _ => return None,
        }
    }
    Some(arguments)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_right = match words.as_slice() {
        ["pairs"] => pairs_of_schemas(None),
        ["pairs", file] if !file.starts_with('-') => pairs_of_schemas(Some(file.into())),
        ["random-pairs", options @ ..] => match random_options(options) {
            Some((pairs, seed)) => random_pairs_of_schemas(pairs, seed),
            None => return usage(),
        },
        _ => {
            let Some(arguments) = arguments() else {
                return usage();
            };
            run(&arguments).map(|outcome| outcome.disagreements.is_empty())
        }
    };
    match is_right {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let node = node::require_or_skip()?.ok_or("Node is not installed")?;
    let oracles = NodeOracles::install()?;
    let typescript = TypeScript::new(node);
    let rust = Rust::new(SCRATCH, "generated");
    let engines: [&(dyn Engine + Sync); 5] = [&typescript, &rust, &Boon, &JsonSchema, &oracles];
    let (mut total, mut seed, mut done) = (Outcome::default(), arguments.seed, 0);
    while done < arguments.schemas {
        let (pairs, next) = pairs(seed, arguments.batch.min(arguments.schemas - done), arguments.payloads);
        let outcome = compare(&pairs, &engines)?;
        let disagreements = outcome.disagreements.clone();
        total.add(outcome);
        done += pairs.len();
        eprintln!(
            "{done} of {} schemas; {} disagreements; the next seed is {next}",
            arguments.schemas,
            total.disagreements.len()
        );
        if !disagreements.is_empty() && !arguments.keep_going {
            show(&disagreements, &engines)?;
            break;
        }
        for found in &disagreements {
            println!("{found}\n");
        }
        seed = next;
    }
    println!("{done} schemas of {} payloads\n{}", arguments.payloads, total.summary());
    Ok(total)
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// The number of pairs and the first seed.
fn random_options(words: &[&str]) -> Option<(usize, u64)> {
    let (mut pairs, mut seed) = (50_000, 0);
    for option in words.chunks(2) {
        match option {
            ["--pairs", number] => pairs = number.parse().ok()?,
            ["--seed", number] => seed = number.parse().ok()?,
            _ => return None,
        }
    }
    Some((pairs, seed))
}

/// Compares random pairs of schemas, and reports whether oracles confirm every witness.
fn random_pairs_of_schemas(pairs: usize, seed: u64) -> Result<bool, Failure> {
    let oracles = NodeOracles::install()?;
    let engines: [&(dyn Engine + Sync); 3] = [&JsonSchema, &Boon, &oracles];
    let report = containment::random::run(pairs, seed, &[&peers::JsonCompat, &peers::Covers], &engines)?;
    println!("{report}");
    report.contradictions.iter().for_each(|text| println!("contradiction: {text}"));
    report.failures.iter().for_each(|text| println!("{text}"));
    Ok(report.failures.is_empty())
}

/// Compares capgen and its peers on pairs of schemas, and reports whether every answer of capgen is right and
/// confirmed.
fn pairs_of_schemas(file: Option<PathBuf>) -> Result<bool, Failure> {
    let default = || containment::pairs::file().ok_or("schema-pairs.json is missing: set CAPGEN_CORPUS or name a file");
    let pairs = containment::pairs::read(&file.map_or_else(default, Ok)?)?;
    let node = node::require_or_skip()?.ok_or("Node is not installed")?;
    let (oracles, typescript) = (NodeOracles::install()?, TypeScript::new(node));
    let rust = Rust::new(SCRATCH, "witnesses");
    let engines: [&(dyn Engine + Sync); 5] = [&rust, &typescript, &JsonSchema, &oracles, &Boon];
    let python = peers::JsonSubschema::install();
    let mut peers: Vec<&dyn Peer> = vec![&peers::JsonCompat, &peers::Covers];
    match &python {
        Ok(peer) => peers.push(peer),
        Err(failure) => eprintln!("skipped: jsonsubschema cannot be installed: {failure}"),
    }
    let report = containment::compare(&pairs, &peers, &engines)?;
    println!("{report}");
    let failures = report.failures();
    failures.iter().for_each(|failure| eprintln!("{failure}"));
    Ok(failures.is_empty())
}

/// Reduces the first disagreement of each engine, and prints it as a fixture.
fn show(disagreements: &[Disagreement], engines: &[&(dyn Engine + Sync)]) -> Result<(), Failure> {
    for engine in engines {
        for name in engine.names() {
            let Some(found) = disagreements.iter().find(|found| found.name == *name) else { continue };
            println!("{found}\n");
            let small = shrink(found, *engine)?;
            println!("reduced:\n{small}\n\n{}", fixture::draft(&small));
        }
    }
    Ok(())
}
