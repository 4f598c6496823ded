//! Calls with tokens, from a client to a handler.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use capgen_call::{
    CallMode, CallOptions, CapabilityContract, Client, Context, Handlers, Keys as CallKeys, Manifest, MemoryBroker,
    PeerTable, Server, TransportSettings,
};
use capgen_identity::{Issuer, JwtVerifier};
use serde_json::{Value, json};

use crate::fixture::{Keys, Source, claims};

#[tokio::test]
async fn the_roles_of_a_token_allow_a_call() {
    let issuer_keys = Keys::new();
    let jwks = Source::new(&issuer_keys.jwks());
    let mut contract = CapabilityContract::new("book");
    contract.required_roles = vec!["booker".to_owned()];
    let handlers = Handlers::new("trips").with_json(&contract, async |context: Context, _: Value| {
        Ok(json!(context.principal().map(|principal| principal.subject.clone())))
    });
    let (broker, keys) = (MemoryBroker::new(), CallKeys::signing_with("k1", b"a secret of at least 16 bytes").unwrap());
    let transport = broker.connect();
    let of_client = keys.clone();

    let issuer = Issuer::new("https://login.example.com", jwks).roles(&["realm_access", "roles"]).tenant(&["org"]);
    let tokens = JwtVerifier::new("trips").issuer(issuer);
    let server = Server::builder(handlers).listen(transport, "agents.trips").keys(keys).tokens(Arc::new(tokens));

    let _server = server.start().await.unwrap();
    let transports = vec![TransportSettings::memory("agents.trips")];
    let manifest = Manifest::new("trips".parse().unwrap(), transports, vec![contract]);
    let client = Client::builder("desk").transport(broker.connect()).keys(of_client);
    let client = client.peers(PeerTable::new().with_manifest(&manifest)).build().await.unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let token = |role: &str, expires: Duration| {
        let mut claims = claims();
        (claims["exp"], claims["org"]) = (json!(expires.as_secs()), json!("acme"));
        claims["realm_access"] = json!({"roles": [role]});
        issuer_keys.token(&json!({"alg": "ES256", "kid": "p1"}), &claims)
    };
    let (soon, past) = (now + Duration::from_secs(300), now - Duration::from_secs(300));
    for (token, tenant, expected) in [
        (Some(token("booker", soon)), "acme", Ok(json!("ann"))),
        (Some(token("guest", soon)), "acme", Err("EAGENTRPC_FORBIDDEN")),
        (None, "acme", Err("EAGENTRPC_FORBIDDEN")),
        (Some(token("booker", soon)), "zeta", Err("EAGENTRPC_TENANT_MISMATCH")),
        (Some(token("booker", past)), "acme", Err("EAGENTRPC_AUTH_FAILED")),
    ] {
        let options = CallOptions::new().tenant(tenant);
        let options = if let Some(token) = &token { options.bearer(token) } else { options };
        let result = client.call_json_with("trips", "book", &json!({}), &options, CallMode::Sync).await;
        let got = result.response.ok_or_else(|| result.error.unwrap().code);
        assert_eq!(got.as_ref().map_err(String::as_str), expected.as_ref().map_err(|code| *code), "{tenant}");
    }
}
