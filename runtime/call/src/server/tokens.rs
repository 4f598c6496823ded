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
    /// The sender of a message that its signature proves, as far as it is proved before its token is verified.
    pub(super) fn before(&self, sender: Sender) -> Sender {
        // One that has neither a signature nor a valid token is not authentic.
        if self.is_enough && !is_signed(&sender) { Sender { proof: None, ..sender } } else { sender }
    }

    /// The value of the header with the token of a message that counts.
    ///
    /// A token in a message that nothing else proves counts only if tokens are enough: anyone who saw the token could
    /// have put it there. Others cost no verification, and no request to the issuer.
    pub(super) fn value<'r>(&self, sender: &Sender, request: &'r Envelope) -> Option<&'r str> {
        // A signature that is invalid stays invalid.
        let may_count = is_signed(sender) || (self.is_enough && !request.has_auth());
        request.header(header::AUTHORIZATION).filter(|_| may_count)
    }

    /// The sender of a message whose token counts, with the principal of the token.
    pub(super) async fn verified(&self, sender: Sender, request: &Envelope, value: &str) -> Sender {
        let error = match verify_bearer(&*self.verifier, value).await {
            Ok(principal) => {
                let caller = match sender.caller {
                    Caller::Unproved | Caller::Unverified => {
                        Caller::Principal(principal.issuer.as_str().into(), principal.subject.as_str().into())
                    }
                    proved => proved,
                };
                let proof = sender.proof.or(Some(Proof::None));
                return Sender { caller, proof, principal: Some(Arc::new(principal)), token: None };
            }
            Err(error) => error,
        };
        tracing::info!(peer = request.from(), correlation_id = request.correlation_id(), %error, "a token was refused");
        let token = match error {
            InvalidToken::Invalid(_) => TokenProblem::Invalid,
            InvalidToken::Unavailable(_) => TokenProblem::Unavailable,
        };
        Sender { token: Some(token), ..sender }
    }
}

/// Whether a signature proves the sender, or that it has a shared key.
fn is_signed(sender: &Sender) -> bool {
    sender.proof.as_ref().is_some_and(|proof| *proof != Proof::None)
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("is_enough", &self.is_enough).finish_non_exhaustive()
    }
}
