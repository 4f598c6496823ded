//! Layers around the handlers of an agent.

use std::fmt;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use bytes::Bytes;
use tower_layer::Layer;
use tower_service::Service;

use super::respond::Answer;
use super::run_error::RunError;
use crate::context::Context;
use crate::failure::Failure;
use crate::layered::{BoxError, Core, Layered, driven, erased};
use crate::outcome::code;
use crate::transport::BoxFuture;

/// A request that is being served, as the request of the layers around handlers. It comes from a caller that may call
/// the capability; its payload is not validated yet.
///
/// A clone is the same request. A layer that calls the inner service again runs the handler again.
#[derive(Clone)]
pub struct ServedRequest {
    context: Context,
    payload: Bytes,
    core: Core<Self, ServedResponse, ServeError>,
}

/// The valid response to a request.
pub struct ServedResponse(Served);

/// A response as a server sends it, or as [`Handlers::run`](crate::Handlers::run) returns it.
enum Served {
    Answer(Answer),
    Text(Bytes),
}

/// Why a request has no response: a [`Failure`] of its handler, or a violation of a payload, or another error of the
/// server such as `EVERSION_SKEW`. Layers may return their own [`Failure`]s.
///
/// An error of any other type is `EAGENTRPC_HANDLER_FAILED` for the caller, and goes to the log.
pub struct ServeError {
    code: String,
    message: String,
    retryable: bool,
    origin: Box<Origin>,
}

/// An error as a server sends it, or as [`Handlers::run`](crate::Handlers::run) returns it.
enum Origin {
    Answer(Answer),
    Run(RunError),
}

/// The innermost service of the layers of an agent, which validates the request, runs the handler and validates the
/// response.
#[derive(Clone)]
pub struct HandlerService(Option<Arc<dyn Layered<ServedRequest, ServedResponse>>>);

/// The layers of an agent.
pub(super) type HandlerLayers = Arc<dyn Layered<ServedRequest, ServedResponse>>;

/// Adds a layer around those that there are.
pub(super) fn with_layer<L>(inner: Option<HandlerLayers>, layer: &L) -> HandlerLayers
where
    L: Layer<HandlerService>,
    L::Service: Service<ServedRequest, Response = ServedResponse> + Clone + Send + 'static,
    <L::Service as Service<ServedRequest>>::Error: Into<BoxError>,
    <L::Service as Service<ServedRequest>>::Future: Send,
{
    Arc::new(erased(layer.layer(HandlerService(inner))))
}

/// The answer to a request through layers. `work` gives it without them.
pub(super) async fn answered<Fut>(
    layers: &HandlerLayers,
    context: Context,
    payload: Bytes,
    work: impl Fn() -> Fut,
) -> Answer
where
    Fut: Future<Output = Answer>,
{
    let run = |_| async {
        let answer = work().await;
        if answer.code.is_none() { Ok(ServedResponse(Served::Answer(answer))) } else { Err(ServeError::of(answer)) }
    };
    let result = driven(|core| layers.call(ServedRequest { context, payload, core }), run).await;
    match result {
        Some(Ok(ServedResponse(Served::Answer(answer)))) => answer,
        Some(Ok(ServedResponse(Served::Text(payload)))) => Answer::ok(payload),
        Some(Err(error)) => {
            let error = error_of(error);
            match *error.origin {
                Origin::Answer(answer) => answer,
                Origin::Run(RunError::Failure(failure)) => Answer::failure(failure),
                Origin::Run(_) => Answer::failure(Failure::handler_failed(error.message)),
            }
        }
        None => Answer::panicked(),
    }
}

/// The text of the response to a request through layers, without a server.
pub(super) async fn ran<Fut>(
    layers: HandlerLayers,
    context: Context,
    payload: Bytes,
    work: impl Fn() -> Fut,
) -> Result<Bytes, RunError>
where
    Fut: Future<Output = Result<Bytes, RunError>>,
{
    let run = |_| async {
        let result = work().await;
        result.map(|payload| ServedResponse(Served::Text(payload))).map_err(ServeError::from)
    };
    let result = driven(|core| layers.call(ServedRequest { context, payload, core }), run).await;
    match result {
        Some(Ok(ServedResponse(Served::Text(payload)))) => Ok(payload),
        Some(Ok(ServedResponse(Served::Answer(answer)))) => Ok(answer.payload),
        Some(Err(error)) => {
            let error = error_of(error);
            Err(match *error.origin {
                Origin::Run(error) => error,
                Origin::Answer(_) => RunError::Failure(Failure::handler_failed(error.message)),
            })
        }
        None => Err(RunError::Failure(Failure::handler_failed("a layer panicked".to_owned()))),
    }
}

/// The error of the handler or, if a layer failed by itself, its failure.
fn error_of(error: BoxError) -> ServeError {
    let error = match error.downcast::<ServeError>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    match error.downcast::<Failure>() {
        Ok(failure) => (*failure).into(),
        // Its text may be for the log only.
        Err(error) => Failure::handler_failed("a layer ended the request".to_owned()).caused_by(error).into(),
    }
}

impl ServedRequest {
    /// The properties of the call.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The text of the payload, which is not validated yet. The handler gets it unchanged.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.payload
    }
}

impl fmt::Debug for ServedRequest {
    /// Leaves out the payload, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedRequest").field("context", &self.context).finish_non_exhaustive()
    }
}

impl ServedResponse {
    /// The text of the response.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        match &self.0 {
            Served::Answer(answer) => &answer.payload,
            Served::Text(payload) => payload,
        }
    }
}

impl fmt::Debug for ServedResponse {
    /// Leaves out the payload, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedResponse").field("bytes", &self.payload().len()).finish_non_exhaustive()
    }
}

impl ServeError {
    fn of(answer: Answer) -> Self {
        let (message, retryable) = answer.reason();
        let code = answer.code.clone().unwrap_or_default();
        Self { code, message, retryable, origin: Box::new(Origin::Answer(answer)) }
    }

    /// The code that the caller gets.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The message that the caller gets.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the caller learns that the same request may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }
}

impl From<RunError> for ServeError {
    fn from(error: RunError) -> Self {
        let (code, message, retryable) = match &error {
            RunError::Failure(failure) | RunError::InvalidDetails { failure, .. } => {
                (failure.code.clone(), failure.message.clone(), failure.retryable)
            }
            RunError::Invalid { side, violations } => {
                (code::SCHEMA_VIOLATION.to_owned(), crate::violation::summary(*side, violations), false)
            }
        };
        Self { code, message, retryable, origin: Box::new(Origin::Run(error)) }
    }
}

impl From<Failure> for ServeError {
    /// The failure of a layer, without details: only those of a handler are checked by the contract. Its cause goes to
    /// the log.
    fn from(failure: Failure) -> Self {
        failure.log();
        RunError::Failure(failure.of_handler().without_details()).into()
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeError").field("code", &self.code).field("message", &self.message).finish_non_exhaustive()
    }
}

impl std::error::Error for ServeError {}

impl Service<ServedRequest> for HandlerService {
    type Response = ServedResponse;
    type Error = ServeError;
    type Future = BoxFuture<'static, Result<ServedResponse, ServeError>>;

    /// Always ready: the server limits its handlers itself.
    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), ServeError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ServedRequest) -> Self::Future {
        match &self.0 {
            Some(inner) => {
                let called = inner.call(request);
                Box::pin(async { called.await.map_err(error_of) })
            }
            None => Box::pin(async {
                let core = request.core.clone();
                let ended = || Failure::handler_failed("the request has ended".to_owned());
                core.run(request).await.unwrap_or_else(|| Err(ended().into()))
            }),
        }
    }
}

impl fmt::Debug for HandlerService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerService").finish_non_exhaustive()
    }
}
