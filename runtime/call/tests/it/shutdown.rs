//! The end of a server that other instances replace.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use crate::fixture;
use crate::fixture::raw::Raw;
use capgen_call::{
    CapabilityContract, Client, Delivery, Handlers, Manifest, MemoryBroker, Outgoing, PeerTable, Server,
    SubscribeOptions, Transport as _, TransportSettings,
};
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(5);

#[tokio::test]
async fn requests_that_arrived_before_a_shutdown_are_answered() {
    let mut raw = Raw::start(|server| server.max_concurrent(1)).await;
    // The server has no chance to read them before it is shut down.
    for id in ["1", "2", "3"] {
        raw.send(raw.request(id).to_string()).await;
    }
    assert!(raw.shutdown(PATIENCE).await);
    assert_eq!(raw.handled(), 3);
    for _ in 0..3 {
        assert_eq!(fixture::raw::code(&raw.response().await.unwrap()), "ok");
    }
}

#[tokio::test]
async fn new_requests_go_to_other_instances_or_fail_at_once() {
    let broker = MemoryBroker::new();
    let start = async || {
        let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
        Server::builder(handlers).listen(broker.connect(), "echo.requests").start().await.unwrap()
    };
    let manifest = Manifest::new(
        "echo".parse().unwrap(),
        vec![TransportSettings::memory("echo.requests")],
        vec![CapabilityContract::new("say")],
    );
    let peers = PeerTable::new().with_manifest(&manifest);
    let client = Client::builder("console").transport(broker.connect()).peers(peers).build().await.unwrap();
    let call = async || client.call_json("echo", "say", &json!(1)).await.error.map(|error| error.code.to_string());

    let (old, new) = (start().await, start().await);
    assert!(old.shutdown(PATIENCE).await);
    for _ in 0..10 {
        assert_eq!(call().await, None);
    }
    assert!(new.shutdown(PATIENCE).await);
    assert_eq!(call().await.as_deref(), Some("EAGENTRPC_NO_PEER"));
}

#[tokio::test]
async fn a_server_is_ready_while_requests_arrive() {
    let broker = MemoryBroker::new();
    let transport = std::sync::Arc::new(broker.connect());
    let start = async || {
        Server::builder(Handlers::new("echo")).listen(transport.clone(), "echo.requests").start().await.unwrap()
    };
    let server = start().await;
    let monitor = server.monitor();
    assert!(server.is_ready() && monitor.is_ready());
    server.shutdown(PATIENCE).await;
    assert!(!monitor.is_ready());

    let server = start().await;
    let monitor = server.monitor();
    drop(server);
    assert!(!monitor.is_ready(), "the server is dropped");

    let server = start().await;
    transport.close().await;
    assert!(!server.is_ready(), "the transport is closed");
}

#[tokio::test]
async fn a_server_that_shuts_down_is_not_ready_before_its_calls_end() {
    let mut raw = Raw::start(|server| server).await;
    let mut request = raw.request("1");
    request["payload"] = json!({"pause": 300});
    raw.send(request.to_string()).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let monitor = raw.monitor();
    assert!(monitor.is_ready());
    let (in_time, ()) = tokio::join!(raw.shutdown(PATIENCE), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!monitor.is_ready());
    });
    assert!(in_time);
}

/// Set in the process that a test starts.
#[cfg(unix)]
const IS_CHILD: &str = "CAPGEN_TEST_WAITS_FOR_TERMINATION";

#[cfg(unix)]
#[tokio::test]
async fn a_process_ends_after_sigterm_when_its_calls_have_ended() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    if std::env::var_os(IS_CHILD).is_some() {
        let mut raw = Raw::start(|server| server).await;
        let mut request = raw.request("1");
        request["payload"] = json!({"pause": 300});
        raw.send(request.to_string()).await;
        let (ended, ()) = tokio::join!(capgen_call::termination(), async {
            // The other future has registered the signals.
            println!("\nready");
        });
        ended.unwrap();
        assert!(raw.shutdown(PATIENCE).await);
        assert_eq!(fixture::raw::code(&raw.response().await.unwrap()), "ok");
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "--nocapture", "shutdown::a_process_ends_after_sigterm_when_its_calls_have_ended"]);
    let mut child = child.env(IS_CHILD, "1").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"));
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert!(lines.map(Result::unwrap).any(|line| line.starts_with("test result: ok")));
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn a_stopped_subscription_yields_the_messages_that_were_sent_before() {
    let broker = MemoryBroker::new();
    let (sender, receiver) = (broker.connect(), broker.connect());
    let send = async || sender.publish(message("a")).await.unwrap();
    let mut subscription = receiver.subscribe("a", SubscribeOptions::default()).await.unwrap();
    send().await;
    send().await;
    subscription.stop().await;
    send().await;
    assert!(subscription.next().await.is_some() && subscription.next().await.is_some());
    assert!(subscription.next().await.is_none());
}

fn message(address: &str) -> Outgoing {
    Outgoing {
        address: address.to_owned(),
        reply_to: None,
        payload: "x".into(),
        delivery: Delivery::AtMostOnce,
        message_id: String::new(),
    }
}

#[tokio::test]
async fn a_shutdown_without_calls_needs_no_patience() {
    assert!(Raw::start(|server| server).await.shutdown(Duration::ZERO).await);
}
