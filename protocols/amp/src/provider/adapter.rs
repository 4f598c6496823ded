//! Adapters between versions, for the policy `bridge` (section 8).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use capgen_schema::{Containment, Schema, Steps, contains};
use semver::Version;
use serde_json::Value;

use crate::name::CapabilityName;

/// Converts the payload of one version to another. The error is for the caller: it contains no values.
type Conversion = dyn Fn(Value) -> Result<Value, String> + Send + Sync;

/// Lets requests of a version that is not published be served by a published one.
///
/// Without conversions, a request is passed on as it is; it must conform to the input schema of the published version
/// in any case.
pub struct Adapter {
    request: Option<Box<Conversion>>,
    response: Option<Box<Conversion>>,
}

/// Why an adapter cannot be registered.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum AdapterError {
    /// The comparison has found a request of the old version that the published version rejects.
    Breaks {
        /// The request, as JSON text.
        witness: String,
    },
    /// The comparison did not come to an end.
    Undecided {
        /// The construct or the limit that ended it.
        reason: &'static str,
    },
    /// The adapter has a conversion, or the schema of the old version is unknown, so nothing can be compared.
    NotComparable,
    /// There already is an adapter from a version of this precedence to this one.
    Duplicate,
}

/// The adapters of a provider.
#[derive(Clone, Default, Debug)]
pub(crate) struct Adapters(BTreeMap<(CapabilityName, Precedence, Precedence), Arc<Adapter>>);

/// A version without its build metadata, which has no precedence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Precedence(Version);

impl Adapter {
    /// An adapter that changes nothing.
    #[must_use]
    pub const fn identity() -> Self {
        Self { request: None, response: None }
    }

    /// Converts `params` of the old version to those of the published one.
    #[must_use]
    pub fn with_request(self, conversion: impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static) -> Self {
        Self { request: Some(Box::new(conversion)), ..self }
    }

    /// Converts the `result` of the published version to that of the old one.
    #[must_use]
    pub fn with_response(self, conversion: impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static) -> Self {
        Self { response: Some(Box::new(conversion)), ..self }
    }

    /// Whether every request of the old version is a request of the published one (decision 9).
    ///
    /// # Errors
    ///
    /// The reason why this is not proved.
    pub fn prove(&self, old: Option<&Schema>, new: &Schema) -> Result<(), AdapterError> {
        let (None, Some(old)) = (&self.request, old) else { return Err(AdapterError::NotComparable) };
        match contains(new, old, Steps::default()) {
            Containment::Yes => Ok(()),
            Containment::No(witness) => Err(AdapterError::Breaks { witness: witness.canonical() }),
            Containment::Undecided(undecided) => Err(AdapterError::Undecided { reason: undecided.reason }),
        }
    }

    /// The conversion of `params`; `None` if it changes nothing.
    pub(super) fn request(&self) -> Option<&Conversion> {
        self.request.as_deref()
    }

    /// The conversion of the `result`; `None` if it changes nothing.
    pub(super) fn response(&self) -> Option<&Conversion> {
        self.response.as_deref()
    }
}

impl Adapters {
    pub(crate) fn insert(
        &mut self,
        name: CapabilityName,
        from: &Version,
        to: &Version,
        adapter: Adapter,
    ) -> Result<(), AdapterError> {
        let key = (name, Precedence::of(from), Precedence::of(to));
        if self.0.contains_key(&key) {
            return Err(AdapterError::Duplicate);
        }
        self.0.insert(key, Arc::new(adapter));
        Ok(())
    }

    pub(crate) fn find(&self, name: &CapabilityName, from: &Version, to: &Version) -> Option<Arc<Adapter>> {
        self.0.get(&(name.clone(), Precedence::of(from), Precedence::of(to))).cloned()
    }
}

impl Precedence {
    fn of(version: &Version) -> Self {
        Self(Version { build: semver::BuildMetadata::EMPTY, ..version.clone() })
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut adapter = f.debug_struct("Adapter");
        adapter.field("converts_requests", &self.request.is_some());
        adapter.field("converts_responses", &self.response.is_some()).finish()
    }
}

impl fmt::Display for AdapterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Breaks { witness } => {
                write!(f, "the published version rejects this request of the old version: {witness}")
            }
            Self::Undecided { reason } => write!(f, "the comparison of the input schemas is undecided: {reason}"),
            Self::NotComparable => {
                f.write_str("the comparison needs the input schemas of both versions, and no conversion")
            }
            Self::Duplicate => f.write_str("there already is an adapter between these versions"),
        }
    }
}

impl std::error::Error for AdapterError {}
