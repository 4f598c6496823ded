//! The provider as a program: `amp-provider FOLDER` writes a bundle to the folder, opens it, and serves its
//! capabilities over `amp://` and `http://`. The first line of its output has both addresses. A line of input shuts it
//! down: running invocations have that many ms.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use capgen_amp::carrier::handlers::HandlerExecutor;
use capgen_amp::carrier::run::Runner;
use capgen_amp::carrier::{http, tcp};
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, Provider, State};
use capgen_test_amp::{catalogue, did, handlers, key, keys};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    let provider = Provider::new(did("provider"), key("provider"), Arc::new(keys()), Policy::default());
    let state = State::new(Arc::new(catalogue(&folder)), CacheLimits::default());
    // The example requires a scope, and the tests are about other things.
    let executor = HandlerExecutor::new(handlers()).without_authorization();
    let runner = Runner::new(provider, state, Arc::new(executor)).expect("a runner");
    let (amp, web) = (listener().await, listener().await);
    let address = |listener: &TcpListener| listener.local_addr().expect("an address");
    println!("{} {}", address(&amp).port(), address(&web).port());
    let amp = tcp::serve(amp, Arc::new(runner.clone()), tcp::ServerOptions::default()).expect("a server");
    let web = http::serve(web, Arc::new(runner.clone()), http::ServerOptions::default()).expect("a server");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let line = lines.next_line().await.ok().flatten().unwrap_or_default();
    runner.shutdown(Duration::from_millis(line.parse().unwrap_or(0))).await;
    tokio::join!(amp.shutdown(Duration::from_secs(5)), web.shutdown(Duration::from_secs(5)));
}

async fn listener() -> TcpListener {
    TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port")
}
