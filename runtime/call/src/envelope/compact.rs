//! Reading envelopes in the form in which clients write them: without whitespace and escapes, with the members in the
//! order of the specification. For any other text, the generated code decides.

use std::ops::Range;

use capgen_schema::JsonCursor;

use super::members;
use super::part::Headers;
use super::syntax::{
    MAX_DEADLINE, is_address, is_agent, is_capability, is_ed25519, is_hmac, is_id, is_scheme, is_tenant,
};
use super::{Auth, Ed25519Auth, Ed25519AuthRequired, Fields, HmacAuth, HmacAuthRequired, MessageKind, Part};

/// The most headers that are compared with each other. Usual messages have fewer. Each is compared with all others, and
/// a message with more takes the general way, which takes linear time.
const MAX_HEADERS: usize = 16;

/// The spans of a text whose members are valid. Those of the fields are before the payload.
pub(super) struct Compact {
    pub(super) fields: Fields,
    pub(super) payload: Range<usize>,
    /// The member `auth` with the comma before it.
    pub(super) auth: Option<Range<usize>>,
}

/// Reads a text. `None` if it has another form, or is invalid.
pub(super) fn read(text: &str) -> Option<Compact> {
    // Spans have 32 bits.
    u32::try_from(text.len()).ok()?;
    let mut reader = Reader(JsonCursor::new(text, 0));
    reader.literal("{\"version\":1,\"kind\":\"")?;
    let kind = reader.string()?;
    let kind = match reader.bytes(kind) {
        b"request" => MessageKind::Request,
        b"response" => MessageKind::Response,
        b"event" => MessageKind::Event,
        b"control" => MessageKind::Control,
        _ => return None,
    };
    let fields = Fields {
        kind,
        message_id: reader.member("\"messageId\":\"", is_id)?,
        correlation_id: reader.member("\"correlationId\":\"", is_id)?,
        caused_by: reader.optional("\"causedBy\":\"", is_id)?,
        from: reader.member("\"from\":\"agent://", is_agent)?,
        to: reader.member("\"to\":\"agent://", is_agent)?,
        capability: reader.member("\"capability\":\"", is_capability)?,
        reply_to: reader.optional("\"replyTo\":\"", is_uri)?,
        deadline: reader.deadline()?,
        tenant: reader.optional("\"tenantId\":\"", is_tenant)?,
        headers: reader.headers()?,
        auth: None,
    };
    reader.literal(",\"payload\":")?;
    let payload = reader.value()?;
    let start = reader.at();
    let auth = reader.auth()?;
    let span = auth.is_some().then_some(start..reader.at());
    reader.literal("}")?;
    (reader.at() == text.len()).then_some(())?;
    Some(Compact { fields: Fields { auth, ..fields }, payload, auth: span })
}

fn is_uri(text: &[u8]) -> bool {
    let scheme = text.iter().position(|byte| *byte == b':').unwrap_or(0);
    let Some((scheme, rest)) = text.split_at_checked(scheme) else { return false };
    is_scheme(scheme) && rest.strip_prefix(b"://").is_some_and(is_address)
}

struct Reader<'t>(JsonCursor<'t>);

impl<'t> Reader<'t> {
    fn at(&self) -> usize {
        self.0.at()
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        self.0.literal(literal).then_some(())
    }

    fn bytes(&self, span: Range<usize>) -> &'t [u8] {
        self.0.text().as_bytes().get(span).unwrap_or_default()
    }

    /// The rest of a string without escapes, and its quote.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at();
        self.0.skip_plain();
        let end = self.at();
        self.literal("\"")?;
        Some(start..end)
    }

    /// The rest of a string that is valid.
    fn part(&mut self, is_valid: impl Fn(&[u8]) -> bool) -> Option<Part> {
        let span = self.string()?;
        is_valid(self.bytes(span.clone())).then(|| Part::of(span))
    }

    /// A member with its comma, given its text up to its string.
    fn member(&mut self, name: &str, is_valid: impl Fn(&[u8]) -> bool) -> Option<Part> {
        self.literal(",")?;
        self.literal(name)?;
        self.part(is_valid)
    }

    /// A member that may be absent.
    fn optional(&mut self, name: &str, is_valid: impl Fn(&[u8]) -> bool) -> Option<Option<Part>> {
        let rest = self.0.text().as_bytes().get(self.at() + 1..)?;
        if !rest.starts_with(name.as_bytes()) {
            return Some(None);
        }
        self.member(name, is_valid).map(Some)
    }

    fn deadline(&mut self) -> Option<Option<u64>> {
        if self.literal(",\"deadline\":").is_none() {
            return Some(None);
        }
        let digits = self.0.digits();
        let deadline = digits.parse::<u64>().ok()?;
        // A number has no leading zeros.
        let has_form = digits.len() == 1 || !digits.starts_with('0');
        (has_form && deadline <= MAX_DEADLINE).then_some(Some(deadline))
    }

    fn headers(&mut self) -> Option<Headers> {
        if self.literal(",\"headers\":{").is_none() {
            return Some(Headers::default());
        }
        // Usual requests have as many.
        let mut headers = Headers::with_capacity(4);
        loop {
            self.literal("\"")?;
            let name = self.string()?;
            self.literal(":\"")?;
            let value = self.string()?;
            let is_new = headers.get(self.0.text().get(name.clone())?, self.0.text()).is_none();
            (is_new && headers.iter().len() < MAX_HEADERS).then_some(())?;
            headers.push(Part::of(name), Part::of(value), self.0.text());
            if self.literal("}").is_some() {
                return Some(headers);
            }
            self.literal(",")?;
        }
    }

    /// The span of a value. It is not read: its end is found by its brackets and strings.
    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at();
        let is_space = self.0.peek()?.is_ascii_whitespace();
        members::skip(&mut self.0)?;
        (!is_space).then_some(start..self.at())
    }

    fn auth(&mut self) -> Option<Option<Auth>> {
        if self.literal(",\"auth\":{\"kind\":\"").is_none() {
            return Some(None);
        }
        let is_shared = self.literal("hmac\",\"keyId\":\"").is_some();
        if !is_shared {
            self.literal("ed25519\",\"keyId\":\"")?;
        }
        let key_id = self.part(is_id)?;
        let signature = self.member("\"signature\":\"", if is_shared { is_hmac } else { is_ed25519 })?;
        self.literal("}")?;
        let [key_id, signature] = [key_id, signature].map(|part| part.text(self.0.text()).to_owned());
        Some(Some(if is_shared {
            Auth::Hmac(HmacAuth::new(HmacAuthRequired { key_id, signature }))
        } else {
            Auth::Ed25519(Ed25519Auth::new(Ed25519AuthRequired { key_id, signature }))
        }))
    }
}
