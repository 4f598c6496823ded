//! `capgen validate`: payloads from a file or standard input, checked against one side of a capability.

mod arguments;
mod lines;
mod read;
mod result;

use std::io;
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::Side;

use crate::codes;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::input;
use crate::json_errors;
use crate::one_contract::capability;
pub(crate) use arguments::Validate;
pub(crate) use read::{Line, Reader};
pub(crate) use result::{PayloadResult, PayloadValidator, lines as violation_lines, too_long};

pub(crate) fn run(arguments: &Validate, console: &Console) -> RunResult {
    json_errors::reported(validated(arguments, console), arguments.json, console)
}

fn validated(arguments: &Validate, console: &Console) -> RunResult {
    let Some(contract) = arguments.contract.load()? else { return Ok(Verdict::Fine) };
    let capability = capability(&contract, &arguments.capability)?;
    let side = Side::from(arguments.side);
    let validator = PayloadValidator::new(capability.schema(side), arguments.redact);
    let mut reader = Reader::new(open(&arguments.payload)?, &shown_payload(&arguments.payload));
    if arguments.lines {
        return lines::run(&validator, &mut reader, arguments.json, console);
    }
    let result = match reader.whole()? {
        Line::Text(payload) => validator.validate(payload, 1),
        Line::TooLong | Line::End => PayloadResult::TooLong,
    };
    let subject = format!("{} of `{}`", side.name(), arguments.capability);
    report(&result, arguments, &subject, console)?;
    Ok(if result.is_valid() { Verdict::Fine } else { Verdict::Findings })
}

pub(crate) fn shown_payload(path: &Path) -> String {
    if input::is_stdin(path) { "standard input".to_owned() } else { format!("`{}`", path.display()) }
}

pub(crate) fn open(path: &Path) -> Result<Box<dyn io::Read>, Failure> {
    input::open(path).map_err(|error| read::failed(&shown_payload(path), &error))
}

/// Prints the result of a single payload: violations to standard output, everything else to standard error.
fn report(result: &PayloadResult, arguments: &Validate, subject: &str, console: &Console) -> Result<(), Failure> {
    if arguments.json {
        let mut line = Vec::new();
        result::write_json(&mut line, result)?;
        return Ok(console::print_json(&(String::from_utf8_lossy(&line) + "\n"))?);
    }
    let reject = |code, problem: &str| {
        let message = format!("{} is {problem}", shown_payload(&arguments.payload));
        console.report(&[Diagnostic::new(code, message)]);
    };
    match result {
        PayloadResult::Valid => console.tick(&format!("valid {subject}")),
        PayloadResult::NotJson(reason) => reject(codes::NOT_JSON, &format!("not valid JSON: {reason}")),
        PayloadResult::TooLong => reject(codes::PAYLOAD_TOO_LARGE, &result::longer_than_limit()),
        PayloadResult::Invalid(violations) => {
            console::print(&(result::lines(violations).join("\n") + "\n"))?;
            let more = if violations.is_truncated() { "more than " } else { "" };
            let count = count(violations.len(), "violation", "violations");
            console.line(&format!("not a valid {subject}: {more}{count}"));
        }
    }
    Ok(())
}
