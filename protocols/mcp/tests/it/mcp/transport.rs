//! Calls over the transport, as the call layer makes them.

use std::sync::Arc;
use std::time::Duration;

use capgen_call::{CallOptions, Client, PeerTable, Status, code};
use capgen_mcp::{
    ClientOptions, HttpOptions, HttpServer, HttpService, INVALID_ARGUMENTS, McpClient, McpTransport, ToolNames,
};
use serde_json::json;

use crate::mcp::fixture::{manifest, server};

async fn client() -> (Client, HttpService) {
    let service = server().listen(0, HttpOptions::default()).await.unwrap();
    let server = HttpServer::new(&format!("http://{}/mcp", service.address())).unwrap();
    let server = McpClient::connect(server, ClientOptions::default()).await.unwrap();
    let manifest = manifest();
    let transport = McpTransport::new().with_server("shop", server, ToolNames::from(&manifest));
    let peers = PeerTable::new().with_manifest(&manifest);
    let client = Client::builder("me").transport(Arc::new(transport)).peers(peers);
    (client.build().await.unwrap(), service)
}

#[tokio::test]
async fn calls_are_validated_and_their_responses_unwrapped() {
    let (client, _service) = client().await;
    let order = json!({"item": "bread", "pieces": 3});
    let called = client.call_json("shop", "order", &order).await;
    assert_eq!((called.status, called.response), (Status::Ok, Some(json!({"total": 6}))));
    // The name on the wire differs, and both payloads are wrapped.
    let counted = client.call_json("shop", "count", &json!("äöü")).await;
    assert_eq!((counted.status, counted.response), (Status::Ok, Some(json!(3))));
    let invalid = client.call_json("shop", "order", &json!({"item": "bread"})).await;
    assert_eq!(invalid.status, Status::SchemaViolation);
    let loose = client.call_json("shop", "echo", &json!({"a": [1, "\u{0}"]})).await;
    assert_eq!(loose.response, Some(json!({"a": [1, "\u{0}"]})));
}

fn failure(result: &capgen_call::CallResult) -> (&str, &str) {
    let error = result.error.as_ref().unwrap();
    (&error.code, &error.message)
}

#[tokio::test]
async fn failures_have_codes_and_texts() {
    let (client, service) = client().await;
    let unknown = client.call_json("shop", "order", &json!({"item": "milk", "pieces": 1})).await;
    assert_eq!(failure(&unknown), ("UNKNOWN_ITEM", "there is no such item; order bread"));
    let hostile = client.call_json("shop", "order", &json!({"item": "hostile", "pieces": 1})).await;
    assert_eq!(failure(&hostile), ("HOSTILE", "\\u{1b}[31mred\nline"));
    let sold_out = client.call_json("shop", "order", &json!({"item": "cake", "pieces": 1})).await;
    assert_eq!(failure(&sold_out), ("SOLD_OUT", "too few are left"));
    assert_eq!(sold_out.error.and_then(|error| error.details), Some(json!({"left": 2})));
    let no_object = client.call_json("shop", "echo", &json!([1])).await;
    assert_eq!(failure(&no_object), (INVALID_ARGUMENTS, "the arguments of the tool `echo` are not an object"));
    let options = CallOptions::new().timeout(Duration::from_millis(50));
    let late = client.call_json_with("shop", "wait", &json!({}), &options, capgen_call::CallMode::Sync).await;
    assert_eq!(late.status, Status::Timeout);
    drop(service);
    let gone = client.call_json("shop", "echo", &json!({})).await;
    assert_eq!(failure(&gone).0, code::NO_TRANSPORT);
}

#[tokio::test]
async fn tools_that_the_server_does_not_have_are_reported() {
    let service = server().listen(0, HttpOptions::default()).await.unwrap();
    let url = HttpServer::new(&format!("http://{}/mcp", service.address())).unwrap();
    let server = McpClient::connect(url, ClientOptions::default()).await.unwrap();
    // Without the names of the manifest, the tool is not found.
    let transport = McpTransport::new().with_server("shop", server, ToolNames::default());
    let peers = PeerTable::new().with_manifest(&manifest());
    let client = Client::builder("me").transport(Arc::new(transport)).peers(peers).build().await.unwrap();
    let called = client.call_json("shop", "count", &json!("a")).await;
    assert_eq!(failure(&called), (code::NO_CAPABILITY, "the MCP server has no tool `count`"));
}
