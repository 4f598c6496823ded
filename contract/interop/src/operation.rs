//! Operations of HTTP as capabilities: their methods and paths.

use capgen_manifest::Capability;

/// The methods of OpenAPI whose requests have a body.
const WITH_BODY: [&str; 3] = ["post", "put", "patch"];

/// The method and path of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Route {
    /// In lower case, as in OpenAPI.
    pub(crate) method: String,
    pub(crate) path: String,
}

impl Route {
    /// The start of the paths of capabilities that have no other path.
    pub(crate) const PREFIX: &str = "/capabilities/";

    /// The route of a capability that has no other one.
    pub(crate) fn of_capability(capability: &Capability) -> Self {
        Self { method: "post".to_owned(), path: format!("{}{}", Self::PREFIX, capability.name) }
    }

    /// The name on the wire, such as `PUT /things`.
    pub(crate) fn wire_name(&self) -> String {
        format!("{} {}", self.method.to_ascii_uppercase(), self.path)
    }

    /// Reads a name on the wire such as `PUT /things`; `None` if it is not the route of an operation whose request is
    /// its body.
    pub(crate) fn with_body(wire_name: &str) -> Option<Self> {
        let (method, path) = wire_name.split_once(' ')?;
        let is_path = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/%".contains(&b);
        let method = WITH_BODY.into_iter().find(|known| known.to_ascii_uppercase() == method)?;
        (path.starts_with('/') && path.bytes().all(is_path))
            .then(|| Self { method: method.to_owned(), path: path.to_owned() })
    }
}
