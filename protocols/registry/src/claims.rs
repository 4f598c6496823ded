//! Roles and scopes in signed claims: tokens of an issuer that the provider of the registry trusts.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use capgen_schema::parse_payload;
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;

use crate::Access;

/// The longest token that is read, in bytes. A token with hundreds of roles and scopes fits, and it bounds the work for
/// a text whose signature is not verified yet.
const MAX_TOKEN: usize = 16 << 10;

/// The claims of a token: a JSON Web Token ([RFC 7519](https://www.rfc-editor.org/rfc/rfc7519)) that is signed with
/// Ed25519 ([RFC 8037](https://www.rfc-editor.org/rfc/rfc8037)).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claims {
    /// `sub`: the agent.
    pub agent: String,
    /// `roles` and `scopes`: arrays of strings; absent ones are empty.
    pub access: Access,
}

/// A key of an issuer, which signs claims.
#[derive(Clone, Debug)]
pub struct Issuer(VerifyingKey);

/// Why a token is rejected. The messages contain nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidToken {
    /// It has more than 16 KiB, or is not a JSON Web Token of these claims.
    Form,
    /// The algorithm is not `EdDSA`.
    Algorithm,
    /// The signature is not by the issuer's key.
    Signature,
    /// It has no `exp`, has expired, or is not valid yet (`nbf`).
    Time,
}

impl Issuer {
    /// The issuer with a public key: 32 bytes in base64. `None` if the text is not such a key.
    #[must_use]
    pub fn from_base64(key: &str) -> Option<Self> {
        let key: [u8; 32] = STANDARD.decode(key).ok()?.try_into().ok()?;
        VerifyingKey::from_bytes(&key).ok().map(Self)
    }

    /// Verifies a token at a time, in Unix ms. The signature is verified over the received bytes before the claims are
    /// read.
    ///
    /// # Errors
    ///
    /// See [`InvalidToken`].
    pub fn verify(&self, token: &str, now: u64) -> Result<Claims, InvalidToken> {
        if token.len() > MAX_TOKEN {
            return Err(InvalidToken::Form);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(InvalidToken::Form)?;
        let (header, claims) = signed.split_once('.').ok_or(InvalidToken::Form)?;
        if part(header)?.get("alg").and_then(Value::as_str) != Some("EdDSA") {
            return Err(InvalidToken::Algorithm);
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).ok().and_then(|bytes| bytes.try_into().ok());
        let signature = Signature::from_bytes(&signature.ok_or(InvalidToken::Form)?);
        self.0.verify_strict(signed.as_bytes(), &signature).map_err(|_| InvalidToken::Signature)?;
        let claims = part(claims)?;
        let seconds = |name: &str| claims.get(name).map(|value| value.as_f64().ok_or(InvalidToken::Form)).transpose();
        let now = now as f64 / 1000.0;
        let is_current =
            seconds("exp")?.is_some_and(|end| now < end) && seconds("nbf")?.is_none_or(|start| start <= now);
        if !is_current {
            return Err(InvalidToken::Time);
        }
        let agent = claims.get("sub").and_then(Value::as_str).filter(|agent| !agent.is_empty());
        let agent = agent.ok_or(InvalidToken::Form)?.to_owned();
        let (roles, scopes) = (names(&claims, "roles")?, names(&claims, "scopes")?);
        Ok(Claims { agent, access: Access { roles, scopes } })
    }
}

fn part(text: &str) -> Result<Value, InvalidToken> {
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidToken::Form)?;
    parse_payload(&bytes).ok().filter(Value::is_object).ok_or(InvalidToken::Form)
}

fn names(claims: &Value, name: &str) -> Result<std::collections::BTreeSet<String>, InvalidToken> {
    let Some(value) = claims.get(name) else { return Ok(Default::default()) };
    let items = value.as_array().ok_or(InvalidToken::Form)?;
    items.iter().map(|item| item.as_str().map(str::to_owned).ok_or(InvalidToken::Form)).collect()
}

impl fmt::Display for InvalidToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "the token is not a JSON Web Token with `sub`, `roles` and `scopes`",
            Self::Algorithm => "the algorithm of the token is not `EdDSA`",
            Self::Signature => "the signature of the token is not by the issuer's key",
            Self::Time => "the token has no `exp`, has expired, or is not valid yet",
        })
    }
}

impl std::error::Error for InvalidToken {}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer as _, SigningKey};
    use serde_json::json;

    use super::*;

    fn token(key: &SigningKey, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature = URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes()).to_bytes());
        format!("{signed}.{signature}")
    }

    #[test]
    fn claims_count_only_if_the_issuer_signed_them_and_they_are_current() {
        let (key, other) = (SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32]));
        let issuer = Issuer::from_base64(&STANDARD.encode(key.verifying_key().as_bytes())).unwrap();
        let header = json!({"alg": "EdDSA", "typ": "JWT"});
        let claims = json!({"sub": "a", "roles": ["r"], "scopes": ["s", "t"], "nbf": 10, "exp": 20});
        let access = Access { roles: ["r".to_owned()].into(), scopes: ["s".to_owned(), "t".to_owned()].into() };
        let valid = token(&key, &header, &claims);
        assert_eq!(issuer.verify(&valid, 15_000), Ok(Claims { agent: "a".to_owned(), access }));
        for (token, now, expected) in [
            (valid.clone(), 9_999, InvalidToken::Time),
            (valid.clone(), 20_000, InvalidToken::Time),
            (token(&key, &header, &json!({"sub": "a"})), 15_000, InvalidToken::Time),
            (token(&other, &header, &claims), 15_000, InvalidToken::Signature),
            (token(&key, &json!({"alg": "none"}), &claims), 15_000, InvalidToken::Algorithm),
            (token(&key, &header, &json!({"sub": "", "exp": 20})), 15_000, InvalidToken::Form),
            (token(&key, &header, &json!({"sub": "a", "exp": 20, "roles": "r"})), 15_000, InvalidToken::Form),
            (valid.replace('.', ""), 15_000, InvalidToken::Form),
            ("a".repeat(MAX_TOKEN + 1), 15_000, InvalidToken::Form),
        ] {
            assert_eq!(issuer.verify(&token, now), Err(expected), "{token}");
        }
    }
}
