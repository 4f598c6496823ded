//! Services around work that borrows from its caller.
//!
//! Layers build services once, which own everything, while the call that they wrap borrows from its client or its
//! server. Therefore, the innermost service only asks for the work: the call does it, and answers.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};
use tower_service::Service;

use crate::transport::BoxFuture;
use crate::wait::caught;

/// An error of any layer.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// A wish for the work of a call.
struct Wish<Request, Response, E> {
    request: Request,
    answer: oneshot::Sender<Result<Response, E>>,
}

/// Asks a call for its work.
pub(crate) struct Core<Request, Response, E>(mpsc::UnboundedSender<Wish<Request, Response, E>>);

impl<Request, Response, E> Clone for Core<Request, Response, E> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<Request, Response, E> Core<Request, Response, E> {
    /// The result of the work; `None` if the call has ended.
    pub(crate) async fn run(self, request: Request) -> Option<Result<Response, E>> {
        let (answer, result) = oneshot::channel();
        self.0.send(Wish { request, answer }).ok()?;
        // A clone would keep the call from noticing that no layer can ask any more.
        drop(self.0);
        result.await.ok()
    }
}

/// A service without its type.
pub(crate) trait Layered<Request, Response>: Send + Sync {
    fn call(&self, request: Request) -> BoxFuture<'static, Result<Response, BoxError>>;
}

/// A service that every call clones, as servers of tower do. In a mutex, because services need not be `Sync`.
struct Cloned<S>(Mutex<S>);

/// A service of any type.
pub(crate) fn erased<S, Request, Response>(service: S) -> impl Layered<Request, Response>
where
    S: Service<Request, Response = Response> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    Request: Send + 'static,
{
    Cloned(Mutex::new(service))
}

impl<S, Request, Response> Layered<Request, Response> for Cloned<S>
where
    S: Service<Request, Response = Response> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    Request: Send + 'static,
{
    fn call(&self, request: Request) -> BoxFuture<'static, Result<Response, BoxError>> {
        let mut service = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move {
            poll_fn(|task| service.poll_ready(task)).await.map_err(Into::into)?;
            service.call(request).await.map_err(Into::into)
        })
    }
}

/// The result of a request through layers, whose innermost service does `work`. Each wish is done in turn; the work of
/// one that no layer waits for any more is dropped. `None` if a layer panicked.
pub(crate) async fn driven<Request, Response, E, Fut>(
    request: impl FnOnce(Core<Request, Response, E>) -> BoxFuture<'static, Result<Response, BoxError>>,
    work: impl Fn(Request) -> Fut,
) -> Option<Result<Response, BoxError>>
where
    Fut: Future<Output = Result<Response, E>>,
{
    let (sender, mut wishes) = mpsc::unbounded_channel();
    let mut outer = pin!(caught(request(Core(sender))));
    loop {
        let Wish { request, mut answer } = tokio::select! {
            biased;
            result = &mut outer => return result,
            Some(wish) = wishes.recv() => wish,
        };
        if answer.is_closed() {
            continue;
        }
        let mut work = pin!(work(request));
        tokio::select! {
            biased;
            result = &mut outer => return result,
            result = &mut work => drop(answer.send(result)),
            () = answer.closed() => {}
        }
    }
}
