//! The crate `jsonschema`, which compares schemas in a canonical form.

use capgen_tests::Failure;
use jsonschema::Draft;
use jsonschema::canonical::{self, CanonicalSchema, Containment};
use serde_json::Value;

use crate::containment::{Decision, Peer, Question};

/// `jsonschema::canonical::CanonicalSchema::covers`.
#[derive(Clone, Copy, Debug)]
pub struct Covers;

impl Peer for Covers {
    fn name(&self) -> &'static str {
        "jsonschema 0.60"
    }

    fn decide(&self, questions: &[Question]) -> Result<Vec<Decision>, Failure> {
        super::each(questions, decide)
    }
}

fn decide(smaller: &Value, larger: &Value) -> Decision {
    let covers = || canonical(larger)?.covers(&canonical(smaller)?).map_err(|error| error.to_string());
    match covers() {
        Ok(Containment::Yes) => Decision::Yes,
        Ok(Containment::No) => Decision::No(None),
        Ok(Containment::Unknown) => Decision::Undecided("unknown".to_owned()),
        Err(error) => Decision::Undecided(error),
    }
}

fn canonical(schema: &Value) -> Result<CanonicalSchema, String> {
    let options = canonical::options().with_draft(Draft::Draft7).should_validate_formats(true);
    options.canonicalize(schema).map_err(|error| error.to_string())
}
