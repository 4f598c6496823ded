//! The client.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::body::{ReadError, Whole, read};
use super::{CBOR, PATH, VERSION, VERSION_HEADER};
use crate::carrier::frame::DEFAULT_MAX_SIZE;
use crate::carrier::net::{Connector, Endpoint, InvalidUrl};
#[cfg(feature = "tls")]
use crate::carrier::tls::ClientTls;
use crate::carrier::{Answers, BoxFuture, Peer, PeerError};

/// The largest text of an error that is read, in bytes.
const MAX_TEXT: u32 = 16 * 1024;

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
            max_idle: 8,
            token: None,
            write_timeout: Duration::from_secs(30),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

/// A client of the endpoint of one server. Each request has a connection of its own, which is used again. It needs the runtime of tokio.
pub struct HttpPeer {
    connector: Connector,
    options: ClientOptions,
    host: HeaderValue,
    authorization: Option<HeaderValue>,
    idle: Mutex<VecDeque<Connection>>,
}

/// A connection that takes one request after the other.
struct Connection {
    requests: SendRequest<Whole>,
    /// The task that writes the requests and reads the responses.
    driver: JoinHandle<hyper::Result<()>>,
}

impl Connection {
    /// Sends a request. The connection can take another one after the body of the response; `None` if it has ended.
    async fn send(
        mut self,
        request: Request<Whole>,
    ) -> (Result<Response<Incoming>, TrySendError<Request<Whole>>>, Option<Self>) {
        let response = self.requests.try_send_request(request);
        let Self { requests, mut driver } = self;
        let (response, requests) = response_or_end(response, &mut driver, requests).await;
        (response, requests.map(|requests| Self { requests, driver }))
    }
}

/// Waits for a response, and returns it with the sender of its request, if the driver has not ended.
///
/// A request that comes into the queue of the driver while the driver drops the queue remains in it until its sender is dropped. So the
/// sender is dropped when the driver has ended; then the request fails.
async fn response_or_end<R, S>(response: impl Future<Output = R>, driver: impl Future, sender: S) -> (R, Option<S>) {
    let mut response = pin!(response);
    tokio::select! {
        biased;
        response = &mut response => return (response, Some(sender)),
        _ = driver => drop(sender),
    }
    (response.await, None)
}

impl HttpPeer {
    /// A client of `http://HOST[:PORT]` or `https://HOST[:PORT]`; the path of the endpoint is added. It does not connect yet.
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
        Ok(Self { connector: connector.checked()?, options, host, authorization, idle: Mutex::default() })
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
        let mut request = self.message(message);
        // The server may end a connection at any time while it is idle. Then the request was not sent.
        while let Some(mut connection) = self.idle() {
            if connection.requests.ready().await.is_err() {
                continue;
            }
            match connection.send(request).await {
                (Ok(response), connection) => return Ok((response, connection)),
                (Err(mut error), _) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(PeerError::Disconnected(error.into_error().to_string())),
                },
            }
        }
        let unreachable = |error: &dyn std::error::Error| PeerError::Unreachable(error.to_string());
        let stream = self.connector.connect().await.map_err(|error| unreachable(&error))?;
        let (requests, driver) = handshake(TokioIo::new(stream)).await.map_err(|error| unreachable(&error))?;
        let connection = Connection { requests, driver: tokio::spawn(driver) };
        let (response, connection) = connection.send(request).await;
        let response = response.map_err(|error| PeerError::Disconnected(error.into_error().to_string()))?;
        Ok((response, connection))
    }

    fn idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|connection| !connection.requests.is_closed());
        idle.pop_back()
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.options.max_idle && !connection.requests.is_closed() {
            idle.push_back(connection);
        }
    }

    async fn answer(&self, response: Response<Incoming>, timeout: Duration) -> Result<Answers, PeerError> {
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
            let answer = read(response.into_body(), self.options.max_msg_size, timeout, None).await.map_err(broken)?.0;
            return Ok(Answers::one(Some(answer)));
        }
        let text = read(response.into_body(), MAX_TEXT, timeout, None).await.map(|(text, _)| text).unwrap_or_default();
        Err(refused(status, &String::from_utf8_lossy(&text)))
    }
}

impl Peer for HttpPeer {
    fn request(&self, message: Bytes, timeout: Duration) -> BoxFuture<'_, Result<Answers, PeerError>> {
        Box::pin(async move {
            let exchange = async {
                let (response, connection) = self.exchange(message).await?;
                let answers = self.answer(response, timeout).await?;
                if let Some(connection) = connection {
                    self.keep(connection);
                }
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

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::task::{Context, Poll, Waker};

    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn a_request_that_the_driver_has_left_in_its_queue_fails() {
        // The queue, which its sender keeps, has the request with the sender of the response.
        let (queue, response) = oneshot::channel::<()>();
        let mut outcome = pin!(response_or_end(response, ready(()), queue));
        let Poll::Ready((response, None)) = outcome.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("it waits for ever");
        };
        response.unwrap_err();
    }

    #[test]
    fn a_connection_that_has_not_ended_can_be_used_again() {
        let mut outcome = pin!(response_or_end(ready(1), pending::<()>(), "sender"));
        let outcome = outcome.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(outcome, Poll::Ready((1, Some("sender"))));
    }
}
