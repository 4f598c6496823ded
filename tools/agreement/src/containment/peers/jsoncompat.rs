//! The crate `jsoncompat`.

use capgen_tests::Failure;
use jsoncompat::{CompatibilityResult, Role, SchemaDocument, SchemaOptions, analyze_compat};
use serde_json::Value;

use crate::containment::{Decision, Peer, Question};

/// `jsoncompat::analyze_compat` in the role `Serializer`, which considers every value, as JSON Schema does. In the role
/// `Deserializer` it considers only objects without undeclared properties.
#[derive(Clone, Copy, Debug)]
pub struct JsonCompat;

impl Peer for JsonCompat {
    fn name(&self) -> &'static str {
        "jsoncompat 0.5.0"
    }

    fn decide(&self, questions: &[Question]) -> Result<Vec<Decision>, Failure> {
        super::each(questions, decide)
    }
}

fn decide(smaller: &Value, larger: &Value) -> Decision {
    let options = SchemaOptions { assert_formats: Some(true), ..SchemaOptions::default() };
    let document = |schema| SchemaDocument::from_json_with_options(schema, &options).map_err(|error| error.to_string());
    let (larger, smaller) = match (document(larger), document(smaller)) {
        (Ok(larger), Ok(smaller)) => (larger, smaller),
        (Err(error), _) | (_, Err(error)) => return Decision::Undecided(error),
    };
    match analyze_compat(&larger, &smaller, Role::Serializer) {
        Ok(CompatibilityResult::Compatible) => Decision::Yes,
        Ok(CompatibilityResult::Incompatible { counterexample, .. }) => Decision::No(Some(counterexample.to_string())),
        Ok(CompatibilityResult::Unknown { reason }) => Decision::Undecided(reason),
        Err(error) => Decision::Undecided(error.to_string()),
    }
}
