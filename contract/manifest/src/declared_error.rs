//! The errors that a capability declares.

use capgen_descriptor::name::{ERROR_STATUSES, is_error_code};
use capgen_schema::{Json, Number, Object, Schema};

/// An error that a capability declares: a code, and the details that come with it.
///
/// The set of declared errors is open. A provider may fail with other codes, and one with a newer contract may declare
/// more of them, so declared errors are not a part of the hash of a contract.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeclaredError {
    /// See [`capgen_descriptor::name::is_error_code`]. Unique in its capability.
    pub code: String,
    /// Human-readable text. It comes from the author of the contract: treat it as untrusted.
    pub description: Option<String>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The status of the response over HTTP, from 400 to 599; see [`MIN_STATUS`](Self::MIN_STATUS).
    pub status: Option<u16>,
    /// The schema of the details; without one, the error has no details.
    pub details: Option<Schema>,
}

impl DeclaredError {
    /// The least status: those of errors start with 400 ([RFC 9110, section
    /// 15](https://www.rfc-editor.org/rfc/rfc9110#section-15)).
    pub const MIN_STATUS: u16 = *ERROR_STATUSES.start();
    /// The greatest status.
    pub const MAX_STATUS: u16 = *ERROR_STATUSES.end();

    /// The key of the schema of the details in `capabilities.yaml`.
    pub const SCHEMA_KEY: &str = "detailsSchema";

    /// An error with a code and nothing else. The caller checks the code with
    /// [`is_error_code`](capgen_descriptor::name::is_error_code).
    ///
    /// ```
    /// use capgen_manifest::DeclaredError;
    /// let full = DeclaredError::new("NO_SEATS");
    /// assert!(!full.retryable && full.details.is_none());
    /// ```
    pub fn new(code: impl Into<String>) -> Self {
        Self { code: code.into(), description: None, retryable: false, status: None, details: None }
    }

    /// Everything that a manifest declares about the error, with its schema as it is written.
    ///
    /// ```
    /// let error = capgen_manifest::DeclaredError::new("NO_SEATS");
    /// assert_eq!(error.definition().canonical(), r#"{"code":"NO_SEATS"}"#);
    /// ```
    pub fn definition(&self) -> Json {
        let Self { code, description, retryable, status, details } = self;
        let text = |text: &String| Json::String(text.clone());
        let members = [
            ("code", Some(text(code))),
            ("description", description.as_ref().map(text)),
            ("status", status.map(|status| Json::Number(Number::from(u64::from(status))))),
            ("retryable", retryable.then_some(Json::Bool(true))),
            (Self::SCHEMA_KEY, details.as_ref().map(|schema| schema.source().clone())),
        ];
        let mut error = Object::new();
        for (key, value) in members.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            error.push(key.to_owned(), value);
        }
        Json::Object(error)
    }

    /// Reads what [`definition`](Self::definition) gives; `None` if a key is unknown, or a value is invalid.
    ///
    /// ```
    /// use capgen_manifest::DeclaredError;
    /// let full = DeclaredError::from_definition(&r#"{"code": "NO_SEATS", "status": 409}"#.parse()?);
    /// assert_eq!(full.and_then(|error| error.status), Some(409));
    /// assert!(DeclaredError::from_definition(&r#"{"code": "no-seats"}"#.parse()?).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_definition(definition: &Json) -> Option<Self> {
        let mut error = Self::new("");
        for (key, value) in definition.as_object()? {
            match key.as_str() {
                "code" => value.as_str()?.clone_into(&mut error.code),
                "description" => error.description = Some(value.as_str()?.to_owned()),
                "status" => {
                    let status = u16::try_from(value.as_number()?.as_u64()?).ok()?;
                    error.status = Some(status).filter(|status| ERROR_STATUSES.contains(status));
                    error.status?;
                }
                "retryable" => {
                    let Json::Bool(retryable) = value else { return None };
                    error.retryable = *retryable;
                }
                Self::SCHEMA_KEY => error.details = Some(Schema::parse(value).ok()?),
                _ => return None,
            }
        }
        is_error_code(&error.code).then_some(error)
    }
}
