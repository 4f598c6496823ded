//! Payloads whose type has a JSON form, read and written in one pass.

use std::collections::HashSet;

use capgen_schema::pointer::compare;
use capgen_schema::{Keyword, PayloadError, Violation, parse_payload};

use super::locate::{pointer, pointers};
use super::reader::Unrepresentable;
use super::{Codec, PayloadSchema, Reader, Writer};
use crate::{InvalidPayload, Options, Payload};

/// Reads a payload: [`Payload::read`] of a generated type.
///
/// # Errors
///
/// Those of [`Payload::from_json_with`].
pub fn read_payload<T: Payload + Codec>(text: &str, options: Options) -> Result<T, InvalidPayload> {
    let mut reader = Reader::new(text).max_depth(options.max_depth);
    loop {
        match reader.whole() {
            Some(payload) => return Ok(payload),
            None => reader = again(&reader, text, T::schema(), options)?,
        }
    }
}

/// A second reader, which checks nothing, for a text that the schema allows.
#[cold]
fn again<'a>(
    first: &Reader<'_>,
    text: &'a str,
    schema: &PayloadSchema,
    options: Options,
) -> Result<Reader<'a>, InvalidPayload> {
    if first.is_unchecked() {
        return Err(beyond_rust(text, first));
    }
    refuse(text, schema, options)?;
    Ok(Reader::unchecked(text))
}

/// Everything that is wrong with a text; nothing, where the schema allows it.
fn refuse(text: &str, schema: &PayloadSchema, options: Options) -> Result<(), InvalidPayload> {
    let syntax = |error: PayloadError| InvalidPayload::Syntax(error.redact(options.redact));
    let violations = schema.violations(&parse_payload(text.as_bytes()).map_err(syntax)?, options);
    if violations.is_empty() { Ok(()) } else { Err(InvalidPayload::Violations(violations)) }
}

/// What a type of Rust does not hold, although its schema allows it.
fn beyond_rust(text: &str, reader: &Reader<'_>) -> InvalidPayload {
    let stop = reader.stop("not what the Rust type allows");
    InvalidPayload::Violations(vec![unrepresentable(pointer(text, stop.offset), stop.message)])
}

/// Checks a payload and writes it: [`Payload::write`] of a generated type.
///
/// # Errors
///
/// Those of [`Payload::to_json_with`].
pub fn write_payload<T: Payload + Codec>(payload: &T, options: Options) -> Result<Vec<u8>, InvalidPayload> {
    write(&|writer| writer.write(payload), T::schema(), options)
}

type Write<'a> = &'a dyn Fn(&mut Writer) -> Option<()>;

/// What need not be done for each type is done once for all, from here on.
fn write(write: Write<'_>, schema: &PayloadSchema, options: Options) -> Result<Vec<u8>, InvalidPayload> {
    let mut writer = Writer::new().max_depth(options.max_depth);
    match write(&mut writer) {
        Some(()) => Ok(writer.into_text()),
        None => write_slowly(write, schema, options),
    }
}

/// What is wrong with a value that could not be written at once.
#[cold]
fn write_slowly(write: Write<'_>, schema: &PayloadSchema, options: Options) -> Result<Vec<u8>, InvalidPayload> {
    let mut writer = Writer::unchecked().max_depth(options.max_depth);
    if write(&mut writer).is_none() {
        return Err(InvalidPayload::Violations(vec![Violation::too_deep(options.max_depth)]));
    }
    let (text, nulls) = writer.into_parts();
    settle(text, nulls, schema, options)
}

/// A text that is written, if the schema allows it; `nulls` stand where numbers are not finite.
///
/// # Errors
///
/// Every violation.
pub(crate) fn settle(
    text: Vec<u8>,
    nulls: Vec<Unrepresentable>,
    schema: &PayloadSchema,
    options: Options,
) -> Result<Vec<u8>, InvalidPayload> {
    let tree = parse_payload(&text).map_err(|error| InvalidPayload::Syntax(error.redact(options.redact)))?;
    let mut violations = schema.violations(&tree, options.all());
    if !nulls.is_empty() {
        let offsets: Vec<usize> = nulls.iter().map(|null| null.offset).collect();
        let paths = pointers(&String::from_utf8_lossy(&text), &offsets);
        let seen: HashSet<&str> = paths.iter().map(String::as_str).collect();
        violations.retain(|violation| !seen.contains(violation.path.as_str()));
        violations.extend(paths.iter().zip(&nulls).map(|(path, null)| unrepresentable(path.clone(), null.message)));
        violations.sort_by(|a, b| compare(&a.path, &b.path));
    }
    violations.truncate(options.most());
    if violations.is_empty() { Ok(text) } else { Err(InvalidPayload::Violations(violations)) }
}

/// A number that the schema may allow, and the language it is in does not.
fn unrepresentable(path: String, message: &str) -> Violation {
    Violation { path, message: message.to_owned(), keyword: Keyword::Type }
}
