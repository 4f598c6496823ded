//! The trait of verifiers of tokens, which state for whom a call is made.

use std::fmt;

use crate::identity::Principal;
use crate::transport::BoxFuture;

/// Verifies the tokens of requests: the header `authorization`, `Bearer <token>`. The crate `capgen-identity` verifies
/// JSON Web Tokens.
pub trait TokenVerifier: Send + Sync + 'static {
    /// The principal of a token.
    ///
    /// # Errors
    ///
    /// The token is not valid, or this is not known at the moment.
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, InvalidToken>>;
}

/// Why a token has no principal. The reasons are for the log of the provider: the caller does not learn them. They must
/// not contain parts of the token.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidToken {
    /// The token is invalid: why.
    Invalid(String),
    /// The keys that verify the token are not available, so that another attempt may succeed: why.
    Unavailable(String),
}

impl fmt::Display for InvalidToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) => write!(f, "the token is invalid: {reason}"),
            Self::Unavailable(reason) => write!(f, "the token cannot be verified at the moment: {reason}"),
        }
    }
}

impl std::error::Error for InvalidToken {}
