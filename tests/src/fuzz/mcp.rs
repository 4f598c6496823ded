//! The bodies of the targets for MCP.

use capgen_call::{Context, Handlers};
use capgen_mcp::McpServer;
use capgen_mcp::fuzz::{events, messages, results};
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::runtime::{Builder, Runtime};

/// The largest event, in bytes.
const MAX: usize = 4096;

std::thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
}

/// A stream of events from an MCP server. Its parts give the events of the whole, each of which is limited in size. The
/// messages in them, and in the bytes themselves, are read as they were written. Returns how many messages have a
/// result that a client accepts.
pub fn mcp_client(bytes: &[u8]) -> usize {
    let whole = events(&[bytes], MAX);
    for size in [1, 7] {
        assert_eq!(events(&bytes.chunks(size).collect::<Vec<_>>(), MAX), whole);
    }
    let mut accepted = 0;
    for text in whole.iter().flatten().map(Vec::as_slice).chain([bytes]) {
        assert!(text.len() <= MAX || text.len() == bytes.len());
        for message in messages(text) {
            match message {
                Ok(message) => {
                    accepted += usize::from(results(message.as_bytes()) > 0);
                    assert_eq!(messages(message.as_bytes()), [Ok(message)]);
                }
                Err(answer) => assert_answers(&answer),
            }
        }
    }
    accepted
}

/// Lines of an MCP client. Every answer of the server is a line with a message, or a batch of them. Returns the number
/// of results.
pub fn mcp_server(bytes: &[u8]) -> usize {
    let handlers = Handlers::new("echo").with_loose("say", async |_: Context, payload: Value| Ok(payload));
    let server = McpServer::new(handlers).expect("a valid agent");
    let mut answers = String::new();
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let (output, mut received) = tokio::io::duplex(MAX);
            let (served, read) = tokio::join!(server.serve(bytes, output), received.read_to_string(&mut answers));
            served.and(read).expect("the output is text");
        });
    });
    answers.lines().for_each(assert_answers);
    answers.matches(r#""result":"#).count()
}

/// A line that both sides send: all of it is messages.
#[track_caller]
fn assert_answers(line: &str) {
    let answers = messages(line.as_bytes());
    assert!(!line.contains(char::is_control) && !answers.is_empty(), "{line}");
    assert!(answers.iter().all(Result::is_ok), "{line}");
}
