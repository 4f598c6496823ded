//! The server over pipes, as clients of each revision see it.

use std::time::Duration;

use capgen_call::{Context, Handlers};
use capgen_manifest::{Source, load};
use capgen_mcp::{McpServer, ServerLimits};
use serde_json::{Value, json};

use crate::mcp::fixture::{Lines, handlers, manifest, meta, server, server_with};

#[tokio::test]
async fn every_revision_with_a_handshake_is_agreed_on() {
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2031-01-01", "2025-11-25"),
    ] {
        let mut client = Lines::of(server());
        let result = client.initialize(asked).await;
        assert_eq!(result["protocolVersion"], agreed);
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result["serverInfo"]["name"], "shop");
        assert_eq!(result["instructions"], "Order bread.");
        assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
        let list = client.request("tools/list", json!({})).await;
        let order = &list["result"]["tools"][0];
        assert_eq!(order["name"], "order");
        assert_eq!(order["inputSchema"]["properties"]["item"]["description"], "The item.");
        assert_eq!(order.get("annotations").is_some(), agreed >= "2025-03-26", "{agreed}");
        assert_eq!(order.get("outputSchema").is_some(), agreed >= "2025-06-18", "{agreed}");
        assert_eq!(list["result"].get("resultType"), None);
        let called =
            client.request("tools/call", json!({"name": "order", "arguments": {"item": "bread", "pieces": 3}})).await;
        assert_eq!(called["result"]["content"], json!([{"type": "text", "text": r#"{"total":6}"#}]));
        assert_eq!(called["result"].get("structuredContent").is_some(), agreed >= "2025-06-18", "{agreed}");
        assert_eq!(client.close().await, Value::Null);
    }
}

#[tokio::test]
async fn the_newest_revision_needs_no_handshake() {
    let mut client = Lines::of(server());
    let discovered = client.request("server/discover", json!({"_meta": meta()})).await;
    let result = &discovered["result"];
    assert_eq!(result["supportedVersions"][0], "2026-07-28");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "shop");
    assert_eq!(result["resultType"], "complete");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"] == "private");
    let list = client.request("tools/list", json!({"_meta": meta()})).await;
    assert!(list["result"]["resultType"] == "complete" && list["result"]["ttlMs"].is_u64());
    let params = json!({"name": "count.v2", "arguments": {"value": "äöü"}, "_meta": meta()});
    let called = client.request("tools/call", params).await;
    assert_eq!(called["result"]["structuredContent"], json!({"result": 3}));
    assert_eq!(called["result"]["content"][0]["text"], r#"{"result":3}"#);
    assert_eq!(called["result"]["resultType"], "complete");
    // `ping` was removed.
    assert_eq!(client.request("ping", json!({"_meta": meta()})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn both_kinds_of_clients_can_share_a_process() {
    let mut client = Lines::of(server());
    client.initialize("2025-06-18").await;
    let list = client.request("tools/list", json!({"_meta": meta()})).await;
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(client.request("tools/list", json!({})).await["result"].get("resultType"), None);
}

#[tokio::test]
async fn requests_that_violate_the_protocol_are_errors_of_it() {
    let mut client = Lines::of(server());
    let with = |key: &str, value: Value| {
        let mut meta = meta();
        meta[key] = value;
        json!({"_meta": meta})
    };
    let revision = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (method, params, code) in [
        ("tools/list", json!({}), -32602),
        ("tools/call", json!({"name": "order"}), -32602),
        ("server/discover", json!({}), -32601),
        ("server/discover", with(revision, json!(3)), -32602),
        ("server/discover", with(revision, json!("2025-11-25")), -32022),
        ("server/discover", with(revision, json!("2027-01-01")), -32022),
        ("tools/list", with(capabilities, json!(null)), -32602),
        ("initialize", json!({}), -32602),
        ("resources/list", json!({"_meta": meta()}), -32601),
        ("subscriptions/listen", json!({"_meta": meta()}), -32601),
        ("tools/list", json!({"_meta": meta(), "cursor": "2"}), -32602),
        ("tools/call", json!({"_meta": meta()}), -32602),
        ("tools/call", json!({"_meta": meta(), "name": "count"}), -32602),
        ("tools/call", json!({"_meta": meta(), "name": "order", "arguments": []}), -32602),
    ] {
        let answer = client.request(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
        assert_eq!(answer["id"], 1);
    }
    let answer = client.request("server/discover", with(revision, json!("2027-01-01"))).await;
    assert_eq!(answer["error"]["data"]["requested"], "2027-01-01");
    assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
    let answer = client.request("tools/call", json!({"_meta": meta(), "name": "nö"})).await;
    assert_eq!(answer["error"]["message"], "Unknown tool: nö");
}

async fn failure(client: &mut Lines, name: &str, arguments: Value) -> String {
    let answer = client.request("tools/call", json!({"_meta": meta(), "name": name, "arguments": arguments})).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(answer["result"].get("structuredContent"), None);
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn violations_are_texts_with_pointers_and_without_values() {
    let mut client = Lines::of(server());
    let text = failure(&mut client, "order", json!({"pieces": 4711, "note": "hunter2", "x": 1})).await;
    assert!(text.starts_with("The arguments of the tool `order` are invalid."), "{text}");
    for line in ["\n- /item: missing", "\n- /pieces: ", "\n- /note: ", "\n- /x: "] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("4711") && !text.contains("hunter2"), "{text}");
    // The pointers start at the arguments, and not at the request that they wrap.
    let text = failure(&mut client, "count.v2", json!({"value": 3})).await;
    assert!(text.contains("\n- /value: "), "{text}");
    for arguments in [json!({}), json!({"value": "a", "other": 1})] {
        let text = failure(&mut client, "count.v2", arguments).await;
        assert!(text.contains("value"), "{text}");
    }
    let text = failure(&mut client, "order", json!({"item": "gold", "pieces": 1})).await;
    assert!(
        text.contains("its result violates") && text.contains("\n- /total: ") && !text.contains("100000"),
        "{text}"
    );
}

#[tokio::test]
async fn a_server_without_a_manifest_keeps_the_order_and_the_descriptions_of_properties() {
    let mut client = Lines::of(McpServer::new(handlers()).unwrap());
    client.initialize("2025-11-25").await;
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    let list = client.line().await.unwrap();
    let properties = r#""properties":{"item":{"type":"string","description":"The item."},"pieces":{"type":"integer""#;
    assert!(list.contains("Orders some pieces.") && list.contains(properties), "{list}");
}

#[tokio::test]
async fn a_call_ends_after_the_timeout_of_its_capability() {
    let text = "
version: 1
agent: agent://shop
transports: [{ kind: mcp, topics: { requests: shop } }]
capabilities: [{ name: wait, timeoutMs: 40 }]
";
    let manifest = load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
    let wait = async |context: Context, _: Value| {
        assert!(context.remaining().is_some_and(|rest| rest <= Duration::from_millis(40)));
        std::future::pending().await
    };
    let handlers = Handlers::new("shop").with_json(&manifest.capabilities[0], wait);
    let mut client = Lines::of(McpServer::builder(handlers, &manifest).unwrap().build().unwrap());
    let text = failure(&mut client, "wait", json!({})).await;
    assert_eq!(text, "The tool `wait` did not finish within 40ms.");
}

#[tokio::test]
async fn programs_get_the_error_of_a_handler_beside_the_text() {
    let mut client = Lines::of(server());
    client.initialize("2025-11-25").await;
    let mut call = async |item: &str| {
        let params = json!({"name": "order", "arguments": {"item": item, "pieces": 1}});
        client.request("tools/call", params).await["result"].clone()
    };
    let error = json!({"code": "SOLD_OUT", "message": "too few are left", "retryable": true, "details": {"left": 2}});
    let text = json!([{"type": "text", "text": "SOLD_OUT: too few are left"}]);
    let expected = json!({"content": text, "isError": true, "_meta": {"io.github.capgen/error": error}});
    assert_eq!(call("cake").await, expected);
    // Details that violate their schema stay in the provider.
    let invalid = call("pie").await;
    assert_eq!(invalid["_meta"]["io.github.capgen/error"]["code"], "EAGENTRPC_HANDLER_FAILED", "{invalid}");
    assert!(!invalid.to_string().contains("4711"), "{invalid}");
}

#[tokio::test]
async fn failures_of_handlers_are_texts_and_panics_have_no_details() {
    let mut client = Lines::of(server());
    let text = failure(&mut client, "order", json!({"item": "milk", "pieces": 1})).await;
    assert_eq!(text, "UNKNOWN_ITEM: there is no such item; order bread");
    let text = failure(&mut client, "order", json!({"item": "long", "pieces": 1})).await;
    assert!(text.len() < 9000 && text.starts_with("LONG: x") && text.ends_with("x…"), "{}", text.len());
    let text = failure(&mut client, "order", json!({"item": "secret", "pieces": 1})).await;
    assert_eq!(text, "The tool `order` failed.");
    let mut client = Lines::of(server_with({
        let mut limits = ServerLimits::default();
        limits.timeout = Duration::from_millis(30);
        limits
    }));
    let text = failure(&mut client, "wait", json!({})).await;
    assert!(text.starts_with("The tool `wait` did not finish"), "{text}");
}

#[tokio::test]
async fn numbers_and_other_values_keep_their_digits() {
    let mut client = Lines::of(server());
    let arguments = r#"{"big":12345678901234567,"deep":[[{"é":"\u0000"}]],"f":0.1}"#;
    let meta = meta();
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{{"name":"echo","arguments":{arguments},"_meta":{meta}}}}}"#)).await;
    let answer = client.next().await;
    assert_eq!(answer["id"], "a");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), serde_json::from_str::<Value>(arguments).unwrap());
}

#[tokio::test]
async fn null_is_the_same_as_a_missing_member() {
    let mut client = Lines::of(server());
    client.initialize("2025-06-18").await;
    assert_eq!(client.request("ping", Value::Null).await["result"], json!({}));
    assert!(client.request("tools/list", Value::Null).await["result"]["tools"].is_array());
    let called = client.request("tools/call", json!({"name": "echo", "arguments": null})).await;
    assert_eq!(called["result"]["structuredContent"], json!({}));
}

#[tokio::test]
async fn hostile_lines_do_not_end_the_connection() {
    let mut client = Lines::of(server_with({
        let mut limits = ServerLimits::default();
        limits.max_message = 2000;
        limits
    }));
    for line in
        ["{", "\u{0}", "[[[[", "[]", "1", r#"{"jsonrpc":"2.0","id":1,"method":"ping","id":2}"#, &"x".repeat(100_000)]
    {
        client.send(line).await;
        let answer = client.next().await;
        assert!(answer["id"].is_null() && answer["error"]["code"].as_i64().unwrap() < -32000, "{answer}");
    }
    // Responses, notifications and empty lines are not answered.
    for line in ["", r#"{"jsonrpc":"2.0","id":5,"result":{}}"#, r#"{"jsonrpc":"2.0","method":"notifications/x"}"#] {
        client.send(line).await;
    }
    let answer = client.request("server/discover", json!({"_meta": meta()})).await;
    assert_eq!(answer["id"], 1);
}

#[tokio::test]
async fn calls_run_at_the_same_time_and_can_be_cancelled() {
    let mut client = Lines::of(server());
    client.initialize("2025-11-25").await;
    client.send(&call(7, "wait").to_string()).await;
    client.send(&call(8, "echo").to_string()).await;
    assert_eq!(client.next().await["id"], 8);
    let answer = client.ask(call(7, "echo")).await;
    assert!(answer["id"] == 7 && answer["error"]["code"] == -32600, "an id that is in use: {answer}");
    for id in ["99", "null", "7"] {
        client
            .send(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#))
            .await;
    }
    // The cancelled call is not answered, and its id is free.
    let answer = client.ask(call(7, "echo")).await;
    assert_eq!((&answer["id"], answer["result"]["content"][0]["text"].as_str()), (&json!(7), Some("{}")));
}

#[tokio::test]
async fn only_the_revision_2025_03_26_has_batches() {
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"a": 1}}},
        3,
    ]);
    let mut client = Lines::of(server());
    client.initialize("2025-03-26").await;
    let answers = client.ask(batch.clone()).await;
    let ids: Vec<&Value> = answers.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2), &Value::Null]);
    let mut client = Lines::of(server());
    client.initialize("2025-06-18").await;
    assert_eq!(client.ask(batch).await["error"]["code"], -32600);
}

/// A request of `tools/call`.
fn call(id: u64, name: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": {}}})
}

#[tokio::test]
async fn a_batch_does_not_stop_the_connection_and_its_calls_can_be_cancelled() {
    let mut client = Lines::of(server());
    client.initialize("2025-03-26").await;
    client.send(&json!([call(1, "wait"), call(2, "echo"), call(3, "wait")]).to_string()).await;
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}), "before the answers of the batch");
    let answer = client.ask(call(3, "echo")).await;
    assert_eq!(answer["error"]["code"], -32600, "an id that is in use: {answer}");
    for id in [1, 3] {
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string();
        client.send(&cancelled).await;
    }
    let answers = client.next().await;
    assert!(answers.as_array().unwrap().len() == 1 && answers[0]["id"] == 2, "{answers}");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_client_ends_the_calls_of_its_batches() {
    let mut client = Lines::of(server());
    client.initialize("2025-03-26").await;
    client.send(&json!([call(1, "wait"), call(2, "wait")]).to_string()).await;
    assert_eq!(client.close().await, Value::Null);
}

#[tokio::test]
async fn the_handshake_cannot_be_part_of_a_batch() {
    let mut client = Lines::of(server());
    client.initialize("2025-03-26").await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let answers = client.ask(json!([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}])).await;
    assert_eq!(answers[0]["error"]["code"], -32600, "{answers}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_cannot_send_without_an_end() {
    let mut client = Lines::of(server());
    client.initialize("2025-11-25").await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"a": "x".repeat(4000)}}});
    let endless = async {
        for id in 0..10_000 {
            let mut message = message.clone();
            message["id"] = id.into();
            client.send(&message.to_string()).await;
        }
    };
    // The clock goes on only if nothing can be done.
    assert!(tokio::time::timeout(Duration::from_secs(1), endless).await.is_err());
}

#[test]
fn a_manifest_and_handlers_that_differ_are_reported() {
    let mut other = manifest();
    other.capabilities[0].input = None;
    let error = McpServer::builder(handlers(), &other).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the manifest has another contract of the capability `order` than its handler: generate the code again"
    );
    let mut more = manifest();
    more.capabilities[0].name = "buy".to_owned();
    assert_eq!(McpServer::builder(handlers(), &more).unwrap_err().to_string(), "the capability `buy` has no handler");
    assert!(McpServer::new(capgen_call::Handlers::new("a")).is_err());
    assert!(McpServer::new(handlers()).is_ok());
}
