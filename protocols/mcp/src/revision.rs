//! The revisions of the protocol.

use std::fmt;

/// A revision of the protocol that this crate implements. They are ordered by age, the oldest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Revision {
    /// 2024-11-05.
    V2024_11_05,
    /// 2025-03-26: streamable HTTP, annotations of tools, batches of messages.
    V2025_03_26,
    /// 2025-06-18: output schemas and structured results, the header `MCP-Protocol-Version`; batches were removed.
    V2025_06_18,
    /// 2025-11-25.
    V2025_11_25,
    /// 2026-07-28: no handshake and no sessions. Each request has the revision and the capabilities of the client.
    V2026_07_28,
}

impl Revision {
    /// All revisions, the newest first.
    pub const ALL: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// The newest revision with a handshake (`initialize`).
    pub(crate) const NEWEST_WITH_HANDSHAKE: Self = Self::V2025_11_25;

    /// The name in messages, such as `2026-07-28`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision with a name; `None` if this crate does not know it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// Whether there is no handshake and no session, so that each request has the revision.
    #[must_use]
    pub fn is_stateless(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Whether `_meta` of a request may have members of any name. Older revisions define it for the token of progress
    /// alone.
    pub(crate) fn has_open_meta(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether tools have output schemas, and results have `structuredContent`.
    pub(crate) fn has_structured_results(self) -> bool {
        self >= Self::V2025_06_18
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
