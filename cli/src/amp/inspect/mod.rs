//! `capgen amp inspect`: a message, and the result of every check.

mod check;
mod human;

use std::io::{self, BufWriter, Write};

use capgen_amp::cbor::Limits;
use capgen_amp::message::{Message, MessageType, decode_message};
use capgen_diagnostic::{Diagnostic, visible_json};
use serde::Serialize;

use super::arguments::Inspect;
use super::{input, keys};
use crate::codes;
use crate::console::{self};
use crate::failure::{Failure, RunResult, Verdict};
use crate::validate::{Line, Reader, shown_payload};
use check::{Inspection, Inspector};

pub(super) fn run(arguments: &Inspect) -> RunResult {
    let inspector = inspector(arguments)?;
    if arguments.lines {
        return lines(&inspector, arguments);
    }
    let report = inspector.inspect(&input::read(&arguments.file, Limits::default().bytes)?);
    if arguments.json {
        console::print_json(&json_line(&report)?)?;
    } else {
        console::print(&human::text(&report))?;
    }
    Ok(verdict(report.is_ok()))
}

fn verdict(is_ok: bool) -> Verdict {
    if is_ok { Verdict::Fine } else { Verdict::Findings }
}

fn inspector(arguments: &Inspect) -> Result<Inspector, Failure> {
    let keys = keys::keys("--key", &arguments.key)?;
    let keys = (!keys.is_empty()).then(|| keys.with_did_key());
    Ok(Inspector { keys, now: arguments.now, request: request(arguments)? })
}

/// The message of `--request`.
fn request(arguments: &Inspect) -> Result<Option<Message>, Failure> {
    let Some(path) = &arguments.request else { return Ok(None) };
    let limits = Limits::default();
    match decode_message(&input::read(path, limits.bytes)?, &limits) {
        Ok(request) => Ok(Some(request.into_unchecked())),
        Err(rejection) => {
            let message = format!("{} is not a request: {rejection}", shown_payload(path));
            Err(Failure::Findings(vec![Diagnostic::new(codes::NOT_A_REQUEST, message)]))
        }
    }
}

/// One message per line. A reader that closes the pipe has enough; the results so far count.
fn lines(inspector: &Inspector, arguments: &Inspect) -> RunResult {
    let mut is_ok = true;
    match all_lines(inspector, arguments, &mut is_ok) {
        Err(Failure::Stream(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        other => other?,
    }
    Ok(verdict(is_ok))
}

fn all_lines(inspector: &Inspector, arguments: &Inspect, is_ok: &mut bool) -> Result<(), Failure> {
    let mut reader = Reader::new(input::open(&arguments.file)?, &shown_payload(&arguments.file));
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    loop {
        // The program that writes messages may be waiting for a result before it sends the next one.
        if reader.would_wait() {
            stdout.flush()?;
        }
        let report = match reader.next_line()? {
            Line::End => break,
            Line::TooLong => Inspection::not_encoded("the line is too long"),
            Line::Text(text) => of_line(inspector, text),
        };
        *is_ok &= report.is_ok();
        stdout.write_all(visible_json(&json_line(&report)?).as_bytes())?;
    }
    Ok(stdout.flush()?)
}

fn of_line(inspector: &Inspector, text: &[u8]) -> Inspection {
    let text = text.trim_ascii();
    if text.len() / 2 > Limits::default().bytes {
        return Inspection::not_encoded("the message is too long");
    }
    match hex::decode(text) {
        Ok(bytes) => inspector.inspect(&bytes),
        Err(_) => Inspection::not_encoded("the line is not hexadecimal"),
    }
}

/// The result as a JSON document.
#[derive(Serialize)]
struct Document<'r> {
    ok: bool,
    error: Option<Error<'r>>,
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    signature: &'static str,
    message: Option<&'r serde_json::Value>,
}

#[derive(Serialize)]
struct Error<'r> {
    code: u16,
    message: &'r str,
}

/// The document on one line, with a line end.
fn json_line(report: &Inspection) -> Result<String, Failure> {
    let document = Document {
        ok: report.is_ok(),
        error: report.rejection().map(|rejection| Error { code: rejection.code.number(), message: &rejection.message }),
        kind: report.kind.map(MessageType::name),
        signature: if report.is_verified { "valid" } else { "unchecked" },
        message: report.view.as_ref(),
    };
    let text = serde_json::to_string(&document).map_err(io::Error::from)?;
    Ok(format!("{text}\n"))
}
