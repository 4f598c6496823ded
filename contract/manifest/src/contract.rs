//! The identity of a contract: the hash of everything that a caller and a provider must agree on.

use capgen_schema::{Hash, Json, Schema};

use crate::{Capability, Manifest};

/// The hashes of a contract and of its capabilities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hashes {
    /// That of [`Manifest::hash`].
    pub contract: Hash,
    /// Those of [`Capability::hash`], in the order of the capabilities.
    pub capabilities: Vec<Hash>,
}

impl Manifest {
    /// The hash of everything that callers rely on: SHA-256 over the canonical text
    /// ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785), integers with all their digits) of an array that has, for
    /// each capability in the byte order of names, and of equal names in the order of versions, the object
    ///
    /// ```json
    /// {"inputSchema": {}, "name": "review-pr", "outputSchema": {}, "version": "1.2.0"}
    /// ```
    ///
    /// without the members that are absent. The schemas are those of the file without annotations: `title`,
    /// `description`, `default`, `examples`, `$comment`.
    ///
    /// So the hash does not depend on the order of keys and capabilities, the agent, the transports, or any other
    /// property of a capability.
    pub fn hash(&self) -> Hash {
        self.contract_hash(&self.canonical())
    }

    /// The hash of the contract and those of its capabilities, for which each schema is written only once.
    ///
    /// ```
    /// # use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
    /// # let agent = AgentId::new("reviewer").ok_or("an invalid id")?;
    /// # let memory = TransportSettings::memory("reviews");
    /// let manifest = Manifest::new(agent, vec![memory], vec![Capability::new("review")]);
    /// let hashes = manifest.hashes();
    /// assert_eq!(hashes.contract, manifest.hash());
    /// assert_eq!(hashes.capabilities, [manifest.capabilities[0].hash()]);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn hashes(&self) -> Hashes {
        let texts = self.canonical();
        Hashes {
            contract: self.contract_hash(&texts),
            capabilities: texts.iter().map(|text| hash([text.as_str()].into_iter())).collect(),
        }
    }

    /// The canonical text of each capability.
    fn canonical(&self) -> Vec<String> {
        self.capabilities.iter().map(Capability::canonical).collect()
    }

    fn contract_hash(&self, texts: &[String]) -> Hash {
        let mut named: Vec<_> = self.capabilities.iter().zip(texts).collect();
        named.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name).then_with(|| a.version.cmp(&b.version)));
        hash(named.into_iter().map(|(_, text)| text.as_str()))
    }
}

impl Capability {
    /// The hash of this capability alone, as if it were the only one of its [`Manifest`].
    pub fn hash(&self) -> Hash {
        hash([self.canonical().as_str()].into_iter())
    }

    /// The canonical text of the object that is hashed. Its keys are in the order that RFC 8785 requires.
    fn canonical(&self) -> String {
        let text = |schema: &Option<Schema>| schema.as_ref().map(Schema::canonical);
        let version = self.version.as_ref().map(|version| Json::String(version.to_string()).canonical());
        let members = [
            ("inputSchema", text(&self.input)),
            ("name", Some(Json::String(self.name.clone()).canonical())),
            ("outputSchema", text(&self.output)),
            ("version", version),
        ];
        let members: Vec<String> =
            members.into_iter().filter_map(|(key, text)| Some(format!("\"{key}\":{}", text?))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// The hash of an array of canonical texts.
fn hash<'t>(texts: impl Iterator<Item = &'t str>) -> Hash {
    let mut array = String::from("[");
    for (index, text) in texts.enumerate() {
        if index > 0 {
            array.push(',');
        }
        array.push_str(text);
    }
    array.push(']');
    Hash::of(array)
}
