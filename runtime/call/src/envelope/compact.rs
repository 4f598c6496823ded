//! Reading envelopes in the form in which clients write them: without whitespace and escapes, with the members in the order of the
//! specification. For any other text, the generated code decides.

use std::ops::Range;

use capgen_payload::wire::plain_end;

use super::members::Scanner;
use super::syntax::{MAX_DEADLINE, is_address, is_agent, is_capability, is_id, is_scheme, is_signature, is_tenant};
use super::{Auth, Fields, HmacAuth, HmacAuthRequired, MessageKind, Part};

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
    let mut cursor = Cursor { text, at: 0 };
    cursor.literal("{\"version\":1,\"kind\":\"")?;
    let kind = cursor.string()?;
    let kind = match cursor.bytes(kind) {
        b"request" => MessageKind::Request,
        b"response" => MessageKind::Response,
        b"event" => MessageKind::Event,
        _ => return None,
    };
    let fields = Fields {
        kind,
        message_id: cursor.member("\"messageId\":\"", is_id)?,
        correlation_id: cursor.member("\"correlationId\":\"", is_id)?,
        caused_by: cursor.optional("\"causedBy\":\"", is_id)?,
        from: cursor.member("\"from\":\"agent://", is_agent)?,
        to: cursor.member("\"to\":\"agent://", is_agent)?,
        capability: cursor.member("\"capability\":\"", is_capability)?,
        reply_to: cursor.optional("\"replyTo\":\"", is_uri)?,
        deadline: cursor.deadline()?,
        tenant: cursor.optional("\"tenantId\":\"", is_tenant)?,
        headers: cursor.headers()?,
        auth: None,
    };
    cursor.literal(",\"payload\":")?;
    let payload = cursor.value()?;
    let start = cursor.at;
    let auth = cursor.auth()?;
    let span = auth.is_some().then_some(start..cursor.at);
    cursor.literal("}")?;
    (cursor.at == text.len()).then_some(())?;
    Some(Compact { fields: Fields { auth, ..fields }, payload, auth: span })
}

fn is_uri(text: &[u8]) -> bool {
    let scheme = text.iter().position(|byte| *byte == b':').unwrap_or(0);
    let Some((scheme, rest)) = text.split_at_checked(scheme) else { return false };
    is_scheme(scheme) && rest.strip_prefix(b"://").is_some_and(is_address)
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        self.rest().starts_with(literal.as_bytes()).then(|| self.at += literal.len())
    }

    fn bytes(&self, span: Range<usize>) -> &'t [u8] {
        self.text.as_bytes().get(span).unwrap_or_default()
    }

    /// The rest of a string without escapes, and its quote.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let end = plain_end(self.text.as_bytes(), start);
        self.at = end;
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
        if !self.rest().get(1..)?.starts_with(name.as_bytes()) {
            return Some(None);
        }
        self.member(name, is_valid).map(Some)
    }

    fn deadline(&mut self) -> Option<Option<u64>> {
        if self.literal(",\"deadline\":").is_none() {
            return Some(None);
        }
        let start = self.at;
        let mut deadline = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.rest().first() {
            deadline = deadline.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            self.at += 1;
        }
        // A number has no leading zeros.
        let has_form = self.at > start && (self.bytes(start..start + 1) != b"0" || self.at == start + 1);
        (has_form && deadline <= MAX_DEADLINE).then_some(Some(deadline))
    }

    fn headers(&mut self) -> Option<Vec<(Part, Part)>> {
        let mut headers: Vec<(Part, Part)> = Vec::new();
        if self.literal(",\"headers\":{").is_none() {
            return Some(headers);
        }
        headers.reserve(4);
        loop {
            self.literal("\"")?;
            let name = self.string()?;
            self.literal(":\"")?;
            let value = self.string()?;
            let is_new = headers.iter().all(|(other, _)| other.text(self.text).as_bytes() != self.bytes(name.clone()));
            (is_new && headers.len() < MAX_HEADERS).then_some(())?;
            headers.push((Part::of(name), Part::of(value)));
            if self.literal("}").is_some() {
                return Some(headers);
            }
            self.literal(",")?;
        }
    }

    /// The span of a value. It is not read: its end is found by its brackets and strings.
    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let is_space = self.rest().first()?.is_ascii_whitespace();
        let mut scanner = Scanner { bytes: self.text.as_bytes(), at: start };
        scanner.skip()?;
        self.at = scanner.at;
        (!is_space).then_some(start..self.at)
    }

    fn auth(&mut self) -> Option<Option<Auth>> {
        if self.literal(",\"auth\":{\"kind\":\"hmac\",\"keyId\":\"").is_none() {
            return Some(None);
        }
        let id = self.part(is_id)?;
        let signature = self.member("\"signature\":\"", is_signature)?;
        self.literal("}")?;
        let text = |part: Part| part.text(self.text).to_owned();
        let required = HmacAuthRequired { key_id: text(id), signature: text(signature) };
        Some(Some(Auth::Hmac(HmacAuth::new(required))))
    }
}
