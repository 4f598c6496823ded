//! The identity of a contract: the hash of everything that a caller and a provider must agree on.

use capgen_schema::{Hash, Json};

use crate::{Capability, Manifest};

impl Manifest {
    /// The hash of everything that callers rely on: SHA-256 over the canonical text
    /// ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785), integers with all their digits) of an array that has, for
    /// each capability in the byte order of names, the object
    ///
    /// ```json
    /// {"inputSchema": {}, "name": "review-pr", "outputSchema": {}, "version": "1.2.0"}
    /// ```
    ///
    /// without the members that are absent. The schemas are those of the file without annotations: `title`, `description`, `default`, `examples`, `$comment`.
    ///
    /// So the hash does not depend on the order of keys and capabilities, the agent, the transports, or any other property of a
    /// capability.
    pub fn hash(&self) -> Hash {
        let mut capabilities: Vec<&Capability> = self.capabilities.iter().collect();
        capabilities.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        hash(&capabilities)
    }

    /// The capability with this name.
    pub fn capability(&self, name: &str) -> Option<&Capability> {
        self.capabilities.iter().find(|c| c.name == name)
    }
}

impl Capability {
    /// The hash of this capability alone, as if it were the only one of its [`Manifest`].
    pub fn hash(&self) -> Hash {
        hash(&[self])
    }

    /// The canonical text of the object that is hashed. Its keys are in the order that RFC 8785 requires.
    fn canonical(&self) -> String {
        let version = self.version.as_ref().map(|version| Json::String(version.to_string()).canonical());
        let members = [
            ("inputSchema", self.input.as_ref().map(capgen_schema::Schema::canonical)),
            ("name", Some(Json::String(self.name.clone()).canonical())),
            ("outputSchema", self.output.as_ref().map(capgen_schema::Schema::canonical)),
            ("version", version),
        ];
        let members: Vec<String> =
            members.into_iter().filter_map(|(key, text)| Some(format!("\"{key}\":{}", text?))).collect();
        format!("{{{}}}", members.join(","))
    }
}

fn hash(capabilities: &[&Capability]) -> Hash {
    let objects: Vec<String> = capabilities.iter().map(|c| c.canonical()).collect();
    Hash::of(format!("[{}]", objects.join(",")))
}
