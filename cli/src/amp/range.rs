//! `capgen amp range`: whether versions are in a range.

use capgen_amp::message::Rejection;
use capgen_amp::{Code, Range, parse_version};
use capgen_diagnostic::quoted;

use super::{arguments, rejected};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};

pub(super) fn run(arguments: &arguments::Range, console: &Console) -> RunResult {
    match lines(arguments) {
        Ok(lines) => {
            console::print(&lines)?;
            Ok(Verdict::Fine)
        }
        Err(rejection) => rejected(&rejection, console),
    }
}

/// The lines of the output. All arguments are read before any of them is printed.
fn lines(arguments: &arguments::Range) -> Result<String, Rejection> {
    let invalid =
        |text: &str, reason: String| Rejection::new(Code::BadRequest, format!("{} is invalid: {reason}", quoted(text)));
    let range: Range = arguments.range.parse().map_err(|error| invalid(&arguments.range, format!("{error}")))?;
    let lines = arguments.versions.iter().map(|text| match parse_version(text) {
        Ok(version) => Ok(format!("{}\n", range.matches(&version))),
        Err(error) => Err(invalid(text, error.to_string())),
    });
    lines.collect()
}
