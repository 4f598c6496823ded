//! An agent of capgen as an MCP server: it is called over stdio and HTTP, by the official SDK for TypeScript, versions
//! 1 and 2, and by `rmcp`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rmcp::model::CallToolRequestParams;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};

use capgen_testkit::{node, npm};

const AGENT: &str = env!("CARGO_BIN_EXE_agent");

/// The output of the script `sdk.mjs`; `None` if there is no Node.
fn sdk(version: &str, place: &str) -> Option<Value> {
    if !npm::is_installed() {
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node");
    npm::install(&folder).unwrap();
    let printed = node::printed(node::command().arg(folder.join("sdk.mjs")).args([version, place]));
    Some(serde_json::from_str(&printed).unwrap())
}

/// The agent at a port of this machine. Dropping it ends the process.
struct Endpoint(Child);

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn endpoint() -> (Endpoint, String) {
    let mut child = Command::new(AGENT).arg("--http").stdout(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    (Endpoint(child), url.trim().to_owned())
}

fn check(answers: &Value) {
    assert_eq!(answers["server"]["name"], "reviewer");
    assert_eq!(answers["tools"], json!(["book-seats", "list-rules", "review-change"]));
    let review = &answers["review"];
    assert_eq!(review["structuredContent"]["verdict"], "request-changes", "{review}");
    let text: Value = serde_json::from_str(review["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, review["structuredContent"]);
    let invalid = &answers["invalid"];
    assert_eq!(invalid["isError"], true, "{invalid}");
    assert!(invalid["content"][0]["text"].as_str().unwrap().contains("\n- /repository: "), "{invalid}");
    // The response is an array, so it is wrapped in an object.
    assert_eq!(answers["rules"]["structuredContent"]["result"][0]["id"], "no-unwrap", "{}", answers["rules"]);
    assert_eq!(answers["unknown"], -32602);
    for (trip, seats) in answers["seats"].as_object().unwrap() {
        check_seats(trip, seats);
    }
}

/// The result of a call of `book-seats`, as a client gets it that validates results by the output schema.
fn check_seats(trip: &str, result: &Value) {
    let error = match trip {
        "free" => {
            assert_eq!(
                (&result["structuredContent"], result.get("isError")),
                (&json!({"booked": 1}), None),
                "{result}"
            );
            return;
        }
        "full" => json!({"code": "NO_SEATS", "message": "the trip is full", "retryable": true, "details": {"free": 0}}),
        // Details that violate their schema do not leave the provider.
        "invalid" => json!({
            "code": "EAGENTRPC_HANDLER_FAILED", "retryable": false,
            "message": "the details of the error `NO_SEATS` violate their schema",
        }),
        // Nor do those of a code that is not declared.
        _ => json!({"code": "STRIKE", "message": "nothing moves", "retryable": false}),
    };
    let shown = format!("{}: {}", error["code"].as_str().unwrap(), error["message"].as_str().unwrap());
    assert_eq!(result["content"], json!([{"type": "text", "text": shown}]));
    assert_eq!((&result["isError"], result.get("structuredContent")), (&json!(true), None), "{result}");
    let sent = &result["_meta"]["io.github.capgen/error"];
    for member in ["code", "message", "details"] {
        assert_eq!(sent.get(member), error.get(member), "{result}");
    }
    assert_eq!(sent["retryable"] == true, error["retryable"] == true, "{result}");
}

fn check_newest(answers: &Value) {
    assert_eq!(answers["revision"], "2026-07-28");
    check(answers);
}

#[test]
fn version_1_of_the_sdk_calls_the_agent_over_stdio() {
    sdk("v1", AGENT).iter().for_each(check);
}

#[test]
fn version_1_of_the_sdk_calls_the_agent_over_http() {
    let (_endpoint, url) = endpoint();
    sdk("v1", &url).iter().for_each(check);
}

#[test]
fn version_2_of_the_sdk_calls_the_agent_over_stdio() {
    sdk("v2", AGENT).iter().for_each(check_newest);
}

#[test]
fn version_2_of_the_sdk_calls_the_agent_over_http() {
    let (_endpoint, url) = endpoint();
    sdk("v2", &url).iter().for_each(check_newest);
}

#[test]
fn generated_typescript_is_used_with_the_sdk() {
    if !npm::is_installed() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node");
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node");
    npm::install(&folder).unwrap();
    npm::install(&tools).unwrap();
    let tool = |name: &str| tools.join("node_modules").join(name).to_str().unwrap().to_owned();
    let options = "--noEmit --strict --skipLibCheck --target es2022 --module nodenext --allowImportingTsExtensions --lib es2022,dom";
    let options: Vec<&str> = options.split(' ').collect();
    let tsc = tool("typescript/bin/tsc");
    assert_eq!(node::printed(node::command().args([&tsc, "memory.ts"]).args(options).current_dir(&folder)), "");
    // Node 20 does not run TypeScript itself.
    let program = "node_modules/.cache/memory.mjs";
    let out = format!("--outfile={program}");
    let esbuild = tool("esbuild/bin/esbuild");
    let bundle =
        [esbuild.as_str(), "memory.ts", "--bundle", "--format=esm", "--platform=node", "--packages=external", &out];
    let bundled = Command::new(bundle[0]).args(&bundle[1..]).current_dir(&folder).output().unwrap();
    assert!(bundled.status.success(), "{}", String::from_utf8_lossy(&bundled.stderr));
    assert_eq!(node::printed(node::command().arg(program).current_dir(&folder)), "capgen\n");
}

/// Calls the agent with `rmcp`, over a transport of it.
async fn call_with_rmcp<E, A>(transport: impl IntoTransport<RoleClient, E, A>)
where
    E: std::error::Error + Send + Sync + 'static,
{
    let client = ().serve(transport).await.unwrap();
    assert_eq!(client.peer_info().unwrap().server_info.as_ref().unwrap().name, "reviewer");
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["book-seats", "list-rules", "review-change"]);
    let call = |name: &'static str, arguments: Value| {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments))
    };
    let change =
        json!({"repository": "https://example.com/r", "files": {"a.rs": {"kind": "added", "text": "x.unwrap()"}}});
    let review = call("review-change", change).await.unwrap();
    assert_eq!(review.structured_content.unwrap()["verdict"], "request-changes");
    let invalid = call("review-change", json!({"repository": 3})).await.unwrap();
    assert_eq!(invalid.is_error, Some(true));
    call("other", json!({})).await.unwrap_err();
    for trip in ["free", "full", "invalid", "other"] {
        let mut result = serde_json::to_value(call("book-seats", json!({"trip": trip})).await.unwrap()).unwrap();
        // The crate states that a result is not an error, too.
        result.as_object_mut().unwrap().retain(|name, value| name != "isError" || *value == true);
        check_seats(trip, &result);
    }
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn rmcp_calls_the_agent_over_stdio() {
    call_with_rmcp(TokioChildProcess::new(tokio::process::Command::new(AGENT)).unwrap()).await;
}

#[tokio::test]
async fn rmcp_calls_the_agent_over_http() {
    let (_endpoint, url) = endpoint();
    call_with_rmcp(StreamableHttpClientTransport::from_uri(url)).await;
}
