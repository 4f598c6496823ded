//! The server.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
#[cfg(feature = "tls")]
use capgen_net::ServerTls;
use capgen_net::http::{self, ReadError, Whole, receive};
use capgen_net::{Budget, Server, Stop};
use hyper::body::Incoming;
use hyper::header::{ALLOW, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::net::TcpListener;

use super::{CBOR, PATH, VERSION, VERSION_HEADER};
use crate::Code;
use crate::carrier::connection::Credentials;
use crate::carrier::frame::DEFAULT_MAX_SIZE;
use crate::carrier::net::{Accept, Limits, Stream, listen, pace};
use crate::carrier::{Authenticate, Handled, Service};
use crate::message::{Did, Rejection};

/// The options of a server.
#[derive(Clone)]
pub struct ServerOptions {
    /// The largest message, in bytes.
    pub max_msg_size: u32,
    /// The time for the head of a request, which is also the time that a connection may be idle.
    pub head_timeout: Duration,
    /// The time for the body of a small request.
    pub body_timeout: Duration,
    /// The limits of all connections. Each handles one request at a time.
    pub limits: Limits,
    /// Decides who clients are. Without it, they have no principal, and the header `Authorization` is ignored.
    pub authenticate: Option<Arc<dyn Authenticate>>,
    /// Serves `https://`.
    #[cfg(feature = "tls")]
    pub tls: Option<ServerTls>,
}

impl Default for ServerOptions {
    /// 16 MiB, 30 s for the head and the body, the default limits, no authentication, no TLS.
    fn default() -> Self {
        Self {
            max_msg_size: DEFAULT_MAX_SIZE,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            limits: Limits::default(),
            authenticate: None,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

/// Serves a service on a listener.
///
/// # Errors
///
/// The address of the listener is unknown.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub fn serve(listener: TcpListener, service: Arc<dyn Service>, options: ServerOptions) -> io::Result<Server> {
    let accept = Accept {
        limits: options.limits,
        #[cfg(feature = "tls")]
        tls: options.tls.clone(),
    };
    let budget = Budget::new(options.limits.max_memory);
    let endpoint = Arc::new(Endpoint { service, options, budget });
    listen(listener, accept, move |stream, stop| Box::pin(Arc::clone(&endpoint).connection(stream, stop)))
}

struct Endpoint {
    service: Arc<dyn Service>,
    options: ServerOptions,
    budget: Budget,
}

/// A status with a text.
type Refusal = (StatusCode, String);

impl Endpoint {
    async fn connection(self: Arc<Self>, stream: Stream, stop: Stop) {
        let options = http::Options { head_timeout: self.options.head_timeout, half_close: true };
        let stopping = stop.clone();
        http::serve(stream, options, stop, |request| {
            let (endpoint, is_stopping) = (Arc::clone(&self), stopping.is_stopped());
            async move { endpoint.respond(request, is_stopping).await }
        })
        .await;
    }

    async fn respond(&self, request: Request<Incoming>, is_stopping: bool) -> Response<Whole> {
        match self.handle(request, is_stopping).await {
            Ok(Handled::Answer(answer)) => response(StatusCode::OK, CBOR, answer),
            Ok(Handled::Nothing) => response(StatusCode::ACCEPTED, CBOR, Bytes::new()),
            Ok(Handled::Rejected(rejection)) => text(StatusCode::BAD_REQUEST, rejection.to_string()),
            Err((status, message)) => text(status, message),
        }
    }

    async fn handle(&self, request: Request<Incoming>, is_stopping: bool) -> Result<Handled, Refusal> {
        check(&request)?;
        if is_stopping {
            let rejection = Rejection::new(Code::Unavailable, "the server is shutting down");
            return Err((StatusCode::SERVICE_UNAVAILABLE, rejection.to_string()));
        }
        let principal = self.principal(request.headers()).await?;
        let ServerOptions { max_msg_size, body_timeout, .. } = self.options;
        let max = usize::try_from(max_msg_size).unwrap_or(usize::MAX);
        let received = receive(request.into_body(), max, pace(body_timeout), &self.budget).await;
        let (message, share) = received.map_err(|error| match error {
            ReadError::TooLarge => {
                let text = format!("the message is larger than {max_msg_size} bytes");
                (StatusCode::PAYLOAD_TOO_LARGE, Rejection::new(Code::InvalidMessage, text).to_string())
            }
            ReadError::Slow => (StatusCode::REQUEST_TIMEOUT, "the body came too slowly".to_owned()),
            ReadError::Broken(_) => (StatusCode::BAD_REQUEST, "the body is not complete".to_owned()),
        })?;
        // A task of its own: it continues if the client has gone, and a panic ends it alone.
        let handled = self.service.handle(message, principal);
        let handled = tokio::spawn(async move {
            let handled = handled.await;
            drop(share);
            handled
        });
        handled.await.map_err(|_| {
            let rejection = Rejection::new(Code::InternalError, "the message could not be handled");
            (StatusCode::INTERNAL_SERVER_ERROR, rejection.to_string())
        })
    }

    async fn principal(&self, headers: &HeaderMap) -> Result<Option<Did>, Refusal> {
        let Some(authenticate) = &self.options.authenticate else { return Ok(None) };
        let token = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        let credentials = Credentials { did: None, token: token.map(<[u8]>::to_vec) };
        authenticate.authenticate(credentials).await.map_err(|message| (StatusCode::UNAUTHORIZED, message))
    }
}

/// Checks all but the body.
fn check<B>(request: &Request<B>) -> Result<(), Refusal> {
    if request.uri().path() != PATH {
        return Err((StatusCode::NOT_FOUND, format!("the path is not {PATH}")));
    }
    if request.method() != Method::POST {
        return Err((StatusCode::METHOD_NOT_ALLOWED, "the method is not POST".to_owned()));
    }
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    // Parameters are ignored.
    let content_type = content_type.and_then(|value| value.split(';').next()).map(str::trim);
    if !content_type.is_some_and(|value| value.eq_ignore_ascii_case(CBOR)) {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("the Content-Type is not {CBOR}")));
    }
    // A client that does not state a version means this one.
    if request.headers().get(VERSION_HEADER).is_some_and(|version| version != VERSION) {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("{VERSION_HEADER} is not {VERSION}")));
    }
    Ok(())
}

fn text(status: StatusCode, message: String) -> Response<Whole> {
    let mut response = response(status, "text/plain; charset=utf-8", Bytes::from(message));
    let headers = response.headers_mut();
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("POST"));
    }
    // The rest of a body that was not read would be the start of the next request.
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn response(status: StatusCode, content_type: &'static str, body: Bytes) -> Response<Whole> {
    let has_body = !body.is_empty();
    let mut response = Response::new(Whole::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
    if has_body {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    response
}

impl std::fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut options = f.debug_struct("ServerOptions");
        options.field("max_msg_size", &self.max_msg_size).field("limits", &self.limits).finish_non_exhaustive()
    }
}
