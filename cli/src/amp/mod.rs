//! `capgen amp`: the messages and the registry of AMP RFC 004.

mod answer;
mod arguments;
mod bundle;
mod input;
mod inspect;
mod key;
mod keys;
mod negotiate;
#[cfg(feature = "amp-net")]
mod net;
mod provider;
mod range;
mod secret;

pub(crate) use arguments::Amp;

use capgen_amp::CapabilityId;
use capgen_amp::message::Rejection;
use capgen_schema::Violations;

use crate::console::Console;
use crate::failure::{RunResult, Verdict};
use arguments::Command;

pub(crate) fn run(arguments: &Amp, console: &Console) -> RunResult {
    match &arguments.command {
        Command::Answer(arguments) => answer::run(arguments, console),
        #[cfg(feature = "amp-net")]
        Command::Serve(arguments) => net::serve(arguments, console),
        #[cfg(feature = "amp-net")]
        Command::Query(arguments) => net::query(arguments, console),
        #[cfg(feature = "amp-net")]
        Command::Invoke(arguments) => net::invoke(arguments, console),
        #[cfg(not(feature = "amp-net"))]
        Command::Serve(_) => crate::missing::run("amp-net"),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::Key(arguments) => key::run(arguments, console),
        Command::Negotiate(arguments) => negotiate::run(arguments, console),
        Command::Range(arguments) => range::run(arguments, console),
        Command::Bundle(arguments) => bundle::run(arguments, console),
    }
}

/// Reports a rejection on standard error: `4001 BAD_REQUEST: ...`.
fn rejected(rejection: &Rejection, console: &Console) -> RunResult {
    console.line(&rejection.to_string());
    Ok(Verdict::Findings)
}

/// Reports the result of a handler that violates its schema: the caller gets no details of it.
fn violated(id: &CapabilityId, violations: &Violations, console: &Console) {
    console.line(&format!("the result of `{id}` violates the output schema:"));
    crate::validate::violation_lines(violations).iter().for_each(|line| console.line(line));
}
