//! `cargo capgen`: the program `capgen` as a subcommand of Cargo.
//!
//! Cargo runs `cargo-capgen capgen <arguments>` ([external
//! tools](https://doc.rust-lang.org/cargo/reference/external-tools.html#custom-subcommands)). This program only starts
//! `capgen`, so that the two cannot differ: the one in its own folder, where `cargo install` writes both, or else the
//! one that the shell would find.
#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    // Cargo passes the name of the subcommand.
    if arguments.first().is_some_and(|first| first == "capgen") {
        arguments.remove(0);
    }
    // Messages then name `cargo capgen`.
    let mut command = Command::new(program());
    command.args(arguments).env("CAPGEN_LAUNCHER", "cargo");
    run(&mut command)
}

/// The program `capgen`.
fn program() -> PathBuf {
    let name = format!("capgen{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().map(|path| path.with_file_name(&name));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

/// Becomes the program, so that signals reach it and its exit status is the one that Cargo sees.
#[cfg(unix)]
fn run(command: &mut Command) -> ExitCode {
    use std::os::unix::process::CommandExt;

    let error = command.exec();
    failed(command, &error)
}

#[cfg(not(unix))]
fn run(command: &mut Command) -> ExitCode {
    match command.status() {
        // A process that a signal ended has no code, and 1 is that of a failure.
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => failed(command, &error),
    }
}

fn failed(command: &Command, error: &std::io::Error) -> ExitCode {
    let program = command.get_program().to_string_lossy();
    let help = "help: install it with `cargo install --locked capgen-cli`";
    // If standard error is closed, there is no place left to report that.
    let _ = writeln!(std::io::stderr(), "error: cannot run `{program}`: {error}\n{help}");
    ExitCode::FAILURE
}
