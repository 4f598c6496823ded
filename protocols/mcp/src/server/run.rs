//! Running the handlers of tools.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_call::{Clock as _, Context, Handlers, RunError, Side, SystemClock};
use capgen_diagnostic::cut_short;
use capgen_net::{Budget, Caller};
use capgen_schema::{Json, Violations};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::plan::{Agent, Call};
use super::tools::Tool;

/// The longest text of a failure, in characters. Models read it: enough for a trace of a stack, and not for a whole
/// document. Clients of this crate keep as much.
const MAX_FAILURE: usize = 8000;

/// The id of callers, which the protocol does not identify.
const CALLER: &str = "mcp";

/// The handlers, with limits that all connections share.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) agent: Arc<Agent>,
    pub(super) handlers: Handlers,
    /// The places of handlers that run.
    pub(super) running: Budget,
    pub(super) timeout: Duration,
}

/// A task that ends with its owner.
pub(super) struct Owned<T>(pub(super) JoinHandle<T>);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Runner {
    /// Runs a tool, and returns the text of its response. Dropping the future ends the handler.
    pub(super) async fn run(self: Arc<Self>, mut call: Call, caller: Caller) -> String {
        let request = std::mem::replace(&mut call.request, Ok(String::new()));
        let outcome = self.outcome(&call, request, caller).await;
        self.agent.called(&call, outcome.as_ref().map_err(Clone::clone))
    }

    /// The response, or the text of the failure for a model.
    async fn outcome(&self, call: &Call, request: Result<String, String>, caller: Caller) -> Result<Json, String> {
        let request = request.map_err(|violation| format!("{}\n{violation}", heading(Side::Request, &call.name)))?;
        let ended = timeout(self.timeout, async {
            let mut place = self.running.share(caller);
            place.grow(1).await;
            self.handled(call, request).await
        });
        let Ok(ended) = ended.await else {
            return Err(format!("The tool `{}` did not finish within {} s.", call.name, self.timeout.as_secs()));
        };
        ended
    }

    async fn handled(&self, call: &Call, request: String) -> Result<Json, String> {
        let limit = u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX);
        let deadline = SystemClock.now_ms().saturating_add(limit);
        let context = Context::of_request(CALLER, &call.tool.capability, call.id.as_text(), Some(deadline));
        let failed = || format!("The tool `{}` failed.", call.name);
        let Some(running) = self.handlers.run(context, Bytes::from(request)) else { return Err(failed()) };
        // A task of its own, so that a panic ends nothing else.
        let mut task = Owned(tokio::spawn(running));
        match (&mut task.0).await.map_err(|_| failed())? {
            // The handler has written the text itself, so it is JSON.
            Ok(response) => parsed(&response).ok_or_else(failed),
            Err(RunError::Failure(failure)) => {
                Err(format!("{} ({})", cut_short(failure.message(), MAX_FAILURE), cut_short(failure.code(), 100)))
            }
            Err(RunError::Invalid { side, violations }) => {
                Err(format!("{}{}", heading(side, &call.name), list(&call.tool, side, &violations)))
            }
            Err(_) => Err(failed()),
        }
    }
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
