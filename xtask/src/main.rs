//! Chores of this repository: `cargo run -p xtask -- <chore>`.
#![forbid(unsafe_code)]

mod licenses;
mod regen;
mod spdx;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo run -p xtask -- regen            write generated/ and docs/codes.md anew
cargo run -p xtask -- regen --check    fail where one of them is stale
cargo run -p xtask -- licenses         fail where a dependency's licence is not in deny.toml";

/// What a chore gives back: a line that says what was done, or what is wrong.
type Outcome = Result<String, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["regen"] => regen::run(regen::Mode::Write),
        ["regen", "--check"] => regen::run(regen::Mode::Check),
        ["licenses"] => licenses::run(),
        _ => return tell(USAGE, ExitCode::from(2)),
    };
    match outcome {
        Ok(done) => tell(&done, ExitCode::SUCCESS),
        Err(wrong) => tell(&wrong, ExitCode::FAILURE),
    }
}

#[expect(clippy::print_stderr, reason = "a program for people, not a library")]
fn tell(line: &str, code: ExitCode) -> ExitCode {
    eprintln!("{}", line.trim_end());
    code
}

/// The root of the repository.
fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap_or(folder).to_owned()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
