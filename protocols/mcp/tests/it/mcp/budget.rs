//! The text about invalid arguments is short, however many violations there are and however long the names are.

use capgen_call::{Context, Handlers};
use capgen_manifest::{Source, load};
use capgen_mcp::McpServer;
use serde_json::{Value, json};

use crate::mcp::fixture::Lines;

const MANIFEST: &str = r#"
version: 1
agent: agent://shop
transports: [{ kind: mcp, topics: { requests: shop } }]
capabilities:
  - name: lists
    description: Takes lists.
    inputSchema: { type: object, additionalProperties: { type: array, items: { type: string } } }
"#;

async fn text(client: &mut Lines, arguments: Value) -> String {
    let answer = client.request("tools/call", json!({"name": "lists", "arguments": arguments})).await;
    assert_eq!(answer["result"]["isError"], true);
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_text_about_invalid_arguments_has_the_budget_of_reports() {
    let manifest = load(&Source::new("capabilities.yaml", MANIFEST)).unwrap().manifest;
    let handlers = Handlers::new("shop").with_json(&manifest.capabilities[0], async |_: Context, it: Value| Ok(it));
    let mut client = Lines::of(McpServer::builder(handlers, &manifest).unwrap().build().unwrap());
    client.initialize("2025-06-18").await;
    // 98 kB, and 1 MB.
    for (name, items) in [(20_000, 39_000), (200_000, 400_000)] {
        let text = text(&mut client, json!({"n".repeat(name): vec![1; items]})).await;
        assert!(text.ends_with("\n- and more") && text.len() < 96 << 10, "{} bytes", text.len());
        assert_eq!(text.matches("\n- /").count(), 100);
        assert!(text.contains(&format!("\n- /{}…/99: expected string", "n".repeat(128))));
    }
    let text = text(&mut client, json!({"n": [1]})).await;
    assert!(text.ends_with("\n- /n/0: expected string, got integer"), "{text}");
}
