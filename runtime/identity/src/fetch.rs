//! Where the keys of an issuer come from.

use std::fmt;
use std::sync::Arc;

use capgen_call::BoxFuture;

/// The size of the largest set of keys, in bytes: a hundred keys with certificates have some hundred KB.
pub const MAX_JWKS: usize = 1024 * 1024;

/// A source of the keys of an issuer.
pub trait FetchJwks: Send + Sync + 'static {
    /// The current JSON Web Key Set, as text of at most [`MAX_JWKS`] bytes.
    ///
    /// # Errors
    ///
    /// It is not available.
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, FetchError>>;
}

impl<F: FetchJwks + ?Sized> FetchJwks for Arc<F> {
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, FetchError>> {
        (**self).fetch()
    }
}

/// Why the keys of an issuer are not available, for the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchError(String);

impl FetchError {
    /// An error with a message, as a part of a sentence.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FetchError {}
