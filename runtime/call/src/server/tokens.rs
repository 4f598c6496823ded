//! The tokens of requests, which state for whom they are sent.

use std::fmt;
use std::sync::Arc;

use super::callers::{Caller, Sender, TokenProblem};
use crate::envelope::{Envelope, header};
use crate::identity::Proof;
use crate::token::{InvalidToken, TokenVerifier, verify_bearer};

/// How a server verifies tokens.
#[derive(Clone)]
pub(super) struct Tokens {
    pub(super) verifier: Arc<dyn TokenVerifier>,
    /// Whether a request without a signature is authentic if it has a token, and not otherwise.
    pub(super) is_enough: bool,
}

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
        let error = match verify_bearer(&*self.verifier, value).await {
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

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("is_enough", &self.is_enough).finish_non_exhaustive()
    }
}
