//! The versions of callers that a provider serves: those that are in both sets.

use capgen_descriptor::{VersionRange, VersionSet};
use capgen_manifest::Capability;
use semver::Version;

use super::Refusal;

/// Whether a provider serves the callers whose contract of the capability has a version: `minSchemaVersion` and
/// `supportedVersions`. The schemas of the two versions are not compared; [`can_call`](crate::can_call) does that too.
///
/// ```
/// use capgen_evolve::serves_version;
/// use capgen_manifest::Capability;
/// let provider = Capability { min_schema_version: Some("1.2.0".parse()?), ..Capability::new("search") };
/// assert!(serves_version(&provider, &"1.3.0".parse()?).is_ok());
/// let refusal = serves_version(&provider, &"1.1.0".parse()?).expect_err("1.1.0 is too old");
/// assert!(refusal.to_string().contains("1.2.0 or later"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Refusal::TooOld`] or [`Refusal::NotSupported`].
pub fn serves_version(provider: &Capability, version: &Version) -> Result<(), Refusal> {
    if let Some(least) = &provider.min_schema_version
        && !recent_enough(provider).contains(version)
    {
        return Err(Refusal::TooOld { version: version.clone(), least: least.clone() });
    }
    if !supported(provider).contains(version) {
        let supported = provider.supported_versions.iter().map(ToString::to_string).collect();
        return Err(Refusal::NotSupported { version: version.clone(), supported });
    }
    Ok(())
}

/// The versions that `minSchemaVersion` allows.
pub(crate) fn recent_enough(provider: &Capability) -> VersionSet {
    provider.min_schema_version.as_ref().map_or_else(VersionSet::all, VersionSet::at_least)
}

/// The versions that `supportedVersions` allows: the provider's own version is always one of them, and without the key,
/// every version is.
pub(crate) fn supported(provider: &Capability) -> VersionSet {
    if provider.supported_versions.is_empty() {
        return VersionSet::all();
    }
    let own = provider.version.clone().map(VersionRange::from);
    provider.supported_versions.iter().chain(&own).collect()
}
