//! Operations of HTTP as capabilities: their methods and paths.

use capgen_manifest::{Capability, Http};

/// The methods of OpenAPI whose requests have a body.
const WITH_BODY: [&str; 3] = ["POST", "PUT", "PATCH"];

/// The methods of operations in OpenAPI 3.1.
const OF_OPENAPI_3_1: [&str; 8] = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"];

/// The method and path of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Route {
    /// As it is sent. OpenAPI writes the usual ones in lower case.
    pub(crate) method: String,
    pub(crate) path: String,
    /// Whether the path is the name of a webhook.
    pub(crate) is_webhook: bool,
}

impl Route {
    /// The start of the paths of capabilities that have no other path.
    pub(crate) const PREFIX: &str = "/capabilities/";

    /// The route of a capability that has no other one.
    pub(crate) fn of_capability(capability: &Capability) -> Self {
        Self { method: "POST".to_owned(), path: format!("{}{}", Self::PREFIX, capability.name), is_webhook: false }
    }

    /// The route of an operation of HTTP.
    pub(crate) fn of_http(http: &Http) -> Self {
        let path = http.path().or_else(|| http.webhook()).unwrap_or_default();
        let method = http.method().to_owned();
        Self { method, path: path.to_owned(), is_webhook: http.webhook().is_some() }
    }

    /// Whether a document of OpenAPI 3.1 can have the operation.
    pub(crate) fn is_of_openapi_3_1(&self) -> bool {
        OF_OPENAPI_3_1.contains(&self.method.as_str())
    }

    /// The name on the wire, such as `PUT /things`, or `webhook sold`.
    pub(crate) fn wire_name(&self) -> String {
        match (self.is_webhook, self.method.as_str()) {
            (true, "POST") => format!("webhook {}", self.path),
            (true, method) => format!("webhook {method} {}", self.path),
            (false, method) => format!("{method} {}", self.path),
        }
    }

    /// Reads a name on the wire such as `PUT /things`; `None` if it is not the route of an operation whose request is
    /// its body.
    pub(crate) fn with_body(wire_name: &str) -> Option<Self> {
        let (method, path) = wire_name.split_once(' ')?;
        let is_path = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/%".contains(&b);
        let method = WITH_BODY.into_iter().find(|known| *known == method)?;
        (path.starts_with('/') && path.bytes().all(is_path)).then(|| Self {
            method: method.to_owned(),
            path: path.to_owned(),
            is_webhook: false,
        })
    }
}
