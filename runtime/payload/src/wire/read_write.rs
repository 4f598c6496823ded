//! Reading and writing payloads in one pass, with the violations if that fails.

use std::collections::HashSet;

use capgen_schema::pointer::compare;
use capgen_schema::{ExactPayload, Keyword, PayloadError, ReportBudget, Violation, Violations};

use super::locate::{pointer, pointers};
use super::reader::Unrepresentable;
use super::stack::{with_room, with_room_to_validate};
use super::{Codec, PayloadSchema, Reader, Writer};
use crate::{InvalidPayload, Options};

/// Reads a payload: [`Payload::read`](crate::Payload::read) of a generated type.
///
/// # Errors
///
/// Those of [`Payload::from_json_with`](crate::Payload::from_json_with).
pub fn read_payload<T: Codec>(text: &str, options: Options, schema: &PayloadSchema) -> Result<T, InvalidPayload> {
    let mut reader = Reader::new(text).max_depth(options.max_depth);
    loop {
        match with_room(|| reader.whole()) {
            Some(payload) if reader.is_unchecked() => return writable(payload, options, schema),
            Some(payload) => return Ok(payload),
            None => reader = again(&reader, text, schema, options)?,
        }
    }
}

/// A second reader, which checks no assertions, for a text that the schema allows. The first reader stops at the first
/// problem, so the interpreter validates the text, and reports the violations.
#[cold]
fn again<'a>(
    first: &Reader<'_>,
    text: &'a str,
    schema: &PayloadSchema,
    options: Options,
) -> Result<Reader<'a>, InvalidPayload> {
    if first.is_unchecked() {
        return Err(beyond_rust(text, first, options.budget));
    }
    validate(text, schema, options)?;
    Ok(Reader::unchecked(text))
}

/// Returns a payload that was read without checks if it can be written: the numbers of its text are valid, but its type
/// may have rounded them to numbers that are not.
#[cold]
fn writable<T: Codec>(payload: T, options: Options, schema: &PayloadSchema) -> Result<T, InvalidPayload> {
    match write_payload(&payload, options, schema) {
        Ok(_) => Ok(payload),
        Err(InvalidPayload::Violations(violations)) => {
            let rounded = |violation: Violation| {
                let message = format!("the Rust type changes the value of a number: {}", violation.message);
                unrepresentable(violation.path, &message)
            };
            let is_truncated = violations.is_truncated();
            let violations = violations.into_iter().map(rounded).collect();
            Err(InvalidPayload::Violations(Violations::new(violations, is_truncated)))
        }
        Err(error) => Err(error),
    }
}

/// Validates a text by the interpreter.
fn validate(text: &str, schema: &PayloadSchema, options: Options) -> Result<(), InvalidPayload> {
    let syntax = |error: PayloadError| InvalidPayload::Syntax(error.redact(options.redact));
    let violations = with_room_to_validate(|| {
        ExactPayload::parse(text.as_bytes()).map_err(syntax).map(|payload| schema.violations(&payload, options))
    })?;
    if violations.is_empty() { Ok(()) } else { Err(InvalidPayload::Violations(violations)) }
}

/// The error of a value that its schema allows, and that its Rust type cannot represent.
fn beyond_rust(text: &str, reader: &Reader<'_>, budget: ReportBudget) -> InvalidPayload {
    let stop = reader.stop("does not fit the Rust type");
    unrepresentable(pointer(text, stop.offset, budget), stop.message).into()
}

/// Checks a payload and writes it: [`Payload::write`](crate::Payload::write) of a generated type.
///
/// # Errors
///
/// Those of [`Payload::to_json_with`](crate::Payload::to_json_with).
pub fn write_payload<T: Codec>(
    payload: &T,
    options: Options,
    schema: &PayloadSchema,
) -> Result<Vec<u8>, InvalidPayload> {
    write(&|writer| writer.write(payload), schema, options)
}

type Write<'a> = &'a dyn Fn(&mut Writer) -> Option<()>;

/// From here on, nothing is generic, so that it is compiled once.
fn write(write: Write<'_>, schema: &PayloadSchema, options: Options) -> Result<Vec<u8>, InvalidPayload> {
    let mut writer = Writer::new().max_depth(options.max_depth);
    match with_room(|| write(&mut writer)) {
        Some(()) => Ok(writer.into_text()),
        None => with_room_to_validate(|| write_slowly(write, schema, options)),
    }
}

/// Writes a value without checks, and validates the text, to report the violations.
#[cold]
fn write_slowly(write: Write<'_>, schema: &PayloadSchema, options: Options) -> Result<Vec<u8>, InvalidPayload> {
    let mut writer = Writer::unchecked().max_depth(options.max_depth);
    if write(&mut writer).is_none() {
        return Err(Violation::too_deep(options.max_depth).into());
    }
    let (text, nulls) = writer.into_parts();
    settle(text, nulls, schema, options)
}

/// Returns a written text if it is valid. `nulls` are the places of numbers that are not finite, for which the text has
/// `null`.
///
/// # Errors
///
/// The violations.
pub(crate) fn settle(
    text: Vec<u8>,
    nulls: Vec<Unrepresentable>,
    schema: &PayloadSchema,
    options: Options,
) -> Result<Vec<u8>, InvalidPayload> {
    let mut violations = with_room_to_validate(|| {
        let payload = ExactPayload::parse(&text).map_err(|error| InvalidPayload::Syntax(error.redact(options.redact)));
        payload.map(|payload| schema.violations(&payload, options))
    })?;
    if !nulls.is_empty() {
        violations = with_nulls(violations, &text, &nulls, options.budget);
    }
    if violations.is_empty() { Ok(text) } else { Err(InvalidPayload::Violations(violations)) }
}

/// The violations of a text, with those of the numbers that are not finite in place of those of the `null`s at their
/// places.
#[cold]
fn with_nulls(violations: Violations, text: &[u8], nulls: &[Unrepresentable], budget: ReportBudget) -> Violations {
    let offsets: Vec<usize> = nulls.iter().map(|null| null.offset).collect();
    let paths = with_room(|| pointers(&String::from_utf8_lossy(text), &offsets, budget));
    // After the last violation of a truncated report, others may come that are not known.
    let last = violations.last().filter(|_| violations.is_truncated()).map(|violation| violation.path.clone());
    let is_known = |path: &str| last.as_ref().is_none_or(|last| compare(path, last).is_le());
    let is_truncated = violations.is_truncated();
    let seen: HashSet<&str> = paths.iter().map(String::as_str).collect();
    let others = violations.into_iter().filter(|violation| !seen.contains(violation.path.as_str()));
    let nulls = paths.iter().zip(nulls).filter(|(path, _)| is_known(path));
    let mut all: Vec<Violation> =
        others.chain(nulls.map(|(path, null)| unrepresentable(path.clone(), null.message))).collect();
    all.sort_by(|a, b| compare(&a.path, &b.path));
    let report = Violations::within(budget, all);
    let is_truncated = is_truncated || report.is_truncated();
    Violations::new(report.into_vec(), is_truncated)
}

/// The violation of a number that the schema may allow, and that Rust or JSON cannot represent.
fn unrepresentable(path: String, message: &str) -> Violation {
    Violation { path, message: message.to_owned(), keyword: Keyword::Type }
}
