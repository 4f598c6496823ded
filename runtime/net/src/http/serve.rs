//! The connections of a server.

use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Whole;
use crate::Stop;

/// The most bytes of the head of a request, and of a part of its body. Usual heads have a few KB, tokens included. Each
/// connection may use as much before its sender is known.
const MAX_HEAD: usize = 16 * 1024;

/// The most headers of a request. Usual requests have about 20, those of proxies included; one with more than this many
/// gets the status 431.
const MAX_HEADERS: usize = 64;

/// How requests are received.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The time for the head of a request, which is also the time that a connection may be idle.
    pub head_timeout: Duration,
    /// Whether a client that has ended its side still gets its answer. Otherwise the end drops the future of the
    /// answer.
    pub half_close: bool,
}

/// Answers the requests of a connection with a function, one after the other, until the client or the server ends it. A
/// request that is being answered when the server stops gets its answer.
pub async fn serve<S, F, A>(stream: S, options: Options, mut stop: Stop, respond: F)
where
    S: AsyncRead + AsyncWrite + Unpin,
    F: Fn(Request<Incoming>) -> A,
    A: Future<Output = Response<Whole>>,
{
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(options.head_timeout);
    http.max_buf_size(MAX_HEAD).max_headers(MAX_HEADERS).half_close(options.half_close);
    let service = hyper::service::service_fn(|request| {
        let response = respond(request);
        async move { Ok::<_, Infallible>(response.await) }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    // An error ends the connection; the client sees the end.
    tokio::select! {
        _ = &mut connection => return,
        () = stop.stopped() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
