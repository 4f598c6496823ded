//! A short, deterministic run of every fuzz target on a small corpus with random changes.

use std::path::Path;

use capgen_tests::agreement::fixture;
use capgen_tests::fuzz;
use capgen_tests::random::Random;

/// The texts that a change may insert: tokens of the grammars of JSON, YAML and schemas.
const TOKENS: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\u0000",
    "\\ud800",
    "null",
    "1e400",
    "-0.0",
    "9007199254740993",
    "\n",
    "  ",
    "- ",
    "&a ",
    "*a",
    "!!str ",
    "|",
    "#",
    "---\n",
    "~",
    "\u{feff}",
    "😀",
    "\"$ref\": ",
    "\"type\": ",
    "\"enum\": ",
    "\"__proto__\": ",
    "\"pattern\": \"(?!\"",
];

/// Runs a target on every seed and on changed seeds.
fn run(seeds: &[Vec<u8>], changes: usize, target: fn(&[u8])) {
    assert!(!seeds.is_empty());
    seeds.iter().for_each(|seed| target(seed));
    let mut random = Random::new(1);
    for _ in 0..changes {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..1 + random.below(4) {
            change(&mut random, &mut bytes, seeds);
        }
        target(&bytes);
    }
}

fn change(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(12)).min(bytes.len());
    match random.below(7) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
        3 => bytes.truncate(at),
        4 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => drop(bytes.splice(at..at, random.pick(&TOKENS).bytes())),
    }
}

fn fixtures() -> Vec<(String, Vec<String>)> {
    fixture::fixtures().unwrap().into_iter().map(|fixture| (fixture.pair.schema, fixture.pair.payloads)).collect()
}

#[test]
fn arbitrary_contracts_load_or_are_rejected() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let paths = std::fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path().join("capabilities.yaml"));
    let mut seeds: Vec<Vec<u8>> = paths.map(|path| std::fs::read(path).unwrap()).collect();
    seeds.sort();
    run(&seeds, 1_500, fuzz::manifest);
}

#[test]
fn arbitrary_schemas_load_or_are_rejected() {
    let seeds: Vec<Vec<u8>> = fixtures().into_iter().map(|(schema, _)| schema.into_bytes()).collect();
    run(&seeds, 5_000, fuzz::schema);
}

#[test]
fn generated_types_and_the_interpreter_agree_on_arbitrary_payloads() {
    let mut random = Random::new(7);
    let ours = fuzz::schemas().into_iter().flat_map(|schema| random.payloads(&schema, 12));
    let seeds: Vec<String> = ours.chain(fixtures().into_iter().flat_map(|(_, payloads)| payloads)).collect();
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(String::into_bytes).collect();
    run(&seeds, 5_000, fuzz::payload);
}
