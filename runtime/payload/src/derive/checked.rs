//! Serde types as payloads.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::schema_source::{DerivedPayload, Described, SchemaSource};

/// A type with serde's traits and a schema of schemars, as the [`Payload`](crate::Payload) of a response.
///
/// `#[capability(response = Review)]` makes `Checked<Review>` the [`Response`](crate::Capability::Response). The schema
/// describes the JSON that `Review` serializes to. It is made and compiled on first use.
///
/// ```
/// use capgen::{Checked, Payload};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, JsonSchema, Debug)]
/// struct Review {
///     #[schemars(length(min = 1))]
///     summary: String,
/// }
/// let Checked(review) = Checked::<Review>::from_json(br#"{"summary": "fine"}"#)?;
/// assert_eq!(review.summary, "fine");
/// assert_eq!(Checked(review).to_json()?, br#"{"summary":"fine"}"#);
///
/// let error = Checked::<Review>::from_json(br#"{"summary": ""}"#).unwrap_err();
/// assert_eq!(error.to_string(), r#"/summary: must have at least 1 character, got """#);
/// # Ok::<(), capgen::InvalidPayload>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Checked<T>(pub T);

impl<T: Described + 'static> DerivedPayload for Checked<T> {
    const SCHEMA: SchemaSource = SchemaSource::response::<T>();
}

impl<T> From<T> for Checked<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Checked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Checked<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
