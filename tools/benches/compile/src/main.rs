//! Compile time and size of the types of 100 capabilities: plain derives without any validation, capgen, typify.
//!
//! `cargo run --release -p compile [repeats]`. Only on Linux: it reads `/proc` and runs `size`.

mod contender;
mod crates;
#[path = "../../generation/src/fleet.rs"]
#[allow(dead_code)]
mod fleet;

use std::io;
use std::time::Duration;

use contender::Contender;
use crates::Crates;

/// The numbers of capabilities to compile. The difference between the two sizes excludes the fixed part of a program.
const FEW: usize = 10;
const MANY: usize = 100;

struct Figures {
    lines: usize,
    check: Duration,
    debug: Duration,
    release: Duration,
    /// Bytes of machine code that each capability adds.
    text: u64,
}

fn main() -> io::Result<()> {
    let repeats = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5);
    let crates = Crates::write(&[FEW, MANY])?;
    println!("{MANY} capabilities of eight properties; CPU seconds; check is the least of {repeats} runs\n");
    println!("| | lines | check | debug build | release build | text bytes per capability |");
    println!("|---|---|---|---|---|---|");
    let mut all = Vec::new();
    for contender in Contender::ALL {
        let figures = measure(&crates, contender, repeats)?;
        let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
        let Figures { lines, check, debug, release, text } = figures;
        let (check, debug, release) = (seconds(check), seconds(debug), seconds(release));
        println!("| {} | {lines} | {check} | {debug} | {release} | {text} |", contender.name());
        all.push(figures);
    }
    let [plain, capgen, typify] = &all[..] else { return Ok(()) };
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    println!("\ncheck: capgen / plain {:.2}", ratio(capgen.check, plain.check));
    println!("check: capgen / typify {:.2}", ratio(capgen.check, typify.check));
    println!("text: capgen / typify {:.2}", capgen.text as f64 / typify.text as f64);
    Ok(())
}

fn measure(crates: &Crates, contender: Contender, repeats: usize) -> io::Result<Figures> {
    let (few, many) = (contender.package(FEW), contender.package(MANY));
    let least = |repeats, arguments: &[&str]| {
        // The first run also builds the dependencies, so it is not measured.
        crates.cargo(arguments, &few)?;
        let times = (0..repeats).map(|_| crates.cargo(arguments, &many)).collect::<io::Result<Vec<_>>>()?;
        io::Result::Ok(times.into_iter().min().unwrap_or_default())
    };
    let check = least(repeats, &["check", "--lib"])?;
    // Only for information, and slow.
    let debug = least(1, &["build"])?;
    let release = least(1, &["build", "--release"])?;
    let text = (crates.text_size(&many)? - crates.text_size(&few)?) / (MANY - FEW) as u64;
    Ok(Figures { lines: contender.types(MANY).lines().count(), check, debug, release, text })
}
