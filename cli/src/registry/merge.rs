//! `capgen registry merge`: the join of states.

use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_registry::{FoldReport, InvalidState, Registry, UnreadableState};
use clap::Args;

use super::arguments::Now;
use super::output::OutputForm;
use super::{config, fold, input};
use crate::codes;
use crate::failure::{Failure, RunResult};
use crate::validate::shown_payload as shown;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Merge {
    /// The states, each the output of `fold` or `merge`, or its member `state`; `-` means standard input
    #[arg(value_name = "STATE", required = true)]
    states: Vec<PathBuf>,
    /// The configuration of all states
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    now: Now,
    #[command(flatten)]
    output: OutputForm,
}

const HELP: &str = "\
Examples:
  capgen registry fold --log north.jsonl > north.json
  capgen registry fold --log south.jsonl > south.json
  capgen registry merge north.json south.json

The output is that of `fold` over the events of all logs, without `invalid`. States of different configurations do not merge, and \
facts whose ids are more than 60 s ahead of the clock are rejected. A state contains no signatures: merge only states of your own logs, and the logs \
of others.";

/// The maximum size of a file of a state in bytes. A state is read entry by entry and need not fit in memory. With a
/// few KB each, about a million registrations fit.
const MAX_BYTES: u64 = 4 << 30;

/// The bytes that are read at once. A large file takes few system calls and little memory.
const BUFFER: usize = 1 << 16;

/// How far the ids of facts may be ahead of the clock, in ms (ruling 7).
const LEEWAY: u64 = 60_000;

pub(super) fn run(arguments: &Merge) -> RunResult {
    let config = config::read(arguments.config.as_deref())?;
    let latest = arguments.now.ms().saturating_add(LEEWAY);
    let mut registry = Registry::new(config.clone());
    for path in &arguments.states {
        read(path, &mut registry, latest)?;
    }
    fold::report(&FoldReport::of(&mut registry), arguments.output.output())
}

/// Joins the state in a file, which is read entry by entry.
fn read(path: &Path, registry: &mut Registry, latest: u64) -> Result<(), Failure> {
    let file = BufReader::with_capacity(BUFFER, input::open(path)?.take(MAX_BYTES));
    registry.read_state(file, Some(latest)).map_err(|error| match &error {
        UnreadableState::Io(error) => input::failed(path, &error.to_string()),
        UnreadableState::Invalid { at, reason } => {
            let below = match reason {
                InvalidState::Entry(pointer) | InvalidState::Ahead(pointer) => pointer.as_str(),
                InvalidState::Format => "/format",
                InvalidState::Configuration => "/config_hash",
                _ => "",
            };
            invalid(path, &reason.to_string(), &format!("{at}{below}"))
        }
        error => invalid(path, &error.to_string(), ""),
    })
}

fn invalid(path: &Path, reason: &str, pointer: &str) -> Failure {
    let message = format!("{} is not a state that can be merged: {reason}", shown(path));
    let help = "pass the output of `capgen registry fold` under the same --config";
    let mut finding = Diagnostic::new(codes::REGISTRY_STATE, message).help(help);
    finding.pointer = Some(pointer.to_owned());
    Failure::Findings(vec![finding])
}
