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

/// Waits until the tasks that run have ended, on a clock that stands still otherwise.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// The result of a verification that ends at once; `None` if it waits.
fn at_once(verifier: &JwtVerifier, token: &str) -> Option<bool> {
    let mut verified = verifier.verify(token);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match verified.as_mut().poll(&mut context) {
        std::task::Poll::Ready(result) => Some(result.is_ok()),
        std::task::Poll::Pending => None,
    }
}

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
    settle().await;
    assert_eq!(source.attempts(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_old_set_is_used_while_a_newer_one_is_on_its_way() {
    let keys = Keys::new();
    let source = Source::new(&keys.jwks());
    let verifier = verifier(&source);
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    *source.delay.lock().unwrap() = Duration::from_secs(3);
    advance(10 * MINUTE).await;
    // The issuer has withdrawn the key, which the set on its way shows.
    source.publish(&keys, &["e2"]);
    for _ in 0..100 {
        assert_eq!(at_once(&verifier, &token(&keys, "e1")), Some(true));
    }
    settle().await;
    assert_eq!((at_once(&verifier, &token(&keys, "e1")), source.attempts()), (Some(true), 2));
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(at_once(&verifier, &token(&keys, "e2")), Some(true));
    verifier.verify(&token(&keys, "e1")).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn an_issuer_can_use_a_new_key_directly_after_the_first_and_after_a_regular_attempt() {
    let keys = Keys::new();
    let source = Source::new(&json!({}));
    source.publish(&keys, &["e1"]);
    let verifier = verifier(&source);
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    source.publish(&keys, &["e1", "e2"]);
    verifier.verify(&token(&keys, "e2")).await.unwrap();
    advance(10 * MINUTE).await;
    verifier.verify(&token(&keys, "e2")).await.unwrap();
    settle().await;
    source.publish(&keys, &["e2", "e3"]);
    verifier.verify(&token(&keys, "e3")).await.unwrap();
    assert_eq!(source.attempts(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_was_published_a_minute_ago_is_known_whatever_others_send() {
    let keys = Keys::new();
    let source = Source::new(&json!({}));
    let mut ids = vec!["e0".to_owned()];
    source.publish(&keys, &["e0"]);
    let verifier = verifier(&source);
    verifier.verify(&token(&keys, "e0")).await.unwrap();
    for number in 1..=30 {
        ids.push(format!("e{number}"));
        source.publish(&keys, &ids[ids.len().saturating_sub(2)..].iter().map(String::as_str).collect::<Vec<_>>());
        for second in 0..60 {
            // An attacker sends random ids all the time, and the callers still use the old key.
            verifier.verify(&token(&keys, &format!("random-{second}"))).await.unwrap_err();
            verifier.verify(&token(&keys, &ids[number - 1])).await.unwrap();
            advance(Duration::from_secs(1)).await;
        }
        verifier.verify(&token(&keys, &ids[number])).await.unwrap();
    }
    // One for the first set, and one in each minute.
    assert!(source.attempts() <= 32, "{}", source.attempts());
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_published_during_an_attempt_is_found() {
    let keys = Keys::new();
    let source = Source::new(&json!({}));
    source.publish(&keys, &["e1"]);
    let verifier = Arc::new(verifier(&source));
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    *source.delay.lock().unwrap() = Duration::from_secs(2);
    advance(10 * MINUTE).await;
    assert_eq!(at_once(&verifier, &token(&keys, "e1")), Some(true));
    tokio::time::sleep(Duration::from_secs(1)).await;
    source.publish(&keys, &["e1", "e2"]);
    verifier.verify(&token(&keys, "e2")).await.unwrap();
    assert_eq!(source.attempts(), 3);
}

#[tokio::test(start_paused = true)]
async fn whether_an_unknown_key_is_valid_is_not_known_if_the_issuer_is_out_of_order() {
    let keys = Keys::new();
    let source = Source::new(&keys.jwks());
    let verifier = verifier(&source);
    verifier.verify(&token(&keys, "e1")).await.unwrap();
    *source.set.lock().unwrap() = Err("out of order".to_owned());
    for _ in 0..2 {
        let error = verifier.verify(&token(&keys, "e2")).await.unwrap_err();
        assert_eq!(error, InvalidToken::Unavailable("out of order".to_owned()));
        verifier.verify(&token(&keys, "e1")).await.unwrap();
    }
    assert_eq!(source.attempts(), 2);
    source.publish(&keys, &["e2"]);
    advance(MINUTE).await;
    verifier.verify(&token(&keys, "e2")).await.unwrap();
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
        settle().await;
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
        settle().await;
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
