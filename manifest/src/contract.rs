//! The identity of a contract: what two sides must have in common, and nothing else.

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
    /// without the members that the capability does not have. The schemas are those of the file without the keywords
    /// that assert nothing: `title`, `description`, `default`, `examples`, `$comment`.
    ///
    /// So the order of keys and of capabilities does not count, nor do the agent, the transports, or anything else that a
    /// capability says about itself.
    pub fn hash(&self) -> Hash {
        let mut capabilities: Vec<&Capability> = self.capabilities.iter().collect();
        capabilities.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        hash(&capabilities)
    }

    /// The capability of that name.
    pub fn capability(&self, name: &str) -> Option<&Capability> {
        self.capabilities.iter().find(|c| c.name == name)
    }
}

impl Capability {
    /// The hash of this capability alone, as if it were the only one of its [`Manifest`].
    pub fn hash(&self) -> Hash {
        hash(&[self])
    }

    /// The canonical text of the object that is hashed. Its keys are written in the order that RFC 8785 asks for.
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
