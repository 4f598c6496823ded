//! Streamable HTTP: each message of a client is a POST request, and each answer a JSON object. Nothing is kept for
//! sessions.
//!
//! | status | meaning |
//! |---|---|
//! | 200 | the answer to a request, which may be an error |
//! | 202 | a notification or a response was accepted; or the client has cancelled the request, which has no answer |
//! | 400 | the body is not a message, the revision is not supported, or headers and body differ |
//! | 401 | the token is missing or invalid |
//! | 403 | the header `Host` or `Origin` is not allowed |
//! | 404, 405 | another path, or an unknown method of the revision 2026-07-28; another HTTP method |
//! | 406, 415 | the client does not accept JSON; the body is not JSON |
//! | 408, 413 | the body came too slowly, is too large |
//! | 503 | there is no memory for the message, or no verifier of tokens at the moment |

mod bearer;
mod check;
mod session;

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_net::http::{self, Intake, ReadError, Whole};
use capgen_net::{Admission, Budget, Pace, Seat, Server, Share, Stop, Timed};
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::McpServer;
use super::batch::Answers;
use super::plan::{Plan, Task, unsupported};
use super::run::Sender;
use super::weight::weight;
use crate::calls::Calls;
use crate::http_names;
use crate::message::{Malformed, Message, Received, RpcError, code, error_response};
use crate::revision::Revision;

/// The slowest client that reads, in bytes per ms: 64 KiB per second. An answer stays in memory until its client has
/// read it, so clients must read faster than they must write.
const MIN_RATE: u64 = 64;

/// The options of an HTTP endpoint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The path of the endpoint.
    pub path: String,
    /// The names in the header `Host` that are allowed, with any port. A web page of an attacker whose name leads to
    /// this address has another one (DNS rebinding).
    pub allowed_hosts: Vec<String>,
    /// The values of the header `Origin` that are allowed, such as `https://app.example.com`. Web pages send it;
    /// programs do not.
    pub allowed_origins: Vec<String>,
    /// The number of connections. If all are in use, a new one takes the place of the one that has been idle for the
    /// longest time, of the address that has the most.
    pub max_connections: usize,
    /// The number of connections of one address; a further one is closed at once. `None`, the default, sets
    /// no limit, because it would refuse everyone behind one proxy, network address translation or loopback address.
    pub max_per_address: Option<usize>,
    /// The addresses of proxies, to which `max_per_address` does not apply.
    pub proxies: Vec<IpAddr>,
    /// The memory for messages that a sole address can use, in bytes: for those that arrive, and those that are
    /// handled, with their values and their answers until the client has read them. All addresses together use at most
    /// a quarter more, and one message in addition. While an address has its share, its messages of more than 64 KiB
    /// wait, for at most the time of a call.
    pub max_memory: usize,
    /// The time for the head of a request, which is also the time that a connection may be idle.
    pub head_timeout: Duration,
    /// The time in which a body must grow by 1 kB for each second of it, or be complete. Time that is spent waiting for
    /// memory does not count.
    pub body_timeout: Duration,
    /// The time until a client reads, for small amounts. Larger ones may take longer, at 64 KiB per second.
    pub write_timeout: Duration,
}

impl Default for HttpOptions {
    /// `/mcp`, only the hosts `localhost`, `127.0.0.1` and `[::1]`, no origins, 256 connections of any addresses, 256
    /// MiB, 30 s for heads and writes, 10 s for 10 kB of a body.
    fn default() -> Self {
        Self {
            path: "/mcp".to_owned(),
            allowed_hosts: ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).to_vec(),
            allowed_origins: Vec::new(),
            max_connections: 256,
            max_per_address: None,
            proxies: Vec::new(),
            max_memory: 256 << 20,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
        }
    }
}

impl McpServer {
    /// Serves clients on this machine over HTTP, at a port of 127.0.0.1; 0 for any free port. Needs the runtime of
    /// tokio.
    ///
    /// # Errors
    ///
    /// The port is not free.
    pub async fn listen(&self, port: u16, options: HttpOptions) -> io::Result<Server> {
        self.serve_http(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?, options)
    }

    /// Serves clients on a listener. For names other than this machine's, set [`HttpOptions::allowed_hosts`]. There is
    /// no encryption, and no authentication without [`tokens`](super::McpServerBuilder::tokens): put a proxy with both
    /// in front of an endpoint that others reach.
    ///
    /// # Errors
    ///
    /// The address of the listener is unknown.
    pub fn serve_http(&self, listener: TcpListener, options: HttpOptions) -> io::Result<Server> {
        let HttpOptions { max_connections, max_per_address, ref proxies, .. } = options;
        let admission = Admission { max_connections, max_per_host: max_per_address, proxies: proxies.clone() };
        let endpoint = Arc::new(Endpoint::new(self.clone(), options));
        capgen_net::listen(listener, admission, move |stream, seat, stop| {
            Arc::clone(&endpoint).connection(stream, seat, stop)
        })
    }
}

struct Endpoint {
    server: McpServer,
    options: HttpOptions,
    intake: Intake,
    /// The calls of sessions.
    calls: Calls,
}

/// An HTTP response to a message.
struct Answered {
    status: StatusCode,
    body: Bytes,
    /// The name of the session that it starts.
    session: Option<HeaderValue>,
}

/// An HTTP response without an answer of the protocol, or with an error of it.
struct Refusal {
    status: StatusCode,
    body: String,
    /// The value of `WWW-Authenticate`.
    challenge: Option<&'static str>,
}

impl Refusal {
    fn new(status: StatusCode, message: &str) -> Self {
        // A body of JSON-RPC without an id is allowed, and shows the reason.
        Self::of(status, error_response(None, &RpcError::new(code::INVALID_REQUEST, message)))
    }

    fn of(status: StatusCode, body: String) -> Self {
        Self { status, body, challenge: None }
    }
}

impl Endpoint {
    fn new(server: McpServer, options: HttpOptions) -> Self {
        let intake = Intake {
            max: server.limits().max_message,
            window: options.body_timeout,
            // The protocol has no proofs.
            proof: None,
            budget: Budget::memory(options.max_memory, false),
        };
        Self { server, options, intake, calls: Calls::default() }
    }

    async fn connection(self: Arc<Self>, stream: TcpStream, seat: Seat, stop: Stop) {
        let stream = Timed::new(stream, Pace::new(self.options.write_timeout, MIN_RATE));
        let options = http::Options { head_timeout: self.options.head_timeout, half_close: false };
        http::serve(stream, options, stop, |request| {
            let (endpoint, seat) = (Arc::clone(&self), seat.clone());
            async move { endpoint.respond(request, &seat).await }
        })
        .await;
    }

    /// Dropping the future, because the client has gone, ends the call.
    async fn respond(&self, request: Request<Incoming>, seat: &Seat) -> Response<Whole> {
        match self.handle(request, seat).await {
            Ok(Answered { status, body, session }) => {
                let mut response = response(status, body);
                response
                    .headers_mut()
                    .extend(session.map(|session| (HeaderName::from_static(http_names::SESSION), session)));
                response
            }
            Err(Refusal { status, body, challenge }) => {
                let mut response = response(status, Bytes::from(body));
                let headers = response.headers_mut();
                if status == StatusCode::METHOD_NOT_ALLOWED {
                    headers.insert(ALLOW, HeaderValue::from_static("POST"));
                }
                headers.extend(challenge.map(|challenge| (WWW_AUTHENTICATE, HeaderValue::from_static(challenge))));
                // The rest of a body that was not read would be the start of the next request.
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
                response
            }
        }
    }

    async fn handle(&self, request: Request<Incoming>, seat: &Seat) -> Result<Answered, Refusal> {
        check::head(&request, &self.options)?;
        let (head, body) = request.into_parts();
        // Before the body: a client without a token must not use memory for one.
        let sender = self.sender(&head.headers, seat).await?;
        let max = self.intake.max;
        let received = self.intake.receive(body, seat).await;
        // The share is that of the message until its answer has been read.
        let (text, mut share) = received.map_err(|error| match error {
            ReadError::TooLarge => {
                Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, &format!("the message has more than {max} bytes"))
            }
            ReadError::Slow => {
                Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body came too slowly: it must grow by 1 kB per second")
            }
            ReadError::Broken(_) => Refusal::new(StatusCode::BAD_REQUEST, "the body is not complete"),
        })?;
        let work = seat.work();
        self.room(&text, &mut share).await?;
        let answered = self.answer(&head, &text, sender).await?;
        Ok(Answered { body: share.keep(answered.body, work), ..answered })
    }

    /// Waits for the memory that a message needs while it is handled.
    async fn room(&self, text: &[u8], share: &mut Share) -> Result<(), Refusal> {
        let time = self.server.limits().timeout;
        timeout(time, share.grow(weight(text))).await.map_err(|_| {
            let message =
                format!("there was no memory for the message within {} s; send it again later", time.as_secs());
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, &message)
        })
    }

    async fn answer(&self, head: &Parts, text: &[u8], sender: Sender) -> Result<Answered, Refusal> {
        let stated = check::single(&head.headers, http_names::REVISION)?;
        // Clients of revisions without the header do not send it.
        let stated = stated.unwrap_or(Revision::V2025_03_26.as_str());
        let Some(revision) = Revision::from_name(stated) else {
            return Err(Refusal::of(StatusCode::BAD_REQUEST, error_response(None, &unsupported(stated))));
        };
        match Received::read(text) {
            Received::One(Ok(message)) => self.message(message, head, revision, sender).await,
            Received::One(Err(malformed)) => Err(Refusal::of(StatusCode::BAD_REQUEST, malformed.answer())),
            Received::Batch(messages) if revision == Revision::V2025_03_26 => {
                let session = session::of(&head.headers, revision)?;
                Ok(Answered::of(self.batch(messages, session, &sender).await))
            }
            Received::Batch(_) => Err(Refusal::new(StatusCode::BAD_REQUEST, "the revision has no batches")),
        }
    }

    /// Runs the messages of a batch. Dropping the future ends its calls.
    async fn batch(
        &self,
        messages: Vec<Result<Message, Malformed>>,
        session: Option<String>,
        sender: &Sender,
    ) -> Option<String> {
        let (mut answers, mut tasks) = (Answers::default(), JoinSet::new());
        for message in messages {
            match self.server.agent().plan_in_batch(message, Some(Revision::V2025_03_26)) {
                Plan::Answer { text, .. } => answers.push(text),
                Plan::Run(task) => {
                    let (running, place) = (self.run(task, session.as_deref(), sender.clone()), answers.place());
                    tasks.spawn(async move { running.await.map(|answer| place.send(answer)) });
                }
                Plan::Cancel(id) => self.cancel(session.as_deref(), id.as_text()),
                Plan::Nothing => {}
            }
        }
        answers.text().await
    }

    async fn message(
        &self,
        message: Message,
        head: &Parts,
        revision: Revision,
        sender: Sender,
    ) -> Result<Answered, Refusal> {
        let is_handshake = matches!(&message, Message::Request { method, .. } if method == "initialize");
        let is_stateless = match &message {
            Message::Request { id, method, params } if !is_handshake => {
                check::mirrored(id, method, params, &head.headers, revision)?
            }
            _ => false,
        };
        let session = session::of(&head.headers, revision)?;
        let mut shaken = Some(revision).filter(|revision| !revision.is_stateless());
        Ok(match self.server.agent().plan(Ok(message), &mut shaken) {
            Plan::Nothing => Answered::of(None),
            Plan::Cancel(id) => {
                self.cancel(session.as_deref(), id.as_text());
                Answered::of(None)
            }
            Plan::Answer { text, code: Some(code::METHOD_NOT_FOUND) } if is_stateless => {
                Answered { status: StatusCode::NOT_FOUND, ..Answered::of(Some(text)) }
            }
            Plan::Answer { text, code } => {
                let session = (is_handshake && code.is_none()).then(session::new).flatten();
                Answered { session, ..Answered::of(Some(text)) }
            }
            Plan::Run(task) => Answered::of(self.run(task, session.as_deref(), sender).await),
        })
    }

    /// Runs a request. `None` if its client cancels it. Dropping the future ends it too.
    fn run(
        &self,
        task: Task,
        session: Option<&str>,
        sender: Sender,
    ) -> impl Future<Output = Option<String>> + Send + use<> {
        let cancellable = session.map(|session| self.calls.run(session, task.id.as_text()));
        let running = self.server.runner().run(task, sender);
        async move {
            let Some(cancellable) = cancellable else { return Some(running.await) };
            tokio::select! {
                answer = running => Some(answer),
                () = cancellable.cancelled() => None,
            }
        }
    }

    /// Cancels a call of a session. Without one, nothing shows whose call is meant: other clients use the same ids.
    fn cancel(&self, session: Option<&str>, id: &str) {
        if let Some(session) = session {
            self.calls.cancel(session, Some(id));
        }
    }
}

impl Answered {
    /// An answer; without a text, the message was accepted.
    fn of(text: Option<String>) -> Self {
        let status = if text.is_some() { StatusCode::OK } else { StatusCode::ACCEPTED };
        Self { status, body: Bytes::from(text.unwrap_or_default()), session: None }
    }
}

fn response(status: StatusCode, body: Bytes) -> Response<Whole> {
    let has_body = !body.is_empty();
    let mut response = Response::new(Whole::new(body));
    *response.status_mut() = status;
    if has_body {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}
