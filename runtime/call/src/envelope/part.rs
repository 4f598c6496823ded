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
    /// Their names differ.
    pub(super) headers: Vec<(Part, Part)>,
    pub(super) auth: Option<Auth>,
}

impl Part {
    /// The part of a text with at most `u32::MAX` bytes. A longer text gives an empty part.
    pub(super) fn of(span: Range<usize>) -> Self {
        match (u32::try_from(span.start), u32::try_from(span.end)) {
            (Ok(start), Ok(end)) => Self::Span(start, end),
            _ => Self::Span(0, 0),
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
        let headers = fields.headers.unwrap_or_default().into_iter();
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
            headers: headers.map(|(name, value)| (name.into(), value.into())).collect(),
            auth: fields.auth,
        }
    }
}
