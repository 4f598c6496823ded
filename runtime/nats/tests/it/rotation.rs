//! Keys that are replaced while calls run, over memory and over NATS: of agents, and of the issuer of tokens.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen_call::{
    AgentId, AgentKey, BoxFuture, CallMode, CallOptions, CapabilityContract, Client, Context, Handlers, Keys, Manifest,
    MemoryBroker, PeerTable, Server, ServerBuilder, Transport, TransportSettings,
};
use capgen_identity::{FetchError, FetchJwks, Issuer, JwtVerifier};
use capgen_testkit::brokers::NatsServer;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

use crate::common::{connect, eventually};

const ADDRESS: &str = "agents.trips";
pub(crate) const ISSUER: &str = "https://login.example.com";

/// The calls between two steps of a rotation, so that each step meets calls at every point of their way.
const CALLS: usize = 40;

/// The ends of a call: the client's and the server's transport.
pub(crate) type Ends = [Arc<dyn Transport>; 2];

/// Runs a test over memory and, if it is installed, over NATS.
pub(crate) async fn over_each<F: Future<Output = ()>>(test: impl Fn(Ends) -> F) {
    let broker = MemoryBroker::new();
    test([Arc::new(broker.connect()), Arc::new(broker.connect())]).await;
    let Some(server) = NatsServer::start() else { return };
    test([Arc::new(connect(&server).await), Arc::new(connect(&server).await)]).await;
}

/// The key of an agent of a generation.
fn key(agent: &str, generation: u8) -> AgentKey {
    let mut seed = [generation; 32];
    seed.iter_mut().zip(agent.bytes()).for_each(|(to, from)| *to ^= from);
    AgentKey::from_seed(agent, &format!("k{generation}"), &seed).unwrap()
}

/// Keys that sign with one generation, and verify those of others.
pub(crate) fn keys(agent: &str, generation: u8, accepted: &[u8]) -> Keys {
    let all = ["desk", "trips"].into_iter().flat_map(|agent| accepted.iter().map(move |number| key(agent, *number)));
    all.fold(Keys::of_agent(key(agent, generation)), |keys, key| keys.and_agent(key.public_key()).unwrap())
}

/// Calls that run until the end of a test; each of them must succeed.
struct Load {
    _server: Server,
    calls: Arc<AtomicUsize>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    /// The token of the next calls.
    token: Arc<Mutex<Option<String>>>,
}

impl Load {
    async fn start(
        [of_client, of_server]: Ends,
        keys: [&Keys; 2],
        server: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        let kind = of_client.kind();
        let handlers = Handlers::new("trips").with_loose("book", async |context: Context, _: Value| {
            Ok(json!(context.principal().map(|principal| principal.subject.clone())))
        });
        let built = Server::builder(handlers).listen(of_server, ADDRESS).keys(keys[1].clone());
        let server = server(built).start().await.unwrap();
        let transports = match kind {
            "memory" => vec![TransportSettings::memory(ADDRESS)],
            _ => vec![TransportSettings::nats(&["nats://localhost"], ADDRESS)],
        };
        let capabilities = vec![CapabilityContract::new("book")];
        let manifest = Manifest::new(AgentId::new("trips").unwrap(), transports, capabilities);
        let client = Client::builder("desk").transport(of_client).keys(keys[0].clone());
        let client = client.peers(PeerTable::new().with_manifest(&manifest)).build().await.unwrap();
        let (calls, token) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<Option<String>>>::default());
        let tasks = (0..4).map(|_| {
            let (client, calls, token) = (client.clone(), Arc::clone(&calls), Arc::clone(&token));
            tokio::spawn(async move {
                loop {
                    let token = token.lock().unwrap().clone();
                    let options = token.iter().fold(CallOptions::new(), |options, token| options.bearer(token));
                    let result = client.call_json_with("trips", "book", &json!(null), &options, CallMode::Sync).await;
                    assert_eq!(result.response, Some(json!(token.map(|_| "ann"))), "{:?}", result.error);
                    calls.fetch_add(1, Ordering::SeqCst);
                }
            })
        });
        let tasks = tasks.collect();
        Self { _server: server, calls, tasks, token }
    }

    /// Waits for calls that began after the last step.
    async fn go_on(&self) {
        let before = self.calls.load(Ordering::SeqCst);
        let failed = || self.tasks.iter().any(tokio::task::JoinHandle::is_finished);
        eventually("calls end", || failed() || self.calls.load(Ordering::SeqCst) >= before + CALLS).await;
        assert!(!failed(), "a call failed");
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_agents_are_replaced_without_a_failed_call() {
    over_each(|ends| async {
        let (of_client, of_server) = (keys("desk", 1, &[1]), keys("trips", 1, &[1]));
        let load = Load::start(ends, [&of_client, &of_server], |server| server).await;
        // Receivers first: of requests and of responses. Then the senders, then the removal of the old keys.
        for (running, keys) in [
            (&of_server, keys("trips", 1, &[1, 2])),
            (&of_client, keys("desk", 1, &[1, 2])),
            (&of_client, keys("desk", 2, &[1, 2])),
            (&of_server, keys("trips", 2, &[1, 2])),
            (&of_server, keys("trips", 2, &[2])),
            (&of_client, keys("desk", 2, &[2])),
        ] {
            load.go_on().await;
            running.replace(&keys);
        }
        load.go_on().await;
    })
    .await;
}

/// An issuer with a key of each generation.
#[derive(Clone)]
pub(crate) struct Published {
    pub(crate) generations: Arc<Mutex<Vec<u8>>>,
    pub(crate) attempts: Arc<AtomicUsize>,
}

pub(crate) fn issuer_key(generation: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[generation; 32]).unwrap()
}

impl FetchJwks for Published {
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, FetchError>> {
        self.attempts.fetch_add(1, Ordering::SeqCst);
        let public = |generation: &u8| {
            let key = URL_SAFE_NO_PAD.encode(issuer_key(*generation).public_key().as_ref());
            json!({"kty": "OKP", "crv": "Ed25519", "kid": format!("e{generation}"), "x": key})
        };
        let keys: Vec<Value> = self.generations.lock().unwrap().iter().map(public).collect();
        Box::pin(async move { Ok(json!({ "keys": keys }).to_string().into_bytes()) })
    }
}

fn token(generation: u8) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = part(&json!({"alg": "EdDSA", "kid": format!("e{generation}")}));
    let claims = part(&json!({"iss": ISSUER, "aud": "agent://trips", "sub": "ann", "exp": now + 300}));
    let signed = format!("{header}.{claims}");
    let signature = URL_SAFE_NO_PAD.encode(issuer_key(generation).sign(signed.as_bytes()));
    format!("{signed}.{signature}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_issuer_replaces_its_key_without_a_failed_call() {
    over_each(|ends| async {
        let issuer = Published { generations: Arc::new(Mutex::new(vec![1])), attempts: Arc::default() };
        let tokens = JwtVerifier::new("trips").issuer(Issuer::new(ISSUER, issuer.clone()));
        let (of_client, of_server) = (keys("desk", 1, &[1]), keys("trips", 1, &[1]));
        let load = Load::start(ends, [&of_client, &of_server], |server| server.tokens(Arc::new(tokens))).await;
        *load.token.lock().unwrap() = Some(token(1));
        load.go_on().await;
        *issuer.generations.lock().unwrap() = vec![1, 2];
        load.go_on().await;
        *load.token.lock().unwrap() = Some(token(2));
        load.go_on().await;
        // All calls with a token of the old key have ended.
        *issuer.generations.lock().unwrap() = vec![2];
        load.go_on().await;
        assert_eq!(issuer.attempts.load(Ordering::SeqCst), 2);
    })
    .await;
}
