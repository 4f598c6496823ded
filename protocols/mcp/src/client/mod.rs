//! The client of a server.
mod command;
mod http;
mod negotiate;
mod stdio;
mod tools;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capgen_schema::{Json, Object};

use crate::error::McpError;
use crate::header::MirroredParameter;
use crate::json::{object, string};
use crate::message::{self, RpcError, code};
use crate::meta::{self, Implementation};
use crate::revision::Revision;
pub use command::ServerCommand;
pub use http::HttpServer;
pub use negotiate::ServerInfo;
use negotiate::{Answer, Step, after_discover, after_initialize, discover_params, initialize_params};
use tools::Pages;
pub use tools::{ListLimits, Tool, ToolList, ToolResult};

/// The options of a client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The name and version of this program, which servers see.
    pub client: Implementation,
    /// The time for an answer, unless a call has its own.
    pub timeout: Duration,
    /// The time for the answer to the first request, which servers of older revisions may not answer; at most
    /// `timeout`. Then the negotiation goes on with the next request.
    pub probe_timeout: Duration,
    /// The largest message of a server, in bytes.
    pub max_message: usize,
    /// The limits of lists of tools.
    pub list: ListLimits,
}

impl Default for ClientOptions {
    /// The client `capgen`, 30 s for an answer, 10 s for the first one, 16 MiB.
    fn default() -> Self {
        Self {
            client: Implementation::new("capgen", env!("CARGO_PKG_VERSION")),
            timeout: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(10),
            max_message: 16 << 20,
            list: ListLimits::default(),
        }
    }
}

/// How many of the readers of results accept a result.
#[cfg(feature = "fuzz")]
pub(crate) fn accepting(result: &Json) -> usize {
    let steps = [after_discover(Answer::Result(result.clone())), after_initialize(Answer::Result(result.clone()))];
    let agreed = steps.iter().filter(|step| !matches!(step, Step::Fail(_))).count();
    let is_list = Pages::new(ListLimits::default()).add(result.clone()).is_ok();
    agreed + usize::from(is_list) + usize::from(ToolResult::read(result.clone(), None).is_ok())
}

/// How a server is reached.
#[derive(Clone, Debug)]
enum Place {
    Stdio(ServerCommand),
    Http(Arc<HttpServer>),
}

enum Channel {
    Stdio(Box<stdio::StdioChannel>),
    Http(Arc<http::HttpChannel>),
}

/// A request to a server.
struct Outbound {
    id: u64,
    method: &'static str,
    text: String,
    timeout: Duration,
    /// Whether the request is cancelled if the answer is no longer needed.
    is_cancellable: bool,
    /// For the headers of HTTP.
    headers: Headers,
}

/// The parts of a request that are headers over HTTP.
#[derive(Default)]
struct Headers {
    revision: Option<Revision>,
    /// The name of the tool.
    name: Option<String>,
    /// Names and values of parameters.
    parameters: Vec<(String, String)>,
}

/// A connection to a server. Clones are the same connection. Dropping the last one ends a server that is a child
/// process.
#[derive(Clone)]
pub struct McpClient(Arc<Inner>);

struct Inner {
    channel: Channel,
    options: ClientOptions,
    server: Mutex<ServerInfo>,
    next: AtomicU64,
    tools: tokio::sync::Mutex<Option<Arc<ToolList>>>,
}

impl McpClient {
    /// Starts a server as a child process, and agrees on a revision. Needs the runtime of tokio.
    ///
    /// # Errors
    ///
    /// The server does not start, ends or does not answer, or has no revision in common with this crate.
    pub async fn spawn(command: ServerCommand, options: ClientOptions) -> Result<Self, McpError> {
        Self::connect_to(Place::Stdio(command), options).await
    }

    /// Connects to a server over streamable HTTP, and agrees on a revision. Needs the runtime of tokio.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, rejects the client, or has no revision in common with this crate.
    pub async fn connect(server: HttpServer, options: ClientOptions) -> Result<Self, McpError> {
        Self::connect_to(Place::Http(Arc::new(server)), options).await
    }

    async fn connect_to(place: Place, options: ClientOptions) -> Result<Self, McpError> {
        let mut link = Link { channel: place.open(&options)?, next: 1 };
        let params = discover_params(&options.client);
        let time = options.probe_timeout.min(options.timeout);
        let answer = link.ask("server/discover", params, Some(Revision::V2026_07_28), time).await?;
        let has_ended = matches!(answer, Answer::End(_));
        let server = match after_discover(answer) {
            Step::Done(server) => server,
            Step::Fail(error) => return Err(error),
            Step::Initialize(revision) => {
                if has_ended {
                    link.channel = place.open(&options)?;
                }
                link.initialize(revision, &options).await?
            }
        };
        let Link { channel, next } = link;
        let (server, next, tools) = (Mutex::new(server), AtomicU64::new(next), tokio::sync::Mutex::default());
        Ok(Self(Arc::new(Inner { channel, options, server, next, tools })))
    }

    /// The name, the revision and the instructions of the server.
    #[must_use]
    pub fn server(&self) -> ServerInfo {
        self.0.server.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks for all pages of the list of tools. [`call_tool`](Self::call_tool) uses the last list. Over HTTP, the list
    /// leaves out tools whose `x-mcp-header` is invalid, as the protocol requires.
    ///
    /// # Errors
    ///
    /// The server fails, violates the protocol, or sends more than the limits allow.
    pub async fn list_tools(&self) -> Result<Arc<ToolList>, McpError> {
        let mut kept = self.0.tools.lock().await;
        let list = self.request_tools().await?;
        *kept = Some(Arc::clone(&list));
        Ok(list)
    }

    /// The tools of the last list; the server is asked if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`list_tools`](Self::list_tools).
    pub async fn tools(&self) -> Result<Arc<ToolList>, McpError> {
        let mut kept = self.0.tools.lock().await;
        if let Some(list) = &*kept {
            return Ok(Arc::clone(list));
        }
        let list = self.request_tools().await?;
        *kept = Some(Arc::clone(&list));
        Ok(list)
    }

    async fn request_tools(&self) -> Result<Arc<ToolList>, McpError> {
        let mut pages = Pages::new(self.0.options.list);
        let mut cursor: Option<String> = None;
        loop {
            let params = cursor.map(|cursor| ("cursor".to_owned(), Json::String(cursor)));
            let page = self.request("tools/list", params.into_iter().collect(), Headers::default(), None).await?;
            cursor = pages.add(page)?;
            if cursor.is_none() {
                let mut list = pages.finish(self.server());
                if self.0.channel.is_http() {
                    list.retain_valid_headers();
                }
                return Ok(Arc::new(list));
            }
        }
    }

    /// Calls a tool with the JSON of its request. Dropping the future cancels the call.
    ///
    /// The request is an object, unless the tool is an export of capgen whose requests are wrapped in one; then it is
    /// wrapped here, and the response is unwrapped.
    ///
    /// # Errors
    ///
    /// The request is not an object, or the server does not know the tool, fails, does not answer in time, or violates
    /// the protocol.
    pub async fn call_tool(
        &self,
        name: &str,
        request: Json,
        timeout: Option<Duration>,
    ) -> Result<ToolResult, McpError> {
        self.call_traced(name, request, timeout, None).await
    }

    /// Calls a tool, with the `traceparent` of the call if there is one.
    pub(crate) async fn call_traced(
        &self,
        name: &str,
        request: Json,
        timeout: Option<Duration>,
        traceparent: Option<&str>,
    ) -> Result<ToolResult, McpError> {
        let list = self.tools().await?;
        let call = |list: Arc<ToolList>, request: Json| async move {
            let tool = list.get(name);
            let (mut params, headers) = call_of(name, tool, request)?;
            let meta = traceparent.map(|traceparent| object([(meta::TRACEPARENT, string(traceparent))]));
            params.set("_meta", meta.filter(|_| self.server().revision.has_open_meta()));
            ToolResult::read(self.request("tools/call", params, headers, timeout).await?, tool)
        };
        match call(list, request.clone()).await {
            // The parameters that are headers may have changed.
            Err(McpError::Server(error)) if error.code == code::HEADER_MISMATCH => {
                call(self.list_tools().await?, request).await
            }
            result => result,
        }
    }

    /// Ends the connection. A server that is a child process gets some time to end.
    pub async fn close(&self) {
        match &self.0.channel {
            Channel::Stdio(channel) => channel.close().await,
            Channel::Http(channel) => channel.close().await,
        }
    }

    async fn request(
        &self,
        method: &'static str,
        mut params: Object,
        headers: Headers,
        timeout: Option<Duration>,
    ) -> Result<Json, McpError> {
        let Inner { options, channel, .. } = &*self.0;
        let revision = self.server().revision;
        if revision.is_stateless() {
            let own = params.get("_meta").cloned();
            params.set("_meta", Some(meta::of_request(revision, &options.client, own.as_ref())));
        }
        let id = self.next_id();
        let request = Outbound {
            id,
            method,
            text: message::request(id, method, Json::Object(params)),
            timeout: timeout.unwrap_or(options.timeout),
            is_cancellable: true,
            headers: Headers { revision: Some(revision), ..headers },
        };
        let answer = match channel.request(&request).await {
            Err(McpError::Closed(reason)) if reason == http::SESSION_ENDED => {
                let Channel::Http(channel) = channel else { return Err(McpError::Closed(reason)) };
                channel.renew(self.next_id(), revision, &options.client, options.timeout).await?;
                channel.request(&request).await
            }
            answer => answer,
        };
        answer?.map_err(McpError::Server)
    }

    fn next_id(&self) -> u64 {
        self.0.next.fetch_add(1, Ordering::Relaxed)
    }
}

/// The parameters and the headers of `tools/call`.
fn call_of(name: &str, tool: Option<&Tool>, request: Json) -> Result<(Object, Headers), McpError> {
    let arguments = match tool {
        Some(tool) => tool.arguments(request),
        None => request,
    };
    if arguments.as_object().is_none() {
        let name = capgen_diagnostic::cut_short(name, 100);
        return Err(McpError::Arguments(format!("the arguments of the tool `{name}` are not an object")));
    }
    let mirrored = tool.and_then(|tool| tool.mirrored.as_deref().ok()).unwrap_or_default();
    let header = |it: &MirroredParameter| Some((it.header.clone(), it.value(&arguments)?));
    let parameters = mirrored.iter().filter_map(header).collect();
    let params = [("name".to_owned(), string(name)), ("arguments".to_owned(), arguments)];
    Ok((params.into_iter().collect(), Headers { revision: None, name: Some(name.to_owned()), parameters }))
}

/// A channel during the negotiation.
struct Link {
    channel: Channel,
    next: u64,
}

impl Link {
    /// Sends a request of the negotiation.
    async fn ask(
        &mut self,
        method: &'static str,
        params: Json,
        revision: Option<Revision>,
        timeout: Duration,
    ) -> Result<Answer, McpError> {
        let id = self.next;
        self.next += 1;
        let headers = Headers { revision, ..Headers::default() };
        let text = message::request(id, method, params);
        let request = Outbound { id, method, text, timeout, is_cancellable: false, headers };
        match self.channel.request(&request).await {
            Ok(Ok(result)) => Ok(Answer::Result(result)),
            Ok(Err(error)) => Ok(Answer::Error(error)),
            Err(error @ (McpError::Timeout(_) | McpError::Protocol(_))) => Ok(Answer::Unusable(error)),
            Err(McpError::Http(status)) => Ok(Answer::Status(status)),
            Err(McpError::Closed(reason)) => Ok(Answer::End(reason)),
            Err(error) => Err(error),
        }
    }

    async fn initialize(&mut self, revision: Revision, options: &ClientOptions) -> Result<ServerInfo, McpError> {
        let params = initialize_params(revision, &options.client);
        let answer = self.ask("initialize", params, None, options.timeout).await?;
        let server = match after_initialize(answer) {
            Step::Done(server) => server,
            Step::Fail(error) => return Err(error),
            Step::Initialize(_) => return Err(McpError::Protocol("the handshake does not end".to_owned())),
        };
        let text = message::notification("notifications/initialized", None);
        match &self.channel {
            Channel::Stdio(channel) => channel.send(text).await?,
            Channel::Http(channel) => channel.notify(text, server.revision, options.timeout).await?,
        }
        Ok(server)
    }
}

impl Place {
    fn open(&self, options: &ClientOptions) -> Result<Channel, McpError> {
        Ok(match self {
            Self::Stdio(command) => Channel::Stdio(Box::new(stdio::StdioChannel::spawn(command, options.max_message)?)),
            Self::Http(server) => {
                Channel::Http(Arc::new(http::HttpChannel::new(Arc::clone(server), options.max_message)))
            }
        })
    }
}

impl Channel {
    async fn request(&self, request: &Outbound) -> Result<Result<Json, RpcError>, McpError> {
        match self {
            Self::Stdio(channel) => channel.request(request).await,
            Self::Http(channel) => channel.request(request).await,
        }
    }

    fn is_http(&self) -> bool {
        !matches!(self, Self::Stdio(_))
    }
}

/// The notification that the answer to a request is not needed. `id` is JSON.
fn cancelled(id: &str) -> String {
    let params = object([("requestId", id.parse().unwrap_or(Json::Null))]);
    message::notification("notifications/cancelled", Some(params))
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("server", &self.server()).finish_non_exhaustive()
    }
}
