//! The cost of messages, of whole invocations and of pages of queries. Bare CBOR is `ciborium` with serde's derive for
//! the same body; bare signatures are `ed25519-dalek`.
//!
//! `cargo run --release -p amp`. With `--instructions`, callgrind counts instructions, which are the same in every run.

mod invocation;
mod page;
mod wire;

use std::process::Command;
use std::time::{Duration, Instant};

/// A way to do some work: its name, the name of the way that it is compared with, and the work.
pub struct Way {
    pub name: &'static str,
    pub compared_with: Option<&'static str>,
    pub work: Box<dyn FnMut()>,
}

/// The target duration of one turn of one way.
const TURN: Duration = Duration::from_millis(5);
const ROUNDS: u32 = 30;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            print_table("ns", &measure(&mut ways()));
            page::print();
        }
        ["--instructions"] => print_table("instructions", &count()),
        ["--run", name, times] => run(name, times.parse().expect("a number")),
        _ => panic!("usage: amp [--instructions]"),
    }
}

fn ways() -> Vec<Way> {
    let mut ways = wire::ways();
    ways.extend(invocation::ways());
    ways
}

fn print_table(unit: &str, costs: &[(&'static str, Option<&'static str>, f64)]) {
    println!("| way | {unit} | of | ratio |\n|---|---|---|---|");
    for (name, compared_with, cost) in costs {
        let other = compared_with.and_then(|other| costs.iter().find(|(name, ..)| *name == other));
        let (other, ratio) = match other {
            Some((name, _, other)) => (*name, format!("{:.2}", cost / other)),
            None => ("", String::new()),
        };
        println!("| {name} | {cost:.0} | {other} | {ratio} |");
    }
}

/// Nanoseconds: the minimum over many turns, in which the ways alternate.
fn measure(ways: &mut [Way]) -> Vec<(&'static str, Option<&'static str>, f64)> {
    let turn = |way: &mut Way, times: u32| {
        let start = Instant::now();
        (0..times).for_each(|_| (way.work)());
        start.elapsed()
    };
    let times: Vec<u32> = ways
        .iter_mut()
        .map(|way| {
            let one = turn(way, 10).max(Duration::from_nanos(10)) / 10;
            u32::try_from(TURN.as_nanos() / one.as_nanos().max(1)).unwrap_or(u32::MAX).max(1)
        })
        .collect();
    let mut least = vec![f64::INFINITY; ways.len()];
    for _ in 0..ROUNDS {
        for ((way, times), least) in ways.iter_mut().zip(&times).zip(&mut least) {
            *least = least.min(turn(way, *times).as_nanos() as f64 / f64::from(*times));
        }
    }
    ways.iter().zip(least).map(|(way, least)| (way.name, way.compared_with, least)).collect()
}

/// Instructions: the difference between many and few runs, which excludes the preparation.
fn count() -> Vec<(&'static str, Option<&'static str>, f64)> {
    let (few, many) = (5, 55);
    let cost = |name| (collected(name, many) - collected(name, few)) / f64::from(many - few);
    ways().iter().map(|way| (way.name, way.compared_with, cost(way.name))).collect()
}

fn run(name: &str, times: u32) {
    let mut way = ways().into_iter().find(|way| way.name == name).expect("a way");
    (0..times).for_each(|_| (way.work)());
}

fn collected(name: &str, times: u32) -> f64 {
    let program = std::env::current_exe().expect("the program's path");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    valgrind.args(["--run", name, &times.to_string()]);
    let output = valgrind.output().expect("valgrind runs");
    assert!(output.status.success(), "valgrind fails");
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.split("Collected :").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    count.expect("callgrind reports the instructions")
}
