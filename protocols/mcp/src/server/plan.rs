//! From a message to its answer or to a call, for all revisions. No IO.

use std::sync::Arc;

use capgen_call::Authorization;
use capgen_diagnostic::cut_short;
use capgen_schema::{Json, Object};

#[cfg(feature = "otel")]
use super::measure;
use super::run::Failed;
use super::tools::{Tool, Tools};
use crate::json::{empty, integer, object, string};
use crate::message::{Malformed, Message, RequestId, RpcError, code, error_response, response};
use crate::meta::{self, Implementation};
use crate::revision::Revision;

/// How long clients may keep the list of tools, which does not change while the server runs, in ms. A client that kept
/// the list of an earlier process sees new tools after an hour at the latest.
const LIST_LIFETIME: i64 = 3_600_000;

/// The properties of an agent that clients see.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) tools: Tools,
    pub(super) implementation: Implementation,
    pub(super) instructions: Option<String>,
    /// Who may call the tools.
    pub(super) authorization: Authorization,
    /// The spans and metrics of calls.
    #[cfg(feature = "otel")]
    pub(super) requests: capgen_call::otel::Requests,
}

/// The next action after a message.
#[derive(Debug)]
pub(super) enum Plan {
    /// Send this. The code is that of the error, if it is one.
    Answer { text: String, code: Option<i64> },
    /// Run a request, and send its result.
    Run(Task),
    /// Abandon a request that runs.
    Cancel(RequestId),
    /// Nothing, because the message needs no answer.
    Nothing,
}

/// A request that has no answer at once.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: RequestId,
    pub(super) revision: Revision,
    pub(super) work: Work,
    /// The trace of the client, as it stated it.
    #[cfg(feature = "otel")]
    pub(super) traceparent: Option<String>,
}

impl Task {
    fn new(id: &RequestId, revision: Revision, work: Work) -> Self {
        Self {
            id: id.clone(),
            revision,
            work,
            #[cfg(feature = "otel")]
            traceparent: None,
        }
    }
}

/// The work of a request that has no answer at once.
#[derive(Debug)]
pub(super) enum Work {
    /// Run a tool.
    Call(Call),
    /// Decide whether the client may call a tool, and run it then.
    Decide(Asked),
    /// Decide which tools the client may call, and list them.
    List,
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: Tool,
    pub(super) name: String,
    /// The text of the request: its value would need many times as much memory while the call waits and runs. `Err` is
    /// the text for the model.
    pub(super) request: Result<String, String>,
}

/// A call of a tool that is not looked up yet: a denial must not show whether it exists.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) name: String,
    /// The text of the arguments, as for calls.
    arguments: Result<String, RpcError>,
}

/// The revision of a client that has shaken hands, or of a session.
pub(super) type Session = Option<Revision>;

/// How a request states its revision.
enum Era {
    Stateless,
    /// With the handshake; `None` before it.
    Session(Session),
}

impl Plan {
    fn error(id: Option<&RequestId>, error: &RpcError) -> Self {
        Self::Answer { text: error_response(id, error), code: Some(error.code) }
    }

    fn result(id: &RequestId, result: &Json) -> Self {
        Self::Answer { text: response(id, result), code: None }
    }
}

impl Agent {
    /// The plan for a message. `session` is changed by the handshake.
    pub(super) fn plan(self: &Arc<Self>, message: Result<Message, Malformed>, session: &mut Session) -> Plan {
        match message {
            Err(malformed) => Plan::Answer { text: malformed.answer(), code: Some(malformed.code) },
            Ok(Message::Request { id, method, params }) => match self.request(&id, &method, params, session) {
                Ok(plan) => plan,
                Err(error) => Plan::error(Some(&id), &error),
            },
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                params.get("requestId").and_then(RequestId::of).map_or(Plan::Nothing, Plan::Cancel)
            }
            // This server sends no requests, so that no response is expected.
            Ok(Message::Notification { .. } | Message::Response { .. }) => Plan::Nothing,
        }
    }

    /// The plan for a message of a batch. The handshake cannot be part of one.
    pub(super) fn plan_in_batch(self: &Arc<Self>, message: Result<Message, Malformed>, mut session: Session) -> Plan {
        match &message {
            Ok(Message::Request { id, method, .. }) if method == "initialize" => {
                let error = RpcError::new(code::INVALID_REQUEST, "`initialize` cannot be part of a batch");
                Plan::error(Some(id), &error)
            }
            _ => self.plan(message, &mut session),
        }
    }

    fn request(&self, id: &RequestId, method: &str, params: Object, session: &mut Session) -> Result<Plan, RpcError> {
        if method == "initialize" {
            let revision = handshake(&params)?;
            *session = Some(revision);
            return Ok(Plan::result(id, &self.initialized(revision)));
        }
        let era = era(&params, *session)?;
        match (method, era) {
            ("server/discover", Era::Stateless) => Ok(Plan::result(id, &self.discovered())),
            ("ping", Era::Session(_)) => Ok(Plan::result(id, &empty())),
            ("tools/list", era) => {
                let revision = era.revision()?;
                // There is one page.
                if params.get("cursor").is_some_and(|cursor| *cursor != Json::Null) {
                    return Err(RpcError::new(code::INVALID_PARAMS, "Invalid cursor"));
                }
                if self.authorization.is_active() {
                    return Ok(Plan::Run(Task::new(id, revision, Work::List)));
                }
                Ok(Plan::Answer { text: self.listed(id, revision, |_| true), code: None })
            }
            ("tools/call", era) => {
                let revision = era.revision()?;
                #[cfg(feature = "otel")]
                let (name, traceparent) = measure::stated(&params);
                let work = self.call(params);
                #[cfg(feature = "otel")]
                if work.is_err() {
                    self.measure_invalid(&name, traceparent.as_deref());
                }
                let task = Task::new(id, revision, work?);
                #[cfg(feature = "otel")]
                let task = Task { traceparent, ..task };
                Ok(Plan::Run(task))
            }
            _ => Err(RpcError::new(code::METHOD_NOT_FOUND, "Method not found")),
        }
    }

    fn call(&self, mut params: Object) -> Result<Work, RpcError> {
        let name = params.get("name").and_then(Json::as_str).map(str::to_owned);
        let name = name.ok_or_else(|| invalid("`name` is not a string".to_owned()))?;
        let arguments = match params.get_mut("arguments").map(|arguments| std::mem::replace(arguments, Json::Null)) {
            None | Some(Json::Null) => Ok(Object::new()),
            Some(Json::Object(arguments)) => Ok(arguments),
            Some(_) => Err(invalid("`arguments` is not an object".to_owned())),
        };
        if self.authorization.is_active() {
            let arguments = arguments.map(|arguments| Json::Object(arguments).to_string());
            return Ok(Work::Decide(Asked { name, arguments }));
        }
        let tool = self.tool(&name)?;
        let request = tool.request(arguments?).map(|request| request.to_string());
        Ok(Work::Call(Call { tool, name, request }))
    }

    /// The call that a client may make.
    pub(super) fn allowed(&self, Asked { name, arguments }: Asked) -> Result<Call, RpcError> {
        let tool = self.tool(&name)?;
        let request = tool.request_of_text(arguments?);
        Ok(Call { tool, name, request })
    }

    fn tool(&self, name: &str) -> Result<Tool, RpcError> {
        self.tools.get(name).cloned().ok_or_else(|| invalid(format!("Unknown tool: {}", cut_short(name, 200))))
    }

    /// The text of the response to a request for the tools: those that the client may see.
    pub(super) fn listed(&self, id: &RequestId, revision: Revision, is_visible: impl Fn(&str) -> bool) -> String {
        response(id, &self.complete(revision, [("tools", self.tools.list(revision, is_visible))], true))
    }

    fn initialized(&self, revision: Revision) -> Json {
        let mut result = Object::new();
        result.push("protocolVersion".to_owned(), string(revision.as_str()));
        result.push("capabilities".to_owned(), object([("tools", empty())]));
        result.push("serverInfo".to_owned(), self.implementation.to_json());
        result.set("instructions", self.instructions.as_deref().map(string));
        Json::Object(result)
    }

    fn discovered(&self) -> Json {
        let versions = Revision::ALL.iter().map(|revision| string(revision.as_str())).collect();
        let members = [("supportedVersions", Json::Array(versions)), ("capabilities", object([("tools", empty())]))];
        let Json::Object(mut result) = self.complete(Revision::V2026_07_28, members, true) else { return empty() };
        result.set("instructions", self.instructions.as_deref().map(string));
        Json::Object(result)
    }

    /// A result with the members that its revision requires.
    pub(super) fn complete<const N: usize>(
        &self,
        revision: Revision,
        members: [(&str, Json); N],
        is_cacheable: bool,
    ) -> Json {
        let mut result = Object::new();
        if revision.is_stateless() {
            result.push("resultType".to_owned(), string("complete"));
        }
        for (name, value) in members {
            result.push(name.to_owned(), value);
        }
        if revision.is_stateless() {
            if is_cacheable {
                result.push("ttlMs".to_owned(), integer(LIST_LIFETIME));
                result.push("cacheScope".to_owned(), string("private"));
            }
            result.push("_meta".to_owned(), object([(meta::SERVER_INFO, self.implementation.to_json())]));
        }
        Json::Object(result)
    }

    /// The text of the response to a call that succeeded.
    pub(super) fn called(&self, id: &RequestId, revision: Revision, tool: &Tool, result: Json) -> String {
        let content = |result: &Json| ("content", content(result.to_string()));
        let result = match tool.structured(&result, revision) {
            Some(structured) => {
                self.complete(revision, [content(&structured), ("structuredContent", structured)], false)
            }
            None => self.complete(revision, [content(&result)], false),
        };
        response(id, &result)
    }

    /// The text of the response to a call that failed.
    pub(super) fn failed(&self, id: &RequestId, revision: Revision, Failed { text, error }: Failed) -> String {
        // Without `structuredContent`: some clients validate it by the output schema also if it is an error.
        let result = self.complete(revision, [("content", content(text)), ("isError", Json::Bool(true))], false);
        let result = match error {
            Some(error) => with_meta(result, meta::ERROR, error),
            None => result,
        };
        response(id, &result)
    }
}

fn invalid(message: String) -> RpcError {
    RpcError::new(code::INVALID_PARAMS, message)
}

/// A text as the content of a result.
fn content(text: String) -> Json {
    Json::Array(vec![object([("type", string("text")), ("text", string(text))])])
}

/// The result with another member of `_meta`.
fn with_meta(mut result: Json, name: &str, value: Json) -> Json {
    if let Json::Object(members) = &mut result {
        match members.get_mut("_meta") {
            Some(Json::Object(meta)) => meta.push(name.to_owned(), value),
            _ => members.push("_meta".to_owned(), object([(name, value)])),
        }
    }
    result
}

impl Era {
    fn revision(self) -> Result<Revision, RpcError> {
        match self {
            Self::Stateless => Ok(Revision::V2026_07_28),
            Self::Session(Some(revision)) => Ok(revision),
            Self::Session(None) => Err(RpcError::new(
                code::INVALID_PARAMS,
                format!("send `initialize` first, or `_meta` with `{}`", meta::REVISION),
            )),
        }
    }
}

/// The revision of a handshake: the client's, or the newest that has a handshake.
fn handshake(params: &Object) -> Result<Revision, RpcError> {
    let Some(version) = params.get("protocolVersion").and_then(Json::as_str) else {
        return Err(RpcError::new(code::INVALID_PARAMS, "`protocolVersion` is not a string"));
    };
    let revision = Revision::from_name(version).filter(|revision| !revision.is_stateless());
    Ok(revision.unwrap_or(Revision::NEWEST_WITH_HANDSHAKE))
}

fn era(params: &Object, session: Session) -> Result<Era, RpcError> {
    let Some(meta) = params.get("_meta").filter(|meta| meta.get(meta::REVISION).is_some()) else {
        return Ok(Era::Session(session));
    };
    let Some(version) = meta.get(meta::REVISION).and_then(Json::as_str) else {
        return Err(RpcError::new(code::INVALID_PARAMS, format!("`{}` is not a string", meta::REVISION)));
    };
    if !Revision::from_name(version).is_some_and(Revision::is_stateless) {
        return Err(unsupported(version));
    }
    if meta.get(meta::CLIENT_CAPABILITIES).and_then(Json::as_object).is_none() {
        let message = format!("`_meta` has no object `{}`", meta::CLIENT_CAPABILITIES);
        return Err(RpcError::new(code::INVALID_PARAMS, message));
    }
    Ok(Era::Stateless)
}

/// The error of a request with a revision that is not supported, or needs a handshake.
pub(super) fn unsupported(version: &str) -> RpcError {
    let supported = Revision::ALL.iter().map(|revision| string(revision.as_str())).collect();
    let data = object([("supported", Json::Array(supported)), ("requested", string(cut_short(version, 40)))]);
    RpcError { data: Some(data), ..RpcError::new(code::UNSUPPORTED_REVISION, "Unsupported protocol version") }
}
