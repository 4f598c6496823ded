//! `bundle.cbor`: the signed list of the contents of a bundle.

use std::collections::BTreeMap;

use capgen_diagnostic::shortened;

use super::create::TIMEOUT;
use super::error::Problems;
use super::{BundleError, INDEX, MAX_ARTIFACT, key};
use crate::cbor::{self, Map, Value};
use crate::descriptor::{Descriptor, HashAlgorithm, read_hash};
use crate::message::{Did, PublicKey, SigningKey};
use crate::reader::{BodyError, Reader};

/// The `version` of the format (decision 16).
const VERSION: u64 = 1;

/// The contents of `bundle.cbor` without the signature.
#[derive(Clone, Debug)]
pub struct Index {
    /// The id, to which the descriptors refer. It may be any text: escape it for display.
    pub bundle_id: String,
    /// The time of creation, in Unix ms.
    pub created: u64,
    /// The descriptors, in the order of the file.
    pub descriptors: Vec<Descriptor>,
    /// The listed files of `artifacts/` by key.
    pub artifacts: BTreeMap<String, Artifact>,
    /// The signer.
    pub signer: Did,
}

/// A listed file in `artifacts/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// The algorithm of `hash`.
    pub hash_alg: HashAlgorithm,
    /// The hash of the bytes. It has the length of the algorithm.
    pub hash: Vec<u8>,
    /// The length in bytes, at most 1 MiB.
    pub size: u64,
}

impl Index {
    /// The bytes of `bundle.cbor`.
    pub(super) fn sign(&self, key: &SigningKey) -> Vec<u8> {
        let mut map = Map::new();
        map.insert("bundle_id", self.bundle_id.as_str());
        map.insert("version", VERSION);
        map.insert("created", self.created);
        map.insert("descriptors", self.descriptors.iter().map(Descriptor::to_value).collect::<Vec<_>>());
        let artifacts = self.artifacts.iter().map(|(key, artifact)| (key.as_str(), artifact.to_value()));
        map.insert("artifacts", Value::Map(artifacts.collect()));
        map.insert("signer", self.signer.as_str());
        let signature = key.sign(&signed_bytes(&map));
        map.insert("sig", signature.as_slice());
        cbor::encode(&Value::Map(map))
    }

    fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let bundle_id = reader.required(map, "bundle_id", Reader::string);
        let version = reader.required(map, "version", |reader, value| match reader.unsigned(value)? {
            VERSION => Some(()),
            _ => reader.expected("1"),
        });
        let created = reader.required(map, "created", Reader::unsigned);
        let descriptors =
            reader.required(map, "descriptors", |reader, descriptors| reader.elements(descriptors, read_descriptor));
        let artifacts = reader.required(map, "artifacts", read_artifacts);
        let signer = reader.required(map, "signer", Reader::parsed);
        version?;
        Some(Self {
            bundle_id: bundle_id?,
            created: created?,
            descriptors: descriptors?,
            artifacts: artifacts?,
            signer: signer?,
        })
    }
}

impl Artifact {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let hash_alg = HashAlgorithm::Sha256;
        Self { hash_alg, hash: hash_alg.hash(bytes), size: u64::try_from(bytes.len()).unwrap_or(u64::MAX) }
    }

    fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("hash_alg", self.hash_alg.name());
        map.insert("hash", self.hash.as_slice());
        map.insert("size", self.size);
        Value::Map(map)
    }

    fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let (hash_alg, hash) = read_hash(reader, map);
        let size = reader.required(map, "size", |reader, value| match reader.unsigned(value)? {
            size if size <= MAX_ARTIFACT => Some(size),
            _ => reader.expected(&format!("at most {MAX_ARTIFACT} bytes")),
        });
        Some(Self { hash_alg: hash_alg?, hash: hash?, size: size? })
    }
}

/// A descriptor, whose time limit is not 0 (decision 24): no invocation could end in time.
fn read_descriptor<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Descriptor> {
    if value.get(TIMEOUT).and_then(Value::as_unsigned) == Some(0) {
        reader.report_at(TIMEOUT, "expected at least 1 ms");
    }
    Descriptor::read_in(reader, value)
}

fn read_artifacts<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<BTreeMap<String, Artifact>> {
    let map = reader.map(value)?;
    let mut artifacts = BTreeMap::new();
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    let mut is_valid = true;
    for (name, value) in map.iter() {
        let Some(name) = name.as_text().filter(|name| key::is_key(name)) else {
            // The key itself may be anything, so it is not part of the path.
            reader.report(key::RULE);
            is_valid = false;
            continue;
        };
        if let Some(other) = folded.insert(name.to_ascii_lowercase(), name) {
            reader.report_at(name, format_args!("differs from the key `{other}` only in case"));
        }
        match reader.at_key(name, |reader| Artifact::read(reader, value)) {
            Some(artifact) => {
                artifacts.insert(name.to_owned(), artifact);
            }
            None => is_valid = false,
        }
    }
    is_valid.then_some(artifacts)
}

/// A `bundle.cbor` whose signer and signature have the right form. Nothing else of it has been examined.
pub(super) struct SignedIndex {
    /// The map without the signature.
    map: Value,
    pub(super) signer: Did,
    signed: Vec<u8>,
    signature: [u8; 64],
}

impl SignedIndex {
    /// # Errors
    ///
    /// The bytes are not deterministic CBOR, or `signer` or `sig` has another form.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, BundleError> {
        // Enough items for a file of the maximum length that contains descriptors and artifacts.
        let limits = cbor::Limits { items: 1 << 22, ..cbor::Limits::default() };
        let fail = |message: String| BundleError::of(INDEX, message);
        let value =
            cbor::decode(bytes, &limits).map_err(|error| fail(format!("is not deterministic CBOR: {error}")))?;
        let Value::Map(mut map) = value else { return Err(fail("is not a map".to_owned())) };
        let signature = map.remove("sig");
        let signature = signature.as_ref().and_then(Value::as_bytes).and_then(|bytes| bytes.try_into().ok());
        let signature = signature.ok_or_else(|| fail("/sig: expected a byte string of 64 bytes".to_owned()))?;
        let signer = Reader::collect(|reader| reader.required(&map, "signer", Reader::parsed));
        let signer = signer.map_err(|errors| all(&errors))?;
        // The input is deterministic, so the encoding of the rest has the bytes that the signer encoded.
        let signed = signed_bytes(&map);
        Ok(Self { map: Value::Map(map), signer, signed, signature })
    }

    /// Whether the signature is that of the key.
    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        key.verify_strict(&self.signed, &self.signature)
    }

    /// # Errors
    ///
    /// Everything in it that violates the format, section 4.2, or the rules of keys.
    pub(super) fn read(&self) -> Result<Index, BundleError> {
        Reader::read(&self.map, Index::read).map_err(|errors| all(&errors))
    }
}

/// The errors of the file. Their paths contain keys of the file, which are escaped.
fn all(errors: &[BodyError]) -> BundleError {
    // The path contains keys of the file, which may be as long as the file; its start leads to the place.
    const MAX_MESSAGE: usize = 500;
    let mut problems = Problems::default();
    errors.iter().for_each(|error| problems.add(INDEX, shortened(&error.to_string(), MAX_MESSAGE)));
    problems.result().err().unwrap_or_else(|| BundleError::of(INDEX, "is invalid"))
}

/// The bytes that the signature covers: `["AMP-bundle-v1", h'', bstr(map without sig)]`. Unknown keys are part of the
/// map.
fn signed_bytes(map_without_sig: &Map) -> Vec<u8> {
    let mut content = Vec::new();
    cbor::write_map(&mut content, map_without_sig);
    let mut bytes = Vec::with_capacity(content.len() + 32);
    cbor::write_array_head(&mut bytes, 3);
    cbor::write_text(&mut bytes, "AMP-bundle-v1");
    cbor::write_bytes(&mut bytes, &[]);
    cbor::write_bytes(&mut bytes, &content);
    bytes
}
