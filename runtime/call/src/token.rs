//! The trait of verifiers of tokens, which state for whom a call is made.

use std::fmt;
use std::time::Duration;

use tokio::time::timeout;

use crate::identity::Principal;
use crate::transport::BoxFuture;
use crate::wait::caught;

/// How long a verification may take. A request that waits for it takes the room of others, and a document of keys has
/// arrived within a few seconds or not at all.
const PATIENCE: Duration = Duration::from_secs(10);

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

/// The principal of the value of a header `authorization`, `Bearer <token>`, for servers of any protocol. A
/// verification that takes 10 s or panics is given up.
///
/// # Errors
///
/// The value has another form, the token is not valid, or this is not known at the moment.
pub async fn verify_bearer(verifier: &dyn TokenVerifier, value: &str) -> Result<Principal, InvalidToken> {
    let Some(token) = bearer(value) else {
        return Err(InvalidToken::Invalid("the header is not `Bearer <token>`".to_owned()));
    };
    let verified = caught(Box::pin(async move { verifier.verify(token).await }));
    let unavailable = |reason: &str| Err(InvalidToken::Unavailable(reason.to_owned()));
    match timeout(PATIENCE, verified).await {
        Ok(verified) => verified.unwrap_or_else(|| unavailable("the verifier panicked")),
        Err(_) => unavailable("the verifier takes too long"),
    }
}

/// The token of a header ([RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)). The name of the
/// scheme has no case.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.bytes().all(is_token)).then_some(token)
}
