//! The verifier of tokens.

use std::fmt;
use std::sync::Arc;

use capgen_call::{BoxFuture, InvalidToken, Principal, TokenVerifier};
use capgen_time::{Clock, SystemClock};
use serde_json::Value;

use crate::cache::Cache;
use crate::claims::Expected;
use crate::fetch::FetchJwks;
use crate::key::Algorithm;
use crate::token::Token;

/// An issuer of tokens that a provider trusts.
pub struct Issuer {
    name: String,
    keys: Arc<Cache>,
    algorithms: Vec<Algorithm>,
    audience: Option<String>,
    roles: Vec<String>,
    tenant: Option<Vec<String>>,
}

impl Issuer {
    /// An issuer, by the exact text of `iss` in its tokens, and the source of its keys.
    ///
    /// A set of keys that is older than 10 minutes is refreshed when a token arrives, which does not wait for it. A
    /// token with an unknown key waits for a newer set, for which the issuer is asked at most once a minute. If no
    /// newer one can be had, a set is used for 24 hours.
    ///
    /// An issuer should publish a new key at least a minute before it signs with it, and withdraw the old one when the
    /// last token with it has expired. Then no request fails, whatever tokens others send.
    #[must_use]
    pub fn new(name: impl Into<String>, keys: impl FetchJwks) -> Self {
        Self {
            name: name.into(),
            keys: Cache::new(keys),
            algorithms: Algorithm::ALL.to_vec(),
            audience: None,
            roles: vec!["roles".to_owned()],
            tenant: None,
        }
    }

    /// The algorithms that tokens may have, instead of [`Algorithm::ALL`].
    #[must_use]
    pub fn algorithms(self, algorithms: &[Algorithm]) -> Self {
        Self { algorithms: algorithms.to_vec(), ..self }
    }

    /// A text that `aud` of tokens has, instead of `agent://` and the id of the agent.
    #[must_use]
    pub fn audience(self, audience: impl Into<String>) -> Self {
        Self { audience: Some(audience.into()), ..self }
    }

    /// The names on the way to the claim with the roles, such as `["realm_access", "roles"]`. The default is
    /// `["roles"]`. The claim is a list of strings, or one string.
    #[must_use]
    pub fn roles(self, path: &[&str]) -> Self {
        Self { roles: path.iter().map(|name| (*name).to_owned()).collect(), ..self }
    }

    /// The names on the way to the claim with the tenant. Then tokens must have it, and requests must be of this
    /// tenant.
    #[must_use]
    pub fn tenant(self, path: &[&str]) -> Self {
        Self { tenant: Some(path.iter().map(|name| (*name).to_owned()).collect()), ..self }
    }
}

/// Verifies JSON Web Tokens, for `ServerBuilder::tokens`.
pub struct JwtVerifier {
    audience: String,
    issuers: Vec<Issuer>,
    clock: Arc<dyn Clock>,
}

impl JwtVerifier {
    /// A verifier for the agent with an id, without `agent://`. It accepts nothing until it has an issuer.
    #[must_use]
    pub fn new(agent: &str) -> Self {
        Self { audience: format!("agent://{agent}"), issuers: Vec::new(), clock: Arc::new(SystemClock) }
    }

    /// Trusts an issuer.
    #[must_use]
    pub fn issuer(mut self, issuer: Issuer) -> Self {
        self.issuers.push(issuer);
        self
    }

    /// The clock for the times of tokens.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    async fn principal(&self, text: &str) -> Result<Principal, InvalidToken> {
        let invalid = |reason: &str| InvalidToken::Invalid(reason.to_owned());
        let token = Token::read(text, &Algorithm::ALL).map_err(invalid)?;
        let name = token.claims.get("iss").and_then(Value::as_str);
        let issuer = self.issuers.iter().find(|issuer| name == Some(issuer.name.as_str()));
        let issuer = issuer.ok_or_else(|| invalid("its issuer is not trusted"))?;
        if !issuer.algorithms.contains(&token.algorithm) {
            return Err(invalid("its algorithm is not allowed"));
        }
        let expected = Expected {
            audience: issuer.audience.as_deref().unwrap_or(&self.audience),
            roles: &issuer.roles,
            tenant: issuer.tenant.as_deref(),
            now: std::time::Duration::from_millis(self.clock.now_ms()).as_secs_f64(),
        };
        // Before the keys: a token that has expired is not worth a request to the issuer.
        let principal = expected.principal(&issuer.name, token.claims).map_err(invalid)?;
        let keys = issuer.keys.keys(&token.key_id).await.map_err(InvalidToken::Unavailable)?;
        if !keys.verifies(&token.key_id, token.algorithm, token.signed, &token.signature) {
            return Err(invalid("no key of its issuer verifies its signature"));
        }
        Ok(principal)
    }
}

impl TokenVerifier for JwtVerifier {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, InvalidToken>> {
        Box::pin(self.principal(token))
    }
}

impl fmt::Debug for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issuer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for JwtVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JwtVerifier")
            .field("audience", &self.audience)
            .field("issuers", &self.issuers)
            .finish_non_exhaustive()
    }
}
