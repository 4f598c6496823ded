//! Counts instructions instead of time, as other load does not affect them. `cargo bench -p validation` requires
//! valgrind and the `gungraun-runner` of the same version as `gungraun`.

use std::hint::black_box;

use gungraun::prelude::*;
use validation::{Run, WAYS, subjects};

/// The way after a first run, which builds everything that is built once (patterns, caches).
fn ready(name: &str, way: usize) -> (Run, &'static [u8]) {
    let mut subjects = subjects().into_iter();
    let subject = subjects.find(|subject| subject.case.name == name).expect("a subject");
    let run = subject.runs.into_iter().nth(way).expect("a way");
    assert!(run(subject.case.payload));
    (run, subject.case.payload)
}

fn flat(way: usize) -> (Run, &'static [u8]) {
    ready("flat", way)
}

fn findings(way: usize) -> (Run, &'static [u8]) {
    ready("findings", way)
}

fn union(way: usize) -> (Run, &'static [u8]) {
    ready("union", way)
}

fn enums(way: usize) -> (Run, &'static [u8]) {
    ready("enums", way)
}

fn tree(way: usize) -> (Run, &'static [u8]) {
    ready("tree", way)
}

// The numbers are indexes into [`WAYS`].
#[library_benchmark]
#[benches::flat(iter = 0..WAYS.len(), setup = flat)]
#[benches::findings(iter = 0..WAYS.len(), setup = findings)]
#[benches::union(iter = 0..WAYS.len(), setup = union)]
#[benches::enums(iter = 0..WAYS.len(), setup = enums)]
#[benches::tree(iter = 0..WAYS.len(), setup = tree)]
fn read((run, payload): (Run, &'static [u8])) -> (Run, bool) {
    let accepted = run(black_box(payload));
    // Returned, so that dropping the validator is not measured.
    (run, accepted)
}

library_benchmark_group!(name = ways, benchmarks = read);
main!(library_benchmark_groups = ways);
