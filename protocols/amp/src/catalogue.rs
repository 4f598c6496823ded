//! The capabilities that a provider publishes.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range as Indexes;

use capgen_manifest::Manifest;
use capgen_schema::{Hash, HashBuilder, Schema, Validator};
use semver::Version;

use crate::bundle::{self, CreateError, Namespace};
use crate::cbor::encode;
use crate::descriptor::Descriptor;
use crate::name::CapabilityName;

/// A version of a capability with its schemas, which were verified against the hashes of the descriptor.
#[derive(Clone, Debug)]
pub struct CapabilityContract {
    /// The descriptor (section 4.2).
    pub descriptor: Descriptor,
    /// The schema of `params`.
    pub input: Schema,
    /// The schema of `result`.
    pub output: Schema,
    /// The longest time that an invocation may take, in ms; `None` if the capability has no limit of its own.
    pub timeout_ms: Option<u64>,
}

/// The published capabilities, sorted by name and precedence. A catalogue does not change: a provider publishes another
/// one.
#[derive(Debug)]
pub struct Catalogue {
    published: Vec<Published>,
    names: BTreeMap<CapabilityName, Indexes<usize>>,
    hash: [u8; 32],
}

/// A published version of a capability.
#[derive(Debug)]
pub struct Published {
    contract: CapabilityContract,
    pub(crate) input: Validator,
    pub(crate) output: Validator,
    /// The hash of the schema of `result`, to know it among those by which executors check.
    pub(crate) output_hash: Hash,
    /// The length of the encoded descriptor, in bytes.
    pub(crate) size: usize,
}

/// Two descriptors of one name have versions that differ only in build metadata, or not at all. An exact version would
/// identify both (decision 7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DuplicateVersion {
    /// The ids of both.
    pub ids: [String; 2],
}

impl fmt::Display for DuplicateVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.ids;
        write!(f, "`{one}` and `{other}` have versions of equal precedence; publish only one of them")
    }
}

impl std::error::Error for DuplicateVersion {}

impl Catalogue {
    /// Publishes contracts, in any order. Compiles their schemas.
    ///
    /// # Errors
    ///
    /// Every pair of neighbouring versions of one name that have equal precedence.
    pub fn new(mut contracts: Vec<CapabilityContract>) -> Result<Self, Vec<DuplicateVersion>> {
        contracts.sort_by(|one, other| {
            let (one, other) = (&one.descriptor.id, &other.descriptor.id);
            // `cmp` differs from precedence only by build metadata, which makes the order total.
            (&one.name, &one.version).cmp(&(&other.name, &other.version))
        });
        let duplicates: Vec<_> = contracts
            .windows(2)
            .filter_map(|pair| {
                let [one, other] = pair else { return None };
                let (one, other) = (&one.descriptor.id, &other.descriptor.id);
                let is_duplicate = one.name == other.name && one.version.cmp_precedence(&other.version).is_eq();
                is_duplicate.then(|| DuplicateVersion { ids: [one.to_string(), other.to_string()] })
            })
            .collect();
        if !duplicates.is_empty() {
            return Err(duplicates);
        }
        let mut names: BTreeMap<CapabilityName, Indexes<usize>> = BTreeMap::new();
        let mut hash = HashBuilder::new();
        let mut published = Vec::with_capacity(contracts.len());
        for (index, contract) in contracts.into_iter().enumerate() {
            names.entry(contract.descriptor.id.name.clone()).or_insert(index..index).end = index + 1;
            let encoded = encode(&contract.descriptor.to_value());
            hash.add(&encoded);
            published.push(Published {
                input: validator(&contract.input),
                output: validator(&contract.output),
                output_hash: contract.output.hash(),
                size: encoded.len(),
                contract,
            });
        }
        Ok(Self { published, names, hash: *hash.finish().as_bytes() })
    }

    /// Publishes the capabilities of manifests, such as several versions of one agent, without a bundle on disk. The
    /// catalogue is that of the bundle which [`bundle::create`] makes from the same manifests, with the same hash, so a
    /// provider may use either.
    ///
    /// ```
    /// use capgen_amp::catalogue::Catalogue;
    /// use capgen_manifest::{Source, load};
    ///
    /// let text = "version: 1\nagent: agent://shop\ntransports: [{kind: memory, topics: {requests: shop}}]\n\
    ///             capabilities: [{name: find-product, version: 1.0.0, inputSchema: {type: string}}]\n";
    /// let manifest = load(&Source::new("capabilities.yaml", text)).map_err(|findings| format!("{findings:?}"))?.manifest;
    /// let catalogue = Catalogue::of_manifests(&[&manifest], &"org.example".parse()?).map_err(|e| format!("{e:?}"))?;
    /// assert_eq!(catalogue.names().next().unwrap().to_string(), "org.example.find-product");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Everything that violates a [`Rule`](crate::bundle::Rule), of at most 100 places for each manifest.
    pub fn of_manifests(manifests: &[&Manifest], namespace: &Namespace) -> Result<Self, Vec<CreateError>> {
        let contracts = bundle::contracts(manifests, namespace)?;
        // Two versions of equal precedence were reported above.
        Self::new(contracts).map_err(|duplicates| duplicates.into_iter().map(CreateError::from).collect())
    }

    /// The versions of a capability in ascending order of precedence; empty if it is not published.
    #[must_use]
    pub fn versions(&self, name: &CapabilityName) -> &[Published] {
        self.published.get(self.indexes(name)).unwrap_or_default()
    }

    /// The version of a capability with this precedence.
    #[must_use]
    pub fn find(&self, name: &CapabilityName, version: &Version) -> Option<&Published> {
        let versions = self.versions(name);
        let found = |published: &Published| published.version().cmp_precedence(version);
        versions.get(versions.binary_search_by(found).ok()?)
    }

    /// The indexes in [`published`](Self::published) of the versions of a capability.
    pub(crate) fn indexes(&self, name: &CapabilityName) -> Indexes<usize> {
        self.names.get(name).cloned().unwrap_or(0..0)
    }

    /// The names in ascending order of their bytes.
    pub fn names(&self) -> impl Iterator<Item = &CapabilityName> {
        self.names.keys()
    }

    /// Every published version, sorted by name and precedence.
    #[must_use]
    pub fn published(&self) -> &[Published] {
        &self.published
    }

    /// SHA-256 over the encoded descriptors in their order: equal catalogues have equal hashes, in every process.
    #[must_use]
    pub const fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

impl Published {
    /// The contract.
    #[must_use]
    pub const fn contract(&self) -> &CapabilityContract {
        &self.contract
    }

    /// The version.
    pub(crate) const fn version(&self) -> &Version {
        &self.contract.descriptor.id.version
    }

    /// The descriptor.
    #[must_use]
    pub const fn descriptor(&self) -> &Descriptor {
        &self.contract.descriptor
    }
}

/// A validator whose messages contain no values, which may be secrets. Its reports have the usual budget.
fn validator(schema: &Schema) -> Validator {
    Validator::new(schema).redact(true)
}
