//! The operation of HTTP, or the webhook, that a capability describes: the key `http`.
//!
//! It is data for exports and for programs that call the operation over HTTP. No part of it is in the hash of a
//! contract, and calls over the transports of an agent do not read it.

mod check;
mod defaults;
pub(crate) mod keys;
mod prune;

use capgen_schema::Json;

#[cfg(feature = "parse")]
pub(crate) use check::ProblemKind;
pub(crate) use check::{Checker, HttpProblem};
pub use defaults::HttpDefaults;
use keys::WEBHOOK_METHOD;

/// The operation of HTTP, or the webhook, that a capability describes. Its value is checked, and complete: the defaults
/// at the root of the manifest are part of it.
///
/// Its URLs have no credentials, but come from the author of the contract: treat them as untrusted before you send
/// anything there.
#[derive(Clone, PartialEq, Debug)]
pub struct Http(Json);

/// A part of `http` that is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InvalidHttp {
    /// JSON Pointer from the value of `http`.
    pub pointer: String,
    /// The reason, without a full stop. It quotes no values, but names of keys, parameters and schemes.
    pub message: String,
}

impl std::fmt::Display for InvalidHttp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InvalidHttp {}

impl Http {
    /// The key in `capabilities.yaml`.
    pub const KEY: &str = "http";

    /// The most values of `http` that several capabilities may have in common, counting each copy: half of the limit of
    /// a manifest. The defaults of a usual document have ten to a hundred, and it has a thousand operations.
    pub const MAX_VALUES: usize = 1_000_000;

    /// The most bytes of their texts, counting each copy: half of the longest manifest.
    pub const MAX_BYTES: usize = 16 << 20;

    /// The number of values in a part of `http`, and the bytes of their texts, for these limits. Takes linear time.
    ///
    /// ```
    /// use capgen_manifest::Http;
    /// assert_eq!(Http::size(&r#"{"url": "/v1"}"#.parse()?), (2, 6));
    /// # Ok::<(), capgen_schema::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn size(part: &Json) -> (usize, usize) {
        let (mut values, mut bytes) = (0, 0);
        let mut open = vec![part];
        while let Some(value) = open.pop() {
            values += 1;
            match value {
                Json::Object(members) => {
                    bytes += members.iter().map(|(name, _)| name.len()).sum::<usize>();
                    open.extend(members.iter().map(|(_, value)| value));
                }
                Json::Array(items) => open.extend(items),
                Json::String(text) => bytes += text.len(),
                _ => {}
            }
        }
        (values, bytes)
    }

    /// Reads the value of the key of a capability in a manifest without defaults.
    ///
    /// ```
    /// use capgen_manifest::Http;
    /// let http = Http::from_definition(&r#"{"method": "GET", "path": "/things/{id}"}"#.parse()?);
    /// assert_eq!(http.map(|http| http.method().to_owned()), Ok("GET".to_owned()));
    /// assert!(Http::from_definition(&r#"{"method": "GET"}"#.parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Every problem of the value, at most 1000.
    pub fn from_definition(definition: &Json) -> Result<Self, Vec<InvalidHttp>> {
        let defaults = HttpDefaults::default();
        let problems = defaults.problems(definition);
        if problems.is_empty() {
            return Ok(defaults.complete(definition));
        }
        Err(problems.into_iter().map(|HttpProblem { pointer, message, .. }| InvalidHttp { pointer, message }).collect())
    }

    /// The definition without the keys that `http` does not have, such as extensions of OpenAPI.
    ///
    /// ```
    /// use capgen_manifest::Http;
    /// let server = r#"{"webhook": "sold", "servers": [{"url": "/", "x-region": "eu"}]}"#.parse()?;
    /// assert_eq!(Http::known(&server).canonical(), r#"{"servers":[{"url":"/"}],"webhook":"sold"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn known(definition: &Json) -> Json {
        prune::prune(definition, keys::OPERATION)
    }

    /// Whether a parameter of a place, such as `query`, may have a style.
    ///
    /// ```
    /// use capgen_manifest::Http;
    /// assert!(Http::is_style("deepObject", "query") && !Http::is_style("deepObject", "path"));
    /// ```
    pub fn is_style(style: &str, place: &str) -> bool {
        keys::STYLES.iter().any(|(name, places)| *name == style && places.contains(&place))
    }

    /// The value of the key, with all defaults.
    pub fn definition(&self) -> &Json {
        &self.0
    }

    /// The value of a key below `http`.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.get(key)
    }

    /// The method as it is sent: its case matters. That of a webhook is `POST` if none is given.
    pub fn method(&self) -> &str {
        self.get("method").and_then(Json::as_str).unwrap_or(WEBHOOK_METHOD)
    }

    /// The path below the URL of a server, with parameters in braces; `None` for a webhook.
    pub fn path(&self) -> Option<&str> {
        self.get("path").and_then(Json::as_str)
    }

    /// The name of the webhook. The agent does not offer such a capability: those do that subscribe to it.
    pub fn webhook(&self) -> Option<&str> {
        self.get("webhook").and_then(Json::as_str)
    }

    /// The elements of a list.
    pub fn list(&self, key: &str) -> &[Json] {
        self.get(key).and_then(Json::as_array).unwrap_or_default()
    }
}
