//! Calls that are dropped before their end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use capgen_amp::Aliases;
use capgen_amp::body::CapInvoke;
use capgen_amp::carrier::run::Runner;
use capgen_amp::carrier::tcp::{ClientOptions, TcpPeer, serve};
use capgen_amp::carrier::{BoxFuture, Client, Handled, Peer, Proved, Service};
use capgen_amp::message::Did;
use capgen_amp::requester::Requester;
use serde_json::json;
use tokio::time::timeout;

use crate::carriers::agents::runner;
use crate::carriers::harness::{LONG, listener, tcp_options};
use crate::support::{did, key, keys};

/// A provider that counts the messages that it receives.
struct Counted {
    runner: Runner,
    messages: Arc<AtomicUsize>,
}

impl Service for Counted {
    fn handle(&self, message: Bytes, principal: Option<Did>, proved: Proved) -> BoxFuture<'static, Handled> {
        self.messages.fetch_add(1, Ordering::SeqCst);
        self.runner.handle(message, principal, proved)
    }
}

fn invoke(behaviour: &str) -> CapInvoke {
    let body = json!({"id": "org.agentries.code-review:1.0.0", "params": {"code": behaviour}});
    CapInvoke::read(&capgen_amp::cbor::Value::from_json(&body), &Aliases::default()).unwrap()
}

#[tokio::test]
async fn a_dropped_call_frees_its_slot_and_sends_nothing() {
    let (runner, behaviour) = runner();
    let messages = Arc::new(AtomicUsize::new(0));
    let service = Counted { runner, messages: Arc::clone(&messages) };
    let server = serve(listener().await, Arc::new(service), tcp_options()).unwrap();
    // A client that waits for one answer at a time.
    let options = ClientOptions { max_in_flight: 1, ..ClientOptions::default() };
    let peer: Arc<dyn Peer> = Arc::new(TcpPeer::new(&format!("amp://{}", server.address()), options).unwrap());
    let requester = Requester::new(did("alice"), key("alice"), Arc::new(keys()));
    let client = Client::new(requester, did("provider"), peer).with_timeout(LONG);
    for calls in 1..=3 {
        let slow = invoke("wait");
        assert!(timeout(Duration::from_millis(300), client.invoke(&slow, None)).await.is_err(), "it waits");
        assert_eq!((messages.load(Ordering::SeqCst), behaviour.total()), (2 * calls - 1, 2 * calls - 1));
        client.invoke(&invoke("fast"), None).await.unwrap();
        assert_eq!(messages.load(Ordering::SeqCst), 2 * calls, "the provider receives nothing about the dropped call");
    }
}
