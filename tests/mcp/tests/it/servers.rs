//! Three servers from npm: their tools are those of the checked-in contracts, and they are called through generated
//! types.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use capgen::call::{CallError, Client, PeerTable, Status};
use capgen_interop::import::Document;
use capgen_interop::import::{ImportSettings, mcp};
use capgen_manifest::{Manifest, Source, read_source};
use capgen_mcp::{ClientOptions, McpClient, McpTransport, ServerCommand, TOOL_FAILED, ToolNames};
use capgen_test_mcp::{everything, filesystem, memory};

use capgen_testkit::{node, npm};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The command of a server from npm; `None` if there is no Node.
fn server(name: &str, arguments: &[&str]) -> Option<ServerCommand> {
    if !npm::is_installed() {
        return None;
    }
    let packages = folder().join("node");
    npm::install(&packages).unwrap();
    let script = packages.join(format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js"));
    Some(ServerCommand::new(node::PROGRAM).args([script]).args(arguments.iter().map(PathBuf::from)))
}

/// Starts a server, checks that its tools are those of its contract, and returns a client of it.
async fn connect(command: ServerCommand, name: &str, names: &[capgen::Descriptor]) -> Client {
    let server = McpClient::spawn(command, ClientOptions::default()).await.unwrap();
    assert!(server.server().has_tools);
    let tools = server.list_tools().await.unwrap();
    let text = capgen_interop::pretty(&tools.to_json());
    let document = Document::parse_json(&Source::new("tools.json", &text)).unwrap();
    let imported = mcp::tools(&document, ImportSettings::default()).imported;
    assert!(!imported.has_errors());
    let path = folder().join(format!("agents/{name}/capabilities.yaml"));
    let contract = capgen_manifest::load(&read_source(&path, "capabilities.yaml").unwrap()).unwrap().manifest;
    let now = Manifest { capabilities: imported.capabilities, ..contract.clone() };
    assert_eq!(now.to_yaml(), contract.to_yaml(), "import the tools again with `capgen import mcp --stdio`");

    let transport = McpTransport::new().with_server(name, server, ToolNames::from(names));
    let peers = PeerTable::new().with_manifest(&contract);
    let client = Client::builder("tests").transport(Arc::new(transport)).peers(peers);
    client.build().await.unwrap()
}

#[test]
fn the_program_of_the_documentation_calls_a_server() {
    if server("memory", &[]).is_none() {
        return;
    }
    let file = tempfile::tempdir().unwrap();
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_memory"));
    // `npx` finds the installed package here.
    program.current_dir(folder().join("node")).env("MEMORY_FILE_PATH", file.path().join("memory.jsonl"));
    let output = program.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "capgen\n", "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn the_server_memory_is_called_with_types() {
    use memory::{
        CreateEntities, CreateEntitiesRequest, CreateEntitiesRequestEntitiesItem,
        CreateEntitiesRequestEntitiesItemRequired, ReadGraph, ReadGraphRequest, SearchNodes, SearchNodesRequest,
    };
    let file = tempfile::tempdir().unwrap();
    let Some(command) = server("memory", &[]) else { return };
    let command = command.env("MEMORY_FILE_PATH", file.path().join("memory.jsonl"));
    let client = connect(command, "memory", memory::CAPABILITIES).await;
    let entity = CreateEntitiesRequestEntitiesItem::new(CreateEntitiesRequestEntitiesItemRequired {
        name: "capgen".to_owned(),
        entity_type: "program".to_owned(),
        observations: vec!["checks contracts".to_owned()],
    });
    let created = client.call::<CreateEntities>(&CreateEntitiesRequest::new(vec![entity])).await.unwrap();
    assert_eq!(created.entities[0].name, "capgen");
    let found = client.call::<SearchNodes>(&SearchNodesRequest::new("contracts")).await.unwrap();
    assert_eq!(found.entities[0].observations, ["checks contracts"]);
    let request: ReadGraphRequest = serde_json::from_str("{}").unwrap();
    assert_eq!(client.call::<ReadGraph>(&request).await.unwrap().entities.len(), 1);
    // The server would accept it; the contract does not.
    let invalid = client.call_json("memory", "create_entities", &serde_json::json!({"entities": [{"name": 3}]})).await;
    assert_eq!(invalid.status, Status::SchemaViolation);
}

#[tokio::test]
async fn the_server_filesystem_is_called_with_types() {
    use filesystem::{
        ListDirectory, ListDirectoryRequest, ReadTextFile, ReadTextFileRequest, WriteFile, WriteFileRequest,
        WriteFileRequestRequired,
    };
    let write = |path: String, content: &str| {
        WriteFileRequest::new(WriteFileRequestRequired { path, content: content.to_owned() })
    };
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let Some(command) = server("filesystem", &[&path("")]) else { return };
    let client = connect(command, "filesystem", filesystem::CAPABILITIES).await;
    let text = "a\n\"b\"\u{0}é\u{2028}";
    client.call::<WriteFile>(&write(path("a.txt"), text)).await.unwrap();
    assert_eq!(std::fs::read_to_string(root.join("a.txt")).unwrap(), text);
    let read = client.call::<ReadTextFile>(&ReadTextFileRequest::new(path("a.txt"))).await.unwrap();
    assert_eq!(read.content, text);
    let listed = client.call::<ListDirectory>(&ListDirectoryRequest::new(path(""))).await.unwrap();
    assert_eq!(listed.content, "[FILE] a.txt");
    let missing = client.call::<ReadTextFile>(&ReadTextFileRequest::new(path("b.txt"))).await.unwrap_err();
    assert!(missing.code == TOOL_FAILED && missing.message.contains("b.txt"), "{missing}");
    let outside: CallError = client.call::<ReadTextFile>(&ReadTextFileRequest::new("/etc/hostname")).await.unwrap_err();
    assert!(outside.code == TOOL_FAILED && outside.message.contains("denied"), "{outside}");
    // More than the limit of other transports.
    let large = "x".repeat(3 << 20);
    client.call::<WriteFile>(&write(path("large.txt"), &large)).await.unwrap();
    let read = client.call::<ReadTextFile>(&ReadTextFileRequest::new(path("large.txt"))).await.unwrap();
    assert_eq!(read.content.len(), large.len());
}

#[tokio::test]
async fn the_server_everything_is_called_with_types() {
    use everything::{
        Echo, EchoRequest, GetStructuredContent, GetStructuredContentRequest, GetStructuredContentRequestLocation,
        GetSum, GetSumRequest, GetSumRequestRequired,
    };
    let Some(command) = server("everything", &["stdio"]) else { return };
    let client = connect(command, "everything", everything::CAPABILITIES).await;
    let request = GetStructuredContentRequest::new(GetStructuredContentRequestLocation::all()[0]);
    let weather = client.call::<GetStructuredContent>(&request).await.unwrap();
    assert!(weather.humidity > 0.0 && !weather.conditions.is_empty());
    // A tool without an output schema: the response is its content.
    let echo = client.call::<Echo>(&EchoRequest::new("Hello")).await.unwrap();
    assert_eq!(echo["content"][0]["text"], "Echo: Hello");
    let sum = client.call::<GetSum>(&GetSumRequest::new(GetSumRequestRequired { a: 2.0, b: 3.5 })).await.unwrap();
    assert!(sum["content"][0]["text"].as_str().unwrap().contains("5.5"));
}
