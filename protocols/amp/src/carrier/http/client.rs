//! The client.

use std::time::Duration;

use bytes::Bytes;
#[cfg(feature = "tls")]
use capgen_net::ClientTls;
use capgen_net::http::{Connection, Pool, ReadError, SendError, Whole, read};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use super::{CBOR, PATH, VERSION, VERSION_HEADER};
use crate::carrier::frame::DEFAULT_MAX_SIZE;
use crate::carrier::net::{Connector, Endpoint, InvalidUrl};
use crate::carrier::{Answers, BoxFuture, Peer, PeerError};

/// The largest text of an error that is read, in bytes. A reason is a sentence or two; the page of a proxy may be
/// longer, and only its start is of use.
const MAX_TEXT: usize = 16 * 1024;

/// The options of a client.
#[derive(Clone)]
pub struct ClientOptions {
    /// The largest answer, in bytes.
    pub max_msg_size: u32,
    /// The number of connections that wait for another request.
    pub max_idle: usize,
    /// The secret for `Authorization: Bearer`.
    pub token: Option<String>,
    /// The time until the server reads, for small amounts.
    pub write_timeout: Duration,
    /// The certificates that `https://` trusts.
    #[cfg(feature = "tls")]
    pub tls: Option<ClientTls>,
}

impl Default for ClientOptions {
    /// 16 MiB, 8 connections that wait, no token, 30 s for writes, no TLS.
    fn default() -> Self {
        Self {
            max_msg_size: DEFAULT_MAX_SIZE,
            // Each keeps a place of the server, which may close it at any time. Requests that overlap more often open
            // another one.
            max_idle: 8,
            token: None,
            write_timeout: Duration::from_secs(30),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

/// A client of the endpoint of one server. Each request has a connection of its own, which is used again. It needs the
/// runtime of tokio.
pub struct HttpPeer {
    connector: Connector,
    options: ClientOptions,
    host: HeaderValue,
    authorization: Option<HeaderValue>,
    pool: Pool,
}

impl HttpPeer {
    /// A client of `http://HOST[:PORT]` or `https://HOST[:PORT]`; the path of the endpoint is added. It does not
    /// connect yet.
    ///
    /// # Errors
    ///
    /// The URL has another form, its scheme is `https` and there is no TLS, or the token is not a header.
    pub fn new(url: &str, options: ClientOptions) -> Result<Self, InvalidUrl> {
        let endpoint = Endpoint::parse(url, [("http", Some(80)), ("https", Some(443))])?;
        let Endpoint { host, port, .. } = &endpoint;
        let host = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let host = HeaderValue::try_from(host).map_err(|_| InvalidUrl::new("the host is not a header"))?;
        let authorization = options.token.as_ref().map(|token| {
            let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        let authorization = match authorization {
            Some(None) => return Err(InvalidUrl::new("the token is not a header")),
            other => other.flatten(),
        };
        let connector = Connector {
            endpoint,
            write_timeout: options.write_timeout,
            #[cfg(feature = "tls")]
            tls: options.tls.clone(),
        };
        let pool = Pool::new(options.max_idle);
        Ok(Self { connector: connector.checked()?, options, host, authorization, pool })
    }

    fn message(&self, message: Bytes) -> Request<Whole> {
        let mut request = Request::new(Whole::new(message));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = hyper::Uri::from_static(PATH);
        let headers = request.headers_mut();
        headers.insert(HOST, self.host.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(CBOR));
        headers.insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        request
    }

    async fn exchange(&self, message: Bytes) -> Result<(Response<Incoming>, Option<Connection>), PeerError> {
        let sent = self.pool.send(self.message(message), self.connector.connect()).await;
        sent.map_err(|error| match error {
            SendError::Unreachable(reason) => PeerError::Unreachable(reason),
            SendError::Disconnected(reason) => PeerError::Disconnected(reason),
        })
    }

    async fn answer(&self, response: Response<Incoming>) -> Result<Answers, PeerError> {
        let status = response.status();
        let broken = |error| match error {
            ReadError::TooLarge => PeerError::Disconnected("the answer is too large".to_owned()),
            ReadError::Slow => PeerError::Timeout,
            ReadError::Broken(reason) => PeerError::Disconnected(reason),
        };
        if status == StatusCode::ACCEPTED {
            return Ok(Answers::one(None));
        }
        if status == StatusCode::OK {
            let max = usize::try_from(self.options.max_msg_size).unwrap_or(usize::MAX);
            let answer = read(response.into_body(), max).await.map_err(broken)?;
            return Ok(Answers::one(Some(answer)));
        }
        let text = read(response.into_body(), MAX_TEXT).await.unwrap_or_default();
        Err(refused(status, &String::from_utf8_lossy(&text)))
    }
}

impl Peer for HttpPeer {
    fn request(&self, message: Bytes, timeout: Duration) -> BoxFuture<'_, Result<Answers, PeerError>> {
        Box::pin(async move {
            let exchange = async {
                let (response, connection) = self.exchange(message).await?;
                let answers = self.answer(response).await?;
                self.pool.keep(connection);
                Ok(answers)
            };
            timeout_at(Instant::now() + timeout, exchange).await.unwrap_or(Err(PeerError::Timeout))
        })
    }
}

/// A text such as `1002 INVALID_SIGNATURE: ...` starts with the code.
fn refused(status: StatusCode, text: &str) -> PeerError {
    let (head, message) = text.split_once(": ").unwrap_or(("", text));
    match head.split(' ').next().and_then(|code| code.parse().ok()) {
        Some(code) => PeerError::Refused { code, message: message.to_owned() },
        None => PeerError::Refused { code: 0, message: format!("{status}: {text}") },
    }
}

impl std::fmt::Debug for HttpPeer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpPeer").field("endpoint", &self.connector.endpoint).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ClientOptions {
    /// Leaves out the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientOptions").field("max_msg_size", &self.max_msg_size).finish_non_exhaustive()
    }
}
