//! The provider as a program: `amp-provider FOLDER` writes a bundle to the folder, opens it, and serves its
//! capabilities over `amp://` and `http://`. The first line of its output has both addresses. A line of input shuts it
//! down: running invocations have that many ms.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::time::Duration;

use capgen_amp::carrier::Agent;
use capgen_amp::carrier::net::ServerOptions;
use capgen_test_amp::{bundle, did, handlers, key, keys};
use tokio::io::{AsyncBufReadExt as _, BufReader};

#[tokio::main]
async fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    let builder = Agent::builder(did("provider"), key("provider"), keys(), handlers()).bundle(&bundle(&folder));
    // The example requires a scope, and the tests are about other things.
    let agent = builder.without_authorization().start().expect("an agent");
    let (local, options) = (("127.0.0.1", 0), ServerOptions::default);
    let amp = agent.listen_tcp(local, options()).await.expect("a free port");
    let web = agent.listen_http(local, options()).await.expect("a free port");
    println!("{} {}", amp.port(), web.port());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let line = lines.next_line().await.ok().flatten().unwrap_or_default();
    agent.shutdown(Duration::from_millis(line.parse().unwrap_or(0))).await;
}
