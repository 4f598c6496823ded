//! Why a handler that runs without a server has no response.

use capgen_manifest::Side;
use capgen_payload::Violations;

use crate::failure::Failure;

/// Why a handler that was run by [`Handlers::run`](crate::Handlers::run) has no response.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The handler failed.
    Failure(Failure),
    /// A payload violates its schema. If it is the response, the caller must not get the violations.
    Invalid {
        /// The payload.
        side: Side,
        /// The violations, without values.
        violations: Violations,
    },
    /// The handler failed, and the details of its failure violate their schema.
    InvalidDetails {
        /// The answer to the caller: `EAGENTRPC_HANDLER_FAILED` without details.
        failure: Failure,
        /// The violations of the error with its details, without values, for the audit.
        violations: Violations,
    },
}
