//! An issuer with keys of each kind.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen_call::BoxFuture;
use capgen_identity::{FetchError, FetchJwks};
use capgen_time::Clock;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

pub(crate) const ISSUER: &str = "https://login.example.com";

/// The Unix time of the tests, in s.
pub(crate) const NOW: u64 = 1_800_000_000;

/// A clock that stands still.
pub(crate) struct Still;

impl Clock for Still {
    fn now_ms(&self) -> u64 {
        NOW * 1000
    }
}

/// The private keys `e1` (Ed25519) and `p1` (P-256).
pub(crate) struct Keys {
    ed25519: Ed25519KeyPair,
    p256: EcdsaKeyPair,
}

impl Keys {
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let p256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        Self {
            ed25519: Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap(),
            p256: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, p256.as_ref(), &random).unwrap(),
        }
    }

    /// The public keys, with one of RSA.
    pub(crate) fn jwks(&self) -> Value {
        let point = self.p256.public_key().as_ref();
        json!({"keys": [
            {"kty": "OKP", "crv": "Ed25519", "kid": "e1", "alg": "EdDSA", "use": "sig", "x": text(self.ed25519.public_key().as_ref())},
            {"kty": "EC", "crv": "P-256", "kid": "p1", "x": text(&point[1..33]), "y": text(&point[33..])},
            {"kty": "RSA", "kid": "r1", "e": "AQAB", "n": RSA_MODULUS},
            {"kty": "oct", "kid": "h1", "k": "c2VjcmV0"},
        ]})
    }

    /// A token with a header and claims, signed by the key of its algorithm, whatever its header is.
    pub(crate) fn token(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", text(header.to_string().as_bytes()), text(claims.to_string().as_bytes()));
        let signature = match header["alg"].as_str() {
            Some("ES256") => self.p256.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref().to_vec(),
            _ => self.ed25519.sign(signed.as_bytes()).as_ref().to_vec(),
        };
        format!("{signed}.{}", text(&signature))
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Claims that are valid.
pub(crate) fn claims() -> Value {
    json!({"iss": ISSUER, "aud": "agent://trips", "sub": "ann", "exp": NOW + 300})
}

/// A source of keys that counts the attempts, and gives a set or an error after a time.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) set: Arc<Mutex<Result<String, String>>>,
    pub(crate) delay: Arc<Mutex<Duration>>,
    attempts: Arc<AtomicUsize>,
}

impl Source {
    pub(crate) fn new(set: &Value) -> Self {
        let set = Arc::new(Mutex::new(Ok(set.to_string())));
        Self { set, delay: Arc::default(), attempts: Arc::default() }
    }

    /// Publishes one Ed25519 key with these ids.
    pub(crate) fn publish(&self, keys: &Keys, ids: &[&str]) {
        let key = &keys.jwks()["keys"][0];
        let with_id = |id: &&str| {
            let mut key = key.clone();
            key["kid"] = json!(id);
            key
        };
        *self.set.lock().unwrap() = Ok(json!({"keys": ids.iter().map(with_id).collect::<Vec<_>>()}).to_string());
    }

    pub(crate) fn attempts(&self) -> usize {
        self.attempts.load(Ordering::SeqCst)
    }
}

impl FetchJwks for Source {
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, FetchError>> {
        self.attempts.fetch_add(1, Ordering::SeqCst);
        let (set, delay) = (self.set.lock().unwrap().clone(), *self.delay.lock().unwrap());
        Box::pin(async move {
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            set.map(String::into_bytes).map_err(FetchError::new)
        })
    }
}

/// A public key of RSA, whose private key was destroyed after it signed [`RSA_TOKEN`].
const RSA_MODULUS: &str = "\
    tRydQfS0I8U21xaWkyJom26PorlmLJbKs134c-5s1UZ6LAuszpX2hoVlcnukveUg2_ufVTDkJ2BxpXeOx4XLI-UiToSMyZ68qG9V\
    ywSOT34U3_sakZIVFlCAj7C2RY-ygwdh52IXCbfhbzsXbifN68FCKnRnfBZKgJdPK6YbxH52OEEzgOnG6xUwPQKVrogHUJGwaI2c\
    s3p0gqQNzBolPqYnJqNxxgV8S4b1a79gF7R3I6OeaL01yuGfUzFIh-TFe6LJWAEcV_i6kom-P6iPVQxANMNAyDiKKVdf9l68J8mo\
    XMWm2pJWJj--qEBmcFcxEZDePgMe9oWIb9BSDIRAyQ";

/// A token with the claims of [`claims`], but of the year 2100, signed with RS256 by OpenSSL.
pub(crate) const RSA_TOKEN: &str = "\
    eyJhbGciOiJSUzI1NiIsImtpZCI6InIxIn0.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwiYXVkIjoiYWdlbnQ6\
    Ly90cmlwcyIsInN1YiI6ImFubiIsImV4cCI6NDEwMjQ0NDgwMH0.GCqvGeSpu2dj045NMzicsdNJ2j1r4-HJpQBz2CCtK7qiE9YK\
    TFzqM3A8AWbbtwbmuUSvHN_zAg8hnWWHeJ1sJFrNF4fFuHPFYVQJ0Cl4hhHIEUset37jylWvC9luPcBBsl78ZEZzJFLShrFau8X7\
    YLkXg1UAu0DwOlEXWxCykeUY0ptZvhiWH1BbJQQnKIVsfd-5E0C1Tdr-S8VoN7SqyYd6AyF-bUFq7ZNhEX1AiEiDFg5HTUDT1v3_\
    cncjQiDFvmOViKiSE29wfgXuLnE3oCoEV1B-y0x2RPCQI-41PK6cpMAWipTSPpFu4jAfNh0kj_BSwdn-Hq6RsPAagDm3oA";
