//! `capgen registry merge`: the join of states.

use std::io::{BufReader, Read as _};
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_registry::{FoldReport, InvalidState, Registry, UnreadableState};
use capgen_time::{Clock as _, SystemClock};

use super::output::Output;
use super::{arguments, config, fold, input};
use crate::codes;
use crate::failure::{Failure, Outcome};
use crate::validate::shown_payload as shown;

/// The maximum size of a file of a state in bytes. A state is read entry by entry and need not fit in memory. With a
/// few KB each, about a million registrations fit.
const LIMIT: u64 = 4 << 30;

/// The bytes that are read at once. A large file takes few system calls and little memory.
const BUFFER: usize = 1 << 16;

/// How far the ids of facts may be ahead of the clock, in ms (ruling 7).
const LEEWAY: u64 = 60_000;

pub(super) fn run(arguments: &arguments::Merge) -> Outcome {
    let config = config::read(arguments.config.as_deref())?;
    let latest = arguments.now.unwrap_or_else(|| SystemClock.now_ms()).saturating_add(LEEWAY);
    let mut registry = Registry::new(config.clone());
    for path in &arguments.states {
        read(path, &mut registry, latest)?;
    }
    fold::report(&FoldReport::of(&mut registry), Output::json_or_text(arguments.json))
}

/// Joins the state in a file, which is read entry by entry.
fn read(path: &Path, registry: &mut Registry, latest: u64) -> Result<(), Failure> {
    let file = BufReader::with_capacity(BUFFER, input::open(path)?.take(LIMIT));
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
