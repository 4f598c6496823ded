//! The programs of the documentation that are in no example. The pages show them as they are here, so everything that
//! they show compiles. Those that need a broker are only compiled.
#![allow(dead_code, unreachable_pub, reason = "the pages show parts of programs")]

use std::error::Error;
use std::sync::Arc;

use capgen::call::{Client, ServerBuilder};
use capgen_nats::NatsTransport;
use capgen_registry::Checker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[path = "../../../generated/pr-reviewer.rs"]
mod pr_reviewer;

use pr_reviewer::{ReviewPr, ReviewPrRequest};

/// `docs/nats.md`
async fn connects(server: ServerBuilder) -> Result<(), Box<dyn Error>> {
    use capgen_nats::{NatsOptions, NatsTransport};

    let transport = NatsTransport::connect(NatsOptions::new(["nats://127.0.0.1:4222"])).await?;
    let client = Client::builder("console").transport(transport.clone()).build().await?;
    let server = server.listen(transport, "agents.pr-reviewer.requests").start().await?;
    drop((client, server));
    Ok(())
}

/// `docs/nats.md`
async fn stores() -> Result<NatsTransport, Box<dyn Error>> {
    use capgen_nats::{JetStreamOptions, NatsOptions, NatsTransport};

    let options = NatsOptions::new(["nats://127.0.0.1:4222"]).jetstream(JetStreamOptions::new());
    let transport = NatsTransport::connect(options).await?;
    Ok(transport)
}

/// `docs/nats.md`
async fn keeps_keys(transport: NatsTransport, server: ServerBuilder) -> Result<ServerBuilder, Box<dyn Error>> {
    use capgen_nats::{IdempotencyStoreOptions, NatsIdempotencyStore};

    let store = NatsIdempotencyStore::open(&transport, IdempotencyStoreOptions::new()).await?;
    let server = server.idempotency_store(Arc::new(store));
    Ok(server)
}

/// `docs/nats.md`
async fn is_discovered(transport: NatsTransport, contract_hash: String) -> Result<(), Box<dyn Error>> {
    use capgen_nats::{Discovery, Endpoint, EndpointStats, ServiceInfo};

    let service = ServiceInfo {
        name: "pr-reviewer".to_owned(),
        id: String::new(), // chosen
        version: "1.0.0".to_owned(),
        description: "Reviews pull requests.".to_owned(),
        metadata: [("contract".to_owned(), contract_hash)].into(),
        endpoints: vec![Endpoint {
            name: "review-pr".to_owned(),
            subject: "agents.pr-reviewer.requests".to_owned(),
            queue_group: "pr-reviewer".to_owned(),
            metadata: [].into(),
        }],
    };
    let discovery = Discovery::start(&transport, service, |_| EndpointStats::default()).await?;
    drop(discovery);
    Ok(())
}

/// `docs/registry.md`
fn opens_a_log(checker: Arc<Checker>) -> Result<(), Box<dyn Error>> {
    use capgen_nats::NatsOptions;
    use capgen_registry::log::{JetStreamLog, JetStreamLogOptions};

    let nats = NatsOptions::new(["nats://127.0.0.1:4222"]);
    let mut log = JetStreamLog::connect(nats, JetStreamLogOptions::new().replicas(3), checker)?;
    capgen_registry::log::Log::read(&mut log, 0, 10)?;
    Ok(())
}

/// `docs/evolution.md`
fn compares(theirs: &capgen::OwnedDescriptor) -> Result<(), String> {
    use capgen::OwnedDescriptor;
    use capgen_evolve::{CallSettings, can_call_described};

    let mine = OwnedDescriptor::from(&ReviewPr::DESCRIPTOR);
    if let Err(refusal) = can_call_described(&mine, theirs, &CallSettings::default()) {
        // Such as: request: `severity` is now required (E0704)
        return Err(format!("EVERSION_SKEW: {refusal}"));
    }
    Ok(())
}

/// `docs/generated-code.md`
fn reads(bytes: &[u8]) {
    use capgen::{InvalidPayload, Payload as _};

    match ReviewPrRequest::from_json(bytes) {
        Ok(request) => review(&request.pr_url),
        Err(InvalidPayload::Violations(violations)) => {
            for violation in &violations {
                eprintln!("{}: {}", violation.path, violation.message);
            }
            if violations.is_truncated() {
                eprintln!("and more");
            }
        }
        Err(error) => eprintln!("{error}"),
    }
}

/// `README.md`, `runtime/capgen/README.md`
fn reads_in_one_pass(bytes: &[u8]) {
    use capgen::Payload as _;

    match ReviewPrRequest::from_json(bytes) {
        Ok(request) => review(&request.pr_url),
        Err(invalid) => {
            for violation in invalid.violations() {
                eprintln!("{}: {}", violation.path, violation.message);
            }
        }
    }
}

fn review(url: &str) {
    eprintln!("review {url}");
}

/// Review a change.
#[derive(Serialize, Deserialize, JsonSchema, capgen::Capability)]
#[capability(response = Vec<String>)]
pub struct ReviewChange {
    diff: String,
}

// `docs/generated-code.md`
capgen::agent! {
    /// Reviews changes.
    pub trait Reviewer = "reviewer", handlers reviewer_handlers, client ReviewerClient {
        /// Review a change and report the problems to fix.
        fn review_change(ReviewChange);
    }
}

/// `docs/install.md`, `codegen/README.md`
mod build_script {
    fn main() -> Result<(), capgen_codegen::BuildError> {
        capgen_codegen::Build::new().root("contracts").peer("pr-reviewer").out_dir("src/generated").verify()
    }
}

/// `docs/generated-code.md`
#[rustfmt::skip]
mod build_script_that_runs_capgen {
    fn main() {
        println!("cargo::rerun-if-changed=../fleet/agents/payments/capabilities.yaml");
        let capgen = std::process::Command::new("capgen")
            .args(["gen", "--peer", "payments", "--root", "../fleet", "--out", "../../generated"])
            .args(["--lang", "rust", "--check", "--diff"])
            .status();
        // If the code is out of date, capgen prints the command that updates it.
        assert!(capgen.is_ok_and(|status| status.success()), "generated code is out of date, or capgen is not installed");
    }
}

#[test]
fn the_comparison_on_the_page_about_evolution_compares() {
    let mut theirs = capgen::OwnedDescriptor::from(&ReviewPr::DESCRIPTOR);
    assert_eq!(compares(&theirs), Ok(()));
    theirs.min_schema_version = Some("2.0.0".to_owned());
    theirs.version = Some("2.0.0".to_owned());
    assert_eq!(compares(&theirs), Ok(()), "a caller without a version is served");
    theirs.input_schema = Some(r#"{"type": "object", "required": ["branch"]}"#.to_owned());
    theirs.hash = "0".repeat(64);
    let refusal = compares(&theirs).expect_err("a property is required");
    assert!(refusal.starts_with("EVERSION_SKEW: request: "), "{refusal}");
}

/// `docs/generated-code.md`
fn verifies_outputs() -> Result<(), capgen_codegen::BuildError> {
    capgen_codegen::Build::new().outputs().verify()
}

/// `docs/dci.md`
fn chooses(workspace: std::path::PathBuf) -> Result<Vec<String>, Box<dyn Error>> {
    use capgen_dci::files::{Roots, Workspace, WorkspaceOptions};

    let roots = Roots { workspace, ..Roots::default() };
    let workspace = Workspace::load(&WorkspaceOptions { roots, ..WorkspaceOptions::default() })
        .map_err(|findings| findings.into_iter().map(|it| it.message).collect::<Vec<_>>().join("; "))?;
    let resolution = workspace.resolve(&workspace.inputs(&["option-evaluation"]), None)?;

    let mut lines = Vec::new();
    for one in resolution.selection.providers() {
        let covered: Vec<&str> = resolution.covered(&one.scored).collect();
        lines.push(format!("{} covers {}", one.scored.id, covered.join(", ")));
    }
    for node in resolution.graph.nodes.iter().filter(|node| node.depth > 1) {
        lines.push(format!("{} is selected for a provider", node.id));
    }
    lines.extend(resolution.unresolved.iter().map(|capability| format!("nothing provides {capability}")));
    Ok(lines)
}

#[test]
fn the_choice_on_the_page_about_dependent_capabilities_names_skills() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, contract) in
        [("evaluate", "DCI/1 P(option-evaluation) R(web-search)"), ("search", "DCI/1 P(web-search)")]
    {
        let skill = folder.path().join("skills").join(name);
        std::fs::create_dir_all(&skill).expect("a folder");
        let text = format!("---\nname: {name}\ndescription: A skill.\nmetadata:\n  contract: {contract}\n---\n");
        std::fs::write(skill.join("SKILL.md"), text).expect("a file");
    }
    let expected =
        ["evaluate::skills/evaluate covers option-evaluation", "search::skills/search is selected for a provider"];
    assert_eq!(chooses(folder.path().to_owned()).expect("a choice"), expected);
}
