//! The choice of a target (section 6.2, decision 9), without its explanation.

use super::effective::Registered;
use super::{Row, View};
use crate::access::Access;
use crate::{Offer, Requirement};

/// Why no target was found: the first filter that left nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Unresolved {
    /// No agent has registered the capability.
    NotFound,
    /// No version satisfies the requirement.
    NoCompatibleVersion,
    /// No agent with such a version is healthy.
    Unhealthy,
    /// The caller lacks a role or a scope for each of them.
    AccessDenied,
}

impl Unresolved {
    /// The text in events and explanations.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::NoCompatibleVersion => "no-compatible-version",
            Self::Unhealthy => "unhealthy",
            Self::AccessDenied => "access-denied",
        }
    }
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The chosen target.
#[derive(Clone, Copy, Debug)]
pub struct Resolution<'r> {
    view: View<'r>,
    registered: Registered<'r>,
}

impl<'r> Resolution<'r> {
    /// The target.
    #[must_use]
    pub fn agent(&self) -> &'r str {
        self.registered.agent
    }

    /// The version.
    #[must_use]
    pub fn version(&self) -> &'r semver::Version {
        &self.registered.offer.version
    }

    /// Whether the version is deprecated: there was no other one.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.registered.effective.deprecated.is_some()
    }

    /// The whole registration.
    #[must_use]
    pub fn row(&self) -> Option<Row> {
        self.view.row(self.registered.id)
    }
}

impl<'r> View<'r> {
    /// Chooses the target for a caller: filters by id, version, health and access, and takes the best of the rest that
    /// is not deprecated, or else the best. [`explain`](Self::explain) gives the same target with the reasons.
    ///
    /// The cost depends on the registrations of this capability that precede the target in rank, not on the number of
    /// registrations.
    ///
    /// # Errors
    ///
    /// The first filter that left nothing.
    pub fn resolve(
        &self,
        capability: &str,
        requirement: &Requirement,
        access: &Access,
    ) -> Result<Resolution<'r>, Unresolved> {
        let view = *self;
        let mut failure = Unresolved::NotFound;
        let mut deprecated = None;
        for id in view.ranked(capability) {
            let Some(registered) = view.registered(*id) else { continue };
            let passed = if !requirement.matches(&registered.offer.version) {
                Err(Unresolved::NoCompatibleVersion)
            } else if !view.is_healthy(registered.row.agent) {
                Err(Unresolved::Unhealthy)
            } else if !is_allowed(registered.offer, access) {
                Err(Unresolved::AccessDenied)
            } else {
                Ok(Resolution { view, registered })
            };
            match passed {
                Ok(resolution) if !resolution.is_deprecated() => return Ok(resolution),
                Ok(resolution) => deprecated = deprecated.or(Some(resolution)),
                // The filter that leaves nothing is the last one that some candidate reaches.
                Err(reason) => failure = failure.max(reason),
            }
        }
        deprecated.ok_or(failure)
    }

    /// Why a question has no target, over the registrations to which the caller has access alone: other registrations
    /// do not exist for it (ruling 14). So the reason is never [`Unresolved::AccessDenied`].
    pub(crate) fn reason_within_access(
        &self,
        capability: &str,
        requirement: &Requirement,
        access: &Access,
    ) -> Unresolved {
        let registered = self.ranked(capability).iter().filter_map(|id| self.registered(*id));
        let reasons = registered.filter(|it| is_allowed(it.offer, access)).map(|it| {
            let is_compatible = requirement.matches(&it.offer.version);
            if is_compatible { Unresolved::Unhealthy } else { Unresolved::NoCompatibleVersion }
        });
        reasons.max().unwrap_or(Unresolved::NotFound)
    }
}

pub(super) fn is_allowed(offer: &Offer, access: &Access) -> bool {
    let Offer { required_roles, required_scopes, .. } = offer;
    access.allows(required_roles.iter().map(|role| &**role), required_scopes.iter().map(|scope| &**scope))
}
