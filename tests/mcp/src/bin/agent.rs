//! Serves the agent `reviewer` on standard input and output or, with `--http`, at a free port of this machine, whose
//! URL it prints.

use capgen_mcp::{HttpOptions, McpServer};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The clients of the tests have no identity.
    let server = McpServer::of_handlers(reviewer::serve::handlers())?.without_authorization().build()?;
    if std::env::args().nth(1).as_deref() != Some("--http") {
        return Ok(server.serve(tokio::io::stdin(), tokio::io::stdout()).await?);
    }
    let service = server.listen(0, HttpOptions::default()).await?;
    println!("http://{}/mcp", service.address());
    // Until it is killed.
    std::future::pending().await
}
