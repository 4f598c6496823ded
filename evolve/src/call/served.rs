//! The versions of callers that a provider serves: those that are in both sets.

use capgen_descriptor::{VersionRange, VersionSet};
use capgen_manifest::Capability;

/// The versions that `minSchemaVersion` allows.
pub(crate) fn recent_enough(provider: &Capability) -> VersionSet {
    provider.min_schema_version.as_ref().map_or_else(VersionSet::all, VersionSet::at_least)
}

/// The versions that `supportedVersions` allows: the provider's own version is always one of them, and without the key, every version is.
pub(crate) fn supported(provider: &Capability) -> VersionSet {
    if provider.supported_versions.is_empty() {
        return VersionSet::all();
    }
    let own = provider.version.clone().map(VersionRange::from);
    provider.supported_versions.iter().chain(&own).collect()
}
