//! Running the handlers of tools.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_call::journal::{Journal, RecordedCall, Subject};
use capgen_call::{
    Authorization, Clock as _, Context, ErrorPayload, Failure, Handlers, Payload as _, Principal, RunError, Side,
    Status, SystemClock, code,
};
use capgen_diagnostic::cut_short;
use capgen_net::{Budget, Caller};
use capgen_schema::{Json, Violations};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tracing::level_filters::LevelFilter;
use tracing::{Instrument as _, Span};

use super::authorize::{MAX_NAME, Refused};
use super::plan::{Agent, Call, Task, Work};
use super::tools::Tool;
use crate::message::{RequestId, error_response};

/// The longest text of a failure, in characters. Models read it: enough for a trace of a stack, and not for a whole
/// document. Clients of this crate keep as much.
const MAX_FAILURE: usize = 8000;

/// The id of callers, which the protocol does not identify.
const CALLER: &str = "mcp";

/// The handlers, with limits that all connections share.
pub(super) struct Runner {
    pub(super) agent: Arc<Agent>,
    pub(super) handlers: Handlers,
    /// The places of handlers that run.
    pub(super) running: Budget,
    pub(super) timeout: Duration,
    pub(super) journal: Arc<Journal>,
}

/// The sender of a request.
#[derive(Clone)]
pub(super) struct Sender {
    /// Whom its handlers count for.
    pub(super) caller: Caller,
    /// For whom it sends requests, if that is known.
    pub(super) principal: Option<Arc<Principal>>,
}

/// A call that runs.
struct Running<'a> {
    id: &'a RequestId,
    call: &'a Call,
    sender: Sender,
    /// The arrival of the request.
    start: Instant,
}

/// The end of a call, for its record.
#[derive(Debug)]
struct End {
    status: Status,
    code: Option<String>,
    /// The payload that violates its schema.
    invalid: Option<(Side, Violations)>,
}

/// A call without a response.
struct Unanswered {
    answer: Failed,
    end: End,
}

/// The answer to a call without a response.
pub(super) struct Failed {
    /// For a model.
    pub(super) text: String,
    /// For a program: the payload of the error, if the handler failed by itself, or the caller may not call.
    pub(super) error: Option<Json>,
}

/// A task that ends with its owner.
pub(super) struct Owned<T>(pub(super) JoinHandle<T>);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Runner {
    /// Runs a request in its span, and returns the text of its response. Dropping the future ends the handler.
    pub(super) async fn run(self: Arc<Self>, task: Task, sender: Sender) -> String {
        let span = self.span(&task);
        self.answer(task, sender).instrument(span).await
    }

    /// The span of a call, with the name and the fields of that of a server of calls.
    fn span(&self, task: &Task) -> Span {
        // Looking up a tool costs time, so only for a log.
        if LevelFilter::current() < LevelFilter::INFO {
            return Span::none();
        }
        let (tool, name) = match &task.work {
            Work::List => return Span::none(),
            Work::Call(call) => (Some(&call.tool), &call.name),
            Work::Decide(asked) => (self.agent.tools.get(&asked.name), &asked.name),
        };
        tracing::info_span!(
            "capgen.serve",
            capability =
                tool.map_or_else(|| cut_short(name, MAX_NAME), |tool| tool.capability.as_str().into()).as_ref(),
            peer = CALLER,
            correlation_id = task.id.as_text(),
            contract = tool.map(|tool| tool.contract.as_str()).unwrap_or_default(),
        )
    }

    async fn answer(&self, task: Task, sender: Sender) -> String {
        let start = Instant::now();
        #[cfg(feature = "otel")]
        let mut measured = self.agent.measured(&task.work, task.traceparent.as_deref());
        let Task { id, revision, work, .. } = task;
        let mut call = match work {
            Work::Call(call) => call,
            // In boxes, because the future of a call that needs no decision should not have their size.
            Work::List => return Box::pin(self.list(&id, revision, &sender)).await,
            Work::Decide(asked) => match Box::pin(self.authorize(&id, asked, &sender)).await {
                Ok(call) => call,
                Err(Refused::Denied) => {
                    #[cfg(feature = "otel")]
                    measured.iter_mut().for_each(|measured| measured.end(Some(code::FORBIDDEN)));
                    return self.agent.failed(&id, revision, Failed::forbidden());
                }
                Err(Refused::Invalid(error)) => {
                    #[cfg(feature = "otel")]
                    measured.iter_mut().for_each(super::measure::Measured::end_invalid);
                    return error_response(Some(&id), &error);
                }
            },
        };
        let request = std::mem::replace(&mut call.request, Ok(String::new()));
        let principal = sender.principal.clone();
        let mut subject = subject(&call.tool.capability, &id, principal.as_ref());
        subject.contract = &call.tool.contract;
        let recorded = RecordedCall::start(&self.journal, &subject);
        let running = Running { id: &id, call: &call, sender, start };
        let outcome = self.outcome(&running, request);
        #[cfg(feature = "otel")]
        let outcome = super::measure::within(measured.as_ref(), outcome);
        let outcome = outcome.await;
        let (text, end) = match outcome {
            Ok(response) => {
                let text = self.agent.called(&id, revision, &call.tool, response);
                (text, End { status: Status::Ok, code: None, invalid: None })
            }
            Err(Unanswered { answer, end }) => (self.agent.failed(&id, revision, answer), end),
        };
        #[cfg(feature = "otel")]
        measured.iter_mut().for_each(|measured| measured.end(end.code.as_deref()));
        match (recorded, end) {
            (Some(recorded), End { status, code, invalid }) => {
                recorded.end(status, code.as_deref(), invalid, Journal::MAX_DELAY).await;
            }
            // For the log.
            (None, End { invalid: Some((side, violations)), .. }) => {
                self.journal.violation(subject, side, violations, Journal::MAX_DELAY).await;
            }
            (None, _) => {}
        }
        text
    }

    /// The response, or the failure.
    async fn outcome(&self, running: &Running<'_>, request: Result<String, String>) -> Result<Json, Unanswered> {
        let call = running.call;
        let request = request.map_err(|violation| {
            let text = format!("{}\n{violation}", heading(Side::Request, &call.name));
            Unanswered::new(text, Status::SchemaViolation, code::SCHEMA_VIOLATION)
        })?;
        let limit = self.limit(call);
        let ended = timeout(limit.saturating_sub(running.start.elapsed()), async {
            let mut place = self.running.share(running.sender.caller.clone());
            place.grow(1).await;
            self.handled(running, request).await
        });
        let Ok(ended) = ended.await else {
            let text = format!("The tool `{}` did not finish within {limit:?}.", call.name);
            return Err(Unanswered::new(text, Status::Timeout, code::TIMEOUT));
        };
        ended
    }

    /// How long a call may take: the timeout of the server or, if it is shorter, that of the capability.
    fn limit(&self, call: &Call) -> Duration {
        call.tool.timeout.map_or(self.timeout, |timeout| timeout.min(self.timeout))
    }

    async fn handled(&self, running: &Running<'_>, request: String) -> Result<Json, Unanswered> {
        let Running { id, call, sender, start } = running;
        let rest = self.limit(call).saturating_sub(start.elapsed());
        let context = sender.context(&call.tool.capability, id, rest);
        let failed = || {
            let text = format!("The tool `{}` failed.", call.name);
            Unanswered::new(text, Status::Error, code::HANDLER_FAILED)
        };
        let running = self.handlers.run_contract(&call.tool.contract, context, Bytes::from(request));
        let Some(running) = running else { return Err(failed()) };
        #[cfg(feature = "otel")]
        let running = capgen_call::otel::in_current_span(running);
        // A task of its own, so that a panic ends nothing else.
        let mut task = Owned(tokio::spawn(running.in_current_span()));
        match (&mut task.0).await.map_err(|_| failed())? {
            // The handler has written the text itself, so it is JSON.
            Ok(response) => parsed(&response).ok_or_else(failed),
            Err(RunError::Failure(failure)) => Err(Unanswered::failed(failure)),
            Err(RunError::InvalidDetails { failure, violations }) => {
                let Unanswered { answer, end } = Unanswered::failed(failure);
                Err(Unanswered { answer, end: End { invalid: Some((Side::Response, violations)), ..end } })
            }
            Err(RunError::Invalid { side, violations }) => {
                let text = format!("{}{}", heading(side, &call.name), list(&call.tool, side, &violations));
                let unanswered = Unanswered::new(text, Status::SchemaViolation, code::SCHEMA_VIOLATION);
                Err(Unanswered { end: End { invalid: Some((side, violations)), ..unanswered.end }, ..unanswered })
            }
            Err(_) => Err(failed()),
        }
    }
}

impl Sender {
    /// The context of a request for a capability, which ends after some time.
    pub(super) fn context(&self, capability: &str, id: &RequestId, rest: Duration) -> Context {
        let rest = u64::try_from(rest.as_millis()).unwrap_or(u64::MAX);
        let deadline = SystemClock.now_ms().saturating_add(rest);
        Context::of_request(CALLER, capability, id.as_text(), Some(deadline)).with_principal(self.principal.clone())
    }
}

impl Failed {
    /// The answer to every call that its caller may not make, also of tools that do not exist.
    fn forbidden() -> Self {
        let text = format!("{}: {}", code::FORBIDDEN, Authorization::DENIED);
        Self::with_error(text, &ErrorPayload::of(code::FORBIDDEN, Authorization::DENIED).with_retryable(false))
    }

    /// An answer with an error for programs.
    fn with_error(text: String, error: &ErrorPayload) -> Self {
        // Handlers without a contract may give details that are too deep for a message; their callers get the text.
        Self { text, error: error.to_json().ok().and_then(|error| parsed(&error.into())) }
    }
}

impl Unanswered {
    fn new(text: String, status: Status, code: &str) -> Self {
        Self { answer: Failed { text, error: None }, end: End { status, code: Some(code.to_owned()), invalid: None } }
    }

    /// The failure of a handler. Programs get all of it, and models its code and its message.
    fn failed(failure: Failure) -> Self {
        let code = cut_short(failure.code(), 100).into_owned();
        let text = format!("{code}: {}", cut_short(failure.message(), MAX_FAILURE));
        let unanswered = Self::new(text, Status::Error, &code);
        let mut error = ErrorPayload::from(failure);
        error.message = cut_short(&error.message, MAX_FAILURE).into_owned();
        Self { answer: Failed::with_error(unanswered.answer.text, &error), end: unanswered.end }
    }
}

/// A call, as the audit names it.
pub(super) fn subject<'a>(
    capability: &'a str,
    id: &'a RequestId,
    principal: Option<&'a Arc<Principal>>,
) -> Subject<'a> {
    let mut subject = Subject::new([capability, CALLER, id.as_text()]);
    subject.principal = principal;
    subject
}

fn parsed(response: &Bytes) -> Option<Json> {
    std::str::from_utf8(response).ok()?.parse().ok()
}

fn heading(side: Side, name: &str) -> String {
    match side {
        Side::Request => {
            format!("The arguments of the tool `{name}` are invalid. Correct these places and call it again:")
        }
        Side::Response => format!(
            "The tool `{name}` ran, but its result violates the output schema of the tool and is not returned. Calling it again with the \
             same arguments will probably not help. The places in the result:"
        ),
    }
}

/// A line for each violation, with the JSON Pointer of its place. The violations have no values. The last line says if
/// there are more.
fn list(tool: &Tool, side: Side, violations: &Violations) -> String {
    let mut text = String::new();
    for violation in violations {
        let pointer = tool.pointer(side, &violation.path);
        let pointer = if pointer.is_empty() { "(the whole value)" } else { &pointer };
        // Writing to a string does not fail.
        let _ = write!(text, "\n- {pointer}: {}", violation.message);
    }
    if violations.is_truncated() {
        text.push_str("\n- and more");
    }
    text
}
