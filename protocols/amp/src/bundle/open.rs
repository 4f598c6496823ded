//! Verified bundles.

use std::collections::BTreeMap;
use std::path::Path;

use capgen_diagnostic::quoted;
use capgen_schema::Schema;

use super::contents::{self, Verified};
use super::create::TIMEOUT;
use super::files::{self, Size};
use super::index::SignedIndex;
use super::{BundleError, INDEX, Index, MAX_INDEX};
use crate::catalogue::CapabilityContract;
use crate::cbor::Value;
use crate::descriptor::{ArtifactRef, Descriptor, SchemaRef};
use crate::message::{DidKey, Keys, ResolveKey as _};

/// A bundle whose signer is trusted, and whose files were all verified. It has read them: later changes of the folder
/// do not matter.
#[derive(Debug)]
pub struct OpenBundle {
    index: Index,
    contracts: Vec<CapabilityContract>,
    /// The bytes of the artifacts by key.
    artifacts: BTreeMap<String, Vec<u8>>,
}

/// A bundle that is complete and consistent, but whose signer may be anybody. It is for display, and gives no schemas.
#[derive(Debug)]
pub struct InspectedBundle {
    /// The signed contents. Do not trust them.
    pub index: Index,
    /// The result of the checks of the signature.
    pub signature: SelfSignature,
}

/// The result of checking a signature without a list of trusted signers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfSignature {
    /// The DID contains its key (`did:key`), and the signature is valid for it. Anybody can make such a DID, so this is
    /// not a reason to trust it.
    Valid,
    /// The DID does not contain its key.
    Unchecked,
}

/// How far `created` may be ahead of the clock of a consumer, in ms: a day, which covers clocks in a wrong time zone. A
/// bundle from further ahead would be newer than every later one, until then (decision 24).
const MAX_AHEAD_MS: u64 = 24 * 60 * 60 * 1000;

/// The times of creation that the consumer of a bundle accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Creation {
    /// The clock of the consumer, in Unix ms. A bundle that was created more than a day later is invalid.
    pub now: u64,
    /// The earliest time, in Unix ms, against replacement by an older bundle; `None` if any is accepted.
    pub min: Option<u64>,
}

impl Creation {
    /// Any time up to a day ahead of the clock, which is in Unix ms.
    #[must_use]
    pub const fn until(now: u64) -> Self {
        Self { now, min: None }
    }

    fn check(self, created: u64) -> Result<(), String> {
        let Self { now, min } = self;
        if let Some(min) = min.filter(|min| created < *min) {
            return Err(format!("was created at {created}, before {min}, the earliest time that is accepted"));
        }
        if created > now.saturating_add(MAX_AHEAD_MS) {
            return Err(format!("was created at {created}, more than a day after {now}, the time of this check"));
        }
        Ok(())
    }
}

/// Opens a bundle: verifies all of it, and reads its schemas.
///
/// The steps are: the length and the encoding of `bundle.cbor`; its signer, who must be in the list; its signature; its
/// form, its keys and its descriptors; `created`, which must be [accepted](Creation); for every listed artifact, that
/// it is a regular file with the listed length and hash, and for every descriptor, that its schemas are such artifacts,
/// with equal hashes, and schemas of the subset. A schema is parsed after its hash is verified. Files that are not
/// listed are ignored.
///
/// Takes memory in proportion to the total length of the artifacts, which has no limit of its own: the signer is
/// trusted.
///
/// # Errors
///
/// All faults that the first step with faults finds.
pub fn open(folder: &Path, signers: &Keys, creation: Creation) -> Result<OpenBundle, BundleError> {
    let signed = read_index(folder)?;
    let fail = |message: String| Err(BundleError::of(INDEX, message));
    let Some(key) = signers.key(&signed.signer) else {
        return fail(format!("the signer {} is not trusted", quoted(signed.signer.as_str())));
    };
    if !signed.is_signed_by(&key) {
        return fail(INVALID_SIGNATURE.to_owned());
    }
    let index = signed.read()?;
    creation.check(index.created).map_err(|message| BundleError::of(INDEX, message))?;
    let mut artifacts = BTreeMap::new();
    let mut schemas = BTreeMap::new();
    contents::check(folder, &index, |Verified { key, bytes, schema }| {
        artifacts.insert(key.to_owned(), bytes);
        schemas.extend(schema.map(|schema| (key, schema)));
    })?;
    let schema = |reference: &SchemaRef| schemas.get(reference.artifact.as_ref()?.artifact_key.as_str()).cloned();
    let contracts = index.descriptors.iter().map(|descriptor| {
        let schemas = schema(&descriptor.input_schema).zip(schema(&descriptor.output_schema));
        schemas.map(|(input, output)| contract(descriptor, input, output))
    });
    // The check has found every schema that is missing.
    let contracts = contracts.collect::<Option<_>>().ok_or_else(|| BundleError::of(INDEX, "lacks a schema"))?;
    Ok(OpenBundle { index, contracts, artifacts })
}

/// Checks everything that [`open()`] checks, except that the signer is trusted, for display. Takes memory in proportion
/// to `bundle.cbor`.
///
/// # Errors
///
/// As for [`open()`]. The signature is checked if the DID of the signer contains its key.
pub fn inspect(folder: &Path) -> Result<InspectedBundle, BundleError> {
    let signed = read_index(folder)?;
    let signature = match DidKey.key(&signed.signer) {
        Some(key) if !signed.is_signed_by(&key) => return Err(BundleError::of(INDEX, INVALID_SIGNATURE)),
        Some(_) => SelfSignature::Valid,
        None => SelfSignature::Unchecked,
    };
    let index = signed.read()?;
    contents::check(folder, &index, drop)?;
    Ok(InspectedBundle { index, signature })
}

const INVALID_SIGNATURE: &str = "the signature is invalid";

fn read_index(folder: &Path) -> Result<SignedIndex, BundleError> {
    let bytes = files::read(&folder.join(INDEX), Size::AtMost(MAX_INDEX));
    SignedIndex::decode(&bytes.map_err(|reason| BundleError::of(INDEX, reason))?)
}

pub(super) fn contract(descriptor: &Descriptor, input: Schema, output: Schema) -> CapabilityContract {
    // A descriptor that another agent has declared may contain 0, unlike one in a bundle.
    let timeout_ms = descriptor.other.get(TIMEOUT).and_then(Value::as_unsigned).filter(|ms| *ms > 0);
    CapabilityContract { descriptor: descriptor.clone(), input, output, timeout_ms }
}

impl OpenBundle {
    /// The signed contents.
    #[must_use]
    pub const fn index(&self) -> &Index {
        &self.index
    }

    /// The descriptors with their schemas, for a [`Catalogue`](crate::catalogue::Catalogue), in the order of the
    /// bundle.
    #[must_use]
    pub fn contracts(&self) -> &[CapabilityContract] {
        &self.contracts
    }

    /// The bytes of an artifact; `None` if the bundle does not contain it, or has another id.
    #[must_use]
    pub fn resolve(&self, artifact: &ArtifactRef) -> Option<&[u8]> {
        let bytes = self.artifacts.get(&artifact.artifact_key).filter(|_| artifact.bundle_id == self.index.bundle_id);
        bytes.map(Vec::as_slice)
    }

    /// The schema of a reference in any descriptor. The hash is verified before the schema is parsed.
    ///
    /// # Errors
    ///
    /// The reference has no artifact, the bundle does not contain it, its hash is not that of the reference, or it is
    /// not a schema of the subset (section 5.3).
    pub fn schema(&self, reference: &SchemaRef) -> Result<Schema, BundleError> {
        let fail = |message: String| BundleError::of(INDEX, message);
        let artifact = reference.artifact.as_ref();
        let artifact =
            artifact.ok_or_else(|| fail("the reference has no `bundle_id` and `artifact_key`".to_owned()))?;
        let ArtifactRef { bundle_id, artifact_key } = artifact;
        let bytes = self.resolve(artifact);
        let bytes = bytes.ok_or_else(|| {
            fail(format!("does not contain {} of the bundle {}", quoted(artifact_key), quoted(bundle_id)))
        })?;
        let schema = contents::check_hash(reference, bytes).and_then(|()| contents::parse(bytes));
        schema.map_err(|reason| BundleError::of(contents::file(artifact_key), reason))
    }

    /// A descriptor that another agent has declared, with its schemas from this bundle (section 5.3). If the bundle
    /// contains the same descriptor, they are parsed already (section 5.2).
    ///
    /// # Errors
    ///
    /// Those of [`schema`](Self::schema).
    pub fn contract(&self, descriptor: &Descriptor) -> Result<CapabilityContract, BundleError> {
        match self.contracts.iter().find(|contract| contract.descriptor == *descriptor) {
            Some(contract) => Ok(contract.clone()),
            None => {
                let [input, output] = [&descriptor.input_schema, &descriptor.output_schema];
                Ok(contract(descriptor, self.schema(input)?, self.schema(output)?))
            }
        }
    }
}
