//! Two agents that know each other's keys. `reviewer` serves its capabilities over AMP; `shop` asks which versions there
//! are, and calls the one that both can use through its types.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use capgen_amp::body::{CapQuery, Filter, Hints, NameOrType, Target};
use capgen_amp::carrier::tcp::{self, TcpPeer};
use capgen_amp::carrier::{Agent, Client};
use capgen_amp::message::{Did, Keys, SigningKey};
use capgen_amp::requester::Requester;
use reviewer::{Change, ReviewChange};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A program reads its key from a file that only it can read; see `capgen amp key`.
    let (reviewer, reviewer_key): (Did, _) = ("did:web:reviewer.example".parse()?, SigningKey::from_seed(&[1; 32]));
    let (shop, shop_key): (Did, _) = ("did:web:shop.example".parse()?, SigningKey::from_seed(&[2; 32]));
    let mut keys = Keys::default();
    keys.insert(reviewer.clone(), reviewer_key.public());
    keys.insert(shop.clone(), shop_key.public());

    let (agent, address) = serve(&reviewer, reviewer_key, keys.clone()).await?;

    let peer = TcpPeer::new(&format!("amp://{address}"), tcp::ClientOptions::default())?;
    let client = Client::new(Requester::new(shop, shop_key, Arc::new(keys)), reviewer, Arc::new(peer));
    call(&client).await?;

    agent.shutdown(Duration::from_secs(1)).await;
    Ok(())
}

/// Serves the handlers of the reviewer on a free port.
async fn serve(did: &Did, key: SigningKey, keys: Keys) -> Result<(Agent, std::net::SocketAddr), Box<dyn Error>> {
    // The manifest of the Rust types; that of a YAML file comes from `capgen_manifest::load`.
    let manifest = reviewer::agent().manifest()?;
    let agent = Agent::builder(did.clone(), key, keys, reviewer::serve::handlers())
        .manifest(&manifest, &"com.example".parse()?)
        .grants(reviewer_grants())
        .start()?;
    let address = agent.listen_tcp("127.0.0.1:0", Default::default()).await?;
    Ok((agent, address))
}

/// `review-change` requires a scope.
fn reviewer_grants() -> capgen::call::Grants {
    capgen::call::Grants::new().agent("did:web:shop.example", &[], &["code:read"])
}

/// Asks for the versions of a capability, and calls one in a range.
async fn call(client: &Client) -> Result<(), Box<dyn Error>> {
    let name: capgen_amp::CapabilityName = "com.example.reviewer.review-change".parse()?;
    let filter = Filter { capability: Some(name.clone()), type_alias: None, version: None };
    for offered in client.query_all(CapQuery::new(filter), 10).await? {
        print(&format!("offered: {}", offered.id));
    }

    let change = Change::Added { text: "fn main() {\n    run().unwrap();\n}".to_owned() };
    let request = ReviewChange {
        repository: "https://example.com/shop".to_owned(),
        files: [("src/main.rs".to_owned(), change)].into(),
        focus: Vec::new(),
        limit: None,
    };
    let range = |range: &str| -> Result<Target, Box<dyn Error>> {
        let hints = Hints { range: Some(range.parse()?), ..Hints::default() };
        Ok(Target::Negotiate { capability: NameOrType::Name(name.clone()), hints })
    };
    let review = client.call::<ReviewChange>(range(">=1.0.0 <2.0.0")?, &request).await?;
    for finding in &review.findings {
        print(&format!("{}: {}", finding.path, finding.message));
    }
    if let Err(error) = client.call::<ReviewChange>(range(">=2.0.0 <3.0.0")?, &request).await {
        print(&format!("a later major version: {error}"));
    }
    Ok(())
}

fn print(line: &str) {
    // A reader that closed the pipe has enough.
    let _ = writeln!(std::io::stdout(), "{line}");
}
