//! `capgen amp bundle`: signed bundles of descriptors and schemas, the offline registry of AMP.

mod arguments;
mod create;
mod replace;
mod show;
mod verify;

pub(super) use arguments::Bundle;

use std::io;

use capgen_amp::bundle::BundleError;
use serde::Serialize;

use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};
use arguments::Command;

pub(super) fn run(arguments: &Bundle, console: &Console) -> RunResult {
    match &arguments.command {
        Command::Create(arguments) => create::run(arguments, console),
        Command::Verify(arguments) => verify::run(arguments, console),
        Command::Show(arguments) => show::run(arguments, console),
    }
}

/// Whether a bundle can be used, as a JSON document.
#[derive(Serialize)]
struct Document {
    ok: bool,
    error: Option<Error>,
}

#[derive(Serialize)]
struct Error {
    code: u16,
    message: String,
}

/// Prints a JSON document on one line.
fn print(document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(document).map_err(io::Error::from)?;
    Ok(console::print_json(&format!("{text}\n"))?)
}

/// Reports why a bundle cannot be used: as a JSON document on standard output, or one fault per line on standard error.
fn rejected(error: &BundleError, json: bool, console: &Console) -> RunResult {
    let code = BundleError::CODE;
    if json {
        let error = Error { code: code.number(), message: error.to_string() };
        print(&Document { ok: false, error: Some(error) })?;
        return Ok(Verdict::Findings);
    }
    error.problems().iter().for_each(|problem| console.line(&format!("{code}: {problem}")));
    if error.left_out() > 0 {
        console.line(&format!("{} more faults are not listed", error.left_out()));
    }
    Ok(Verdict::Findings)
}
