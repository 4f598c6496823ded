//! Whether one schema contains another: capgen and its peers, decided side by side, with independent confirmation of
//! every witness.

pub mod confirm;
pub mod pairs;
pub mod peers;
pub mod random;
mod report;

pub use report::{Report, compare};

/// An answer to whether a larger schema accepts everything that a smaller one accepts.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// It does.
    Yes,
    /// It does not. The value, if the peer reports one, is accepted by the smaller schema and rejected by the larger
    /// one. It is a JSON text, because a tree would round long numbers.
    No(Option<String>),
    /// No answer, with the reason.
    Undecided(String),
}

/// Two schemas as JSON texts on one line.
#[derive(Clone, Debug)]
pub struct Question {
    /// The schema whose values are compared.
    pub smaller: String,
    /// The schema that has to accept all of them.
    pub larger: String,
}

/// An implementation that compares schemas.
pub trait Peer {
    /// Its name and version.
    fn name(&self) -> &'static str;

    /// Its answer to each question.
    ///
    /// # Errors
    ///
    /// If it cannot be run.
    fn decide(&self, questions: &[Question]) -> Result<Vec<Decision>, capgen_tests::Failure>;
}

impl Decision {
    /// The answer in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No(_) => "no",
            Self::Undecided(_) => "undecided",
        }
    }
}
