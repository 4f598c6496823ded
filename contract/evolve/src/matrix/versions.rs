//! The versions of a capability in several contracts.

use capgen_manifest::{Capability, Manifest};
use capgen_schema::Hash;

use super::MatrixVersion;
use super::distinct::{DistinctVersions, Kept};

/// A version of a capability in one of several contracts.
#[derive(Clone, Debug)]
pub struct VersionOf<'c> {
    /// Its version, or the start of its hash if it has none. If another one has the same label, also the source.
    pub label: String,
    /// The name of the contract.
    pub source: &'c str,
    /// The capability.
    pub capability: &'c Capability,
    /// All capabilities of its contract.
    pub contract: &'c [Capability],
}

impl<'c> VersionOf<'c> {
    /// The versions of the capability `name` in contracts that follow each other, the oldest first, each with the name
    /// of its source. Of contracts next to each other in which its version and its hash are equal, the newest counts:
    /// other properties, such as `supportedVersions`, may have changed.
    ///
    /// ```
    /// use capgen_evolve::VersionOf;
    /// use capgen_manifest::{AgentId, Capability, Manifest};
    /// let contract = |version: &str| -> Option<Manifest> {
    ///     let capability = Capability { version: version.parse().ok(), ..Capability::new("ping") };
    ///     Some(Manifest::new(AgentId::new("a")?, Vec::new(), vec![capability]))
    /// };
    /// let (old, new) = (contract("1.0.0").ok_or("no id")?, contract("2.0.0").ok_or("no id")?);
    /// let versions = VersionOf::distinct(&[("first", &old), ("second", &old), ("third", &new)], "ping");
    /// let labels: Vec<_> = versions.iter().map(|version| (version.label.as_str(), version.source)).collect();
    /// assert_eq!(labels, [("1.0.0", "second"), ("2.0.0", "third")]);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn distinct(contracts: &[(&'c str, &'c Manifest)], name: &str) -> Vec<Self> {
        let mut distinct = DistinctVersions::default();
        for (source, manifest) in contracts {
            let version = |capability: &'c Capability| {
                let label = capability.version.as_ref().map_or_else(|| capability.hash().short(), ToString::to_string);
                Self { label, source, capability, contract: &manifest.capabilities }
            };
            // The lowest first, as a contract that follows has the higher version.
            let indexes = manifest.versions(name).into_iter().rev();
            let versions = indexes.filter_map(|index| manifest.capabilities.get(index)).map(version);
            distinct.add(versions, |one, other| one.identity() == other.identity(), Kept::Last);
        }
        let mut versions = distinct.into_vec();
        let labels: Vec<String> = versions.iter().map(|version| version.label.clone()).collect();
        for version in &mut versions {
            if labels.iter().filter(|label| **label == version.label).count() > 1 {
                version.label = format!("{} ({})", version.label, version.source);
            }
        }
        versions
    }

    fn identity(&self) -> (Option<&semver::Version>, Hash) {
        (self.capability.version.as_ref(), self.capability.hash())
    }

    /// The version for [`matrix`](super::matrix).
    pub fn compared(&self) -> MatrixVersion<'c> {
        MatrixVersion { capability: self.capability, contract: self.contract }
    }
}
