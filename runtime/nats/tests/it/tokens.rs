//! Tokens that are invalid, over memory and over NATS: none of them runs a handler.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen_call::{
    AgentId, CallMode, CallOptions, CapabilityContract, Client, Context, Handlers, Manifest, PeerTable, Server,
    TransportSettings,
};
use capgen_identity::{Issuer, JwtVerifier};
use ring::hmac;
use ring::signature::KeyPair as _;
use serde_json::{Value, json};

use crate::rotation::{Ends, ISSUER, Published, issuer_key, keys, over_each};

const ADDRESS: &str = "agents.trips";

/// The parts of a token that are signed: the algorithm, the key, and claims beside those of a valid token.
fn signed_part(algorithm: &str, key: &str, changes: &Value) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let mut claims = json!({"iss": ISSUER, "aud": "agent://trips", "sub": "ann", "exp": now + 300, "org": "acme"});
    claims.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let header = json!({"alg": algorithm, "kid": key});
    [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".")
}

/// A token with a valid signature of the issuer.
fn token(key: &str, changes: &Value) -> String {
    let signed = signed_part("EdDSA", key, changes);
    let signature = URL_SAFE_NO_PAD.encode(issuer_key(1).sign(signed.as_bytes()));
    format!("{signed}.{signature}")
}

/// A token whose secret is the public key of the issuer, as text or as bytes.
fn with_public_key_as_secret(as_text: bool) -> String {
    let signed = signed_part("HS256", "e1", &json!({}));
    let (pair, text);
    let secret = if as_text {
        text = URL_SAFE_NO_PAD.encode(issuer_key(1).public_key().as_ref());
        text.as_bytes()
    } else {
        pair = issuer_key(1);
        pair.public_key().as_ref()
    };
    let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
}

/// A client of a server that verifies tokens.
struct Fixture {
    _server: Server,
    client: Client,
    runs: Arc<AtomicUsize>,
    issuer: Published,
}

impl Fixture {
    async fn start([of_client, of_server]: Ends) -> Self {
        let issuer = Published { generations: Arc::new(Mutex::new(vec![1])), attempts: Arc::default() };
        let tokens = JwtVerifier::new("trips").issuer(Issuer::new(ISSUER, issuer.clone()).tenant(&["org"]));
        let runs = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&runs);
        let handlers = Handlers::new("trips").with_loose("book", move |context: Context, _: Value| {
            count.fetch_add(1, Ordering::SeqCst);
            let subject = context.principal().map(|principal| principal.subject.clone());
            async move { Ok(json!(subject)) }
        });
        let transports = match of_client.kind() {
            "memory" => vec![TransportSettings::memory(ADDRESS)],
            _ => vec![TransportSettings::nats(&["nats://localhost"], ADDRESS)],
        };
        let server = Server::builder(handlers).listen(of_server, ADDRESS).keys(keys("trips", 1, &[1]));
        let server = server.tokens(Arc::new(tokens)).start().await.unwrap();
        let capabilities = vec![CapabilityContract::new("book")];
        let manifest = Manifest::new(AgentId::new("trips").unwrap(), transports, capabilities);
        let client = Client::builder("desk").transport(of_client).keys(keys("desk", 1, &[1]));
        let client = client.peers(PeerTable::new().with_manifest(&manifest)).build().await.unwrap();
        Self { _server: server, client, runs, issuer }
    }

    /// The subject that the handler sees, or the code of the error.
    async fn call(&self, token: &str, tenant: &str) -> String {
        let options = CallOptions::new().bearer(token).tenant(tenant);
        let result = self.client.call_json_with("trips", "book", &json!(null), &options, CallMode::Sync).await;
        match result.error {
            Some(error) => error.code,
            None => result.response.unwrap().as_str().unwrap().to_owned(),
        }
    }

    fn fetched(&self) -> usize {
        self.issuer.attempts.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn invalid_tokens_run_nothing() {
    over_each(|ends| async {
        let fixture = Fixture::start(ends).await;
        assert_eq!(fixture.call(&token("e1", &json!({})), "acme").await, "ann");
        assert_eq!(fixture.fetched(), 1);
        let altered = token("e1", &json!({})).replacen('.', ".e", 1);
        for (shows, invalid) in [
            ("without a signature", format!("{}.", signed_part("none", "e1", &json!({})))),
            ("the public key as a secret", with_public_key_as_secret(true)),
            ("the bytes of the public key as a secret", with_public_key_as_secret(false)),
            ("for another agent", token("e1", &json!({"aud": "agent://desk"}))),
            ("expired", token("e1", &json!({"exp": 1_700_000_000}))),
            ("of another issuer", token("e1", &json!({"iss": "https://login.example.org"}))),
            ("altered", altered),
        ] {
            assert_eq!(fixture.call(&invalid, "acme").await, "EAGENTRPC_AUTH_FAILED", "{shows}");
        }
        assert_eq!(fixture.call(&token("e1", &json!({})), "zeta").await, "EAGENTRPC_TENANT_MISMATCH");
        assert_eq!(fixture.fetched(), 1);
        // The keys of the issuer are fetched once for keys that are not among them.
        for key in ["e2", "e3", "e4"] {
            assert_eq!(fixture.call(&token(key, &json!({})), "acme").await, "EAGENTRPC_AUTH_FAILED", "{key}");
            assert_eq!(fixture.fetched(), 2, "{key}");
        }
        assert_eq!(fixture.runs.load(Ordering::SeqCst), 1);
        assert_eq!(fixture.call(&token("e1", &json!({})), "acme").await, "ann");
    })
    .await;
}
