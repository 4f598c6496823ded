//! One payload and its verdict.

use std::io;

use capgen_schema::{Schema, Validator, Violation, parse_payload};
use serde::Serialize;

use super::read::LIMIT;

/// Validates payloads of one side.
pub(super) struct Judge {
    /// `None` for a loose side.
    validator: Option<Validator>,
    /// Whether reasons leave out what the payload has.
    redact: bool,
}

/// What a payload is.
#[derive(Debug)]
pub(super) enum Judgement {
    Valid,
    Invalid(Vec<Violation>),
    /// With the reason.
    NotJson(String),
    TooLong,
}

impl Judge {
    pub(super) fn new(schema: Option<&Schema>, redact: bool) -> Self {
        Self { validator: schema.map(|schema| Validator::new(schema).redact(redact)), redact }
    }

    pub(super) fn judge(&self, payload: &[u8]) -> Judgement {
        let value = match parse_payload(payload) {
            Ok(value) => value,
            Err(error) => return Judgement::NotJson(error.redact(self.redact).to_string()),
        };
        let Some(validator) = &self.validator else {
            return Judgement::Valid;
        };
        if validator.is_valid(&value) {
            return Judgement::Valid;
        }
        Judgement::Invalid(validator.validate(&value))
    }
}

impl Judgement {
    pub(super) fn is_valid(&self) -> bool {
        matches!(self, Judgement::Valid)
    }
}

#[derive(Serialize)]
struct Document<'j> {
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<Vec<Entry<'j>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'j str>,
}

#[derive(Serialize)]
struct Entry<'j> {
    path: &'j str,
    message: &'j str,
    keyword: &'j str,
}

impl<'j> From<&'j Violation> for Entry<'j> {
    fn from(violation: &'j Violation) -> Self {
        Self { path: &violation.path, message: &violation.message, keyword: violation.keyword }
    }
}

/// Writes the JSON document of a judgement, without a line end.
pub(super) fn write_json(out: impl io::Write, judgement: &Judgement) -> io::Result<()> {
    let document = match judgement {
        Judgement::Valid => Document { valid: true, violations: None, error: None },
        Judgement::Invalid(found) => {
            Document { valid: false, violations: Some(found.iter().map(Entry::from).collect()), error: None }
        }
        Judgement::TooLong => Document { valid: false, violations: None, error: Some(&too_long()) },
        Judgement::NotJson(reason) => Document { valid: false, violations: None, error: Some(reason) },
    };
    Ok(serde_json::to_writer(out, &document)?)
}

/// Why a payload that is too long is none.
pub(super) fn too_long() -> String {
    format!("the payload is longer than {} MiB", LIMIT >> 20)
}

/// A violation on one line.
pub(super) fn plain(violation: &Violation) -> String {
    let path = if violation.path.is_empty() { "(root)" } else { &violation.path };
    visible(&format!("{path}: {}", violation.message))
}

/// The text without characters that move a terminal's cursor or end the line: names come from payloads.
pub(super) fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) { visible.extend(c.escape_unicode()) } else { visible.push(c) }
    }
    visible
}
