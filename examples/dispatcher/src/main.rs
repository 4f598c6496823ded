//! Registers the agents of the fleet in a log of SQLite, calls a capability that two agents offer, and calls it again after one of them
//! stopped sending heartbeats.
#![forbid(unsafe_code)]

#[path = "../../../generated/reviewer.rs"]
mod reviewer_contract;

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use capgen::Checked;
use capgen::call::{Client, Handlers, MemoryBroker, PeerTable, Server, TransportSettings};
use capgen_manifest::{LoadedContract, Selection};
use capgen_registry::live::{AppendError, Directory, Follower, Registered, Writer};
use capgen_registry::log::{Log, SqliteLog};
use capgen_registry::{Access, Checker, Configuration, EventType, Explanation, Filter, Producer, Requirement};
use reviewer_contract::{Change, ChangeEdited, ReviewChange, ReviewChangeRequest, ReviewChangeRequestRequired};
use serde_json::json;

const FLEET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fleet");
/// The monitor may state that another agent is unavailable.
const CONFIG: &str = r#"{"monitors": ["monitor"], "grants": {"concierge": {"scopes": ["code:read"]}}}"#;
const CAPABILITY: &str = "com.example.reviewer.review-change";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let registry = Fleet::new(&folder.path().join("registry.db"))?;
    let mut follower = Follower::new(registry.log()?, registry.checker.clone());

    print("Registering the fleet:");
    for contract in registry.contracts()? {
        registry.register(&contract, contract.manifest.agent.as_str(), &mut follower)?;
    }
    print("Registering a second agent with the contract of the first:");
    let reviewer = registry.contract("reviewer")?;
    registry.register(&reviewer, "reviewer-2", &mut follower)?;

    let broker = MemoryBroker::new();
    let mut servers = Vec::new();
    let mut peers = PeerTable::new();
    for agent in ["reviewer", "reviewer-2"] {
        let address = format!("{agent}.requests");
        let server = Server::builder(handlers(agent)).listen(broker.connect(), &address);
        // Everyone in this program may call.
        servers.push(server.without_authorization().start().await?);
        registry.writer(agent)?.heartbeat()?;
        peers = peers.with_transports(&agent.parse()?, vec![TransportSettings::memory(&address)]);
    }
    let client = Client::builder("concierge").transport(broker.connect()).peers(peers).build().await?;
    follower.catch_up()?;
    let access = registry.checker.config().access("concierge").clone();
    let directory = Directory::new(follower.registry(), access.clone());

    print("\nBoth agents are healthy:");
    explain(&follower, &access)?;
    call(&directory, &client).await?;

    let reason = json!({"agent_id": "reviewer", "reason": "missed heartbeats"});
    registry.writer("monitor")?.append(EventType::Unavailable, reason)?;
    follower.catch_up()?;
    print("\nThe monitor has marked `reviewer` as unavailable:");
    explain(&follower, &access)?;
    call(&directory, &client).await?;

    let verification = registry.log()?.verify(None)?;
    print(&format!(
        "\nThe log has {} events; its chain of hashes is {}.",
        verification.rows,
        if verification.ok { "intact" } else { "broken" }
    ));
    Ok(())
}

/// The fleet, and the log of its registry.
struct Fleet {
    log: std::path::PathBuf,
    checker: Arc<Checker>,
}

impl Fleet {
    fn new(log: &Path) -> Result<Self, Box<dyn Error>> {
        let config = Configuration::parse(CONFIG.as_bytes())?;
        Ok(Self { log: log.to_owned(), checker: Arc::new(Checker::new(config.into())) })
    }

    fn log(&self) -> Result<Box<dyn Log>, Box<dyn Error>> {
        Ok(Box::new(SqliteLog::open_or_create(&self.log, self.checker.clone())?))
    }

    fn writer(&self, agent: &str) -> Result<Writer, Box<dyn Error>> {
        Ok(Writer::new(self.log()?, Producer::new(agent)))
    }

    fn contracts(&self) -> Result<Vec<LoadedContract>, Box<dyn Error>> {
        load(Selection { all: true, root: Some(FLEET.into()), ..Selection::default() })
    }

    fn contract(&self, agent: &str) -> Result<LoadedContract, Box<dyn Error>> {
        let selection = Selection { peers: vec![agent.to_owned()], root: Some(FLEET.into()), ..Selection::default() };
        load(selection)?.pop().ok_or_else(|| "the fleet has no such agent".into())
    }

    fn register(&self, contract: &LoadedContract, agent: &str, follower: &mut Follower) -> Result<(), Box<dyn Error>> {
        let registry = follower.registry();
        let registered = {
            let registry = registry.read();
            self.writer(agent)?.register(&contract.manifest, &registry.view())
        };
        match registered {
            Ok(announcements) => {
                for Registered { announcement, .. } in announcements {
                    print(&format!("  {agent}: {} {}", announcement.capability, announcement.version));
                }
            }
            // Most contracts of the fleet have no versions yet.
            Err(AppendError::Announcement(errors)) => {
                errors.iter().take(1).for_each(|error| print(&format!("  {agent}: not registered: {error}")));
            }
            Err(error) => return Err(error.into()),
        }
        follower.catch_up()?;
        Ok(())
    }
}

fn load(selection: Selection) -> Result<Vec<LoadedContract>, Box<dyn Error>> {
    selection
        .locate()
        .load()
        .map_err(|findings| findings.into_iter().map(|it| it.message).collect::<Vec<_>>().join("\n").into())
}

/// The handlers of both agents.
fn handlers(agent: &str) -> Handlers {
    Handlers::new(agent).with::<reviewer::ReviewChange, _, _>(async |_, change| Ok(Checked(reviewer::review(&change))))
}

/// Prints the choice of the registry, and its reasons.
fn explain(follower: &Follower, access: &Access) -> Result<(), Box<dyn Error>> {
    let registry = follower.registry();
    let registry = registry.read();
    let view = registry.view();
    let requirement: Requirement = "1.0.0".parse()?;
    let (target, Explanation { filters, decided_by, .. }) =
        view.explain(CAPABILITY, &requirement, access, Some("concierge"));
    for step in filters {
        let removed: Vec<String> = step.removed.iter().map(|row| format!("{} {}", row.agent, row.version)).collect();
        let removed = if removed.is_empty() { String::new() } else { format!(", removed {}", removed.join(", ")) };
        print(&format!("  filter {:<12} {} left{removed}", name(step.filter), step.left));
    }
    let target = target.ok_or("no agent is left")?;
    print(&format!(
        "  target: {} {}, decided by {}",
        target.agent,
        target.version,
        json!(decided_by).as_str().unwrap_or_default()
    ));
    Ok(())
}

fn name(filter: Filter) -> String {
    json!(filter).as_str().unwrap_or_default().to_owned()
}

async fn call(directory: &Directory, client: &Client) -> Result<(), Box<dyn Error>> {
    let edited = ChangeEdited::new("-total()?\n+total().unwrap()");
    let files = [("src/total.rs".to_owned(), Change::Edited(edited))];
    let request = ReviewChangeRequest::new(ReviewChangeRequestRequired {
        repository: "https://github.com/example/shop".to_owned(),
        files: files.into(),
    });
    let review = directory.call::<ReviewChange>(client, &request).await?;
    print(&format!(
        "  response: {} finding, verdict {}",
        review.findings.len(),
        json!(review.verdict).as_str().unwrap_or_default()
    ));
    Ok(())
}

fn print(line: &str) {
    // A reader that closed the pipe has enough.
    let _ = writeln!(std::io::stdout(), "{line}");
}
