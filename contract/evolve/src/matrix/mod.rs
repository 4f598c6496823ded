//! Which versions of a capability can be used together: requesters against providers, as in section 3.2 of the draft of
//! AMP RFC 004.

mod distinct;
mod missing;
mod offered;
mod versions;
mod walk;

pub use distinct::{DistinctVersions, Kept};
pub use versions::VersionOf;

use capgen_manifest::Capability;

use crate::call::{Party, is_served, misfit, schemas_fit};
use crate::work::Work;
use crate::{Assume, CallSettings, Refusal};
use missing::missing;

/// A version of a capability.
#[derive(Clone, Copy, Debug)]
pub struct MatrixVersion<'c> {
    /// The capability.
    pub capability: &'c Capability,
    /// All capabilities of its contract.
    pub contract: &'c [Capability],
}

/// The compatibility of a requester and a provider.
#[derive(Clone, PartialEq, Debug)]
pub enum Compatibility {
    /// Every call works, and the provider has everything that the requester knows.
    Full,
    /// Calls work, but with restrictions: one sentence for each of them, without a full stop; at least one.
    Partial(Vec<String>),
    /// A call can fail.
    Incompatible {
        /// The first reason.
        refusal: Refusal,
        /// The parts of the requester's contract that the provider does not know, as for
        /// [`Partial`](Compatibility::Partial).
        missing: Vec<String>,
    },
}

impl Compatibility {
    /// `full`, `partial` or `incompatible`.
    pub const fn name(&self) -> &'static str {
        match self {
            Compatibility::Full => "full",
            Compatibility::Partial(_) => "partial",
            Compatibility::Incompatible { .. } => "incompatible",
        }
    }

    /// The reasons why it is not full, in words; empty if it is.
    pub fn reasons(&self) -> Vec<String> {
        match self {
            Compatibility::Full => Vec::new(),
            Compatibility::Partial(restrictions) => restrictions.clone(),
            Compatibility::Incompatible { refusal, missing } => {
                std::iter::once(reason(refusal)).chain(missing.iter().cloned()).collect()
            }
        }
    }
}

/// The compatibility of every requester with every provider: `matrix(..)[requester][provider]`.
///
/// The compatibility is *full* if a requester that was built with one version [can call](crate::can_call) a provider
/// with the other, and nothing that the requester's contract declares is unknown to the provider. It is *partial* if
/// calls work, but
///
/// - the provider will stop serving the version of the requester (`deprecatedVersions`);
/// - the provider's contract does not declare a property, a branch of a union or a value of an `enum` that the
///   requester's contract declares: the provider ignores this property of a request, or never sends this value in a
///   response;
/// - or calls work only if both are built with capgen ([`Assume::CapgenPeer`]), and the settings assume any peer.
///
/// Otherwise it is *incompatible*. Parts that only the provider knows do not matter: the requester does not use them.
/// Takes one [`can_call`](crate::can_call) for each pair, and for all of them the budget of the settings.
pub fn matrix(versions: &[MatrixVersion<'_>], settings: &CallSettings) -> Vec<Vec<Compatibility>> {
    let work = Work::new(settings.budget);
    let row = |requester| versions.iter().map(|provider| compatibility(requester, provider, settings, &work)).collect();
    versions.iter().map(row).collect()
}

fn compatibility(
    requester: &MatrixVersion<'_>,
    provider: &MatrixVersion<'_>,
    settings: &CallSettings,
    work: &Work,
) -> Compatibility {
    let (caller, callee) = (requester.capability, provider.capability);
    let incompatible =
        |refusal| Compatibility::Incompatible { refusal, missing: missing(caller, callee, settings.steps, work) };
    if let Err(refusal) = is_served(caller, callee, settings) {
        return incompatible(refusal);
    }
    let mut restrictions = Vec::new();
    if let Some(version) = &caller.version
        && callee.deprecated_versions.iter().any(|range| range.matches(version))
    {
        restrictions.push(format!("the provider will stop serving version {version}"));
    }
    if caller.hash() != callee.hash() {
        let from = Party { capability: caller, contract: Some(requester.contract) };
        let to = Party { capability: callee, contract: Some(provider.contract) };
        if let Err(refusal) = schemas_fit(from, to, settings, work) {
            let as_capgen = CallSettings { assume: Assume::CapgenPeer, ..settings.clone() };
            if settings.assume == Assume::CapgenPeer || misfit(from, to, &as_capgen, work).is_some() {
                return incompatible(refusal);
            }
            restrictions.push(format!("works only if both are built with capgen: otherwise {refusal}"));
        }
        restrictions.extend(missing(caller, callee, settings.steps, work));
    }
    if restrictions.is_empty() { Compatibility::Full } else { Compatibility::Partial(restrictions) }
}

/// A refusal with its witness.
fn reason(refusal: &Refusal) -> String {
    /// Longer witnesses are shortened, in characters. A cell of the matrix has to fit on a few lines; `capgen diff`
    /// prints more.
    const MAX_WITNESS: usize = 200;
    match refusal {
        Refusal::Incompatible(reason) if reason.witness.is_some() => {
            let payload = reason.witness.as_ref().map(|witness| witness.payload.canonical()).unwrap_or_default();
            format!("{refusal}, such as {}", capgen_diagnostic::shortened(&payload, MAX_WITNESS))
        }
        refusal => refusal.to_string(),
    }
}
