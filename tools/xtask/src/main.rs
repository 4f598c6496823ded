//! Maintenance tasks of this repository: `cargo run -p xtask -- <task>`.
#![forbid(unsafe_code)]

mod cargo;
mod dist;
mod licenses;
mod npm;
mod package;
mod real_documents;
mod regen;
mod spdx;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use package::Verify;

const USAGE: &str = "\
cargo run -p xtask -- regen            regenerate generated/, tests/cases/*/expected, docs/codes.md and docs/dci-conformance.md
cargo run -p xtask -- regen --check    fail if one of them is out of date
cargo run -p xtask -- licenses         fail if a dependency's licence is not in deny.toml
cargo run -p xtask -- package          fail if a crate that is published cannot be packaged
cargo run -p xtask -- package --verify fail if such a package does not compile, too
cargo run -p xtask -- dist             build the program for this machine, and write to target/dist the packages for npm and the
                                       archive for `cargo binstall`
                      --target TRIPLE  for another target
                      --binary PATH    with this program, instead of building one
                      --out DIR        to this folder
cargo run -p xtask -- real-documents DIR
                                       print how many operations, schemas and tools of the documents in DIR/openapi,
                                       DIR/schemas and DIR/tools can be imported, and why the rest cannot
                      --compile        and whether the code that is generated from them compiles
                      --payloads       and whether Ajv, by the schemas as they are written, gives the same verdicts
                                       about payloads";

use real_documents::More;

/// The result of a task: a line that reports success or the problem.
type Outcome = Result<String, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["regen"] => regen::run(regen::Mode::Write),
        ["regen", "--check"] => regen::run(regen::Mode::Check),
        ["licenses"] => licenses::run(),
        ["package"] => package::run(Verify::Includes),
        ["package", "--verify"] => package::run(Verify::Compile),
        ["dist", words @ ..] => dist::run(words),
        ["real-documents", folder] => return table(real_documents::run(folder, More::Nothing)),
        ["real-documents", folder, "--compile"] => return table(real_documents::run(folder, More::Compile)),
        ["real-documents", folder, "--payloads"] => return table(real_documents::run(folder, More::Payloads)),
        _ => return print(USAGE, ExitCode::from(2)),
    };
    match outcome {
        Ok(done) => print(&done, ExitCode::SUCCESS),
        Err(problem) => print(&problem, ExitCode::FAILURE),
    }
}

#[expect(clippy::print_stderr, reason = "a program, not a library")]
fn print(line: &str, code: ExitCode) -> ExitCode {
    eprintln!("{}", line.trim_end());
    code
}

/// Prints a table to standard output.
#[expect(clippy::print_stdout, reason = "a program, not a library")]
fn table(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(problem) => print(&problem, ExitCode::FAILURE),
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(2).unwrap_or(folder).to_owned()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
