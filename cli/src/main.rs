//! The command line interface of capgen.
//!
//! # Reading order
//!
//! `arguments.rs` lists the subcommands, and has the options that several of them share. Each subcommand is one module
//! with its options and a function `run`, named like the subcommand, or a folder if it needs several files: `generate/`
//! (`gen`), `diff/`, `validate/`, `export/`, `import/`, `init/`, `lock/`, `matrix/`, `docs/`, `example/`, and for the
//! protocols `amp/`, `audit/`, `registry/` and `dci/`, which builds without their features leave out. `fix/` is the
//! option `--fix` of `check`. A module reads its inputs, calls one crate, and prints; decisions belong into the crate.
//!
//! `console.rs` is the only output: data to standard output, text for readers to standard error, and on a terminal the
//! line of `progress.rs`. `failure.rs` is the only place that knows exit statuses. `one_contract.rs` and `input.rs`
//! select contracts and open files, with `-` as standard input; `watch.rs` runs a subcommand again after each change;
//! `signals.rs` removes temporary files before a signal ends the process. `bin/` has the subcommand of Cargo, which
//! starts this program.
//!
//! `explain.rs` combines the pages of all crates: those of findings, of which the program's own are in `codes/`, and
//! those of codes that other programs report while they run, in `run_time/`.
#![forbid(unsafe_code)]

#[cfg(feature = "amp")]
mod amp;
mod arguments;
#[cfg(feature = "audit")]
mod audit;
mod check;
mod codes;
mod completions;
mod console;
#[cfg(feature = "dci")]
mod dci;
mod diff;
mod docs;
mod duration;
mod example;
mod explain;
mod export;
mod failure;
mod fix;
mod generate;
mod generated_files;
mod import;
mod init;
mod input;
mod json_errors;
mod launcher;
mod lock;
mod matrix;
#[cfg(not(all(
    feature = "amp-store",
    feature = "audit",
    feature = "dci",
    feature = "mcp",
    feature = "registry-nats"
)))]
mod missing;
mod one_contract;
mod progress;
#[cfg(feature = "registry")]
mod registry;
mod repository;
mod rerun;
mod run_time;
#[cfg(any(feature = "amp", feature = "mcp", feature = "registry"))]
mod secret;
mod signals;
mod suggestion;
mod summary;
#[cfg(any(feature = "dci", feature = "registry"))]
mod table;
#[cfg(any(feature = "amp", feature = "audit", feature = "dci"))]
mod times;
mod validate;
mod watch;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use arguments::{Arguments, Command};
use console::Console;
use failure::{Failure, RunResult};

fn main() -> ExitCode {
    let console = Console::new();
    let mut command = launcher::named_by(Arguments::command());
    let (outcome, invoked) = match command.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => {
            let arguments = Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command));
            let outcome = arguments.map_err(Failure::Arguments).and_then(|arguments| run(arguments, &console));
            command.build();
            (outcome, invoked(&command, &matches))
        }
        Err(error) => (Err(Failure::Arguments(suggestion::with_subcommands(error))), command),
    };
    ExitCode::from(failure::status(outcome, invoked, &console))
}

/// The subcommand that was invoked; the program itself if there is none.
fn invoked(command: &clap::Command, matches: &ArgMatches) -> clap::Command {
    let subcommand = matches.subcommand().and_then(|(name, matches)| Some((command.find_subcommand(name)?, matches)));
    match subcommand {
        Some((subcommand, matches)) => invoked(subcommand, matches),
        None => command.clone(),
    }
}

fn run(arguments: Arguments, console: &Console) -> RunResult {
    match arguments.command {
        None => generate::run(&arguments.generate, console),
        Some(Command::Generate(generate)) => generate::run(&generate, console),
        Some(Command::Check(check)) => check::run(&check, console),
        Some(Command::Init(init)) => init::run(&init, console),
        Some(Command::Import(import)) => import::run(&import, console),
        Some(Command::Validate(validate)) => validate::run(&validate, console),
        Some(Command::Diff(arguments)) => diff::run(&arguments, console),
        Some(Command::Example(example)) => example::run(&example, console),
        Some(Command::Lock(lock)) => lock::run(&lock, console),
        Some(Command::Matrix(matrix)) => matrix::run(&matrix, console),
        Some(Command::Docs(docs)) => docs::run(&docs, console),
        #[cfg(feature = "audit")]
        Some(Command::Audit(audit)) => audit::run(&audit, console),
        #[cfg(not(feature = "audit"))]
        Some(Command::Audit(_)) => missing::run("audit"),
        #[cfg(feature = "amp")]
        Some(Command::Amp(amp)) => amp::run(&amp, console),
        #[cfg(not(feature = "amp"))]
        Some(Command::Amp(_)) => missing::run("amp"),
        #[cfg(feature = "dci")]
        Some(Command::Dci(dci)) => dci::run(&dci, console),
        #[cfg(not(feature = "dci"))]
        Some(Command::Dci(_)) => missing::run("dci"),
        #[cfg(feature = "registry")]
        Some(Command::Registry(registry)) => registry::run(&registry, console),
        #[cfg(not(feature = "registry"))]
        Some(Command::Registry(_)) => missing::run("registry"),
        Some(Command::Export(export)) => export::run(&export, console),
        Some(Command::Explain(explain)) => explain::run(&explain),
        Some(Command::Completions(completions)) => completions::run(&completions, Arguments::command()),
    }
}
