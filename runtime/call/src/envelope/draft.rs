//! Writing envelopes.

use std::collections::BTreeMap;

use bytes::Bytes;
use capgen_payload::{InvalidPayload, Options, Payload as _};
use capgen_schema::is_plain;
use serde_json::Value;

use super::syntax::{MAX_DEADLINE, is_address, is_agent, is_capability, is_id, is_scheme, is_tenant};
use super::{EnvelopeFields, EnvelopeRequired, Keys, MessageKind, uri};
use crate::decimal::Decimal;

/// The parts of a message that is written. Ids of agents are without `agent://`.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) message_id: &'a str,
    pub(crate) correlation_id: &'a str,
    pub(crate) caused_by: Option<&'a str>,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) capability: &'a str,
    /// The kind of a transport and an address of it.
    pub(crate) reply_to: Option<(&'a str, &'a str)>,
    /// Unix time in ms.
    pub(crate) deadline: Option<u64>,
    pub(crate) tenant: Option<&'a str>,
    /// Their names differ. A header without a value is left out.
    pub(crate) headers: &'a [(&'a str, Option<&'a str>)],
    pub(crate) payload: &'a [u8],
}

impl Draft<'_> {
    /// The text of the envelope, signed if there are keys. Its keys have the order of the specification, with `auth` at
    /// the end.
    ///
    /// # Errors
    ///
    /// A field is invalid.
    pub(crate) fn encode(&self, keys: Option<&Keys>) -> Result<Bytes, InvalidPayload> {
        let mut text = if self.is_usual() { self.write() } else { self.write_checked()? };
        text.extend_from_slice(self.payload);
        text.push(b'}');
        if let Some(auth) = keys.and_then(|keys| keys.sign(&text)) {
            let auth = serde_json::to_vec(&auth).unwrap_or_default();
            text.pop();
            text.extend_from_slice(b",\"auth\":");
            text.extend_from_slice(&auth);
            text.push(b'}');
        }
        Ok(text.into())
    }

    /// Whether the fields are valid and, apart from headers, written as they are. Otherwise, the generated code
    /// decides.
    pub(super) fn is_usual(&self) -> bool {
        let ids = [Some(self.message_id), Some(self.correlation_id), self.caused_by];
        let is_address = |(kind, address): (&str, &str)| {
            is_scheme(kind.as_bytes()) && is_address(address.as_bytes()) && is_plain(address.as_bytes())
        };
        ids.into_iter().flatten().all(|id| is_id(id.as_bytes()) && is_plain(id.as_bytes()))
            && is_agent(self.from.as_bytes())
            && is_agent(self.to.as_bytes())
            && is_capability(self.capability.as_bytes())
            && self.reply_to.is_none_or(is_address)
            && self.deadline.is_none_or(|deadline| deadline <= MAX_DEADLINE)
            && self.tenant.is_none_or(|tenant| is_tenant(tenant.as_bytes()) && is_plain(tenant.as_bytes()))
    }

    /// The text up to the payload.
    pub(super) fn write(&self) -> Vec<u8> {
        let headers: usize = self.set_headers().map(|(name, value)| name.len() + value.len() + 6).sum();
        // The names of all members and the longest numbers have less than 256 bytes; a signature has about 160.
        let length = self.message_id.len() + self.correlation_id.len() + self.capability.len() + self.payload.len();
        let more = [self.caused_by, self.tenant, Some(self.from), Some(self.to)].into_iter().flatten();
        let address = self.reply_to.map_or(0, |(kind, address)| kind.len() + address.len());
        let length = length + more.map(str::len).sum::<usize>() + address + headers;
        let mut text = Vec::with_capacity(length + 512);
        let mut put = |parts: &[&str]| parts.iter().for_each(|part| text.extend_from_slice(part.as_bytes()));
        put(&["{\"version\":1,\"kind\":\"", self.kind.as_str(), "\",\"messageId\":\"", self.message_id]);
        put(&["\",\"correlationId\":\"", self.correlation_id]);
        if let Some(cause) = self.caused_by {
            put(&["\",\"causedBy\":\"", cause]);
        }
        put(&["\",\"from\":\"agent://", self.from, "\",\"to\":\"agent://", self.to]);
        put(&["\",\"capability\":\"", self.capability]);
        if let Some((kind, address)) = self.reply_to {
            put(&["\",\"replyTo\":\"", kind, "://", address]);
        }
        put(&["\""]);
        if let Some(deadline) = self.deadline {
            text.extend_from_slice(b",\"deadline\":");
            text.extend_from_slice(Decimal::new(deadline).as_bytes());
        }
        if let Some(tenant) = self.tenant {
            string(&mut text, b",\"tenantId\":", tenant);
        }
        let mut before: &[u8] = b",\"headers\":{";
        let mut after: &[u8] = b",\"payload\":";
        for (name, value) in self.set_headers() {
            string(&mut text, before, name);
            string(&mut text, b":", value);
            (before, after) = (b",", b"},\"payload\":");
        }
        text.extend_from_slice(after);
        text
    }

    /// The headers that have a value.
    fn set_headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((*name, (*value)?)))
    }

    /// The same by generated code, which finds every mistake.
    pub(super) fn write_checked(&self) -> Result<Vec<u8>, InvalidPayload> {
        const END: &[u8] = b"null}";
        let mut text = self.fields().to_json_with(Options::new().redact(true))?;
        // `payload` is the last field without `auth`, and its value is `null`.
        text.truncate(text.len().saturating_sub(END.len()));
        Ok(text)
    }

    /// The fields without the payload.
    fn fields(&self) -> EnvelopeFields {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let headers: BTreeMap<String, String> =
            self.set_headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        EnvelopeFields {
            caused_by: owned(self.caused_by),
            reply_to: self.reply_to.map(|(kind, address)| format!("{kind}://{address}")),
            deadline: self.deadline,
            tenant_id: owned(self.tenant),
            headers: Some(headers).filter(|headers| !headers.is_empty()),
            ..EnvelopeFields::new(EnvelopeRequired {
                kind: self.kind,
                message_id: self.message_id.to_owned(),
                correlation_id: self.correlation_id.to_owned(),
                from: uri(self.from),
                to: uri(self.to),
                capability: self.capability.to_owned(),
                payload: Value::Null,
            })
        }
    }
}

/// Writes a text and then a string.
fn string(text: &mut Vec<u8>, before: &[u8], string: &str) {
    text.extend_from_slice(before);
    if is_plain(string.as_bytes()) {
        text.push(b'"');
        text.extend_from_slice(string.as_bytes());
        text.push(b'"');
    } else {
        // Writing a string to a vector does not fail.
        let _ = serde_json::to_writer(text, string);
    }
}
