//! Parts of a contract that another format cannot express.

use capgen_diagnostic::quoted;
use capgen_manifest::{Capability, Side};
use capgen_schema::{Json, Object};

use crate::operation::Route;

/// A part of a contract that an export does not express exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Loss {
    /// The name of the capability.
    pub capability: String,
    /// The side whose schema it is about; `None` for other keys of the capability.
    pub side: Option<Side>,
    /// JSON Pointer to the keyword in the schema of the contract.
    pub pointer: String,
    /// How the document differs from the contract there, as one phrase.
    pub message: String,
}

impl Loss {
    /// A `wireName` that calls of the exported agent do not use.
    pub(crate) fn of_wire_name(capability: &Capability, instead: &str) -> Self {
        let message = format!("`wireName` is not used: {instead}");
        Self { capability: capability.name.clone(), side: None, pointer: String::new(), message }
    }

    /// An operation of HTTP that the document has only as data.
    pub(crate) fn of_http(capability: &Capability) -> Self {
        let unknown = capability.http.as_ref().map(Route::of_http).filter(|route| !route.is_of_openapi_3_1());
        let message = match unknown {
            Some(route) => {
                format!("`http` is not the operation: OpenAPI 3.1 has no method {}", quoted(&route.method))
            }
            None => "`http` is not the operation: another one has its path, or the schemas are not those of its \
                     parameters, body and responses"
                .to_owned(),
        };
        Self { capability: capability.name.clone(), side: None, pointer: String::new(), message }
    }

    /// The loss as JSON: `capability`, `side`, `pointer` and `message`.
    pub fn to_json(&self) -> Json {
        let mut members = Object::new();
        members.push("capability".to_owned(), Json::from(self.capability.as_str()));
        if let Some(side) = self.side {
            members.push("side".to_owned(), Json::from(side.name()));
        }
        members.push("pointer".to_owned(), Json::from(self.pointer.as_str()));
        members.push("message".to_owned(), Json::from(self.message.as_str()));
        Json::Object(members)
    }
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.capability)?;
        if let Some(side) = self.side {
            write!(f, ", {}", side.name())?;
        }
        if !self.pointer.is_empty() {
            write!(f, ", {}", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}
