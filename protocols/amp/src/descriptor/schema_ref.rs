//! References to schemas.

use sha2::{Digest as _, Sha256, Sha512};

use crate::cbor::{Map, Value};
use crate::reader::Reader;

/// A reference from a descriptor to the bytes of a schema, with their hash (section 4.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaRef {
    /// The address of the schema. Without one, there is an `artifact`.
    pub uri: Option<String>,
    /// The place of the schema in a bundle.
    pub artifact: Option<ArtifactRef>,
    /// The algorithm of `hash`.
    pub hash_alg: HashAlgorithm,
    /// The hash of the bytes of the schema as published. It has the length of the algorithm.
    pub hash: Vec<u8>,
    /// The media type; absent means `application/schema+json`.
    pub media_type: Option<String>,
    /// When the schema changed last, in a form that the RFC does not specify.
    pub updated_at: Option<String>,
    /// Unknown keys, which are passed on (decision 3).
    pub other: Map,
}

/// The place of a schema in a bundle (section 5.3).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArtifactRef {
    /// The id of the bundle.
    pub bundle_id: String,
    /// The key of the artifact in the bundle. Bundles restrict it further (decision 16).
    pub artifact_key: String,
}

/// An algorithm for the hashes of schemas (section 4.2, `hash-alg`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HashAlgorithm {
    /// `sha-256`: 32 bytes.
    Sha256,
    /// `sha-512`: 64 bytes.
    Sha512,
}

impl HashAlgorithm {
    /// Every algorithm.
    pub const ALL: [Self; 2] = [Self::Sha256, Self::Sha512];

    /// `sha-256` or `sha-512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha-256",
            Self::Sha512 => "sha-512",
        }
    }

    /// The algorithm with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// The length of a hash, in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }

    /// The hash of bytes.
    ///
    /// ```
    /// use capgen_amp::descriptor::HashAlgorithm;
    /// assert!(HashAlgorithm::Sha256.hash(b"true").starts_with(&[0xb5, 0xbe, 0xa4, 0x1b]));
    /// ```
    #[must_use]
    pub fn hash(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }
}

/// The keys of the CDDL; all others are unknown.
const KEYS: [&str; 7] = ["uri", "bundle_id", "artifact_key", "hash_alg", "hash", "media_type", "updated_at"];

impl SchemaRef {
    /// A reference to these bytes in a bundle.
    #[must_use]
    pub fn to_artifact(artifact: ArtifactRef, hash_alg: HashAlgorithm, schema: &[u8]) -> Self {
        Self {
            uri: None,
            artifact: Some(artifact),
            hash_alg,
            hash: hash_alg.hash(schema),
            media_type: None,
            updated_at: None,
            other: Map::new(),
        }
    }

    /// Whether these are the bytes of the schema. Nothing may use them before this check (section 5.2).
    #[must_use]
    pub fn matches(&self, schema: &[u8]) -> bool {
        self.hash_alg.hash(schema) == self.hash
    }

    /// The CBOR map, with the unknown keys.
    #[must_use]
    pub fn to_map(&self) -> Map {
        let mut map = self.other.clone();
        let Self { uri, artifact, hash_alg, hash, media_type, updated_at, other: _ } = self;
        let texts = [
            ("uri", uri.as_ref()),
            ("bundle_id", artifact.as_ref().map(|artifact| &artifact.bundle_id)),
            ("artifact_key", artifact.as_ref().map(|artifact| &artifact.artifact_key)),
            ("media_type", media_type.as_ref()),
            ("updated_at", updated_at.as_ref()),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                map.insert(key, text.as_str());
            }
        }
        map.insert("hash_alg", hash_alg.name());
        map.insert("hash", hash.as_slice());
        map
    }

    pub(super) fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let uri = reader.optional(map, "uri", Reader::string);
        let artifact = read_artifact(reader, map);
        let (hash_alg, hash) = read_hash(reader, map);
        let media_type = reader.optional(map, "media_type", Reader::string);
        let updated_at = reader.optional(map, "updated_at", Reader::string);
        let other = super::without(map, &KEYS);
        Some(Self { uri, artifact, hash_alg: hash_alg?, hash: hash?, media_type, updated_at, other })
    }
}

/// `hash_alg` and `hash`, whose length is that of the algorithm.
pub(crate) fn read_hash<'v>(reader: &mut Reader<'v>, map: &'v Map) -> (Option<HashAlgorithm>, Option<Vec<u8>>) {
    let hash_alg = reader.required(map, "hash_alg", |reader, value| {
        reader.one_of(value, &HashAlgorithm::ALL.map(|algorithm| (algorithm.name(), algorithm)))
    });
    let hash = reader.required(map, "hash", |reader, value| {
        let hash = reader.bytes(value)?;
        match hash_alg {
            Some(algorithm) if hash.len() != algorithm.size() => {
                reader.expected(&format!("{} bytes, because `hash_alg` is `{}`", algorithm.size(), algorithm.name()))
            }
            _ => Some(hash.to_vec()),
        }
    });
    (hash_alg, hash)
}

/// `bundle_id` and `artifact_key`, which occur together, and at least one of them and `uri` must be present.
fn read_artifact<'v>(reader: &mut Reader<'v>, map: &'v Map) -> Option<ArtifactRef> {
    let keys = ["bundle_id", "artifact_key"];
    if keys.iter().all(|key| map.get(key).is_none()) {
        if map.get("uri").is_none() { reader.expected("`uri`, or both `bundle_id` and `artifact_key`") } else { None }
    } else {
        let [bundle_id, artifact_key] = keys.map(|key| reader.required(map, key, Reader::string));
        Some(ArtifactRef { bundle_id: bundle_id?, artifact_key: artifact_key? })
    }
}
