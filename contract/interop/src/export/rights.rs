//! The roles and scopes that callers need, as requirements of OpenAPI.

use capgen_manifest::Capability;
use capgen_schema::{Json, Object};

/// The usual name of the scheme.
const NAME: &str = "rights";

/// A manifest does not state how callers prove their rights, and a document must: tokens are the way of HTTP.
const ABOUT: &str = "Proves the roles and scopes of the caller, which are those of the requirements. The contract does \
                     not state how callers prove them; servers may use another scheme.";

/// The scheme for the rights of callers.
pub(super) struct Rights {
    /// A name that no other scheme has.
    name: String,
    is_used: bool,
}

impl Rights {
    /// For a document that has these schemes.
    pub(super) fn new(schemes: &[(String, Json)]) -> Self {
        let is_free = |name: &String| schemes.iter().all(|(known, _)| known != name);
        let mut numbered = std::iter::once(NAME.to_owned()).chain((2_u32..).map(|number| format!("{NAME}-{number}")));
        // One of the names is free, because there are fewer schemes.
        let name = numbered.find(is_free).unwrap_or_default();
        Self { name, is_used: false }
    }

    /// The requirements of a capability; `None` if its callers need no rights.
    pub(super) fn requirements(&mut self, capability: &Capability) -> Option<Json> {
        let rights = capability.required_roles.iter().chain(&capability.required_scopes);
        let rights: Vec<Json> = rights.map(|right| Json::from(right.as_str())).collect();
        if rights.is_empty() {
            return None;
        }
        self.is_used = true;
        let requirement: Object = [(self.name.clone(), Json::Array(rights))].into_iter().collect();
        Some(Json::Array(vec![Json::Object(requirement)]))
    }

    /// The scheme, if a requirement names it.
    pub(super) fn scheme(self) -> Option<(String, Json)> {
        let text = |key: &str, value: &str| (key.to_owned(), Json::from(value));
        let scheme = [text("type", "http"), text("scheme", "bearer"), text("description", ABOUT)];
        self.is_used.then(|| (self.name, Json::Object(scheme.into_iter().collect())))
    }
}
