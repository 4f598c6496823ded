//! Which tokens are valid.

use std::sync::Arc;

use capgen_call::{InvalidToken, Principal, TokenVerifier as _};
use capgen_identity::{Algorithm, Issuer, JwtVerifier};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{ISSUER, Keys, NOW, RSA_TOKEN, Source, Still, claims, text};

fn verifier(keys: &Keys, issuer: impl FnOnce(Issuer) -> Issuer) -> JwtVerifier {
    let source = Source::new(&keys.jwks());
    JwtVerifier::new("trips").issuer(issuer(Issuer::new(ISSUER, source))).clock(Arc::new(Still))
}

async fn verify(keys: &Keys, token: &str) -> Result<Principal, InvalidToken> {
    verifier(keys, |issuer| issuer).verify(token).await
}

fn reason(result: Result<Principal, InvalidToken>) -> String {
    match result {
        Err(InvalidToken::Invalid(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

fn with(changes: &[(&str, Value)]) -> Value {
    let mut claims = claims();
    for (name, value) in changes {
        claims[*name] = value.clone();
    }
    claims
}

#[tokio::test]
async fn a_valid_token_of_each_algorithm_has_a_principal() {
    let keys = Keys::new();
    let ed25519 = keys.token(&json!({"alg": "EdDSA", "kid": "e1", "typ": "at+jwt"}), &claims());
    let p256 = keys.token(&json!({"alg": "ES256", "kid": "p1", "typ": "JWT"}), &claims());
    for token in [ed25519.as_str(), p256.as_str(), RSA_TOKEN] {
        let principal = verify(&keys, token).await.unwrap();
        assert_eq!((principal.issuer.as_str(), principal.subject.as_str()), (ISSUER, "ann"));
        assert!(principal.scopes.is_empty() && principal.roles.is_empty() && principal.tenant.is_none());
    }
}

#[tokio::test]
async fn the_algorithm_is_allowed_and_that_of_the_key() {
    let keys = Keys::new();
    let public = keys.jwks()["keys"][0]["x"].as_str().unwrap().to_owned();
    let hmac = |key: &[u8]| {
        let signed = format!("{}.{}", text(br#"{"alg":"HS256","kid":"e1"}"#), text(claims().to_string().as_bytes()));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, key);
        format!("{signed}.{}", text(ring::hmac::sign(&key, signed.as_bytes()).as_ref()))
    };
    let unsigned = |name: &str| {
        let header = json!({"alg": name, "kid": "e1"}).to_string();
        format!("{}.{}.", text(header.as_bytes()), text(claims().to_string().as_bytes()))
    };
    for token in [unsigned("none"), unsigned("None"), unsigned("ES384"), hmac(public.as_bytes()), hmac(b"secret")] {
        assert_eq!(reason(verify(&keys, &token).await), "its algorithm is not allowed");
    }
    // The key of another algorithm, and a key that is not one for signatures.
    for (name, id) in [("EdDSA", "p1"), ("ES256", "e1"), ("RS256", "e1"), ("EdDSA", "r1"), ("EdDSA", "h1")] {
        let token = keys.token(&json!({"alg": name, "kid": id}), &claims());
        assert_eq!(reason(verify(&keys, &token).await), "no key of its issuer verifies its signature", "{name} {id}");
    }
    let token = keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &claims());
    let narrow = verifier(&keys, |issuer| issuer.algorithms(&[Algorithm::Es256]));
    assert_eq!(reason(narrow.verify(&token).await), "its algorithm is not allowed");
}

#[tokio::test]
async fn claims_are_required_and_exact() {
    let keys = Keys::new();
    for (changes, expected) in [
        (vec![("iss", json!("https://evil.example.com"))], "its issuer is not trusted"),
        (vec![("iss", json!(format!("{ISSUER}/")))], "its issuer is not trusted"),
        (vec![("iss", Value::Null)], "its issuer is not trusted"),
        (vec![("aud", json!("agent://other"))], "its audience is another one"),
        (vec![("aud", json!(["agent://other"]))], "its audience is another one"),
        (vec![("aud", Value::Null)], "its audience is another one"),
        (vec![("sub", json!(""))], "it has no subject"),
        (vec![("sub", json!(7))], "it has no subject"),
        (vec![("exp", Value::Null)], "a time of it is not a number"),
        (vec![("exp", json!("soon"))], "a time of it is not a number"),
        (vec![("exp", json!(NOW - 60))], "it has expired"),
        (vec![("nbf", json!(NOW + 61))], "it is not valid yet"),
        (vec![("iat", json!(NOW + 61))], "it is not valid yet"),
        (vec![("scope", json!(["a"]))], "its scope is not a string"),
        (vec![("scp", json!([1]))], "its scopes are not a list of strings"),
        (vec![("roles", json!({"a": 1}))], "its roles are not a list of strings"),
    ] {
        let token = keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &with(&changes));
        assert_eq!(reason(verify(&keys, &token).await), expected, "{changes:?}");
    }
    let mut without = claims();
    without.as_object_mut().unwrap().remove("exp");
    let token = keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &without);
    assert_eq!(reason(verify(&keys, &token).await), "it does not expire");
    // Within the leeway, and an audience among others.
    let changes = [("exp", json!(NOW - 59)), ("nbf", json!(NOW + 60)), ("iat", json!(NOW as f64 + 59.5))];
    let mut late = with(&changes);
    late["aud"] = json!(["agent://other", "agent://trips"]);
    let token = keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &late);
    assert!(verify(&keys, &token).await.is_ok());
}

#[tokio::test]
async fn the_header_chooses_nothing_but_the_key() {
    let keys = Keys::new();
    let own = Keys::new().jwks()["keys"][0].clone();
    for (header, expected) in [
        (json!({"alg": "EdDSA"}), "its header names no key"),
        (json!({"alg": "EdDSA", "kid": 1}), "its header names no key"),
        (json!({"alg": "EdDSA", "kid": "e1", "crit": ["b64"], "b64": false}), "its header has a critical extension"),
        (json!({"alg": "EdDSA", "kid": "e1", "typ": "logout+jwt"}), "its type is neither `JWT` nor `at+jwt`"),
        (json!({"kid": "e1"}), "its header has no algorithm"),
        (json!({"alg": "EdDSA", "kid": "x", "jwk": own}), "no key of its issuer verifies its signature"),
        (
            json!({"alg": "EdDSA", "kid": "x", "jku": "https://evil.example.com"}),
            "no key of its issuer verifies its signature",
        ),
    ] {
        let token = keys.token(&header, &claims());
        assert_eq!(reason(verify(&keys, &token).await), expected, "{header}");
    }
    let ignored =
        json!({"alg": "EdDSA", "kid": "e1", "jku": "https://evil.example.com", "x5u": "https://evil.example.com"});
    assert!(verify(&keys, &keys.token(&ignored, &claims())).await.is_ok());
}

#[tokio::test]
async fn scopes_roles_and_tenants_come_from_claims() {
    let keys = Keys::new();
    let token = |changes: &[(&str, Value)]| keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &with(changes));
    let changes = [
        ("scope", json!("trips:read  trips:write")),
        ("roles", json!(["booker", "admin"])),
        ("client_id", json!("app")),
    ];
    let principal = verify(&keys, &token(&changes)).await.unwrap();
    assert_eq!(principal.scopes.iter().collect::<Vec<_>>(), ["trips:read", "trips:write"]);
    assert_eq!(principal.roles.iter().collect::<Vec<_>>(), ["admin", "booker"]);
    assert_eq!((principal.client_id.as_deref(), principal.claims["sub"].as_str()), (Some("app"), Some("ann")));
    let principal = verify(&keys, &token(&[("scp", json!(["a", "b c"]))])).await.unwrap();
    assert_eq!(principal.scopes.iter().collect::<Vec<_>>(), ["a", "b c"]);
    let verifier = verifier(&keys, |issuer| issuer.roles(&["realm_access", "roles"]).tenant(&["org"]).audience("api"));
    let changes = [("aud", json!("api")), ("org", json!("acme")), ("realm_access", json!({"roles": ["booker"]}))];
    let principal = verifier.verify(&token(&changes)).await.unwrap();
    assert_eq!((principal.tenant.as_deref(), principal.roles.contains("booker")), (Some("acme"), true));
    assert_eq!(reason(verifier.verify(&token(&changes[..1])).await), "it has no tenant");
}

#[tokio::test]
async fn tokens_of_another_form_are_invalid() {
    let keys = Keys::new();
    let valid = keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &claims());
    let parts: Vec<&str> = valid.split('.').collect();
    for token in [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        format!("{valid}."),
        format!("{valid}.e30"),
        format!("{valid}="),
        format!("{}.{}", parts[0], parts[1]),
        format!("{}.{}.", parts[0], parts[1]),
        format!("{}.{}.{}", parts[1], parts[0], parts[2]),
        format!("{}.{}.{}", text(br#"{"alg":"EdDSA","kid":"e1","kid":"e1"}"#), parts[1], parts[2]),
        format!("{}.{}.{}", text(b"[]"), parts[1], parts[2]),
        valid.replacen('.', "..", 1),
        "a".repeat(20_000),
    ] {
        let error = verify(&keys, &token).await.unwrap_err();
        assert!(matches!(error, InvalidToken::Invalid(_)), "{error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_token_with_another_byte_is_invalid_and_its_error_does_not_quote_it(at in any::<prop::sample::Index>(), byte in 33_u8..127) {
        let keys = Keys::new();
        let valid = keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &claims());
        let mut changed = valid.clone().into_bytes();
        let at = at.index(changed.len());
        prop_assume!(changed[at] != byte);
        changed[at] = byte;
        let changed = String::from_utf8(changed).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(verify(&keys, &changed)).unwrap_err().to_string();
        let parts = [valid.get(..12), valid.get(valid.len() - 12..)];
        prop_assert!(parts.iter().flatten().all(|part| !error.contains(part)), "{}", error);
    }
}
