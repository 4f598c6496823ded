//! NATS's service discovery.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use crate::common;
use crate::common::{connect, next, soon, text, wait_for};
use capgen_call::{Health, SubscribeOptions, Transport as _, TransportError};
use capgen_nats::{Discovery, Endpoint, EndpointStats, NatsTransport, ServiceInfo};
use capgen_testkit::brokers::NatsServer;
use serde_json::{Value, json};

fn service(id: &str) -> ServiceInfo {
    let text = str::to_owned;
    ServiceInfo {
        name: text("pr-reviewer"),
        id: text(id),
        version: text("1.2.3"),
        description: text("Reviews pull requests."),
        metadata: BTreeMap::from([(text("contract"), text("abc")), (text("agent"), text("agent://pr-reviewer"))]),
        endpoints: vec![Endpoint {
            name: text("review-pr"),
            subject: text("agents.pr-reviewer.requests"),
            queue_group: text("pr-reviewer"),
            metadata: BTreeMap::from([(text("hash"), text("def"))]),
        }],
    }
}

fn stats(endpoint: &Endpoint) -> EndpointStats {
    assert_eq!(endpoint.name, "review-pr");
    EndpointStats {
        requests: 4,
        errors: 1,
        last_error: "E_X".to_owned(),
        processing_time: Duration::from_nanos(1_000_000_003),
    }
}

/// The answers to a request to `$SRV`, which only tools send.
async fn ask(server: &NatsServer, subject: &str) -> Vec<Value> {
    let client = async_nats::connect(server.url()).await.unwrap();
    let inbox = client.new_inbox();
    let transport = connect(server).await;
    let mut replies = transport.subscribe(&inbox, SubscribeOptions::default()).await.unwrap();
    client.publish_with_reply(subject.to_owned(), inbox, "".into()).await.unwrap();
    let mut answers = Vec::new();
    while let Some(incoming) = soon(&mut replies).await {
        if incoming.content != capgen_call::IncomingContent::NoResponders {
            answers.push(serde_json::from_str(&text(&incoming)).unwrap());
        }
    }
    answers
}

#[tokio::test]
async fn a_service_answers_as_the_protocol_requires() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let discovery = Discovery::start(&transport, service("one"), stats).await.unwrap();
    assert_eq!(discovery.id(), "one");
    let common = json!({
        "name": "pr-reviewer", "id": "one", "version": "1.2.3",
        "metadata": {"contract": "abc", "agent": "agent://pr-reviewer"},
    });
    for scope in ["", ".pr-reviewer", ".pr-reviewer.one"] {
        let mut ping = common.clone();
        ping["type"] = json!("io.nats.micro.v1.ping_response");
        assert_eq!(ask(&server, &format!("$SRV.PING{scope}")).await, [ping]);
        let mut info = common.clone();
        info["type"] = json!("io.nats.micro.v1.info_response");
        info["description"] = json!("Reviews pull requests.");
        info["endpoints"] = json!([{
            "name": "review-pr", "subject": "agents.pr-reviewer.requests", "queue_group": "pr-reviewer",
            "metadata": {"hash": "def"},
        }]);
        assert_eq!(ask(&server, &format!("$SRV.INFO{scope}")).await, [info]);
        let mut answers = ask(&server, &format!("$SRV.STATS{scope}")).await;
        let started = answers[0]["started"].take();
        let mut stats = common.clone();
        stats["type"] = json!("io.nats.micro.v1.stats_response");
        stats["started"] = Value::Null;
        stats["endpoints"] = json!([{
            "name": "review-pr", "subject": "agents.pr-reviewer.requests", "queue_group": "pr-reviewer",
            "num_requests": 4, "num_errors": 1, "last_error": "E_X",
            "processing_time": 1_000_000_003, "average_processing_time": 250_000_000,
        }]);
        assert_eq!(answers, [stats]);
        assert!(started.as_str().is_some_and(|text| text.get(10..11) == Some("T") && text.ends_with('Z')), "{started}");
    }
    for other in ["$SRV.PING.other", "$SRV.PING.pr-reviewer.two", "$SRV.OTHER"] {
        assert_eq!(ask(&server, other).await, [] as [Value; 0], "{other}");
    }
}

#[tokio::test]
async fn every_instance_answers_and_only_while_it_lives() {
    let Some(mut server) = NatsServer::start() else { return };
    let (first, second) = (connect(&server).await, connect(&server).await);
    let one = Discovery::start(&first, service(""), stats).await.unwrap();
    let two = Discovery::start(&second, service(""), stats).await.unwrap();
    assert_ne!(one.id(), two.id());
    assert_eq!(ask(&server, "$SRV.PING").await.len(), 2);
    assert_eq!(ask(&server, &format!("$SRV.PING.pr-reviewer.{}", two.id())).await.len(), 1);
    server.restart();
    for transport in [&first, &second] {
        wait_for(transport, Health::Connected).await;
    }
    common::eventually("both are connected again", || first.reconnects() + second.reconnects() == 2).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(ask(&server, "$SRV.PING").await.len(), 2);
    drop(one);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(ask(&server, "$SRV.PING").await.len(), 1);
    second.close().await;
    assert_eq!(ask(&server, "$SRV.PING").await.len(), 0);
}

#[tokio::test]
async fn invalid_names_and_versions_are_rejected() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let bad = |change: fn(&mut ServiceInfo)| {
        let mut info = service("one");
        change(&mut info);
        info
    };
    for info in [
        bad(|info| info.name = "a.b".to_owned()),
        bad(|info| info.name = String::new()),
        bad(|info| info.name = ">".to_owned()),
        bad(|info| info.id = "a b".to_owned()),
        bad(|info| info.version = "1".to_owned()),
        bad(|info| info.endpoints[0].name = "a/b".to_owned()),
    ] {
        let result = Discovery::start(&transport, info, stats).await.map(drop);
        assert!(matches!(result, Err(TransportError::Unsupported(_))), "{result:?}");
    }
}

#[tokio::test]
async fn a_request_for_discovery_cannot_make_the_service_send_to_the_server_s_own_subjects() {
    let Some(server) = NatsServer::start() else { return };
    let transport: NatsTransport = connect(&server).await;
    let _discovery = Discovery::start(&transport, service("one"), stats).await.unwrap();
    let client = async_nats::connect(server.url()).await.unwrap();
    let mut hidden = client.subscribe("$KV.bucket.key").await.unwrap();
    client.publish_with_reply("$SRV.PING", "$KV.bucket.key", "".into()).await.unwrap();
    let mut seen = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    client.publish_with_reply("$SRV.PING", "a", "".into()).await.unwrap();
    assert!(text(&next(&mut seen).await).contains("ping_response"));
    let arrived = tokio::time::timeout(Duration::from_millis(100), async {
        std::future::poll_fn(|context| futures_core::Stream::poll_next(std::pin::Pin::new(&mut hidden), context)).await
    });
    assert!(arrived.await.is_err());
}
