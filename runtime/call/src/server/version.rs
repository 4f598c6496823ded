//! The versions of callers that a capability serves.

use capgen_descriptor::OwnedDescriptor;
use capgen_evolve::{Refusal, serves_version};
use capgen_manifest::Capability;

use super::respond::Answer;
use crate::envelope::{Envelope, header};
use crate::outcome::code;

/// The versions that a capability with `minSchemaVersion` or `supportedVersions` serves.
#[derive(Debug)]
pub(super) struct Served {
    /// The provider's contract without its schemas, or why it is invalid.
    contract: Result<Capability, Refusal>,
}

impl Served {
    /// The versions that a contract serves; `None` if it serves all.
    pub(super) fn of(contract: &OwnedDescriptor) -> Option<Self> {
        if contract.min_schema_version.is_none() && contract.supported_versions.is_empty() {
            return None;
        }
        let mut contract = contract.clone();
        (contract.input_schema, contract.output_schema) = (None, None);
        Some(Self { contract: Capability::from_descriptor(&contract).map_err(Refusal::InvalidDescriptor) })
    }

    /// The answer to a request whose caller has a version that is not served. A caller without a version is served, because only its
    /// payload can decide.
    pub(super) fn check(&self, request: &Envelope) -> Result<(), Answer> {
        let Some(version) = request.header(header::VERSION) else { return Ok(()) };
        let version = version.parse().map_err(|_| {
            let message = format!("the header `{}` is invalid: it is not a semantic version", header::VERSION);
            Answer::error(code::INVALID_ENVELOPE, message)
        })?;
        let served = self.contract.as_ref().map_err(Clone::clone);
        served
            .and_then(|contract| serves_version(contract, &version))
            .map_err(|refusal| Answer::skew(refusal.to_string(), None))
    }
}
