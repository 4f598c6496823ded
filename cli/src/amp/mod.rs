//! `capgen amp`: the messages and the registry of AMP RFC 004.

mod answer;
mod arguments;
mod bundle;
mod input;
mod inspect;
mod keys;
mod negotiate;
mod range;
mod secret;

pub(crate) use arguments::Amp;

use capgen_amp::message::Rejection;

use crate::console::Console;
use crate::failure::{Outcome, Verdict};
use arguments::Command;

pub(crate) fn run(arguments: &Amp, console: &Console) -> Outcome {
    match &arguments.command {
        Command::Answer(arguments) => answer::run(arguments, console),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Negotiate(arguments) => negotiate::run(arguments, console),
        Command::Range(arguments) => range::run(arguments, console),
        Command::Bundle(arguments) => bundle::run(arguments, console),
    }
}

/// Reports a rejection on standard error: `4001 BAD_REQUEST: ...`.
fn rejected(rejection: &Rejection, console: &Console) -> Outcome {
    console.line(&rejection.to_string());
    Ok(Verdict::Findings)
}
