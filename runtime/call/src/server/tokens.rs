//! The tokens of requests, which state for whom they are sent.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::callers::{Caller, Sender, TokenProblem};
use crate::envelope::{Envelope, header};
use crate::identity::Proof;
use crate::token::{InvalidToken, TokenVerifier};

/// How a server verifies tokens.
#[derive(Clone)]
pub(super) struct Tokens {
    pub(super) verifier: Arc<dyn TokenVerifier>,
    /// Whether a request without a signature is authentic if it has a token, and not otherwise.
    pub(super) is_enough: bool,
}

/// How long a verification may take. A request that waits for it takes the room of others, and a document of keys has
/// arrived within a few seconds or not at all.
const PATIENCE: Duration = Duration::from_secs(10);

impl Tokens {
    /// The sender of a message, with the principal of its token.
    ///
    /// A token in a message that nothing else proves counts only if tokens are enough: anyone who saw the token could
    /// have put it there. Others cost no verification, and no request to the issuer.
    pub(super) async fn resolve(&self, sender: Sender, request: &Envelope) -> Sender {
        let is_signed = sender.proof.as_ref().is_some_and(|proof| *proof != Proof::None);
        // A signature that is invalid stays invalid.
        let may_count = is_signed || (self.is_enough && !request.has_auth());
        let Some(value) = request.header(header::AUTHORIZATION).filter(|_| may_count) else {
            return if is_signed || !self.is_enough { sender } else { Sender { proof: None, ..sender } };
        };
        let proof = if is_signed { sender.proof.clone() } else { Some(Proof::None) };
        let Some(token) = bearer(value) else {
            return Sender { token: Some(TokenProblem::Invalid), proof, ..sender };
        };
        let verified = timeout(PATIENCE, self.verifier.verify(token)).await;
        let error = match verified
            .unwrap_or_else(|_| Err(InvalidToken::Unavailable("the verifier takes too long".to_owned())))
        {
            Ok(principal) => {
                let caller = match sender.caller {
                    Caller::Unproved => {
                        Caller::Principal(principal.issuer.as_str().into(), principal.subject.as_str().into())
                    }
                    agent => agent,
                };
                return Sender { caller, proof, principal: Some(Arc::new(principal)), ..sender };
            }
            Err(error) => error,
        };
        tracing::info!(peer = request.from(), correlation_id = request.correlation_id(), %error, "a token was refused");
        let token = match error {
            InvalidToken::Invalid(_) => TokenProblem::Invalid,
            InvalidToken::Unavailable(_) => TokenProblem::Unavailable,
        };
        Sender { token: Some(token), proof, ..sender }
    }
}

/// The token of a header ([RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)). The name of the
/// scheme has no case.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.bytes().all(is_token)).then_some(token)
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("is_enough", &self.is_enough).finish_non_exhaustive()
    }
}
