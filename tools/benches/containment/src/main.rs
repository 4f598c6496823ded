//! The cost of deciding whether one schema contains another, by capgen, `jsoncompat` and `jsonschema`, in one run.
//!
//! `cargo run --release -p containment`, with a corpus. With `--instructions`, callgrind counts the instructions for
//! the pairs.

mod corpora;
mod engines;
mod hostile;

use std::process::Command;
use std::time::Duration;

use engines::{Answer, NAMES, Question};

/// How often the pairs are compared; the least time counts.
const ROUNDS: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            time_pairs();
            time_mutations();
            time_hostile();
        }
        ["pairs"] => time_pairs(),
        ["mutations"] => time_mutations(),
        ["hostile"] => time_hostile(),
        ["--instructions"] => count_instructions(),
        ["--run", engine, times] => run(engine.parse().expect("an engine"), times.parse().expect("a number")),
        _ => panic!("usage: containment [pairs | mutations | hostile | --instructions]"),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The least CPU time of each engine for each question: in each round, every engine answers every question.
fn least(questions: &[Question], rounds: usize) -> Vec<[Answer; 3]> {
    let ask = |question: &Question| [0, 1, 2].map(|engine| question.ask(engine));
    let mut best: Vec<[Answer; 3]> = questions.iter().map(ask).collect();
    for _ in 1..rounds {
        for (question, best) in questions.iter().zip(&mut best) {
            for (engine, best) in best.iter_mut().enumerate() {
                best.time = best.time.min(question.ask(engine).time);
            }
        }
    }
    best
}

fn time_pairs() {
    let questions = corpora::pairs();
    let answers = least(&questions, ROUNDS);
    println!("| {} questions | decided | all, ms | slowest, ms | time / capgen, geometric mean |", questions.len());
    println!("|---|---|---|---|---|");
    for (engine, name) in NAMES.iter().enumerate() {
        let decided = answers.iter().filter(|answers| answers[engine].contains.is_some()).count();
        let times = || answers.iter().map(|answers| answers[engine].time);
        let logarithm =
            |answers: &[Answer; 3]| (answers[engine].time.as_secs_f64() / answers[0].time.as_secs_f64()).ln();
        let ratio = (answers.iter().map(logarithm).sum::<f64>() / answers.len() as f64).exp();
        let (sum, slowest) = (times().sum(), times().max().unwrap_or_default());
        println!("| {name} | {decided} | {:.2} | {:.3} | {ratio:.1} |", milliseconds(sum), milliseconds(slowest));
    }
    println!();
}

fn time_mutations() {
    let (schemas, questions) = corpora::mutations();
    let answers = least(&questions, 2);
    println!("| {schemas} schemas, {} questions | undecided | median, ms | 99 %, ms | slowest, ms |", questions.len());
    println!("|---|---|---|---|---|");
    for (engine, name) in NAMES.iter().enumerate() {
        let undecided = answers.iter().filter(|answers| answers[engine].contains.is_none()).count();
        let mut times: Vec<(Duration, usize)> =
            answers.iter().enumerate().map(|(index, answers)| (answers[engine].time, index)).collect();
        times.sort_unstable();
        let at = |share: usize| milliseconds(times[(times.len() - 1) * share / 100].0);
        let share = undecided as f64 / answers.len() as f64 * 100.0;
        println!("| {name} | {share:.2} % | {:.3} | {:.3} | {:.2} |", at(50), at(99), at(100));
        if let Some((_, index)) = times.last() {
            let Question { name: question, smaller, larger } = &questions[*index];
            eprintln!(
                "slowest of {name}: {question}\n  smaller {}\n  larger {}",
                smaller.0.canonical(),
                larger.0.canonical()
            );
        }
    }
    let differs = |answers: &&[Answer; 3]| {
        let decided = answers.map(|answer| answer.contains);
        decided[1..].iter().any(|other| other.is_some() && decided[0].is_some() && *other != decided[0])
    };
    println!("\n{} questions with different answers\n", answers.iter().filter(differs).count());
    for (question, answers) in questions.iter().zip(&answers).filter(|(_, answers)| differs(answers)) {
        let decided = answers.map(|answer| answer.contains);
        let Question { name, smaller, larger } = question;
        eprintln!("{name}: {decided:?}\n  smaller {}\n  larger {}", smaller.0.canonical(), larger.0.canonical());
    }
}

fn time_hostile() {
    println!("| pair | {} |\n|---|---|---|---|", NAMES.join(" | "));
    for question in hostile::questions() {
        let cells = [0, 1, 2].map(|engine| {
            let Answer { contains, time } = question.ask(engine);
            let answer = contains.map_or("undecided", |contains| if contains { "yes" } else { "no" });
            format!("{answer}, {:.1} ms", milliseconds(time))
        });
        println!("| {} | {} |", question.name, cells.join(" | "));
    }
    println!();
}

fn run(engine: usize, times: usize) {
    let questions = corpora::pairs();
    for _ in 0..times {
        for question in &questions {
            std::hint::black_box(question.ask(engine));
        }
    }
}

/// The instructions for all pairs: the difference between many and few runs, which excludes reading the file.
fn count_instructions() {
    let collected = |engine: usize, times: u32| {
        let program = std::env::current_exe().expect("the program's path");
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
        let output = valgrind.args(["--run", &engine.to_string(), &times.to_string()]).output().expect("valgrind runs");
        assert!(output.status.success(), "valgrind fails");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let count = text.split("Collected :").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        let count: f64 = count.expect("callgrind reports the instructions");
        count
    };
    let counts = [0, 1, 2].map(|engine| (collected(engine, 4) - collected(engine, 1)) / 3.0);
    for (name, count) in NAMES.iter().zip(counts) {
        println!("{name:12} {:>8.2} M instructions, {:>6.2} / capgen", count / 1e6, count / counts[0]);
    }
}
