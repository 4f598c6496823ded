//! The server.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_net::http::{self, Intake, ReadError, Whole};
use capgen_net::{Budget, Seat, Server, Stop};
use hyper::body::Incoming;
use hyper::header::{ALLOW, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::net::TcpListener;

use super::{CBOR, PATH, VERSION, VERSION_HEADER};
use crate::Code;
use crate::carrier::connection::Credentials;
use crate::carrier::net::{Handling, ServerOptions, Stream, listen, prove};
use crate::carrier::weight::weight;
use crate::carrier::{Handled, Service};
use crate::message::{Did, Rejection};

/// The time in which a client may read the reason for the end of its connection. It covers slow round trips, and a
/// client that does not read keeps its place for no more than this time.
const LINGER: Duration = Duration::from_secs(1);

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
    let accept = options.accept();
    let intake = Intake {
        max: usize::try_from(options.settings.max_msg_size()).unwrap_or(usize::MAX),
        window: Duration::from_millis(options.settings.frame_ms),
        proof: Some(Duration::from_millis(options.settings.proof_ms)),
        budget: Budget::memory(options.limits.max_memory, true),
    };
    let endpoint = Arc::new(Endpoint { service, options, intake });
    listen(listener, accept, move |stream, seat, stop| Box::pin(Arc::clone(&endpoint).connection(stream, seat, stop)))
}

struct Endpoint {
    service: Arc<dyn Service>,
    options: ServerOptions,
    intake: Intake,
}

/// A status with a text.
type Refusal = (StatusCode, String);

impl Endpoint {
    async fn connection(self: Arc<Self>, stream: Stream, seat: Seat, stop: Stop) {
        let options = http::Options { head_timeout: self.options.head_timeout, half_close: true };
        let stopping = stop.clone();
        let served = http::serve(stream, options, stop, |request| {
            let (endpoint, seat, is_stopping) = (Arc::clone(&self), seat.clone(), stopping.is_stopped());
            async move { endpoint.respond(request, &seat, is_stopping).await }
        });
        tokio::select! {
            // A client that is sending a message learns the reason from the response, also if both times are over.
            biased;
            () = served => {}
            () = seat.unproved(Duration::from_millis(self.options.settings.proof_ms) + LINGER) => {}
        }
    }

    async fn respond(&self, request: Request<Incoming>, seat: &Seat, is_stopping: bool) -> Response<Whole> {
        match self.handle(request, seat, is_stopping).await {
            Ok(Handled::Answer(answer)) => response(StatusCode::OK, CBOR, answer),
            Ok(Handled::Nothing) => response(StatusCode::ACCEPTED, CBOR, Bytes::new()),
            Ok(Handled::Rejected(rejection)) => text(StatusCode::BAD_REQUEST, rejection.to_string()),
            Err((status, message)) => text(status, message),
        }
    }

    async fn handle(&self, request: Request<Incoming>, seat: &Seat, is_stopping: bool) -> Result<Handled, Refusal> {
        check(&request)?;
        if is_stopping {
            let rejection = Rejection::new(Code::Unavailable, "the server is shutting down");
            return Err((StatusCode::SERVICE_UNAVAILABLE, rejection.to_string()));
        }
        let principal = self.principal(request.headers()).await?;
        if let Some(principal) = &principal {
            prove(seat, principal);
        }
        let settings = self.options.settings;
        let received = self.intake.receive(request.into_body(), seat).await;
        let (message, mut share) = received.map_err(|error| match error {
            ReadError::TooLarge => {
                let text = format!("the message is larger than {} bytes", settings.max_msg_size());
                (StatusCode::PAYLOAD_TOO_LARGE, Rejection::new(Code::InvalidMessage, text).to_string())
            }
            ReadError::Slow => {
                let text = format!(
                    "the body came too slowly: it must grow by 1 kB per second, and the first message of a connection, which proves the \
                     sender, must be complete in {} s",
                    Duration::from_millis(settings.proof_ms).as_secs_f32()
                );
                (StatusCode::REQUEST_TIMEOUT, text)
            }
            ReadError::Broken(_) => (StatusCode::BAD_REQUEST, "the body is not complete".to_owned()),
        })?;
        // A task of its own: it continues if the client has gone, and a panic ends it alone.
        let work = seat.work();
        share.grow(weight(&message)).await;
        let handling = Handling::new(self.service.as_ref(), message, principal, seat.clone(), share, work);
        tokio::spawn(handling.run()).await.map_err(|_| {
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
