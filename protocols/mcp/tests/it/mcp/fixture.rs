//! An agent, and messages to it as a peer writes them.

use std::time::Duration;

use capgen_call::{Context, Failure, Handlers};
use capgen_manifest::{Manifest, Source, load};
use capgen_mcp::{McpServer, ServerLimits};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::timeout;

pub(crate) const LONG: Duration = Duration::from_secs(20);

const MANIFEST: &str = r#"
version: 1
agent: agent://shop
transports:
  - kind: mcp
    topics: { requests: shop }
capabilities:
  - name: order
    description: Orders some pieces.
    sideEffects: external
    inputSchema:
      type: object
      properties:
        item: { type: string, description: The item. }
        pieces: { type: integer, minimum: 1, maximum: 10 }
        note: { type: string, enum: [gift, fast] }
      required: [item, pieces]
      additionalProperties: false
    outputSchema:
      type: object
      properties:
        total: { type: number, maximum: 100 }
      required: [total]
    errors:
      - code: SOLD_OUT
        retryable: true
        detailsSchema: { type: object, properties: { left: { type: integer, maximum: 9 } }, required: [left] }
  - name: count
    description: The number of characters.
    wireName: count.v2
    inputSchema: { type: string, maxLength: 10 }
    outputSchema: { type: integer }
  - name: echo
    description: Returns its arguments.
  - name: wait
    description: Never ends.
    inputSchema: { type: object }
"#;

pub(crate) fn manifest() -> Manifest {
    load(&Source::new("capabilities.yaml", MANIFEST)).unwrap().manifest
}

pub(crate) fn handlers() -> Handlers {
    let manifest = manifest();
    let capability = |name: &str| manifest.capabilities.iter().find(|it| it.name == name).unwrap();
    Handlers::new("shop")
        .with_json(capability("order"), async |_: Context, order: Value| match order["item"].as_str() {
            Some("bread") => Ok(json!({"total": 2 * order["pieces"].as_i64().unwrap()})),
            Some("gold") => Ok(json!({"total": 100_000})),
            Some("hostile") => Err(Failure::new("HOSTILE", "\u{1b}[31mred\nline")),
            Some(item @ ("cake" | "pie")) => {
                let left = if item == "cake" { 2 } else { 4711 };
                Err(Failure::new("SOLD_OUT", "too few are left").with_details(&json!({"left": left})))
            }
            Some("long") => Err(Failure::new("LONG", "x".repeat(1_000_000))),
            Some("secret") => panic!("the secret is 4711"),
            _ => Err(Failure::new("UNKNOWN_ITEM", "there is no such item; order bread")),
        })
        .with_json(capability("count"), async |_: Context, text: Value| {
            Ok(json!(text.as_str().unwrap().chars().count()))
        })
        .with_loose("echo", async |_: Context, payload: Value| Ok(payload))
        .with_json(capability("wait"), async |_: Context, _: Value| std::future::pending().await)
}

pub(crate) fn server() -> McpServer {
    server_with(ServerLimits::default())
}

pub(crate) fn server_with(limits: ServerLimits) -> McpServer {
    McpServer::builder(handlers(), &manifest()).unwrap().instructions("Order bread.").limits(limits).build().unwrap()
}

/// A client that writes and reads lines.
pub(crate) struct Lines {
    input: WriteHalf<DuplexStream>,
    output: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Lines {
    /// A client of a server that runs in this process.
    pub(crate) fn of(server: McpServer) -> Self {
        let (here, there) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(there);
        tokio::spawn(async move { server.serve(input, output).await });
        let (output, input) = tokio::io::split(here);
        Self { input, output: BufReader::new(output).lines() }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.input.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    /// The next message; `Null` at the end.
    pub(crate) async fn next(&mut self) -> Value {
        self.line().await.map_or(Value::Null, |line| serde_json::from_str(&line).unwrap())
    }

    /// The text of the next message; `None` at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        timeout(LONG, self.output.next_line()).await.expect("no message").unwrap()
    }

    pub(crate) async fn ask(&mut self, message: Value) -> Value {
        self.send(&message.to_string()).await;
        self.next().await
    }

    /// Shakes hands, and returns the result.
    pub(crate) async fn initialize(&mut self, revision: &str) -> Value {
        let params =
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer["result"].clone()
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.ask(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await
    }

    pub(crate) async fn close(mut self) -> Value {
        self.input.shutdown().await.unwrap();
        self.next().await
    }
}

/// `_meta` of the revision 2026-07-28.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
