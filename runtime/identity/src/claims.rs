//! The claims of a token.

use std::collections::BTreeSet;

use capgen_call::Principal;
use serde_json::{Map, Value};

/// How much the clocks of the issuer and of the verifier may differ, in s. RFC 8725 names no number; RFC 7519 "a few
/// minutes at most".
const LEEWAY: f64 = 60.0;

/// Which claims a token must have.
#[derive(Clone, Debug)]
pub(crate) struct Expected<'e> {
    pub(crate) audience: &'e str,
    /// The names on the way to the claim with the roles.
    pub(crate) roles: &'e [String],
    /// The names on the way to the claim with the tenant, if tokens have one.
    pub(crate) tenant: Option<&'e [String]>,
    /// Unix time in s.
    pub(crate) now: f64,
}

impl Expected<'_> {
    /// The principal of claims whose signature and issuer are valid.
    pub(crate) fn principal(&self, issuer: &str, claims: Map<String, Value>) -> Result<Principal, &'static str> {
        self.check_times(&claims)?;
        let is_audience = match claims.get("aud") {
            Some(Value::String(audience)) => audience == self.audience,
            Some(Value::Array(all)) => all.iter().any(|audience| audience == self.audience),
            _ => false,
        };
        if !is_audience {
            return Err("its audience is another one");
        }
        let text = |name: &str| claims.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let mut principal = Principal::new(issuer, text("sub").ok_or("it has no subject")?);
        principal.client_id = text("client_id").or_else(|| text("azp")).map(str::to_owned);
        principal.scopes = match (claims.get("scope"), claims.get("scp")) {
            (Some(Value::String(scopes)), _) | (None, Some(Value::String(scopes))) => words(scopes),
            (None, Some(list)) => texts(list).ok_or("its scopes are not a list of strings")?,
            (None, None) => BTreeSet::new(),
            (Some(_), _) => return Err("its scope is not a string"),
        };
        principal.roles = match at(&claims, self.roles) {
            None => BTreeSet::new(),
            Some(Value::String(role)) => BTreeSet::from([role.clone()]),
            Some(list) => texts(list).ok_or("its roles are not a list of strings")?,
        };
        if let Some(path) = self.tenant {
            let tenant = at(&claims, path).and_then(Value::as_str).ok_or("it has no tenant")?;
            principal.tenant = Some(tenant.to_owned());
        }
        principal.claims = claims;
        Ok(principal)
    }

    fn check_times(&self, claims: &Map<String, Value>) -> Result<(), &'static str> {
        // A number may have a fraction (RFC 7519, section 2).
        let time = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or("a time of it is not a number"),
        };
        let end = time("exp")?.ok_or("it does not expire")?;
        if self.now >= end + LEEWAY {
            return Err("it has expired");
        }
        for name in ["nbf", "iat"] {
            if time(name)?.is_some_and(|start| start > self.now + LEEWAY) {
                return Err("it is not valid yet");
            }
        }
        Ok(())
    }
}

fn at<'c>(claims: &'c Map<String, Value>, path: &[String]) -> Option<&'c Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(claims.get(first)?, |value, name| value.get(name))
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn texts(list: &Value) -> Option<BTreeSet<String>> {
    list.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}
