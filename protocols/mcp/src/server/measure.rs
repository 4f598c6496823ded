//! The spans and metrics of calls of tools.

use capgen_call::code;
use capgen_call::otel::{MeasuredRequest, Requests};
use capgen_schema::{Json, Object};

use super::plan::{Agent, Asked, Call, Work};
use super::tools::Tool;
use crate::meta;

/// The value of `rpc.system.name`.
const SYSTEM: &str = "mcp";

/// The longest `traceparent` that a request keeps while it waits, in bytes. That of version 00 has 55, and later
/// versions may add parts.
const MAX_TRACEPARENT: usize = 256;

/// A call of a tool that is measured.
pub(super) struct Measured {
    request: MeasuredRequest,
    tool: Option<Tool>,
}

/// The instruments of an agent.
pub(super) fn requests(agent: &str) -> Requests {
    Requests::new(SYSTEM, agent)
}

/// The name of a tool in a request, and the `traceparent` in its `_meta`, where clients put it by SEP-414 of MCP.
/// Neither is checked yet.
pub(super) fn stated(params: &Object) -> (String, Option<String>) {
    let name = params.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
    let text = params.get("_meta").and_then(|it| it.get(meta::TRACEPARENT)).and_then(Json::as_str);
    (name, text.filter(|text| text.len() <= MAX_TRACEPARENT).map(str::to_owned))
}

impl Agent {
    /// Starts the span of a call; `None` for a request of another kind.
    pub(super) fn measured(&self, work: &Work, traceparent: Option<&str>) -> Option<Measured> {
        let tool = match work {
            Work::Call(Call { tool, .. }) => Some(tool),
            Work::Decide(Asked { name, .. }) => self.tools.get(name),
            Work::List => return None,
        };
        Some(self.started(tool, traceparent))
    }

    /// Records a call of a tool that cannot run.
    pub(super) fn measure_invalid(&self, name: &str, traceparent: Option<&str>) {
        self.started(self.tools.get(name), traceparent).end_invalid();
    }

    fn started(&self, tool: Option<&Tool>, traceparent: Option<&str>) -> Measured {
        let capability = tool.map(|tool| tool.capability.as_str());
        Measured { request: self.requests.start(capability, traceparent), tool: tool.cloned() }
    }
}

impl Measured {
    /// Ends the call, with the code of its error if it failed.
    pub(super) fn end(&mut self, error: Option<&str>) {
        let tool = self.tool.as_ref();
        let declares = |code: &str| tool.is_some_and(|tool| tool.described.errors.iter().any(|it| it.code == code));
        self.request.end(error, declares);
    }

    /// Ends a call that did not run, because there is no such tool, or its arguments are not an object.
    pub(super) fn end_invalid(&mut self) {
        self.end(Some(if self.tool.is_some() { code::INVALID_ENVELOPE } else { code::NO_CAPABILITY }));
    }
}

/// Runs a part of a call with its span as the current one.
pub(super) async fn within<F: Future>(measured: Option<&Measured>, part: F) -> F::Output {
    match measured {
        Some(measured) => measured.request.run(part).await,
        None => part.await,
    }
}
