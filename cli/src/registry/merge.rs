//! `capgen registry merge`: the join of states.

use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_registry::{Configuration, FoldReport, InvalidState, Registry, State};
use capgen_schema::{ExactPayload, MAX_PAYLOAD_DEPTH, parse_document};

use super::output::Output;
use super::{arguments, config, fold, input};
use crate::clock::now;
use crate::codes;
use crate::failure::{Failure, Outcome};
use crate::validate::shown_payload as shown;

/// The maximum size of a file of a state in bytes.
const LIMIT: u64 = 4 << 30;

/// The payload of an event is at most four levels deeper in a state than in the event.
const MAX_DEPTH: usize = MAX_PAYLOAD_DEPTH + 4;

/// How far the ids of facts may be ahead of the clock, in ms (ruling 7).
const LEEWAY: u64 = 60_000;

pub(super) fn run(arguments: &arguments::Merge) -> Outcome {
    let config = config::read(arguments.config.as_deref())?;
    let latest = arguments.now.unwrap_or_else(now).saturating_add(LEEWAY);
    let mut registry = Registry::new(config.clone());
    for path in &arguments.states {
        let state = read(path, &config, latest)?;
        registry.merge(&state).map_err(|error| invalid(path, &error.to_string(), ""))?;
    }
    fold::report(&FoldReport::of(&mut registry), Output::json_or_text(arguments.json))
}

fn read(path: &Path, config: &Configuration, latest: u64) -> Result<State, Failure> {
    let bytes = input::read(path, LIMIT)?;
    let value = parse_document(&bytes, MAX_DEPTH)
        .map_err(|error| invalid(path, &format!("not JSON: {}", error.redact(true)), ""))?;
    let value = ExactPayload::from(value).with_integers();
    // The output of a fold contains the state. A snapshot also does, but it may be pruned, and its format is another one.
    let (state, at) = match (value.get("format"), value.get("state")) {
        (None, Some(state)) => (state, "/state"),
        _ => (&value, ""),
    };
    State::parse(state, config, Some(latest)).map_err(|error| {
        let at = match &error {
            InvalidState::Entry(pointer) | InvalidState::Ahead(pointer) => format!("{at}{pointer}"),
            InvalidState::Format => format!("{at}/format"),
            InvalidState::Configuration => format!("{at}/config_hash"),
            _ => at.to_owned(),
        };
        invalid(path, &error.to_string(), &at)
    })
}

fn invalid(path: &Path, reason: &str, pointer: &str) -> Failure {
    let message = format!("{} is not a state that can be merged: {reason}", shown(path));
    let help = "pass the output of `capgen registry fold` under the same --config";
    let mut finding = Diagnostic::new(codes::REGISTRY_STATE, message).help(help);
    finding.pointer = Some(pointer.to_owned());
    Failure::Findings(vec![finding])
}
