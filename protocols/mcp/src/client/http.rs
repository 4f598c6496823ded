//! A server behind an HTTP endpoint: streamable HTTP, where each message of the client is a POST request.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use capgen_diagnostic::cut_short;
#[cfg(feature = "tls")]
use capgen_net::ClientTls;
use capgen_net::Io;
use capgen_net::http::{Connection, Pool, ReadError, SendError, Whole, read};
use capgen_schema::Json;
use hyper::body::{Body as _, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderName, HeaderValue, LOCATION};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::net::TcpStream;
#[cfg(feature = "tls")]
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::negotiate::{Answer, Step, after_initialize, initialize_params};
use super::stdio::answer;
use super::{Headers, Outbound, cancelled};
use crate::error::McpError;
use crate::header::encode;
use crate::http_names::{METHOD, NAME, REVISION, SESSION};
use crate::message::{Message, Received, RequestId, RpcError, Shape, notification, request};
use crate::meta::Implementation;
use crate::revision::Revision;
use crate::sse::EventReader;

/// The most bytes of an answer that is not one of the protocol, of which only the status matters. It is read so that
/// the connection can be used again; a longer body costs more than a new connection.
const MAX_OTHER: usize = 64 * 1024;

/// The connections that wait for another request. Calls one after the other need one; after a burst of calls, the other
/// connections are closed.
const MAX_IDLE: usize = 4;

/// The endpoint of a server. Redirects are not followed.
#[derive(Clone)]
pub struct HttpServer {
    is_encrypted: bool,
    host: String,
    port: u16,
    path: String,
    authority: HeaderValue,
    headers: HeaderMap,
    /// Those of the system, from the first connection on, if there are no others.
    #[cfg(feature = "tls")]
    tls: OnceCell<ClientTls>,
}

impl HttpServer {
    /// The endpoint of a URL such as `http://localhost:3000/mcp`.
    ///
    /// # Errors
    ///
    /// The URL has another scheme than `http` or `https`, no host, or a user.
    pub fn new(url: &str) -> Result<Self, McpError> {
        let invalid = |reason: &str| McpError::Connect(format!("the URL is not http://HOST[:PORT]/PATH: {reason}"));
        let uri: hyper::Uri = url.parse().map_err(|_| invalid("it is not a URL"))?;
        let (is_encrypted, default) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") => (true, 443),
            _ => return Err(invalid("the scheme is another one")),
        };
        let authority = uri.authority().ok_or_else(|| invalid("the host is missing"))?;
        if authority.as_str().contains('@') {
            return Err(invalid("it contains a user"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(invalid("the host is missing"));
        }
        // `Authority::port` leaves out an invalid port.
        let port = match authority.as_str().strip_prefix(authority.host()).unwrap_or_default().strip_prefix(':') {
            None => default,
            Some(port) => port.parse().map_err(|_| invalid("the port is not a number up to 65535"))?,
        };
        let value = HeaderValue::try_from(authority.as_str()).map_err(|_| invalid("the host is not a header"))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self {
            is_encrypted,
            host,
            port,
            path,
            authority: value,
            headers: HeaderMap::new(),
            #[cfg(feature = "tls")]
            tls: OnceCell::new(),
        })
    }

    /// Adds a header to each request, such as `Authorization`. No message shows its value.
    ///
    /// # Errors
    ///
    /// The name or the value is not a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, McpError> {
        let invalid = || McpError::Connect("the header is invalid".to_owned());
        let name = HeaderName::try_from(name).map_err(|_| invalid())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| invalid())?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }

    /// The certificates that `https://` trusts, instead of those that the operating system trusts.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(self, tls: ClientTls) -> Self {
        Self { tls: OnceCell::new_with(Some(tls)), ..self }
    }

    async fn open(&self) -> io::Result<Box<dyn Io>> {
        #[cfg(not(feature = "tls"))]
        if self.is_encrypted {
            return Err(io::Error::other("https:// needs the feature `tls`"));
        }
        #[cfg(feature = "tls")]
        let tls = if self.is_encrypted { Some(self.tls.get_or_try_init(system).await?) } else { None };
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        stream.set_nodelay(true)?;
        #[cfg(feature = "tls")]
        if let Some(tls) = tls {
            return Ok(Box::new(tls.connect(&self.host, stream).await?));
        }
        Ok(Box::new(stream))
    }
}

/// The certificates of the system, which are in files.
#[cfg(feature = "tls")]
async fn system() -> io::Result<ClientTls> {
    tokio::task::spawn_blocking(ClientTls::system).await.map_err(io::Error::other)?.map_err(io::Error::other)
}

impl fmt::Debug for HttpServer {
    /// Leaves out the headers, and the path, which may contain a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

/// A server and the session with it.
pub(super) struct HttpChannel {
    server: Arc<HttpServer>,
    max_message: usize,
    pool: Pool,
    /// The session of revisions before 2026-07-28.
    session: Mutex<Option<HeaderValue>>,
}

/// Cancels a request to a server of an older revision, if it is dropped before the answer. To newer servers, the end of
/// the connection means the same.
struct Cancel {
    channel: Arc<HttpChannel>,
    id: u64,
    revision: Revision,
    is_over: bool,
}

impl HttpChannel {
    pub(super) fn new(server: Arc<HttpServer>, max_message: usize) -> Self {
        Self { server, max_message, pool: Pool::new(MAX_IDLE), session: Mutex::default() }
    }

    fn session(&self) -> std::sync::MutexGuard<'_, Option<HeaderValue>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(self: &Arc<Self>, request: &Outbound) -> Result<Result<Json, RpcError>, McpError> {
        let revision = request.headers.revision.filter(|revision| !revision.is_stateless() && request.is_cancellable);
        let mut cancel =
            revision.map(|revision| Cancel { channel: Arc::clone(self), id: request.id, revision, is_over: false });
        let answer = timeout(request.timeout, self.exchange(request)).await;
        if let (Some(cancel), Ok(_)) = (&mut cancel, &answer) {
            cancel.is_over = true;
        }
        answer.unwrap_or(Err(McpError::Timeout(None)))
    }

    async fn exchange(&self, request: &Outbound) -> Result<Result<Json, RpcError>, McpError> {
        let had_session = self.session().is_some();
        let (response, connection) = self.post(&request.text, request.method, &request.headers).await?;
        // The server has ended the session, or was started again.
        if response.status() == StatusCode::NOT_FOUND && had_session && request.is_cancellable {
            return Err(McpError::Closed(SESSION_ENDED.to_owned()));
        }
        if request.method == "initialize"
            && let Some(session) = response.headers().get(SESSION)
        {
            *self.session() = Some(session.clone());
        }
        let answer = self.receive(response, &RequestId::number(request.id), request.headers.revision).await;
        if answer.is_ok() {
            self.pool.keep(connection);
        }
        answer
    }

    /// Sends a message that has no answer.
    pub(super) async fn notify(&self, text: String, revision: Revision, time: Duration) -> Result<(), McpError> {
        let headers = Headers { revision: Some(revision), ..Headers::default() };
        let exchange = async {
            let (response, connection) = self.post(&text, "", &headers).await?;
            let status = response.status();
            if read(response.into_body(), MAX_OTHER).await.is_ok() {
                self.pool.keep(connection);
            }
            if status.is_success() { Ok(()) } else { Err(McpError::Http(status.as_u16())) }
        };
        timeout(time, exchange).await.unwrap_or(Err(McpError::Timeout(None)))
    }

    /// A new session after the server has ended the last one.
    pub(super) async fn renew(
        &self,
        id: u64,
        revision: Revision,
        client: &Implementation,
        time: Duration,
    ) -> Result<(), McpError> {
        *self.session() = None;
        let text = request(id, "initialize", initialize_params(revision, client));
        let outbound = Outbound {
            id,
            method: "initialize",
            text,
            timeout: time,
            is_cancellable: false,
            headers: Headers::default(),
        };
        let answer = match timeout(time, self.exchange(&outbound)).await.unwrap_or(Err(McpError::Timeout(None)))? {
            Ok(result) => Answer::Result(result),
            Err(error) => Answer::Error(error),
        };
        match after_initialize(answer) {
            Step::Done(server) if server.revision == revision => {
                self.notify(notification("notifications/initialized", None), revision, time).await
            }
            Step::Fail(error) => Err(error),
            _ => Err(McpError::Protocol("the server has changed its revision".to_owned())),
        }
    }

    /// Ends the session.
    pub(super) async fn close(&self) {
        let Some(session) = self.session().take() else { return };
        let mut request = Request::new(Whole::new(Bytes::new()));
        *request.method_mut() = Method::DELETE;
        if self.address(&mut request).is_ok() {
            request.headers_mut().insert(SESSION, session);
            // The server may not support it.
            let _ = timeout(Duration::from_secs(2), self.send(request)).await;
        }
    }

    fn address(&self, request: &mut Request<Whole>) -> Result<(), McpError> {
        let invalid = |_| McpError::Connect("the path of the URL is invalid".to_owned());
        *request.uri_mut() = self.server.path.parse().map_err(invalid)?;
        let headers = request.headers_mut();
        headers.extend(self.server.headers.clone());
        headers.insert(HOST, self.server.authority.clone());
        Ok(())
    }

    async fn post(
        &self,
        text: &str,
        method: &str,
        parts: &Headers,
    ) -> Result<(Response<Incoming>, Option<Connection>), McpError> {
        let mut request = Request::new(Whole::new(Bytes::copy_from_slice(text.as_bytes())));
        *request.method_mut() = Method::POST;
        self.address(&mut request)?;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if let Some(session) = &*self.session() {
            headers.insert(SESSION, session.clone());
        }
        if let Some(revision) = parts.revision.filter(|revision| *revision >= Revision::V2025_06_18) {
            headers.insert(REVISION, HeaderValue::from_static(revision.as_str()));
            if revision.is_stateless() {
                mirror(headers, method, parts)?;
            }
        }
        self.send(request).await
    }

    async fn send(&self, request: Request<Whole>) -> Result<(Response<Incoming>, Option<Connection>), McpError> {
        self.pool.send(request, self.server.open()).await.map_err(|error| match error {
            SendError::Unreachable(reason) => McpError::Connect(reason),
            SendError::Disconnected(reason) => McpError::Closed(reason),
        })
    }

    /// The answer in a response.
    async fn receive(
        &self,
        response: Response<Incoming>,
        id: &RequestId,
        revision: Option<Revision>,
    ) -> Result<Result<Json, RpcError>, McpError> {
        let status = response.status();
        if let Some(location) = response.headers().get(LOCATION).filter(|_| status.is_redirection()) {
            // Only characters of ASCII without controls.
            let location = location.to_str().unwrap_or_default();
            let url = cut_short(&capgen_diagnostic::public_url(location), 200).into_owned();
            return Err(McpError::Redirect(status.as_u16(), url));
        }
        let content_type =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let content_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if status.is_success() && content_type == "text/event-stream" {
            return self.receive_events(response.into_body(), id, revision).await;
        }
        let max = if status.is_success() { self.max_message } else { MAX_OTHER };
        let body = read(response.into_body(), max).await.map_err(|error| self.unread(error))?;
        let messages = (content_type == "application/json").then(|| Received::read_of_server(&body).into_messages());
        for message in messages.into_iter().flatten() {
            match message {
                Ok(Message::Response { id: Some(other), outcome }) if other == *id => return Ok(outcome),
                // The id could not be read, or the error is about the headers.
                Ok(Message::Response { id: None, outcome: Err(error) }) => return Ok(Err(error)),
                Err(malformed) if status.is_success() => return Err(McpError::unread(&malformed)),
                _ => {}
            }
        }
        if status.is_success() {
            return Err(McpError::Protocol("the HTTP response has no answer to the request".to_owned()));
        }
        Err(McpError::Http(status.as_u16()))
    }

    async fn receive_events(
        &self,
        mut body: Incoming,
        id: &RequestId,
        revision: Option<Revision>,
    ) -> Result<Result<Json, RpcError>, McpError> {
        let mut reader = EventReader::new(self.max_message);
        loop {
            let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
            let frame = match frame {
                None => return Err(McpError::Closed("the stream of events ended before the answer".to_owned())),
                Some(Err(error)) => return Err(McpError::Closed(error.to_string())),
                Some(Ok(frame)) => frame,
            };
            let Ok(data) = frame.into_data() else { continue };
            let events = reader.push(&data).map_err(|_| self.unread(ReadError::TooLarge))?;
            for message in events.iter().flat_map(|event| Received::read_of_server(event).into_messages()) {
                match message {
                    Ok(Message::Response { id: Some(other), outcome }) if other == *id => return Ok(outcome),
                    Err(malformed) if malformed.shape == Shape::Response => return Err(McpError::unread(&malformed)),
                    Ok(Message::Request { id, method, .. }) => {
                        // A server that does not accept the answer waits for it, which its timeout ends.
                        let revision = revision.unwrap_or(Revision::V2025_03_26);
                        let _ = Box::pin(self.notify(answer(&id, &method), revision, ANSWER)).await;
                    }
                    _ => {}
                }
            }
        }
    }

    fn unread(&self, error: ReadError) -> McpError {
        match error {
            ReadError::TooLarge => McpError::Limit(format!("a message of more than {} bytes", self.max_message)),
            ReadError::Slow => McpError::Timeout(None),
            ReadError::Broken(reason) => McpError::Closed(reason),
        }
    }
}

/// The time for the answer to a request of the server. A call waits for it, and no result depends on it, so a server
/// that does not accept it must not delay calls for long.
const ANSWER: Duration = Duration::from_secs(5);

/// The reason of [`McpError::Closed`] if the server does not know the session.
pub(super) const SESSION_ENDED: &str = "the session ended";

/// The headers of the revision 2026-07-28.
fn mirror(headers: &mut HeaderMap, method: &str, parts: &Headers) -> Result<(), McpError> {
    let invalid = || McpError::Protocol("a parameter of the tool cannot be a header".to_owned());
    let value = |text: &str| HeaderValue::try_from(text).map_err(|_| invalid());
    headers.insert(METHOD, value(method)?);
    if let Some(name) = &parts.name {
        headers.insert(NAME, value(&encode(name))?);
    }
    for (name, text) in &parts.parameters {
        headers.insert(HeaderName::try_from(name).map_err(|_| invalid())?, value(text)?);
    }
    Ok(())
}

impl Drop for Cancel {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !self.is_over {
            let (channel, revision) = (Arc::clone(&self.channel), self.revision);
            let text = cancelled(&self.id.to_string());
            runtime.spawn(async move { channel.notify(text, revision, ANSWER).await });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let server = HttpServer::new("http://localhost:3000/mcp?x=1").unwrap();
        assert_eq!((server.host.as_str(), server.port, server.path.as_str()), ("localhost", 3000, "/mcp?x=1"));
        let server = HttpServer::new("https://[::1]").unwrap();
        assert_eq!((server.host.as_str(), server.port, server.path.as_str()), ("::1", 443, "/"));
        for url in [
            "",
            "localhost",
            "ftp://a",
            "http://",
            "http://u:p@a/",
            "http://a:x/",
            "http://a:70000/",
            "/mcp",
            "http://a b/",
        ] {
            assert!(HttpServer::new(url).is_err(), "{url}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let server =
            HttpServer::new("http://localhost/token-1").unwrap().header("Authorization", "Bearer token-2").unwrap();
        assert!(!format!("{server:?}").contains("token"));
        assert!(!format!("{:?}", server.clone().header("a b", "token-3").unwrap_err()).contains("token"));
    }
}
