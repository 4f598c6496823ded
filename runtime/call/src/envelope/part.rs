//! The fields of an envelope as parts of its text.

use std::ops::Range;

use super::{Auth, EnvelopeFields, MessageKind, id};

/// A string of an envelope: a part of its text or, if the text has another form there, such as with escapes, a string
/// of its own.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Span(u32, u32),
    Own(Box<str>),
}

/// Everything but the payload. Ids of agents are without `agent://`.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) kind: MessageKind,
    pub(super) message_id: Part,
    pub(super) correlation_id: Part,
    pub(super) caused_by: Option<Part>,
    pub(super) from: Part,
    pub(super) to: Part,
    pub(super) capability: Part,
    pub(super) reply_to: Option<Part>,
    pub(super) deadline: Option<u64>,
    pub(super) tenant: Option<Part>,
    pub(super) headers: Headers,
    pub(super) auth: Option<Auth>,
}

/// Names and values. The names differ.
#[derive(Clone, Default, Debug)]
pub(super) struct Headers {
    parts: Vec<(Part, Part)>,
    /// The bits of the names. A request is asked for a dozen headers, most of which it does not have, and this shows
    /// most of those at once.
    names: u64,
}

impl Headers {
    /// No headers, with room for a number of them.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self { parts: Vec::with_capacity(count), names: 0 }
    }

    /// Adds a header, given the text of the envelope.
    pub(super) fn push(&mut self, name: Part, value: Part, text: &str) {
        self.names |= bit(name.text(text));
        self.parts.push((name, value));
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &(Part, Part)> {
        self.parts.iter()
    }

    /// The value of a name, given the text of the envelope.
    pub(super) fn get<'a>(&'a self, name: &str, text: &'a str) -> Option<&'a str> {
        if self.names & bit(name) == 0 {
            return None;
        }
        // Finding the text of a part takes longer than its length.
        let is_named = |other: &Part| other.len() == name.len() && other.text(text) == name;
        let (_, value) = self.parts.iter().find(|(other, _)| is_named(other))?;
        Some(value.text(text))
    }
}

/// The bit of a name, by its length and its last byte, which together differ between nearly all headers of capgen.
fn bit(name: &str) -> u64 {
    let last = name.as_bytes().last().copied().unwrap_or_default();
    1 << ((name.len() + usize::from(last)) % 64)
}

impl Part {
    /// The part of a text with at most `u32::MAX` bytes. A longer text gives an empty part.
    pub(super) fn of(span: Range<usize>) -> Self {
        match (u32::try_from(span.start), u32::try_from(span.end)) {
            (Ok(start), Ok(end)) => Self::Span(start, end),
            _ => Self::Span(0, 0),
        }
    }

    /// The length of the string in bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Span(start, end) => end.saturating_sub(*start) as usize,
            Self::Own(own) => own.len(),
        }
    }

    /// The string, given the text of the envelope.
    pub(super) fn text<'a>(&'a self, text: &'a str) -> &'a str {
        match self {
            Self::Span(start, end) => text.get(*start as usize..*end as usize).unwrap_or_default(),
            Self::Own(own) => own,
        }
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Own(text.into())
    }
}

impl From<EnvelopeFields> for Fields {
    fn from(fields: EnvelopeFields) -> Self {
        let given = fields.headers.unwrap_or_default();
        let mut headers = Headers::with_capacity(given.len());
        given.into_iter().for_each(|(name, value)| headers.push(name.into(), value.into(), ""));
        Self {
            kind: fields.kind,
            message_id: fields.message_id.into(),
            correlation_id: fields.correlation_id.into(),
            caused_by: fields.caused_by.map(Part::from),
            from: Part::Own(id(&fields.from).into()),
            to: Part::Own(id(&fields.to).into()),
            capability: fields.capability.into(),
            reply_to: fields.reply_to.map(Part::from),
            deadline: fields.deadline,
            tenant: fields.tenant_id.map(Part::from),
            headers,
            auth: fields.auth,
        }
    }
}
