//! The checks of a message, in their order (decision 2).

use capgen_amp::body::{Body, BodyError};
use capgen_amp::cbor::{Limits, Value, decode};
use capgen_amp::message::{Keys, Message, MessageType, Rejection, Unverified, answers};
use capgen_amp::{Aliases, Code};
use serde_json::Value as Json;

/// The checks to make.
pub(super) struct Inspector {
    /// The keys of senders; `None` if signatures are not checked.
    pub(super) keys: Option<Keys>,
    /// The time, in Unix ms; `None` if lifetimes are not checked.
    pub(super) now: Option<u64>,
    /// The request that each message must answer.
    pub(super) request: Option<Message>,
}

/// A check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Check {
    Encoding,
    Version,
    Fields,
    Type,
    Id,
    Times,
    Signature,
    Body,
    Request,
}

/// The result of a check. Checks after one that failed have no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Checked {
    Passed,
    /// The option that would make the check is not given.
    Skipped(&'static str),
    Failed(Rejection),
}

/// The result of every check of one message, and the parts of the message that could be read.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Inspection {
    pub(super) checks: Vec<(Check, Checked)>,
    /// The type, if it can be read.
    pub(super) kind: Option<MessageType>,
    pub(super) is_verified: bool,
    /// The diagnostic view of the whole message, if it is deterministic CBOR.
    pub(super) view: Option<Json>,
    /// The message, if its fields are valid.
    pub(super) message: Option<Message>,
}

impl Check {
    pub(super) const ALL: [Self; 9] = [
        Self::Encoding,
        Self::Version,
        Self::Fields,
        Self::Type,
        Self::Id,
        Self::Times,
        Self::Signature,
        Self::Body,
        Self::Request,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Encoding => "encoding",
            Self::Version => "version",
            Self::Fields => "fields",
            Self::Type => "type",
            Self::Id => "id",
            Self::Times => "times",
            Self::Signature => "signature",
            Self::Body => "body",
            Self::Request => "request",
        }
    }
}

impl Inspection {
    /// The report about a line that does not contain a message.
    pub(super) fn not_encoded(reason: &str) -> Self {
        let rejection = Rejection::new(Code::InvalidMessage, reason);
        Self { checks: vec![(Check::Encoding, Checked::Failed(rejection))], ..Self::default() }
    }

    /// The check that failed.
    pub(super) fn rejection(&self) -> Option<&Rejection> {
        match self.checks.last() {
            Some((_, Checked::Failed(rejection))) => Some(rejection),
            _ => None,
        }
    }

    pub(super) fn is_ok(&self) -> bool {
        self.rejection().is_none()
    }

    /// Records the result of a check. `None` if it failed.
    fn add<T>(&mut self, check: Check, result: Result<T, Rejection>) -> Option<T> {
        let (checked, value) = match result {
            Ok(value) => (Checked::Passed, Some(value)),
            Err(rejection) => (Checked::Failed(rejection), None),
        };
        self.checks.push((check, checked));
        value
    }

    fn skip(&mut self, check: Check, option: &'static str) {
        self.checks.push((check, Checked::Skipped(option)));
    }
}

impl Inspector {
    /// Makes the checks until one fails.
    pub(super) fn inspect(&self, bytes: &[u8]) -> Inspection {
        let mut report = Inspection::default();
        // The report has the reason of a `None`.
        let _: Option<()> = self.check(bytes, &mut report);
        report
    }

    fn check(&self, bytes: &[u8], report: &mut Inspection) -> Option<()> {
        let value = report.add(Check::Encoding, decode(bytes, &Limits::default()).map_err(Rejection::from))?;
        report.view = Some(value.to_diagnostic());
        let unverified = envelope(value, report)?;
        report.message = Some(unverified.message().clone());
        match self.now {
            Some(now) => report.add(Check::Times, unverified.check_time(now))?,
            None => report.skip(Check::Times, "--now"),
        }
        let message = match &self.keys {
            Some(keys) => {
                let message = report.add(Check::Signature, unverified.verify(keys))?;
                report.is_verified = true;
                message
            }
            None => {
                report.skip(Check::Signature, "--key");
                unverified.into_unchecked()
            }
        };
        report.add(Check::Body, body(&message))?;
        match &self.request {
            Some(request) => report.add(Check::Request, answers(&message, request))?,
            None => report.skip(Check::Request, "--request"),
        }
        Some(())
    }
}

/// The checks of the envelope that need nothing but the message.
fn envelope(value: Value, report: &mut Inspection) -> Option<Unverified> {
    let code = value.get("typ").and_then(Value::as_unsigned);
    let is_version_1 = value.get("v").and_then(Value::as_unsigned) == Some(1);
    let read = Unverified::read(value);
    let failed = read.as_ref().err().map(|rejection| match rejection.code {
        _ if !is_version_1 => Check::Version,
        Code::UnknownType => Check::Type,
        Code::InvalidTimestamp => Check::Id,
        _ => Check::Fields,
    });
    // The fields of another version may have other meanings.
    if failed != Some(Check::Version) {
        report.kind = code.and_then(MessageType::from_code);
    }
    let before = [Check::Version, Check::Fields, Check::Type, Check::Id].into_iter();
    let passed = before.take_while(|check| Some(*check) != failed).map(|check| (check, Checked::Passed));
    report.checks.extend(passed);
    match failed {
        Some(check) => report.add(check, read),
        None => read.ok(),
    }
}

/// The body of a capability message or an `ERROR` (decision 3). No provider is known here, so there are no aliases.
fn body(message: &Message) -> Result<(), Rejection> {
    let reject = |text: String| Err(Rejection::new(Code::BadRequest, text));
    if message.kind == MessageType::CapResult && message.reply_to.is_none() {
        return reject("`reply_to` is missing; a CAP_RESULT answers a request".to_owned());
    }
    match Body::read(message.kind, &message.body, &Aliases::default()) {
        Ok(_) => Ok(()),
        Err(errors) => {
            let errors: Vec<_> = errors.iter().map(BodyError::to_string).collect();
            reject(format!("the body is invalid: {}", errors.join("; ")))
        }
    }
}
