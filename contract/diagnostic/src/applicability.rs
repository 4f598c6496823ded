//! Whether an edit may be applied without a person who reads it.

/// Whether a program may apply a suggested edit by itself, as `capgen check --fix` does.
///
/// The distinction is that of rustc's `Applicability`. An edit is [`Certain`](Self::Certain) if the text has one plain
/// meaning and the edit only writes it in the notation of the format. It needs review if it is a guess, removes
/// something, or may change the meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Applicability {
    /// The text has one plain meaning, and the edit keeps it.
    Certain,
    /// A person should read the edit first.
    NeedsReview,
}

impl Applicability {
    /// `certain` or `needs-review`.
    pub const fn name(self) -> &'static str {
        match self {
            Applicability::Certain => "certain",
            Applicability::NeedsReview => "needs-review",
        }
    }
}
