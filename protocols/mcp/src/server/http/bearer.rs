//! The tokens of requests ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)).

use std::sync::Arc;

use capgen_call::{InvalidToken, Principal, TokenVerifier, verify_bearer};
use capgen_net::{Caller, Seat};
use hyper::header::AUTHORIZATION;
use hyper::{HeaderMap, StatusCode};

use super::{Endpoint, Refusal, check};
use crate::server::run::Sender;

/// The challenges of section 3. A request without a token gets no code of an error.
const MISSING: &str = "Bearer";
const INVALID: &str = r#"Bearer error="invalid_token""#;

impl Endpoint {
    /// The sender of a request. Each principal has a share of the handlers; without tokens, each address has one.
    pub(super) async fn sender(&self, headers: &HeaderMap, seat: &Seat) -> Result<Sender, Refusal> {
        let Some(verifier) = self.server.0.tokens.as_deref() else {
            return Ok(Sender { caller: seat.caller(), principal: None });
        };
        let principal = principal(verifier, headers).await?;
        // As JSON, so that no two principals have one name.
        let name = serde_json::json!([principal.issuer, principal.subject]).to_string();
        Ok(Sender { caller: Caller::Named(name.into()), principal: Some(Arc::new(principal)) })
    }
}

async fn principal(verifier: &dyn TokenVerifier, headers: &HeaderMap) -> Result<Principal, Refusal> {
    let value = check::single(headers, AUTHORIZATION.as_str())?;
    let Some(value) = value.filter(|value| is_bearer(value)) else {
        return Err(unauthorized("the header `Authorization: Bearer <token>` is missing", MISSING));
    };
    verify_bearer(verifier, value).await.map_err(|error| {
        tracing::info!(%error, "a token was refused");
        match error {
            InvalidToken::Unavailable(_) => {
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "tokens cannot be verified at the moment")
            }
            _ => unauthorized("the token is invalid", INVALID),
        }
    })
}

/// Whether a header has a token, and not credentials of another scheme, which is not supported.
fn is_bearer(value: &str) -> bool {
    value.split_once(' ').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
}

fn unauthorized(message: &str, challenge: &'static str) -> Refusal {
    Refusal { challenge: Some(challenge), ..Refusal::new(StatusCode::UNAUTHORIZED, message) }
}
