//! A provider whose handlers never end. Prints `ready`, and `run` for each run.
//!
//! Usage: `provider <url of the broker> [at-least-once]`

use std::io::Write as _;
use std::sync::Arc;

use capgen::call::{Context, Handlers, Server};
use capgen_faults::{ADDRESS, AGENT, nats_options};
use capgen_nats::NatsTransport;
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("the address of the broker is missing")?;
    let transport = NatsTransport::connect(nats_options(url)).await?;
    let handlers = Handlers::new(AGENT).with_loose("work", async |_: Context, _: Value| {
        print("run");
        std::future::pending::<()>().await;
        Ok(Value::Null)
    });
    let server = Server::builder(handlers).listen(Arc::new(transport), ADDRESS);
    let server = if arguments.next().is_some() { server.at_least_once() } else { server };
    let _server = server.start().await?;
    print("ready");
    std::future::pending::<()>().await;
    Ok(())
}

fn print(line: &str) {
    println!("{line}");
    let _ = std::io::stdout().flush();
}
