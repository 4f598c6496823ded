//! An instance of the agent whose handler takes 5 ms. Prints `ready`, and `begin <number>` and `end <number>` for each
//! run.
//!
//! Usage: `instance <url of the broker> [shared]`; with `shared`, all instances have one store of idempotency keys.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use capgen::Checked;
use capgen::call::{Context, Failure, Handlers, Server};
use capgen_faults::{ADDRESS, AGENT, Done, Work, nats_options};
use capgen_nats::{IdempotencyStoreOptions, NatsIdempotencyStore, NatsTransport};

/// How long a handler runs: long enough that a kill finds some of them, and short enough for thousands of calls.
const PAUSE: Duration = Duration::from_millis(5);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("the address of the broker is missing")?;
    let transport = NatsTransport::connect(nats_options(url)).await?;
    let handlers = Handlers::new(AGENT).with::<Work, _, _>(async |_: Context, request: Work| {
        print(&format!("begin {}", request.number));
        tokio::time::sleep(PAUSE).await;
        print(&format!("end {}", request.number));
        Ok::<_, Failure>(Checked(Done { number: request.number, by: AGENT.to_owned() }))
    });
    let mut server = Server::builder(handlers);
    if arguments.next().is_some() {
        let store = NatsIdempotencyStore::open(&transport, IdempotencyStoreOptions::new()).await?;
        server = server.idempotency_store(Arc::new(store));
    }
    let _server = server.listen(Arc::new(transport), ADDRESS).start().await?;
    print("ready");
    std::future::pending::<()>().await;
    Ok(())
}

fn print(line: &str) {
    println!("{line}");
    let _ = std::io::stdout().flush();
}
