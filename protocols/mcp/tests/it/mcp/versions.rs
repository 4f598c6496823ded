//! Tools for several versions of one capability.

use capgen_call::{Client, Context, Handlers, PeerTable};
use capgen_manifest::{Manifest, Source, load};
use capgen_mcp::{ClientOptions, HttpOptions, HttpServer, InvalidAgent, McpClient, McpServer, McpTransport, ToolNames};
use serde_json::{Value, json};

use crate::mcp::fixture::Lines;

/// An agent with versions of `book`, whose requests have a property named by the version, and other capabilities.
fn trips(versions: &[&str], others: &[&str]) -> Manifest {
    let book = |version: &&str| {
        let property = version.replace(['.', '-'], "_");
        let input = json!({"type": "object", "properties": {&property: {"type": "string"}}, "required": [&property], "additionalProperties": false});
        json!({"name": "book", "version": version, "inputSchema": input, "outputSchema": {"type": "string"}})
    };
    let others = others.iter().map(|name| json!({"name": name}));
    let capabilities: Vec<Value> = versions.iter().map(book).chain(others).collect();
    let transports = json!([{"kind": "mcp", "topics": {"requests": "trips"}}]);
    let text = json!({"version": 1, "agent": "agent://trips", "transports": transports, "capabilities": capabilities});
    load(&Source::new("capabilities.json", text.to_string())).unwrap().manifest
}

/// Handlers that respond with the version that they are for.
fn handlers(manifest: &Manifest) -> Handlers {
    manifest.capabilities.iter().fold(Handlers::new("trips"), |handlers, capability| {
        let version = capability.version.as_ref().map(ToString::to_string).unwrap_or_default();
        handlers.with_json(capability, move |_: Context, _| {
            let version = version.clone();
            async move { Ok(json!(version)) }
        })
    })
}

fn all_versions(manifest: &Manifest) -> Result<McpServer, InvalidAgent> {
    McpServer::builder(handlers(manifest), manifest)?.all_versions()?.build()
}

/// The names of the tools of a server, and the names of the properties of their requests.
async fn tools(client: &mut Lines) -> Vec<(String, Vec<String>)> {
    let list = client.request("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap().iter();
    let properties =
        |tool: &Value| tool["inputSchema"]["properties"].as_object().map(|all| all.keys().cloned().collect());
    tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), properties(tool).unwrap_or_default())).collect()
}

async fn called(client: &mut Lines, tool: &str, arguments: Value) -> Value {
    client.request("tools/call", json!({"name": tool, "arguments": arguments})).await["result"].take()
}

#[tokio::test]
async fn each_version_has_a_tool_if_it_is_asked_for() {
    let manifest = trips(&["1.4.0", "2.0.0", "2.1.0", "3.0.0-rc.1"], &["ping"]);
    let mut plain = Lines::of(McpServer::builder(handlers(&manifest), &manifest).unwrap().build().unwrap());
    plain.initialize("2025-11-25").await;
    assert_eq!(tools(&mut plain).await, [("book".to_owned(), vec!["2_1_0".to_owned()]), ("ping".to_owned(), vec![])]);
    assert_eq!(called(&mut plain, "book_v1", json!({})).await, Value::Null);

    let mut client = Lines::of(all_versions(&manifest).unwrap());
    client.initialize("2025-11-25").await;
    let expected = [
        ("book_v1", "1_4_0", "1.4.0"),
        ("book_v2_0", "2_0_0", "2.0.0"),
        ("book", "2_1_0", "2.1.0"),
        ("book_v3", "3_0_0_rc_1", "3.0.0-rc.1"),
    ];
    let named = |(tool, property, _): &(&str, &str, &str)| ((*tool).to_owned(), vec![(*property).to_owned()]);
    let listed = tools(&mut client).await;
    assert_eq!(listed[..4], expected.iter().map(named).collect::<Vec<_>>());
    assert_eq!(listed[4].0, "ping");
    for (tool, property, version) in expected {
        // The handler of the version runs.
        let result = called(&mut client, tool, json!({property: "a"})).await;
        assert_eq!(result["structuredContent"], json!({"result": version}), "{tool}");
        // Its schema decides, not that of another version.
        let other = if tool == "book" { "1_4_0" } else { "2_1_0" };
        let result = called(&mut client, tool, json!({other: "a"})).await;
        assert_eq!(result["isError"], true, "{tool}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(&format!("The arguments of the tool `{tool}`")), "{text}");
        assert!(text.contains(&format!("- /{other}: unexpected property")), "{text}");
    }
}

#[tokio::test]
async fn the_tool_of_a_capability_runs_the_version_of_the_manifest() {
    let both = trips(&["1.4.0", "2.0.0"], &[]);
    let old = trips(&["1.4.0"], &[]);
    // The program already has a handler for a version that the manifest does not offer.
    let mut client = Lines::of(McpServer::builder(handlers(&both), &old).unwrap().build().unwrap());
    client.initialize("2025-11-25").await;
    let result = called(&mut client, "book", json!({"1_4_0": "a"})).await;
    assert_eq!(result["structuredContent"], json!({"result": "1.4.0"}));
}

#[test]
fn a_tool_with_the_name_of_another_one_is_an_error() {
    for (versions, others, unnamed) in [
        (&["1.4.0", "2.0.0"][..], &["book_v1"][..], "book@1.4.0"),
        (&["1.4.0", "1.5.0"], &["book_v1", "book_v1_4"], "book@1.4.0"),
        // Both would be `book_v2_0_0_rc_1`, and neither is preferred.
        (&["2.0.0-rc.1", "2.0.0-rc-1", "2.0.0"], &[], "book@2.0.0-rc.1"),
    ] {
        let manifest = trips(versions, others);
        let error = all_versions(&manifest).err().unwrap();
        assert_eq!(error, InvalidAgent::NoToolName(unnamed.to_owned()));
        assert!(error.to_string().contains(unnamed), "{error}");
        McpServer::builder(handlers(&manifest), &manifest).unwrap().build().unwrap();
    }
    // A suffix that another capability does not have collides with nothing.
    all_versions(&trips(&["1.4.0", "2.0.0"], &["book_v2"])).unwrap();
}

#[tokio::test]
async fn a_client_calls_the_tool_of_the_version_of_its_contract() {
    let mut both = trips(&["1.4.0", "2.0.0"], &[]);
    let service = all_versions(&both).unwrap().listen(0, HttpOptions::default()).await.unwrap();
    // As an import of the tools of this server has them.
    both.capabilities[0].wire_name = Some("book_v1".to_owned());
    for version in ["1.4.0", "2.0.0"] {
        let url = HttpServer::new(&format!("http://{}/mcp", service.address())).unwrap();
        let server = McpClient::connect(url, ClientOptions::default()).await.unwrap();
        let transport = McpTransport::new().with_server("trips", server, ToolNames::from(&both));
        let peers = PeerTable::new().with_manifest(&trips(&[version], &[]));
        let client = Client::builder("desk").transport(transport).peers(peers).build().await.unwrap();
        let called = client.call_json("trips", "book", &json!({version.replace('.', "_"): "a"})).await;
        assert_eq!(called.response, Some(json!(version)), "{called:?}");
    }
}

#[tokio::test]
async fn a_client_that_knows_one_version_calls_the_tool_of_its_line() {
    let served = trips(&["1.3.0", "1.4.0", "2.0.0"], &[]);
    let service = all_versions(&served).unwrap().listen(0, HttpOptions::default()).await.unwrap();
    for (version, property, expected) in [
        ("1.3.0", "1_3_0", Some("1.3.0")),
        // Of its line, the highest.
        ("1.2.0", "1_4_0", Some("1.4.0")),
        ("1.9.0", "1_4_0", Some("1.4.0")),
        ("2.1.0", "2_0_0", Some("2.0.0")),
        // The agent has no version of its line.
        ("3.0.0", "2_0_0", Some("2.0.0")),
        ("1.4.0", "2_0_0", None),
    ] {
        let url = HttpServer::new(&format!("http://{}/mcp", service.address())).unwrap();
        let server = McpClient::connect(url, ClientOptions::default()).await.unwrap();
        let transport = McpTransport::new().with_server("trips", server, ToolNames::default());
        // The requests of the caller are loose, so that the server decides.
        let mut own = trips(&[version], &[]);
        own.capabilities[0].input = None;
        let client = Client::builder("desk").transport(transport).peers(PeerTable::new().with_manifest(&own));
        let client = client.build().await.unwrap();
        let called = client.call_json("trips", "book", &json!({property: "a"})).await;
        assert_eq!(called.response, expected.map(|version| json!(version)), "{version}: {called:?}");
    }
}
