//! Deployments of a change over NATS, with callers and providers in Rust and in JavaScript.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use capgen_call::{CallMode, CallOptions, CapabilityContract, Client, Handlers, PeerTable, Server};
use capgen_manifest::{Manifest, Source, load};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use capgen_tests::node;
use serde_json::{Value, json};

use crate::node_script::{NodeScript, write_module};

const ADDRESS: &str = "agents.trips";
/// The instances of the provider.
const INSTANCES: usize = 3;
/// The calls of each caller after each step of a deployment.
const CALLS: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Rust,
    Node,
}

/// A version of the contract of `book`, and its generated module.
struct Contract {
    manifest: Manifest,
    module: PathBuf,
}

/// A broker, and a process of Node that has callers and instances.
struct World {
    broker: NatsServer,
    node: NodeScript,
    next: usize,
}

/// An instance of the provider.
enum Instance {
    Rust(Server),
    Node(usize),
}

/// Calls of one kind during a deployment.
#[derive(Clone, Copy, Default, Debug)]
struct Count {
    calls: usize,
    failed: usize,
}

impl Contract {
    /// A contract whose requests have some string properties, the first of which is required, and no others.
    fn new(world: &World, version: &str, properties: &[&str]) -> Self {
        let schemas: Value = properties.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        let input = json!({"type": "object", "properties": schemas, "required": properties[..1], "additionalProperties": false});
        let manifest = json!({
            "version": 1, "agent": "agent://trips",
            "transports": [{"kind": "nats", "servers": ["nats://localhost"], "subjects": {"requests": ADDRESS}}],
            "capabilities": [{"name": "book", "version": version, "inputSchema": input}],
        });
        let manifest = load(&Source::new("capabilities.json", manifest.to_string())).unwrap().manifest;
        let module = write_module(&manifest, &world.node.folder.join(version));
        Self { manifest, module }
    }

    fn capability(&self) -> &CapabilityContract {
        &self.manifest.capabilities[0]
    }

    fn version(&self) -> String {
        self.capability().version.as_ref().unwrap().to_string()
    }
}

impl World {
    async fn transport(&self) -> Arc<NatsTransport> {
        Arc::new(NatsTransport::connect(NatsOptions::new([self.broker.url()])).await.unwrap())
    }

    /// Starts an instance that serves some contracts.
    async fn start(&mut self, language: Language, contracts: &[&Contract]) -> Instance {
        match language {
            Language::Rust => {
                let handlers = contracts.iter().fold(Handlers::new("trips"), |handlers, contract| {
                    handlers.with_json(contract.capability(), async |_, payload: Value| Ok(payload))
                });
                let server = Server::builder(handlers).listen(self.transport().await, ADDRESS).start().await;
                Instance::Rust(server.unwrap())
            }
            Language::Node => {
                self.next += 1;
                let capabilities =
                    contracts.iter().flat_map(|contract| contract.manifest.capabilities.clone()).collect();
                let all = Manifest { capabilities, ..contracts[0].manifest.clone() };
                let name = contracts.iter().map(|contract| contract.version()).collect::<Vec<_>>().join("-");
                let module = write_module(&all, &self.node.folder.join(name));
                let serve = json!({"name": self.next, "module": module});
                self.node.ask(&json!({"serve": serve}));
                Instance::Node(self.next)
            }
        }
    }

    async fn stop(&mut self, instance: Instance) {
        match instance {
            Instance::Rust(server) => assert!(server.shutdown(Duration::from_secs(5)).await),
            Instance::Node(name) => drop(self.node.ask(&json!({"stop": {"name": name}}))),
        }
    }

    /// Makes calls with a contract, and counts those that are refused. All others succeed.
    async fn call(&mut self, language: Language, contract: &Contract, payload: &Value) -> Count {
        let codes = match language {
            Language::Node => {
                let call = json!({"module": contract.module, "payload": payload, "count": CALLS});
                let answer = self.node.ask(&json!({"call": call}));
                answer["codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
            }
            Language::Rust => self.call_in_rust(contract, payload).await,
        };
        assert!(codes.iter().all(|code| code == "EVERSION_SKEW"), "{codes:?}");
        Count { calls: CALLS, failed: codes.len() }
    }

    async fn call_in_rust(&self, contract: &Contract, payload: &Value) -> Vec<String> {
        let client = Client::builder("desk").transport(self.transport().await);
        let client = client.peers(PeerTable::new().with_manifest(&contract.manifest)).build().await.unwrap();
        let options = CallOptions::new().timeout(Duration::from_secs(10));
        let mut codes = Vec::new();
        for _ in 0..CALLS {
            let result = client.call_json_with("trips", "book", payload, &options, CallMode::Sync).await;
            codes.extend(result.error.map(|error| error.code.to_string()));
        }
        codes
    }

    /// Replaces the instances one after the other, and counts the calls of some callers after each step.
    async fn replace(
        &mut self,
        [caller, provider]: [Language; 2],
        instances: &mut Vec<Instance>,
        with: &[&Contract],
        calls: &[(&Contract, &Value)],
    ) -> Vec<Vec<Count>> {
        let mut steps = Vec::new();
        for _ in 0..INSTANCES {
            let new = self.start(provider, with).await;
            instances.push(new);
            let old = instances.remove(0);
            self.stop(old).await;
            let mut step = Vec::new();
            for (contract, payload) in calls {
                step.push(self.call(caller, contract, payload).await);
            }
            steps.push(step);
        }
        steps
    }
}

/// The sum of all steps, for each kind of call, as cells of a table.
fn cells(steps: &[Vec<Count>]) -> String {
    let kinds = steps.iter().map(Vec::len).max().unwrap_or_default();
    let sum = |kind: usize| {
        let counts = steps.iter().map(|step| step[kind]);
        counts
            .fold(Count::default(), |all, one| Count { calls: all.calls + one.calls, failed: all.failed + one.failed })
    };
    (0..kinds).map(|kind| format!(" {} of {} |", sum(kind).failed, sum(kind).calls)).collect()
}

/// Whether no call of a kind failed, in some steps.
fn all_succeed(steps: &[Vec<Count>], kind: usize) -> bool {
    steps.iter().all(|step| step[kind].failed == 0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_change_is_deployed_and_rolled_back_with_callers_and_providers_in_two_languages() {
    let Some(broker) = NatsServer::start() else { return };
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let Some(mut node) = NodeScript::start("deployments.mjs", "deployments") else { return };
    node.ask(&json!({"url": broker.url()}));
    let mut world = World { broker, node, next: 0 };
    let old = Contract::new(&world, "1.0.0", &["to"]);
    let new = Contract::new(&world, "1.1.0", &["to", "note"]);
    let breaking = Contract::new(&world, "2.0.0", &["destination"]);
    let [plain, noted] = [json!({"to": "Rome"}), json!({"to": "Rome", "note": "a window"})];
    let renamed = json!({"destination": "Rome"});
    let compatible = [(&old, &plain), (&new, &plain), (&new, &noted)];
    let majors = [(&old, &plain), (&breaking, &renamed)];
    for provider in [Language::Rust, Language::Node] {
        for caller in [Language::Rust, Language::Node] {
            let both = [caller, provider];
            let mut instances = Vec::new();
            for _ in 0..INSTANCES {
                instances.push(world.start(provider, &[&old]).await);
            }
            let upgrade = world.replace(both, &mut instances, &[&new], &compatible).await;
            let rollback = world.replace(both, &mut instances, &[&old], &compatible).await;
            for steps in [&upgrade, &rollback] {
                assert!(all_succeed(steps, 0) && all_succeed(steps, 1), "{both:?}: {steps:?}");
            }
            // Clients find the instances that know the property, while there are any.
            assert!(all_succeed(&upgrade, 2) && all_succeed(&rollback[..2], 2), "{both:?}: {upgrade:?} {rollback:?}");
            assert_eq!(rollback[2][2].failed, CALLS, "{both:?}");
            println!("| {caller:?} | {provider:?} | rolling upgrade |{}", cells(&upgrade));
            println!("| {caller:?} | {provider:?} | rollback |{}", cells(&rollback));
            let change = world.replace(both, &mut instances, &[&breaking], &majors).await;
            assert!(all_succeed(&change[..2], 0) && all_succeed(&change, 1), "{both:?}: {change:?}");
            assert_eq!(change[2][0].failed, CALLS, "{both:?}");
            println!("| {caller:?} | {provider:?} | breaking change |{}", cells(&change));
            // Back to the old version, and the change again beside it.
            let _ = world.replace(both, &mut instances, &[&old], &[]).await;
            let beside = world.replace(both, &mut instances, &[&old, &breaking], &majors).await;
            assert!(all_succeed(&beside, 0) && all_succeed(&beside, 1), "{both:?}: {beside:?}");
            println!("| {caller:?} | {provider:?} | breaking change, both versions served |{}", cells(&beside));
            for instance in instances {
                world.stop(instance).await;
            }
        }
    }
}
