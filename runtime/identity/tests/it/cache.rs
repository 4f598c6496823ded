//! How often the keys of an issuer are asked for.

use std::sync::Arc;
use std::time::Duration;

use capgen_call::{InvalidToken, TokenVerifier as _};
use capgen_identity::{Issuer, JwtVerifier};
use serde_json::{Value, json};
use tokio::time::advance;

use crate::fixture::{ISSUER, Keys, Source, Still, claims};

fn token(keys: &Keys, id: &str) -> String {
    keys.token(&json!({"alg": "EdDSA", "kid": id}), &claims())
}

fn verifier(source: &Source) -> JwtVerifier {
    JwtVerifier::new("trips").issuer(Issuer::new(ISSUER, source.clone())).clock(Arc::new(Still))
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn a_set_is_used_for_ten_minutes() {
    let keys = Keys::new();
    let source = Source::new(&keys.jwks());
    let verifier = verifier(&source);
    for _ in 0..10 {
        verifier.verify(&token(&keys, "e1")).await.unwrap();
        advance(MINUTE - Duration::from_millis(1)).await;
    }
    assert_eq!(source.attempts(), 1);
    advance(MINUTE).await;
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    assert_eq!(source.attempts(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_key_asks_for_a_newer_set_at_most_once_a_minute() {
    let keys = Keys::new();
    let mut set = keys.jwks();
    let source = Source::new(&set);
    let verifier = verifier(&source);
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    advance(MINUTE).await;
    for _ in 0..50 {
        assert!(matches!(verifier.verify(&token(&keys, "e2")).await, Err(InvalidToken::Invalid(_))));
    }
    assert_eq!(source.attempts(), 2);
    // The issuer publishes the key.
    set["keys"][0]["kid"] = json!("e2");
    *source.set.lock().unwrap() = Ok(set.to_string());
    advance(MINUTE).await;
    verifier.verify(&token(&keys, "e2")).await.unwrap();
    assert_eq!(source.attempts(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_set_is_used_for_a_day_if_the_issuer_is_out_of_order() {
    let keys = Keys::new();
    let source = Source::new(&keys.jwks());
    let verifier = verifier(&source);
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    *source.set.lock().unwrap() = Err("out of order".to_owned());
    for _ in 0..23 {
        advance(60 * MINUTE).await;
        verifier.verify(&token(&keys, "e1")).await.unwrap();
        verifier.verify(&token(&keys, "e1")).await.unwrap();
    }
    assert_eq!(source.attempts(), 24);
    advance(60 * MINUTE).await;
    let error = verifier.verify(&token(&keys, "e1")).await.unwrap_err();
    assert_eq!(error, InvalidToken::Unavailable("out of order".to_owned()));
    // It is back.
    *source.set.lock().unwrap() = Ok(keys.jwks().to_string());
    advance(MINUTE).await;
    verifier.verify(&token(&keys, "e1")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_set_that_is_invalid_replaces_no_other() {
    let keys = Keys::new();
    let source = Source::new(&keys.jwks());
    let verifier = verifier(&source);
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    let many = json!({"keys": vec![Value::Null; 101]}).to_string();
    for set in ["<html>".to_owned(), many, " ".repeat(1 << 21)] {
        *source.set.lock().unwrap() = Ok(set);
        advance(10 * MINUTE).await;
        verifier.verify(&token(&keys, "e1")).await.unwrap();
    }
    assert_eq!(source.attempts(), 4);
}

#[tokio::test(start_paused = true)]
async fn many_tokens_at_once_ask_once_and_a_dropped_one_does_not_use_up_the_attempt() {
    let keys = Keys::new();
    let source = Source::new(&keys.jwks());
    let verifier = Arc::new(verifier(&source));
    let first = token(&keys, "e1");
    {
        let dropped = verifier.verify(&first);
        let mut dropped = std::pin::pin!(dropped);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(dropped.as_mut().poll(&mut context).is_pending());
    }
    let all: Vec<_> = (0..100)
        .map(|_| {
            let (verifier, token) = (Arc::clone(&verifier), first.clone());
            tokio::spawn(async move { verifier.verify(&token).await.is_ok() })
        })
        .collect();
    for one in all {
        assert!(one.await.unwrap());
    }
    assert_eq!(source.attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_expired_token_asks_for_no_keys() {
    let keys = Keys::new();
    let source = Source::new(&keys.jwks());
    let mut expired = claims();
    expired["exp"] = json!(1);
    let token = keys.token(&json!({"alg": "EdDSA", "kid": "e1"}), &expired);
    verifier(&source).verify(&token).await.unwrap_err();
    assert_eq!(source.attempts(), 0);
}
