//! MCP as a transport of calls: a request to the address of a server becomes a call of a tool.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use capgen_call::{
    BoxFuture, Clock as _, Envelope, ErrorPayload, Health, MemoryBroker, MemoryTransport, MessageKind, Outgoing,
    SubscribeOptions, Subscription, SystemClock, Transport, TransportError, code, header,
};
use capgen_descriptor::Descriptor;
use capgen_manifest::{Manifest, plain_capabilities};
use capgen_schema::Json;
use tokio::sync::Semaphore;

use crate::calls::Calls;
use crate::client::{McpClient, ToolResult};
use crate::error::McpError;

/// The largest request and response, in bytes. The protocol has no limit. It is the default of
/// `ClientOptions::max_message`, so a usual client can carry every result.
const MAX_MESSAGE: usize = 16 << 20;

/// The most calls at the same time, of all servers. Far more than usual agents make; a caller beyond it is refused at
/// once, instead of filling the memory with requests that wait.
const MAX_CALLS: usize = 1024;

/// The value of `capgen-control` in messages that end a call.
const CANCEL: &str = "cancel";

/// The end of the address of control messages, after that of requests.
const CONTROL: &str = ".control";

/// The code of a call whose tool failed. The message is the text of the tool, with escapes of control characters.
pub const TOOL_FAILED: &str = "MCP_TOOL_FAILED";

/// The code of a call to which the server answered with an error of the protocol, or in violation of it.
pub const SERVER_FAILED: &str = "MCP_SERVER_FAILED";

/// The code of a call whose tool asks for input of a user or a model.
pub const INPUT_REQUIRED: &str = "MCP_INPUT_REQUIRED";

/// The code of a call whose request is not an object. The server was not asked.
pub const INVALID_ARGUMENTS: &str = "MCP_INVALID_ARGUMENTS";

/// The names of the tools of capabilities. Each version of a capability may have a tool of its own.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ToolNames {
    /// By the hash of the contract, which callers state.
    of_contracts: BTreeMap<String, String>,
    /// By the name of the capability, for callers without a contract. Of several versions, that of the last one.
    of_capabilities: BTreeMap<String, String>,
}

impl ToolNames {
    /// Adds a contract with its hash, the name of its capability and that of its tool, if they differ.
    fn add(&mut self, hash: String, capability: &str, tool: Option<&str>) {
        self.of_contracts.insert(hash, tool.unwrap_or(capability).to_owned());
        match tool {
            Some(tool) => self.of_capabilities.insert(capability.to_owned(), tool.to_owned()),
            None => self.of_capabilities.remove(capability),
        };
    }

    /// The name of the tool of a request.
    fn of<'a>(&'a self, request: &'a Envelope) -> &'a str {
        let own = request.header(header::CONTRACT).and_then(|hash| self.of_contracts.get(hash));
        own.or_else(|| self.of_capabilities.get(request.capability())).map_or(request.capability(), String::as_str)
    }
}

impl From<&[Descriptor]> for ToolNames {
    /// The names in generated code, whose constant `CAPABILITIES` has the descriptors.
    fn from(descriptors: &[Descriptor]) -> Self {
        let mut names = Self::default();
        for descriptor in descriptors {
            names.add(descriptor.hash.to_owned(), descriptor.name, descriptor.wire_name);
        }
        names
    }
}

impl From<&Manifest> for ToolNames {
    /// The names in a manifest.
    fn from(manifest: &Manifest) -> Self {
        let mut names = Self::default();
        // The plain versions last: their names alone mean them.
        let plain = plain_capabilities(&manifest.capabilities);
        for capability in manifest.capabilities.iter().chain(plain) {
            names.add(capability.hash().to_string(), &capability.name, capability.wire_name.as_deref());
        }
        names
    }
}

/// The transport `mcp`: calls of MCP servers with the clients of `capgen-call`, which validate both payloads.
///
/// Each server has an address, which the manifest of its agent has in `topics.requests`. A message to any other address
/// stays in the program, as with [`MemoryBroker`]. Messages are not signed, so a client with keys accepts no response.
///
/// A call ends at its deadline, or when its future is dropped or its client is closed; then the server learns that the
/// answer is not needed.
///
/// | result of the tool | result of the call |
/// |---|---|
/// | `structuredContent` | the response; unwrapped, if the tool is an export of capgen that wraps it |
/// | neither that nor an output schema | an object with the array `content` |
/// | `isError` | [`TOOL_FAILED`] with the text; the error of the handler, if `_meta` has it as `io.github.capgen/error` |
/// | an error of the protocol | [`SERVER_FAILED`] |
/// | a request for input | [`INPUT_REQUIRED`] |
///
/// A request that is not an object is not sent: [`INVALID_ARGUMENTS`].
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use capgen_call::{Client, PeerTable};
/// use capgen_manifest::TransportSettings;
/// use capgen_mcp::{ClientOptions, McpClient, McpTransport, ServerCommand, ToolNames};
///
/// let server = ServerCommand::new("npx").args(["-y", "@modelcontextprotocol/server-memory"]);
/// let server = McpClient::spawn(server, ClientOptions::default()).await?;
/// let transport = McpTransport::new().with_server("memory", server, ToolNames::default());
/// let peers = PeerTable::new().with_transports(&"memory".parse()?, vec![TransportSettings::mcp("memory")]);
/// let client = Client::builder("me").transport(transport).peers(peers).build().await?;
/// # Ok(())
/// # }
/// ```
pub struct McpTransport {
    local: Arc<MemoryTransport>,
    servers: RwLock<BTreeMap<String, Arc<Server>>>,
    permits: Arc<Semaphore>,
    calls: Calls,
}

struct Server {
    client: McpClient,
    names: ToolNames,
}

impl McpTransport {
    /// A transport without servers.
    #[must_use]
    pub fn new() -> Self {
        let local = MemoryBroker::with_max_message(MAX_MESSAGE).connect();
        Self::over(local)
    }

    fn over(local: MemoryTransport) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_CALLS));
        Self { local: Arc::new(local), servers: RwLock::default(), permits, calls: Calls::default() }
    }

    /// Adds a server. It replaces an earlier one with the same address. The names are those of generated code or of a
    /// manifest: `my_server::CAPABILITIES` or `&manifest`; for capabilities without one, the tool has the name of the
    /// capability.
    #[must_use]
    pub fn with_server(self, address: impl Into<String>, client: McpClient, names: impl Into<ToolNames>) -> Self {
        let server = Arc::new(Server { client, names: names.into() });
        self.servers.write().unwrap_or_else(PoisonError::into_inner).insert(address.into(), server);
        self
    }

    /// Whether an address is the one of control messages to a server, which has no other place to send them.
    fn is_control(&self, address: &str) -> bool {
        address.strip_suffix(CONTROL).is_some_and(|requests| self.server(requests).is_some())
    }

    /// Follows a control message, which comes from a client of this program. Others than cancels are dropped.
    fn control(&self, text: &Bytes) {
        let Ok(message) = Envelope::decode(text) else { return };
        if message.kind() == MessageKind::Control && message.header(header::CONTROL) == Some(CANCEL) {
            self.calls.cancel(message.correlation_id(), message.caused_by());
        }
    }

    fn server(&self, address: &str) -> Option<Arc<Server>> {
        self.servers.read().unwrap_or_else(PoisonError::into_inner).get(address).cloned()
    }

    /// Starts the call of a request.
    fn start(&self, server: Arc<Server>, message: &Outgoing) -> Result<(), TransportError> {
        if self.local.health() == Health::Closed {
            return Err(TransportError::Closed);
        }
        if message.payload.len() > MAX_MESSAGE {
            return Err(TransportError::TooLarge { size: message.payload.len(), limit: MAX_MESSAGE });
        }
        let request = Envelope::decode(&message.payload)
            .map_err(|_| TransportError::Refused("the message is not the envelope of a request".to_owned()))?;
        let permit = Arc::clone(&self.permits).try_acquire_owned().map_err(|_| TransportError::Overloaded)?;
        let (local, reply_to) = (Arc::clone(&self.local), message.reply_to.clone());
        let running = self.calls.run(request.correlation_id(), request.message_id());
        tokio::spawn(async move {
            // Dropping the call cancels the request to the server.
            let result = tokio::select! {
                result = server.call(&request) => result,
                () = running.cancelled() => return,
            };
            drop((permit, running));
            let Some(address) = reply_to else { return };
            let too_large = |size: usize| {
                ErrorPayload::of(SERVER_FAILED, format!("the response has {size} bytes, which is too much"))
            };
            let Some(payload) = request.response(result) else { return };
            // A caller that does not wait any more gets nothing.
            if let Err(TransportError::TooLarge { size, .. }) = reply(&local, &address, payload).await
                && let Some(payload) = request.response(Err(too_large(size)))
            {
                let _ = reply(&local, &address, payload).await;
            }
        });
        Ok(())
    }
}

async fn reply(local: &MemoryTransport, address: &str, payload: Bytes) -> Result<(), TransportError> {
    let (address, message_id) = (address.to_owned(), String::new());
    let delivery = capgen_call::Delivery::AtMostOnce;
    local.publish(Outgoing { address, reply_to: None, payload, delivery, message_id }).await
}

impl Server {
    /// Calls the tool of a request.
    async fn call(&self, request: &Envelope) -> Result<Bytes, ErrorPayload> {
        let name = self.names.of(request);
        let remaining =
            request.deadline().map(|deadline| Duration::from_millis(deadline.saturating_sub(SystemClock.now_ms())));
        let payload = std::str::from_utf8(&request.payload).ok().and_then(|payload| payload.parse::<Json>().ok());
        let Some(payload) = payload else {
            return Err(ErrorPayload::of(code::INVALID_ENVELOPE, "the payload is not JSON"));
        };
        let tools = self.client.tools().await.map_err(failed)?;
        let version = request.header(header::VERSION).and_then(|version| version.parse().ok());
        let Some(tool) = tools.for_caller(name, version.as_ref()) else {
            let message = format!("the MCP server has no tool `{name}`");
            return Err(ErrorPayload::of(code::NO_CAPABILITY, message));
        };
        let traceparent = request.header(header::TRACEPARENT);
        match self.client.call_traced(tool.name(), payload, remaining, traceparent).await {
            Ok(ToolResult::Response(response)) => Ok(response.to_string().into()),
            Ok(ToolResult::Failed(text)) => Err(ErrorPayload::of(TOOL_FAILED, capgen_diagnostic::visible_lines(&text))),
            Ok(ToolResult::Error(error)) => Err(*error),
            Err(error) => Err(failed(error)),
        }
    }
}

/// The error of a call without a result.
fn failed(error: McpError) -> ErrorPayload {
    let (code, is_retryable) = match &error {
        McpError::Timeout(_) => (code::TIMEOUT, true),
        McpError::Connect(_) | McpError::Closed(_) => (code::NO_TRANSPORT, true),
        McpError::InputRequired => (INPUT_REQUIRED, false),
        McpError::Arguments(_) => (INVALID_ARGUMENTS, false),
        _ => (SERVER_FAILED, false),
    };
    ErrorPayload::of(code, capgen_diagnostic::visible_lines(&error.to_string())).with_retryable(is_retryable)
}

impl Default for McpTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for McpTransport {
    fn kind(&self) -> &'static str {
        "mcp"
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        if let Some(server) = self.server(&message.address) {
            let started = self.start(server, &message);
            return Box::pin(async { started });
        }
        if self.is_control(&message.address) {
            self.control(&message.payload);
            return Box::pin(async { Ok(()) });
        }
        self.local.publish(message)
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        if self.server(address).is_some() || self.is_control(address) {
            let reason = "an MCP server receives the messages to this address".to_owned();
            return Box::pin(async { Err(TransportError::Unsupported(reason)) });
        }
        self.local.subscribe(address, options)
    }

    fn new_inbox(&self) -> String {
        self.local.new_inbox()
    }

    fn max_message(&self) -> usize {
        MAX_MESSAGE
    }

    fn health(&self) -> Health {
        self.local.health()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.local.close()
    }
}

impl fmt::Debug for McpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpTransport").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use capgen_call::conformance;

    use super::*;

    #[tokio::test]
    async fn messages_to_other_addresses_pass_the_tests_of_transports() {
        let broker = MemoryBroker::with_max_message(MAX_MESSAGE);
        let report = conformance::run(&|| {
            let transport: Arc<dyn Transport> = Arc::new(McpTransport::over(broker.connect()));
            Box::pin(async { Ok(transport) })
        })
        .await;
        assert!(report.passed(), "{report}");
    }
}
