//! Bundles from manifests.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use capgen_manifest::{Manifest, Side};
use capgen_schema::{Hash, Schema, pointer};

use super::index::Index;
use super::{ARTIFACTS, Artifact, INDEX, MAX_ARTIFACT, MAX_INDEX};
use crate::catalogue::{CapabilityContract, DuplicateVersion};
use crate::cbor::{self, Value};
use crate::descriptor::{ArtifactRef, Descriptor, HashAlgorithm, LOOSE, Publication, SchemaRef};
use crate::message::{Did, SigningKey};
use crate::name::{CapabilityName, InvalidName};

/// The media type of schemas.
const MEDIA_TYPE: &str = "application/schema+json";

/// The key of a descriptor with the `timeoutMs` of the manifest. The CDDL does not have it; others ignore it.
pub(super) const TIMEOUT: &str = "timeout_ms";

/// The prefix of the names of capabilities without an `id`, such as `org.agentries`: at least two segments of the
/// grammar of names (section 4.1, decision 5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Namespace(String);

/// The author of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Publisher<'a> {
    /// The prefix of the names of capabilities without an `id`.
    pub namespace: &'a Namespace,
    /// The signer. Those who open the bundle trust its key, not that of the provider which serves the bundle; both may
    /// be equal.
    pub signer: &'a Did,
    /// The key of the signer.
    pub key: &'a SigningKey,
    /// The time of creation, in Unix ms. A later bundle with the same contents differs only in it and in the signature.
    pub created: u64,
}

/// The files of a bundle, in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewBundle {
    /// The id: the namespace, and a hash over the descriptors, which contain the hashes of the schemas.
    pub bundle_id: String,
    /// The time of creation, in Unix ms.
    pub created: u64,
    /// The descriptors, sorted by name and precedence.
    pub descriptors: Vec<Descriptor>,
    /// The signed file.
    pub index: Vec<u8>,
    /// The schemas by key. A key is the hash of its schema, so that different schemas never have the same one.
    pub artifacts: BTreeMap<String, Vec<u8>>,
}

/// The rule that a manifest violates, so that it cannot be published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// A name follows the grammar (decision 5).
    Name,
    /// Every capability has a version of at most 255 bytes (decisions 7 and 16).
    Version,
    /// The versions in ranges have at most 255 bytes (decision 8).
    Range,
    /// The versions of a name differ in precedence (decision 7).
    Duplicate,
    /// A `timeoutMs` is at least 1 (decision 24). Manifests that are read from text have no other.
    Timeout,
    /// A schema has at most 1 MiB, and `bundle.cbor` at most 16 MiB (decision 16).
    Size,
}

/// A reason why a bundle cannot be created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CreateError {
    /// The index of the manifest; `None` if the error concerns all of them.
    pub manifest: Option<usize>,
    /// JSON Pointer into the manifest. It may point to a key that is missing.
    pub path: String,
    /// The rule.
    pub rule: Rule,
    /// The error, as a sentence.
    pub message: String,
    /// The manifest and the JSON Pointer of the other capability of a [`Rule::Duplicate`] in another manifest.
    pub other: Option<(usize, String)>,
}

/// Makes the files of a bundle from manifests, such as several versions of one agent. Equal input gives equal bytes.
///
/// Each side of a capability is published as its schema in the form of RFC 8785 with annotations, or as `true` if it
/// has none (decision 16). Other texts of the manifest, such as descriptions of capabilities and transports, are not
/// published.
///
/// # Errors
///
/// Everything that violates a [`Rule`], of at most 100 places for each manifest.
pub fn create(manifests: &[&Manifest], publisher: &Publisher<'_>) -> Result<NewBundle, Vec<CreateError>> {
    let bundle = sign(contents(manifests, publisher.namespace)?, publisher);
    if u64::try_from(bundle.index.len()).is_ok_and(|length| length <= MAX_INDEX) {
        return Ok(bundle);
    }
    let message = format!("{INDEX} would have more than {MAX_INDEX} bytes; publish fewer capabilities in one bundle");
    Err(vec![CreateError { manifest: None, path: String::new(), rule: Rule::Size, message, other: None }])
}

/// The contracts of the bundle that [`create`] makes from the same manifests, without writing or signing it: for a
/// provider that has the manifests. Their descriptors refer to the schemas of that bundle.
///
/// # Errors
///
/// Those of [`create`], except for the length of `bundle.cbor`.
pub fn contracts(manifests: &[&Manifest], namespace: &Namespace) -> Result<Vec<CapabilityContract>, Vec<CreateError>> {
    let Contents { descriptors, schemas, .. } = contents(manifests, namespace)?;
    let pairs = descriptors.iter().zip(schemas);
    let contract = |(descriptor, [input, output]): (&Descriptor, [Option<Schema>; 2])| {
        Some(super::open::contract(descriptor, input?, output?))
    };
    Ok(pairs.filter_map(contract).collect())
}

/// The contents of a bundle.
struct Contents {
    bundle_id: String,
    descriptors: Vec<Descriptor>,
    /// The schemas of the request and the response of each descriptor.
    schemas: Vec<[Option<Schema>; 2]>,
    artifacts: BTreeMap<String, Vec<u8>>,
}

fn contents(manifests: &[&Manifest], namespace: &Namespace) -> Result<Contents, Vec<CreateError>> {
    let mut errors = Vec::new();
    let mut drafts = Vec::new();
    for (index, manifest) in manifests.iter().enumerate() {
        match Publication::of_manifest(manifest, namespace.as_str()) {
            Ok(published) => {
                drafts.extend(published.into_iter().enumerate().map(|(place, publication)| Draft {
                    manifest: index,
                    place,
                    publication,
                }));
            }
            Err(found) => errors.extend(found.into_iter().map(|error| CreateError {
                manifest: Some(index),
                rule: Rule::at(&error.path),
                path: error.path,
                message: error.message,
                other: None,
            })),
        }
    }
    drafts.sort_by(|one, other| one.publication.id.cmp(&other.publication.id));
    errors.extend(duplicates(&drafts));
    let mut artifacts = BTreeMap::new();
    let descriptors = drafts.iter().map(|draft| draft.descriptor(&mut artifacts, &mut errors)).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let schemas = drafts.iter().map(|draft| Side::ALL.map(|side| draft.schema(side))).collect();
    Ok(identified(descriptors, schemas, artifacts, namespace))
}

/// A capability that is to be published.
struct Draft<'m> {
    manifest: usize,
    /// The index of the capability in the manifest.
    place: usize,
    publication: Publication<'m>,
}

impl Draft<'_> {
    fn path(&self) -> String {
        format!("/capabilities/{}", self.place)
    }

    /// The schema of a side, which is `true` if the manifest has none. `None` cannot happen: that text is a schema.
    fn schema(&self, side: Side) -> Option<Schema> {
        let declared = self.publication.capability.schema(side).cloned();
        declared.or_else(|| Schema::parse_text(LOOSE).ok())
    }

    /// The descriptor, with references to a bundle without an id. Adds the schemas to the artifacts.
    fn descriptor(&self, artifacts: &mut BTreeMap<String, Vec<u8>>, errors: &mut Vec<CreateError>) -> Descriptor {
        let [input, output] = Side::ALL.map(|side| {
            let schema = self.publication.schema(side).into_bytes();
            if u64::try_from(schema.len()).is_ok_and(|length| length > MAX_ARTIFACT) {
                errors.push(CreateError {
                    manifest: Some(self.manifest),
                    path: pointer::join(&self.path(), side.schema_key()),
                    rule: Rule::Size,
                    message: format!(
                        "the canonical form of the schema has {} bytes; the maximum is {MAX_ARTIFACT}",
                        schema.len()
                    ),
                    other: None,
                });
            }
            let artifact_key = format!("sha256-{}.json", Hash::of(&schema));
            let place = ArtifactRef { bundle_id: String::new(), artifact_key };
            let mut reference = SchemaRef::to_artifact(place.clone(), HashAlgorithm::Sha256, &schema);
            reference.media_type = Some(MEDIA_TYPE.to_owned());
            artifacts.insert(place.artifact_key, schema);
            reference
        });
        let mut descriptor = self.publication.descriptor(input, output);
        if let Some(timeout) = self.publication.capability.timeout_ms {
            if timeout == 0 {
                errors.push(CreateError {
                    manifest: Some(self.manifest),
                    path: pointer::join(&self.path(), "timeoutMs"),
                    rule: Rule::Timeout,
                    message: "`timeoutMs` is 0, so no invocation could end in time; write at least 1, or remove it"
                        .to_owned(),
                    other: None,
                });
            }
            descriptor.other.insert(TIMEOUT, timeout);
        }
        descriptor
    }
}

/// Adds the id of the bundle, which is a hash over everything else.
fn identified(
    mut descriptors: Vec<Descriptor>,
    schemas: Vec<[Option<Schema>; 2]>,
    artifacts: BTreeMap<String, Vec<u8>>,
    namespace: &Namespace,
) -> Contents {
    let content = descriptors.iter().map(Descriptor::to_value).collect();
    let bundle_id = format!("{namespace}.{}", Hash::of(cbor::encode(&Value::Array(content))));
    for descriptor in &mut descriptors {
        for reference in [&mut descriptor.input_schema, &mut descriptor.output_schema] {
            if let Some(artifact) = &mut reference.artifact {
                artifact.bundle_id.clone_from(&bundle_id);
            }
        }
    }
    Contents { bundle_id, descriptors, schemas, artifacts }
}

fn sign(contents: Contents, publisher: &Publisher<'_>) -> NewBundle {
    let Contents { bundle_id, descriptors, artifacts, .. } = contents;
    let index = Index {
        bundle_id,
        created: publisher.created,
        descriptors,
        artifacts: artifacts.iter().map(|(key, bytes)| (key.clone(), Artifact::of(bytes))).collect(),
        signer: publisher.signer.clone(),
    };
    let bytes = index.sign(publisher.key);
    let Index { bundle_id, created, descriptors, .. } = index;
    NewBundle { bundle_id, created, descriptors, index: bytes, artifacts }
}

/// The versions of one name in different manifests that have equal precedence. Those in one manifest are reported with
/// it.
fn duplicates(drafts: &[Draft<'_>]) -> Vec<CreateError> {
    let pairs = drafts.windows(2).filter_map(|pair| {
        let [one, other] = pair else { return None };
        let ids = [&one.publication.id, &other.publication.id];
        let [one_id, other_id] = ids;
        let is_equal = one_id.name == other_id.name && one_id.version.cmp_precedence(&other_id.version).is_eq();
        if !is_equal || one.manifest == other.manifest {
            return None;
        }
        // The one in the later file is reported.
        let (first, second) = if one.manifest < other.manifest { (one, other) } else { (other, one) };
        Some(CreateError {
            manifest: Some(second.manifest),
            path: second.path(),
            rule: Rule::Duplicate,
            message: format!("`{one_id}` and `{other_id}` have equal precedence"),
            other: Some((first.manifest, first.path())),
        })
    });
    pairs.collect()
}

impl NewBundle {
    /// The paths in the folder of the bundle, separated by `/`, and the contents. The signed file is the last one:
    /// until it is in its place, the bundle does not refer to the other files.
    pub fn files(&self) -> impl Iterator<Item = (String, &[u8])> {
        let artifacts = self.artifacts.iter().map(|(key, bytes)| (format!("{ARTIFACTS}/{key}"), bytes.as_slice()));
        artifacts.chain([(INDEX.to_owned(), self.index.as_slice())])
    }
}

impl Rule {
    /// The rule that is violated at a place of a manifest.
    fn at(path: &str) -> Self {
        let tokens: Vec<_> = pointer::tokens(path).collect();
        match tokens.get(2).map(String::as_str) {
            Some("id" | "name") => Self::Name,
            Some("version") => Self::Version,
            Some(_) => Self::Range,
            None => Self::Duplicate,
        }
    }
}

impl Namespace {
    /// The namespace as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Namespace {
    type Err = InvalidNamespace;

    fn from_str(text: &str) -> Result<Self, InvalidNamespace> {
        let name = format!("{text}.a").parse::<CapabilityName>();
        name.map(|_| Self(text.to_owned())).map_err(InvalidNamespace)
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not a [`Namespace`]. Contains the reason why it does not begin a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidNamespace(pub InvalidName);

impl fmt::Display for InvalidNamespace {
    /// The expected form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            InvalidName::TooLong => "a namespace has at most 253 bytes",
            InvalidName::TooFewSegments => "a namespace has at least two segments, such as `org.example`",
            InvalidName::Segment => {
                "the segments of a namespace, such as `org.example`, consist of words of lower-case letters and digits, separated by single hyphens"
            }
        })
    }
}

impl std::error::Error for InvalidNamespace {}

impl From<DuplicateVersion> for CreateError {
    fn from(duplicate: DuplicateVersion) -> Self {
        let message = duplicate.to_string();
        Self { manifest: None, path: String::new(), rule: Rule::Duplicate, message, other: None }
    }
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl std::error::Error for CreateError {}
