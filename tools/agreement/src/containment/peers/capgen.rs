//! capgen itself.

use capgen_schema::{Containment, Steps, contains};
use capgen_tests::Failure;
use capgen_tests::agreement::parse;

use crate::containment::{Decision, Peer, Question};

/// [`capgen_schema::contains`].
#[derive(Clone, Copy, Debug)]
pub struct Capgen;

impl Peer for Capgen {
    fn name(&self) -> &'static str {
        "capgen"
    }

    fn decide(&self, questions: &[Question]) -> Result<Vec<Decision>, Failure> {
        questions.iter().map(|question| Ok(decide(question))).collect()
    }
}

fn decide(question: &Question) -> Decision {
    let (Some(smaller), Some(larger)) = (parse(&question.smaller), parse(&question.larger)) else {
        return Decision::Undecided("a schema is not in the subset".to_owned());
    };
    match contains(&larger, &smaller, Steps::default()) {
        Containment::Yes => Decision::Yes,
        Containment::No(witness) => Decision::No(Some(witness.canonical())),
        Containment::Undecided(undecided) => Decision::Undecided(undecided.reason.to_owned()),
    }
}
