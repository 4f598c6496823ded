//! The envelope: the JSON message that carries a payload.
//!
//! Its types and validators are generated from `contract/capabilities.yaml`. The payload is not read together with the rest: it
//! remains text, and the receiver reads it by the schema of the capability.

mod keys;
mod members;

/// Generated from `contract/capabilities.yaml`.
#[path = "generated/envelope.rs"]
mod generated;

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;
use capgen_payload::{InvalidPayload, Options, Payload as _};
use serde_json::Value;

pub use generated::{
    CONTRACT_HASH as ENVELOPE_CONTRACT_HASH, DeliverRequest as EnvelopeFields, DeliverRequestAuth as Auth,
    DeliverRequestAuthHmac as HmacAuth, DeliverRequestAuthInternal as InternalAuth, DeliverRequestKind as MessageKind,
    FailRequest as ErrorPayload, FailRequestSide as ErrorSide, FailRequestViolationsItem as ErrorViolation,
};
pub use keys::{InvalidKey, Keys};

/// The names of headers that capgen reads and writes.
pub mod header {
    /// In requests and responses: the hash of the sender's contract of the capability, in hexadecimal.
    pub const CONTRACT: &str = "capgen-contract";
    /// In requests: the version of the caller's contract of the capability, if it has one.
    pub const VERSION: &str = "capgen-version";
    /// In a second request: the caller's contract of the capability, as JSON, because the provider asked for it.
    pub const DESCRIPTOR: &str = "capgen-descriptor";
    /// In responses: `ok` (also if it is absent) or `error`.
    pub const STATUS: &str = "capgen-status";
    /// In responses with the code `EVERSION_SKEW`: `descriptor` if the provider does not know the caller's contract, and compares it
    /// if the request is sent again with the header `capgen-descriptor`.
    pub const NEEDS: &str = "capgen-needs";
    /// In requests: requests with equal keys are one request.
    pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
    /// In requests: the session of the caller, for audits.
    pub const SESSION: &str = "capgen-session";
    /// In requests: the trace, as in [W3C Trace Context](https://www.w3.org/TR/trace-context/).
    pub const TRACEPARENT: &str = "traceparent";
}

/// A message of a call: the fields of the envelope, and the payload as text.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// Everything but the payload, which is `null` here.
    pub fields: EnvelopeFields,
    /// The text of the payload.
    pub payload: Bytes,
    /// The text as received, and the span of the member `auth` with a comma.
    received: Option<(Bytes, Option<Range<usize>>)>,
}

/// The parts of an envelope that every message has.
#[derive(Clone, Debug)]
pub(crate) struct Addressed<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) message_id: &'a str,
    pub(crate) correlation_id: &'a str,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) capability: &'a str,
}

impl Envelope {
    /// An envelope with the required fields. `from` and `to` are ids without `agent://`.
    pub(crate) fn new(parts: &Addressed<'_>, payload: impl Into<Bytes>) -> Self {
        let fields = EnvelopeFields::new(
            parts.kind,
            parts.message_id,
            parts.correlation_id,
            uri(parts.from),
            uri(parts.to),
            parts.capability,
            Value::Null,
        );
        Self { fields, payload: payload.into(), received: None }
    }

    /// Reads an envelope strictly: duplicate and unknown keys are errors.
    ///
    /// The payload is not read, apart from its end.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or violates the contract of envelopes. Messages contain no values.
    pub fn decode(text: &Bytes) -> Result<Self, InvalidPayload> {
        let options = Options::new().redact(true).max_violations(16);
        let whole = std::str::from_utf8(text).ok();
        let spans = whole.and_then(|whole| Some((whole, members::find(whole)?)));
        let Some((whole, members::Spans { payload: Some(span), auth })) = spans else {
            // Not an object, or without a payload: this reports it with all other problems.
            return match EnvelopeFields::from_json_with(text, options) {
                Err(error) => Err(error),
                Ok(fields) => Ok(Self { fields, payload: Bytes::from_static(b"null"), received: None }),
            };
        };
        let (before, after) = (whole.get(..span.start).unwrap_or(""), whole.get(span.end..).unwrap_or(""));
        let mut fields = String::with_capacity(before.len() + after.len() + 4);
        fields.extend([before, "null", after]);
        let fields = EnvelopeFields::read(&fields, options)?;
        Ok(Self { fields, payload: text.slice(span), received: Some((text.clone(), auth)) })
    }

    /// The text of the envelope, signed if there are keys. Its keys have the order of the specification, with `auth` at the end.
    ///
    /// # Errors
    ///
    /// A field is invalid.
    pub fn encode(mut self, keys: Option<&Keys>) -> Result<Bytes, InvalidPayload> {
        const END: &[u8] = b"null}";
        self.fields.auth = None;
        let mut text = self.fields.to_json_with(Options::new().redact(true))?;
        // `payload` is the last field without `auth`, and its value is `null`.
        text.truncate(text.len().saturating_sub(END.len()));
        text.reserve(self.payload.len() + 256);
        text.extend_from_slice(&self.payload);
        text.push(b'}');
        if let Some((id, signature)) = keys.and_then(|keys| keys.sign(&text)) {
            let auth = serde_json::to_vec(&Auth::Hmac(HmacAuth::new(id, signature))).unwrap_or_default();
            text.pop();
            text.extend_from_slice(b",\"auth\":");
            text.extend_from_slice(&auth);
            text.push(b'}');
        }
        Ok(text.into())
    }

    /// Whether the envelope, as received, is signed with one of the keys. Without keys, every envelope counts as authentic.
    ///
    /// The signature covers the bytes as received without the member `auth` and the comma next to it.
    #[must_use]
    pub fn is_authentic(&self, keys: Option<&Keys>) -> bool {
        let Some(keys) = keys else { return true };
        let (Some(Auth::Hmac(auth)), Some((text, Some(span)))) = (&self.fields.auth, &self.received) else {
            return false;
        };
        let parts = (text.get(..span.start), text.get(span.end..));
        let (Some(before), Some(after)) = parts else { return false };
        keys.verifies(&auth.key_id, &auth.signature, [before, after])
    }

    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().get(name).map(String::as_str)
    }

    /// All headers.
    #[must_use]
    pub fn headers(&self) -> &BTreeMap<String, String> {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        self.fields.headers.as_ref().unwrap_or(&NONE)
    }
}

/// The request that an invalid envelope probably was, to answer it: the parts that are valid by themselves. `None` if it does not show
/// who sent it.
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
    let parts: Parts = if text.len() <= 64 * 1024 {
        serde_json::from_value(serde_json::from_slice::<Value>(text).ok()?).ok()?
    } else {
        serde_json::from_slice(text).ok()?
    };
    let request = Envelope::new(
        &Addressed {
            kind: MessageKind::Request,
            message_id: &parts.message_id,
            correlation_id: &parts.correlation_id,
            from: id(&parts.from),
            to: agent,
            capability: &parts.capability,
        },
        Bytes::new(),
    );
    let fields = EnvelopeFields { reply_to: parts.reply_to, ..request.fields };
    fields.validate().ok()?;
    let is_request = !matches!(parts.kind.as_deref(), Some("response" | "event"));
    is_request.then_some(Envelope { fields, ..request })
}

/// The id of an agent as a URI.
pub(crate) fn uri(id: &str) -> String {
    format!("agent://{id}")
}

/// The id in the URI of an agent.
pub(crate) fn id(uri: &str) -> &str {
    uri.strip_prefix("agent://").unwrap_or(uri)
}
