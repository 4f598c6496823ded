//! Serves the agent `reviewer`, with a tool that fails, on standard input and output or, with `--http`, at a free port
//! of this machine, whose URL it prints.

use capgen::call::{Context, Failure, Handlers};
use capgen_manifest::{Source, load};
use capgen_mcp::{HttpOptions, McpServer};
use serde_json::{Value, json};

/// A capability with a declared error. Clients that validate results have its output schema.
const SEATS: &str = "
version: 1
agent: agent://reviewer
transports: [{ kind: mcp, topics: { requests: reviewer } }]
capabilities:
  - name: book-seats
    inputSchema: { type: object, properties: { trip: { type: string } }, required: [trip] }
    outputSchema: { type: object, properties: { booked: { type: integer } }, required: [booked] }
    errors:
      - code: NO_SEATS
        retryable: true
        detailsSchema: { type: object, properties: { free: { type: integer } }, required: [free] }
";

/// The handlers of the example, and one that fails with a declared error, with invalid details or with another code.
fn handlers() -> Result<Handlers, Box<dyn std::error::Error>> {
    let manifest = load(&Source::new("capabilities.yaml", SEATS)).map_err(|_| "an invalid contract")?.manifest;
    let seats = manifest.capabilities.first().ok_or("no capability")?;
    Ok(reviewer::serve::handlers().with_json(seats, async |_: Context, request: Value| {
        let full = |free: Value| Failure::new("NO_SEATS", "the trip is full").with_details(&json!({"free": free}));
        match request["trip"].as_str() {
            Some("full") => Err(full(json!(0))),
            Some("invalid") => Err(full(json!("a secret"))),
            Some("other") => Err(Failure::new("STRIKE", "nothing moves").with_details(&json!({"days": 2}))),
            _ => Ok(json!({"booked": 1})),
        }
    }))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The clients of the tests have no identity.
    let server = McpServer::of_handlers(handlers()?)?.without_authorization().build()?;
    if std::env::args().nth(1).as_deref() != Some("--http") {
        return Ok(server.serve(tokio::io::stdin(), tokio::io::stdout()).await?);
    }
    let service = server.listen(0, HttpOptions::default()).await?;
    println!("http://{}/mcp", service.address());
    // Until it is killed.
    std::future::pending().await
}
