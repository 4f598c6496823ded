//! DIDs, and the recipients of a message.

use std::fmt;
use std::str::FromStr;

/// The name of an agent or of one of its keys: a text that begins with `did:` (decision 1).
///
/// Equality is that of the texts. A fragment names a key of the agent (decision 4): policy, caches and correlation use
/// [`without_fragment`](Self::without_fragment) or [`same_subject`](Self::same_subject).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Did(String);

/// A text that does not begin with `did:`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidDid;

impl Did {
    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The agent: the text before the first `#`.
    #[must_use]
    pub fn without_fragment(&self) -> &str {
        self.0.split_once('#').map_or(&self.0, |(subject, _)| subject)
    }

    /// Whether both name the same agent, perhaps with different keys.
    #[must_use]
    pub fn same_subject(&self, other: &Self) -> bool {
        self.without_fragment() == other.without_fragment()
    }

    pub(super) fn from_text(text: String) -> Result<Self, InvalidDid> {
        if text.starts_with("did:") { Ok(Self(text)) } else { Err(InvalidDid) }
    }
}

impl FromStr for Did {
    type Err = InvalidDid;

    fn from_str(text: &str) -> Result<Self, InvalidDid> {
        Self::from_text(text.to_owned())
    }
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for InvalidDid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a DID begins with `did:`")
    }
}

impl std::error::Error for InvalidDid {}

/// The field `to` of a message. The signature covers the form, so an array of one DID remains an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recipients {
    /// A text.
    One(Did),
    /// An array, which must not be empty.
    Many(Vec<Did>),
}

impl Recipients {
    /// Whether the message is for this agent, whatever the fragments (decision 4).
    #[must_use]
    pub fn includes(&self, agent: &Did) -> bool {
        self.as_slice().iter().any(|recipient| recipient.same_subject(agent))
    }

    /// The recipients in the order of the message.
    #[must_use]
    pub const fn as_slice(&self) -> &[Did] {
        match self {
            Self::One(recipient) => std::slice::from_ref(recipient),
            Self::Many(recipients) => recipients.as_slice(),
        }
    }
}

impl From<Did> for Recipients {
    fn from(recipient: Did) -> Self {
        Self::One(recipient)
    }
}
