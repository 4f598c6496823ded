//! The connections of a client to one server.

use std::collections::VecDeque;
use std::io;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;

use super::Whole;

/// The connections to one server that wait for another request.
#[derive(Debug)]
pub struct Pool {
    idle: Mutex<VecDeque<Connection>>,
    max_idle: usize,
}

/// A connection that takes one request after the other. Dropping it ends it.
#[derive(Debug)]
pub struct Connection {
    requests: SendRequest<Whole>,
    /// The task that writes the requests and reads the responses.
    driver: JoinHandle<hyper::Result<()>>,
}

/// Why there is no response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SendError {
    /// The server cannot be reached; the request was not sent.
    Unreachable(String),
    /// The connection has ended. The server may have received the request.
    Disconnected(String),
}

impl Pool {
    /// Keeps at most so many connections.
    #[must_use]
    pub const fn new(max_idle: usize) -> Self {
        Self { idle: Mutex::new(VecDeque::new()), max_idle }
    }

    /// Sends a request over a connection that waits, or over a new one. After the body of the response was read, the
    /// connection can be [kept](Self::keep), if it has not ended.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or the connection ends before the head of a response.
    pub async fn send<S>(
        &self,
        mut request: Request<Whole>,
        connect: impl Future<Output = io::Result<S>>,
    ) -> Result<(Response<Incoming>, Option<Connection>), SendError>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        // The server may end a connection at any time while it is idle. Then the request was not sent.
        while let Some(mut connection) = self.take() {
            if connection.requests.ready().await.is_err() {
                continue;
            }
            match connection.send(request).await {
                (Ok(response), connection) => return Ok((response, connection)),
                (Err(mut error), _) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(SendError::Disconnected(error.into_error().to_string())),
                },
            }
        }
        let stream = connect.await.map_err(|error| SendError::Unreachable(error.to_string()))?;
        let opened = handshake(TokioIo::new(stream)).await;
        let (requests, driver) = opened.map_err(|error| SendError::Unreachable(error.to_string()))?;
        let connection = Connection { requests, driver: tokio::spawn(driver) };
        let (response, connection) = connection.send(request).await;
        let response = response.map_err(|error| SendError::Disconnected(error.into_error().to_string()))?;
        Ok((response, connection))
    }

    /// Keeps a connection for another request, if there is room.
    pub fn keep(&self, connection: Option<Connection>) {
        let mut idle = self.idle();
        idle.retain(|connection| !connection.requests.is_closed());
        if let Some(connection) = connection.filter(|connection| !connection.requests.is_closed())
            && idle.len() < self.max_idle
        {
            idle.push_back(connection);
        }
    }

    fn take(&self) -> Option<Connection> {
        let mut idle = self.idle();
        idle.retain(|connection| !connection.requests.is_closed());
        idle.pop_back()
    }

    fn idle(&self) -> MutexGuard<'_, VecDeque<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
/// A request that comes into the queue of the driver while the driver drops the queue remains in it until its sender is
/// dropped. So the sender is dropped when the driver has ended; then the request fails.
async fn response_or_end<R, S>(response: impl Future<Output = R>, driver: impl Future, sender: S) -> (R, Option<S>) {
    let mut response = pin!(response);
    tokio::select! {
        biased;
        response = &mut response => return (response, Some(sender)),
        _ = driver => drop(sender),
    }
    (response.await, None)
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
