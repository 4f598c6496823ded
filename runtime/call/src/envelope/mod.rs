//! The envelope: the JSON message that carries a payload.
//!
//! Its types and validators are generated from `contract/capabilities.yaml`. The payload is not read together with the
//! rest: it remains text, and the receiver reads it by the schema of the capability.

#[cfg(feature = "ed25519")]
mod agent_key;
#[cfg(test)]
mod agreement;
mod compact;
mod draft;
mod keys;
mod members;
mod part;
mod syntax;

/// Generated from `contract/capabilities.yaml`.
#[path = "generated/envelope.rs"]
mod generated;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;
use capgen_payload::{InvalidPayload, Options, Payload as _};
use capgen_time::{Clock as _, SystemClock};
use serde_json::Value;

use crate::identity::Proof;
use part::{Fields, Part};

#[cfg(feature = "ed25519")]
pub use agent_key::{AgentKey, PublicKey};
pub use generated::{
    DeliverRequest as EnvelopeFields, DeliverRequestAuth as Auth, DeliverRequestAuthEd25519 as Ed25519Auth,
    DeliverRequestAuthEd25519Required as Ed25519AuthRequired, DeliverRequestAuthHmac as HmacAuth,
    DeliverRequestAuthHmacRequired as HmacAuthRequired, DeliverRequestAuthInternal as InternalAuth,
    DeliverRequestKind as MessageKind, DeliverRequestRequired as EnvelopeRequired, FailRequest as ErrorPayload,
    FailRequestRequired as ErrorRequired, FailRequestSide as ErrorSide, FailRequestSkew as SkewDetails,
    FailRequestViolationsItem as ErrorViolation, FailRequestViolationsItemRequired as ErrorViolationRequired,
};
pub use keys::{InvalidKey, Keys};

pub(crate) use draft::Draft;

/// The names of headers that capgen reads and writes.
pub mod header {
    /// In requests and responses: the hash of the sender's contract of the capability, in hexadecimal. A response may
    /// leave it out if the request has the same.
    pub const CONTRACT: &str = "capgen-contract";
    /// In requests and responses: the version of the sender's contract of the capability, if it has one.
    pub const VERSION: &str = "capgen-version";
    /// In requests: the caller's contract of the capability, as JSON, because the provider asked for it.
    pub const DESCRIPTOR: &str = "capgen-descriptor";
    /// In responses: `ok` (also if it is absent) or `error`.
    pub const STATUS: &str = "capgen-status";
    /// In responses: `descriptor` if the provider does not know the caller's contract, and compares it if the request
    /// is sent again with the header `capgen-descriptor` (with the code `EVERSION_SKEW`), or if the caller's next
    /// request has it (in other responses).
    pub const NEEDS: &str = "capgen-needs";
    /// In responses with the status `ok`: the versions and hashes of both contracts, as JSON, if other responses of the
    /// provider may be invalid for the caller.
    pub const SKEW: &str = "capgen-skew";
    /// In requests: the time until the deadline of the call when the message was written, in ms: 1 to 600000. It does
    /// not depend on clocks, so it is preferred to the member `deadline`.
    pub const TIMEOUT: &str = "capgen-timeout-ms";
    /// In requests after the first one of a call: the number of the attempt, from 2.
    pub const ATTEMPT: &str = "capgen-attempt";
    /// In requests: the interval in ms, 250 to 30000, of the frames `working` that the caller wants while the request
    /// waits or runs.
    pub const HEARTBEAT: &str = "capgen-heartbeat-ms";
    /// In requests: `refuse` or `strict`, if the caller wants its request to be refused rather than served when the
    /// contracts differ.
    pub const POLICY: &str = "capgen-policy";
    /// In messages of kind `response` that are not the response: `working`, the proof that the request waits or runs.
    pub const FRAME: &str = "capgen-frame";
    /// In responses: the parts of the protocol that the provider supports, separated by spaces, such as `heartbeat
    /// cancel`.
    pub const FEATURES: &str = "capgen-features";
    /// In messages of kind `control`: `cancel`, to end a request. Others are dropped.
    pub const CONTROL: &str = "capgen-control";
    /// In requests: requests with equal keys are one request.
    pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
    /// In requests: `Bearer ` and the token of the principal for whom the request is sent.
    pub const AUTHORIZATION: &str = "authorization";
    /// In requests: the session of the caller, for audits.
    pub const SESSION: &str = "capgen-session";
    /// In requests: the trace, as in [W3C Trace Context](https://www.w3.org/TR/trace-context/).
    pub const TRACEPARENT: &str = "traceparent";
}

/// The value of `effect` in errors: no handler started.
pub(crate) const NO_EFFECT: &str = "none";

/// The value of [`header::FRAME`] in the proof that a request waits or runs.
pub(crate) const WORKING: &str = "working";

/// The size of the largest contract in [`header::DESCRIPTOR`], in bytes. Usual ones have a few KB. It is read and
/// compared before the call runs, or beside it.
pub(crate) const MAX_DESCRIPTOR: usize = 256 * 1024;

/// The size of the largest request with a contract that only later calls need, in bytes: providers that ask for
/// contracts read messages of this size. The quotes in a contract are escaped, so that it may take twice its size.
pub(crate) const MAX_DESCRIBED: usize = 2 * MAX_DESCRIPTOR;

/// The value of [`header::CONTROL`] in messages that end a request.
pub(crate) const CANCEL: &str = "cancel";

/// A message of a call: the fields of the envelope, and the payload as text.
#[derive(Clone)]
pub struct Envelope {
    /// The text of the payload.
    pub payload: Bytes,
    /// The text that the fields are parts of.
    text: Box<str>,
    fields: Fields,
    /// The message as received, and its member `auth` with a comma.
    signed: Option<(Bytes, Range<usize>)>,
    /// The headers as a map, for handlers that ask for it.
    headers: OnceLock<BTreeMap<String, String>>,
}

impl Envelope {
    /// Reads an envelope strictly: duplicate and unknown keys are errors.
    ///
    /// The payload is not read, apart from its end. A text in the form in which clients write it costs one pass; any
    /// other text also costs a copy of the fields.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or violates the contract of envelopes. Messages contain no values.
    pub fn decode(text: &Bytes) -> Result<Self, InvalidPayload> {
        let whole = std::str::from_utf8(text).ok();
        if let Some(whole) = whole
            && let Some(compact::Compact { fields, payload, auth }) = compact::read(whole)
        {
            // A copy, because a part of `Bytes` would be checked for UTF-8 each time that it is used as a string.
            let head = whole.get(..payload.start).unwrap_or_default().into();
            let signed = auth.map(|span| (text.clone(), span));
            return Ok(Self { payload: text.slice(payload), text: head, fields, signed, headers: OnceLock::new() });
        }
        Self::decode_any(text, whole)
    }

    /// Reads an envelope by generated code, which finds every mistake.
    fn decode_any(text: &Bytes, whole: Option<&str>) -> Result<Self, InvalidPayload> {
        let options = Options::new().redact(true).max_violations(16);
        let spans = whole.and_then(|whole| Some((whole, members::find(whole)?)));
        let Some((whole, members::Spans { payload: Some(span), auth })) = spans else {
            // Not an object, or without a payload: this reports it with all other problems.
            let fields = EnvelopeFields::from_json_with(text, options)?;
            return Ok(Self::of(fields, Bytes::from_static(b"null")));
        };
        let (before, after) = (whole.get(..span.start).unwrap_or(""), whole.get(span.end..).unwrap_or(""));
        let mut fields = String::with_capacity(before.len() + after.len() + 4);
        fields.extend([before, "null", after]);
        let fields = EnvelopeFields::read(&fields, options)?;
        let signed = auth.map(|span| (text.clone(), span));
        Ok(Self { signed, ..Self::of(fields, text.slice(span)) })
    }

    /// The envelope of a request that did not come in one, without a recipient and a payload. The texts are not
    /// checked.
    pub(crate) fn of_request(caller: &str, capability: &str, message_id: &str, deadline: Option<u64>) -> Self {
        let kind = MessageKind::Request;
        let fields = EnvelopeFields::new(EnvelopeRequired {
            kind,
            message_id: message_id.to_owned(),
            correlation_id: message_id.to_owned(),
            from: uri(caller),
            to: uri(""),
            capability: capability.to_owned(),
            payload: Value::Null,
        });
        Self::of(EnvelopeFields { deadline, ..fields }, Bytes::new())
    }

    /// The envelope of fields that are valid.
    fn of(fields: EnvelopeFields, payload: Bytes) -> Self {
        Self { payload, text: Box::default(), fields: fields.into(), signed: None, headers: OnceLock::new() }
    }

    /// The text of the envelope, signed if there are keys. Its keys have the order of the specification, with `auth` at
    /// the end.
    ///
    /// # Errors
    ///
    /// A field is invalid.
    pub fn encode(&self, keys: Option<&Keys>) -> Result<Bytes, InvalidPayload> {
        let headers: Vec<(&str, Option<&str>)> = self.header_parts().map(|(name, value)| (name, Some(value))).collect();
        let draft = Draft {
            kind: self.kind(),
            message_id: self.message_id(),
            correlation_id: self.correlation_id(),
            caused_by: self.caused_by(),
            from: self.from(),
            to: self.to(),
            capability: self.capability(),
            reply_to: self.reply_to(),
            deadline: self.deadline(),
            tenant: self.tenant(),
            headers: &headers,
            payload: &self.payload,
        };
        draft.encode(keys)
    }

    /// Whether the envelope, as received, is signed with one of the keys. Without keys, every envelope counts as
    /// authentic.
    ///
    /// The signature covers the bytes as received without the member `auth` and the comma next to it. A key of an agent
    /// that has expired by the clock of the system counts as absent.
    #[must_use]
    pub fn is_authentic(&self, keys: Option<&Keys>) -> bool {
        self.proof(keys, || SystemClock.now_ms()).is_some()
    }

    /// The proof of the sender at a Unix time in ms; `None` if the signature is missing or invalid, although there are
    /// keys.
    pub(crate) fn proof(&self, keys: Option<&Keys>, now: impl Fn() -> u64) -> Option<Proof> {
        let Some(keys) = keys else { return Some(Proof::None) };
        let (auth, (text, span)) = (self.fields.auth.as_ref()?, self.signed.as_ref()?);
        let parts = [text.get(..span.start)?, text.get(span.end..)?];
        keys.proof(auth, self.from(), parts, now)
    }

    /// Whether the message has the member `auth`.
    pub(crate) fn has_auth(&self) -> bool {
        self.fields.auth.is_some()
    }

    fn get<'a>(&'a self, part: &'a Part) -> &'a str {
        part.text(&self.text)
    }

    /// The kind of the message.
    #[must_use]
    pub fn kind(&self) -> MessageKind {
        self.fields.kind
    }

    /// The id of the message.
    #[must_use]
    pub fn message_id(&self) -> &str {
        self.get(&self.fields.message_id)
    }

    /// The id that a request and its response share.
    #[must_use]
    pub fn correlation_id(&self) -> &str {
        self.get(&self.fields.correlation_id)
    }

    /// The id of the message because of which this one was sent: of the request, in a response.
    #[must_use]
    pub fn caused_by(&self) -> Option<&str> {
        self.fields.caused_by.as_ref().map(|part| self.get(part))
    }

    /// The id of the sender, without `agent://`.
    #[must_use]
    pub fn from(&self) -> &str {
        self.get(&self.fields.from)
    }

    /// The id of the recipient, without `agent://`.
    #[must_use]
    pub fn to(&self) -> &str {
        self.get(&self.fields.to)
    }

    /// The name of the capability.
    #[must_use]
    pub fn capability(&self) -> &str {
        self.get(&self.fields.capability)
    }

    /// Where the response goes to: the kind of a transport, and an address of it.
    #[must_use]
    pub fn reply_to(&self) -> Option<(&str, &str)> {
        // A search for one character takes less time than one for three.
        let (scheme, rest) = self.get(self.fields.reply_to.as_ref()?).split_once(':')?;
        Some((scheme, rest.strip_prefix("//")?))
    }

    /// The time after which the caller does not wait any more, as Unix time in ms.
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        self.fields.deadline
    }

    /// The tenant.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.fields.tenant.as_ref().map(|part| self.get(part))
    }

    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.fields.headers.get(name, &self.text)
    }

    /// The number of headers, and the bytes of their names and values, without the descriptor of a contract.
    pub(crate) fn size_of_headers(&self) -> (usize, usize) {
        let descriptor = self.header(header::DESCRIPTOR).map(|text| header::DESCRIPTOR.len() + text.len());
        let size = self.fields.headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        let count = self.fields.headers.iter().len();
        (count - usize::from(descriptor.is_some()), size - descriptor.unwrap_or(0))
    }

    /// All headers.
    #[must_use]
    pub fn headers(&self) -> &BTreeMap<String, String> {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        self.headers.get_or_init(|| self.header_parts().map(owned).collect())
    }

    fn header_parts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.headers.iter().map(|(name, value)| (self.get(name), self.get(value)))
    }
}

impl std::fmt::Debug for Envelope {
    /// Leaves out headers, which may contain tokens, and the payload.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut envelope = f.debug_struct("Envelope");
        envelope.field("kind", &self.kind()).field("message_id", &self.message_id());
        envelope.field("correlation_id", &self.correlation_id()).field("from", &self.from()).field("to", &self.to());
        envelope.field("capability", &self.capability()).finish_non_exhaustive()
    }
}

/// The request that an invalid envelope probably was, to answer it: the parts that are valid by themselves. `None` if
/// it does not show who sent it.
pub(crate) fn salvage(text: &[u8], agent: &str) -> Option<Envelope> {
    /// Everything else is skipped, because the text may be large.
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Parts {
        kind: Option<String>,
        message_id: String,
        correlation_id: String,
        from: String,
        capability: String,
        reply_to: Option<String>,
    }
    // A tree accepts duplicate keys, so that their sender learns of them; but the tree of a large text is much larger.
    // Usual messages have less than 64 KiB.
    let parts: Parts = if text.len() <= 64 * 1024 {
        serde_json::from_value(serde_json::from_slice::<Value>(text).ok()?).ok()?
    } else {
        serde_json::from_slice(text).ok()?
    };
    let request = EnvelopeFields::new(EnvelopeRequired {
        kind: MessageKind::Request,
        message_id: parts.message_id,
        correlation_id: parts.correlation_id,
        from: uri(id(&parts.from)),
        to: uri(agent),
        capability: parts.capability,
        payload: Value::Null,
    });
    let fields = EnvelopeFields { reply_to: parts.reply_to, ..request };
    fields.validate().ok()?;
    let is_request = !matches!(parts.kind.as_deref(), Some("response" | "event" | "control"));
    is_request.then(|| Envelope::of(fields, Bytes::new()))
}

impl ErrorPayload {
    /// An error that is not retryable, without details.
    pub fn of(code: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorRequired { code: code.to_owned(), message: message.into() })
    }
}

/// The id of an agent as a URI.
pub(crate) fn uri(id: &str) -> String {
    format!("agent://{id}")
}

/// The id in the URI of an agent.
pub(crate) fn id(uri: &str) -> &str {
    uri.strip_prefix("agent://").unwrap_or(uri)
}
