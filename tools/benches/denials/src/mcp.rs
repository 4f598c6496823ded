//! Calls of tools over pipes.

use capgen_call::Principal;
use capgen_mcp::McpServer;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

use crate::calls::handlers;
use crate::{Agent, Probe};

pub(crate) struct Mcp {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Mcp {
    pub(crate) async fn start(agent: &Agent) -> Self {
        let server = McpServer::of_handlers(handlers(agent)).expect("an agent");
        let server = server.principal(Principal::new("https://login.example.com", "caller")).build().expect("a server");
        let (here, there) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(there);
        tokio::spawn(async move { server.serve(input, output).await });
        let (output, input) = tokio::io::split(here);
        let mut mcp = Self { input, output: BufReader::new(output).lines() };
        let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
        mcp.send(&format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#)).await;
        mcp.next().await;
        mcp.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        mcp
    }

    async fn send(&mut self, text: &str) {
        self.input.write_all(format!("{text}\n").as_bytes()).await.expect("a server");
    }

    async fn next(&mut self) -> String {
        self.output.next_line().await.ok().flatten().expect("an answer")
    }
}

impl Probe for Mcp {
    async fn call(&mut self, name: &str) {
        let params = format!(r#"{{"name":"{name}","arguments":{{"city":"Oslo"}}}}"#);
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)).await;
        assert!(self.next().await.contains("EAGENTRPC_FORBIDDEN"));
    }
}
