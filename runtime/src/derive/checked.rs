//! Types of serde's as payloads.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::side::{Described, Side, Sided};

/// A response whose type serde reads and writes and schemars describes, as a [`Payload`](crate::Payload).
///
/// `#[capability(response = Review)]` makes `Checked<Review>` the [`Response`](crate::Capability::Response): the schema is that
/// of what `Review` writes, made and compiled on first use.
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

impl<T: Described + 'static> Sided for Checked<T> {
    const SIDE: Side = Side::response::<T>();
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
