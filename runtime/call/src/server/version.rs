//! The versions of callers that a capability serves.

use capgen_descriptor::OwnedDescriptor;
use capgen_evolve::{Refusal, serves_version};
use capgen_manifest::Capability;
use semver::Version;

use super::difference::Difference;
use super::respond::Answer;
use crate::envelope::{Envelope, header};
use crate::outcome::{code, reason};

/// The version that the caller of a request states, if it does.
pub(super) fn caller_version(request: &Envelope) -> Result<Option<Version>, Answer> {
    let Some(version) = request.header(header::VERSION) else { return Ok(None) };
    version.parse().map(Some).map_err(|_| {
        let message = format!("the header `{}` is invalid: it is not a semantic version", header::VERSION);
        Answer::error(code::INVALID_ENVELOPE, message)
    })
}

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

    /// The answer to a request whose caller has a version that is not served. A caller without a version is served,
    /// because only its payload can decide.
    /// `versions` are all versions of the capability that the agent serves.
    pub(super) fn check(
        &self,
        request: &Envelope,
        contract: &OwnedDescriptor,
        versions: &[String],
    ) -> Result<(), Answer> {
        let Some(version) = caller_version(request)? else { return Ok(()) };
        let served = self.contract.as_ref().map_err(Clone::clone);
        served.and_then(|contract| serves_version(contract, &version)).map_err(|refusal| {
            let details = Difference::of(request, contract, versions).details(reason::VERSION);
            Answer::skew(refusal.to_string(), details, None)
        })
    }
}
