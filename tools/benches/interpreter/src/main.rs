//! Whether a payload is valid, according to the interpreter, `jsonschema` and `boon`: the same schemas and parsed
//! payloads, in turns in one run.
//!
//! `cargo run --release -p interpreter`. With `--instructions`, callgrind counts instructions, which are the same in
//! every run.

use std::process::Command;
use std::time::{Duration, Instant};

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use capgen_manifest::{Side, Source, load};
use capgen_schema::Validator;
use payloads::Case;
use serde_json::Value;

const CASES: [Case; 5] = [payloads::FLAT, payloads::FINDINGS, payloads::UNION, payloads::ENUMS, payloads::TREE];
const ENGINES: [&str; 3] = ["capgen", "jsonschema", "boon"];

/// The target duration of one turn of one engine.
const TURN: Duration = Duration::from_millis(4);
const ROUNDS: usize = 40;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => table("time", measure),
        ["--instructions"] => table("instructions", count),
        ["--run", case, engine, times] => run(case, engine, times.parse().expect("a number")),
        _ => panic!("usage: interpreter [--instructions]"),
    }
}

/// The engines, compiled for one case, and the payload.
struct Setup {
    payload: Value,
    capgen: Validator,
    jsonschema: jsonschema::Validator,
    boon: (Schemas, SchemaIndex),
}

impl Setup {
    fn new(case: &Case) -> Self {
        let loaded = load(&Source::new("capabilities.yaml", case.contract)).expect("the contract loads");
        let schema = loaded.manifest.capabilities[0].schema(Side::Request).expect("a schema");
        let source = schema.source().to_value();
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft7).should_validate_formats(true);
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.set_default_draft(Draft::V7);
        compiler.enable_format_assertions();
        compiler.add_resource("mem:///schema", source.clone()).expect("a resource");
        let index = compiler.compile("mem:///schema", &mut schemas).expect("boon compiles it");
        Self {
            payload: serde_json::from_slice(case.payload).expect("JSON"),
            capgen: Validator::new(schema),
            jsonschema: options.build(&source).expect("jsonschema compiles it"),
            boon: (schemas, index),
        }
    }

    fn is_valid(&self, engine: &str) -> bool {
        let payload = std::hint::black_box(&self.payload);
        match engine {
            "capgen" => self.capgen.is_valid(payload),
            "jsonschema" => self.jsonschema.is_valid(payload),
            _ => self.boon.0.validate(payload, self.boon.1).is_ok(),
        }
    }
}

fn run(case: &str, engine: &str, times: usize) {
    let case = CASES.iter().find(|c| c.name == case).expect("a case");
    let setup = Setup::new(case);
    assert!((0..times).all(|_| setup.is_valid(engine)));
}

fn table(what: &str, cost: fn(&Case) -> [f64; 3]) {
    println!("{:10} {:>12} {:>12} {:>12} {:>14} {:>8}", what, "capgen", "jsonschema", "boon", "/ jsonschema", "/ boon");
    let mut products = [1.0, 1.0];
    for case in &CASES {
        let [ours, jsonschema, boon] = cost(case);
        let ratios = [ours / jsonschema, ours / boon];
        products = [products[0] * ratios[0], products[1] * ratios[1]];
        let [a, b] = ratios;
        println!("{:10} {ours:>12.0} {jsonschema:>12.0} {boon:>12.0} {a:>14.3} {b:>8.3}", case.name);
    }
    let [a, b] = products.map(|product: f64| product.powf(1.0 / CASES.len() as f64));
    println!("{:49} {a:>14.3} {b:>8.3}", "geometric mean");
}

/// Nanoseconds: the minimum over many turns, in which the engines alternate.
fn measure(case: &Case) -> [f64; 3] {
    let setup = Setup::new(case);
    let turn = |engine: &str, times: u32| {
        let start = Instant::now();
        for _ in 0..times {
            assert!(setup.is_valid(engine));
        }
        start.elapsed()
    };
    let times = ENGINES.map(|engine| {
        let warm = turn(engine, 20).max(Duration::from_nanos(20)) / 20;
        u32::try_from(TURN.as_nanos() / warm.as_nanos().max(1)).unwrap_or(u32::MAX).max(1)
    });
    let mut least = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for ((engine, times), least) in ENGINES.iter().zip(times).zip(&mut least) {
            *least = least.min(turn(engine, times).as_nanos() as f64 / f64::from(times));
        }
    }
    least
}

/// Instructions of one validation: the difference between many and few, which excludes compiling the schema.
fn count(case: &Case) -> [f64; 3] {
    let (few, many) = (10, 110);
    ENGINES.map(|engine| (collected(case, engine, many) - collected(case, engine, few)) / f64::from(many - few))
}

fn collected(case: &Case, engine: &str, times: u32) -> f64 {
    let program = std::env::current_exe().expect("the program's path");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    valgrind.args(["--run", case.name, engine, &times.to_string()]);
    let output = valgrind.output().expect("valgrind runs");
    assert!(output.status.success(), "valgrind fails");
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.split("Collected :").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    count.expect("callgrind reports the instructions")
}
